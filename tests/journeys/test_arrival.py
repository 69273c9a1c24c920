"""However logs arrive, the stored tables are what one build of all records gives."""

import json
import random
from pathlib import Path

import polars as pl

from cairn.assets.candidates import run_candidates
from cairn.assets.raw_logs import run_raw_logs
from cairn.assets.records import changed_files, intake
from cairn.knowledge.schema.tables import CANDIDATES, CONVERSATIONS
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source
from tests.journeys.running import PUBLISHED, UNPUBLISHED, assert_as_built, follow


def test_files_that_come_one_by_one_and_in_parts(samples: Path, tmp_path: Path) -> None:
    source = tmp_path / "logs"
    source.mkdir()
    state = State(open_home(tmp_path / "home"), Settings())
    add_source(state.home, source, "default")
    dice = random.Random(1)
    parts: list[tuple[str, bytes]] = []
    for number, path in enumerate(sorted(samples.rglob("*.json*"))[1::4]):
        content = path.read_bytes()
        lines = content.splitlines(keepends=True)
        if dice.random() < 0.3 and "claude_code" in path.parts:
            cut = dice.randrange(1, len(lines))
            parts.append((f"{number}a.jsonl", b"".join(lines[:cut])))
            content = b"".join(lines[cut:])
        parts.append((f"{number}{path.suffix}", content))
    dice.shuffle(parts)
    third = len(parts) // 3
    for batch in (parts[:third], parts[third : 2 * third], parts[2 * third :]):
        for name, content in batch:
            (source / name).write_bytes(content)
        follow(state, PUBLISHED if batch[-1] is parts[-1] else UNPUBLISHED)
    assert_as_built(state)


def line(time: str, number: int, text: str) -> bytes:
    return (
        json.dumps(
            {
                "type": "user",
                "uuid": f"00000000-0000-4000-8000-{number:012}",
                "sessionId": "5e551017-0000-4000-8000-000000000000",
                "cwd": "/home/mira/projects/harbor",
                "timestamp": time,
                "message": {"role": "user", "content": text},
            }
        ).encode()
        + b"\n"
    )


def test_an_older_record_moves_its_conversation_to_an_earlier_day_though_a_run_died(
    tmp_path: Path,
) -> None:
    def moved_to(day: str) -> None:
        for table in (CONVERSATIONS, CANDIDATES):
            days = state.warehouse.read(table).select(pl.col("day").unique()).collect()["day"]
            assert days.to_list() == [day]

    source = tmp_path / "logs"
    source.mkdir()
    state = State(open_home(tmp_path / "home"), Settings())
    add_source(state.home, source, "default")
    (source / "late.jsonl").write_bytes(
        line("2026-02-05T10:00:00Z", 2, "We use pnpm here, never npm, because of the workspace.")
    )
    assert follow(state, UNPUBLISHED) == ["2026-02-05"]
    (source / "early.jsonl").write_bytes(line("2026-02-01T10:00:00Z", 1, "Set up the project."))
    assert follow(state, "observations") == ["2026-02-01", "2026-02-05"]
    moved_to("2026-02-01")

    # Raw logs move to another day, and the process dies before the candidates follow.
    (source / "first.jsonl").write_bytes(line("2026-01-28T10:00:00Z", 3, "Begin with the docs."))
    intake(state, changed_files(state))
    run_raw_logs(state, ["2026-01-28", "2026-02-01"])
    run_candidates(state, ["2026-01-28"])
    assert follow(state, UNPUBLISHED) == ["2026-01-28", "2026-02-01"]
    moved_to("2026-01-28")
    assert_as_built(state)
