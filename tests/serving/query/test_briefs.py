"""The brief as of a moment: what came later is not in it, whichever table it would come from."""

import json
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from benchmarks.foresight import Home, read_set, written_before
from cairn.serving.query.briefs import project_brief
from cairn.serving.read.reader import open_reader

ROOT = "/home/ada/quay"
BEGIN = datetime(2026, 5, 4, 9, tzinfo=UTC)
WISH = "Don't touch the vendor folder."
RUNNING = 20
"""Minutes after which the result of a call comes that takes long."""


def lines(name: str, begins: datetime, *turns: tuple[object, ...]) -> str:
    """A session of Claude Code: each turn (minute, kind, what) is a line of a file, or two."""
    found: list[dict[str, object]] = []

    def add(minute: object, role: str, content: object) -> None:
        assert isinstance(minute, int | float)
        at = begins + timedelta(minutes=minute)
        found.append(
            {
                "type": role, "sessionId": name, "cwd": ROOT, "uuid": f"{name}-{len(found)}",
                "timestamp": at.isoformat().replace("+00:00", "Z"), "version": "2.1.39",
                "message": {"role": role, "content": content},
            }
        )  # fmt: skip

    for minute, kind, what in turns:
        call = f"toolu_{name}_{len(found)}"
        tool, given = {
            "run": ("Bash", {"command": what}),
            "runs long": ("Bash", {"command": what}),
            "edit": ("Edit", {"file_path": f"{ROOT}/{what}", "old_string": "a", "new_string": "b"}),
        }.get(str(kind), ("", {}))
        if not tool:
            add(minute, "user", what)
            continue
        assert isinstance(minute, int)
        add(minute, "assistant",
            [{"type": "tool_use", "id": call, "name": tool, "input": given}])  # fmt: skip
        add(minute + (RUNNING if kind == "runs long" else 0.1), "user",
            [{"type": "tool_result", "tool_use_id": call, "content": "ok, 3 passed"}])  # fmt: skip
    return "".join(f"{json.dumps(line)}\n" for line in found)


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    """Five days on one project; the last two sessions run side by side."""
    day = timedelta(days=1)
    told = {
        "s1": (BEGIN, (0, "says", WISH), (1, "run", "make test"), (2, "edit", "berth.py"),
               (3, "edit", "tide.py")),
        "s2": (BEGIN + day, (0, "says", "Why is it slow?"), (1, "run", "make test"),
               (2, "edit", "berth.py"), (3, "edit", "tide.py")),
        "s3": (BEGIN + 2 * day, (0, "says", "Add a berth."), (1, "edit", "berth.py")),
        "s4": (BEGIN + 3 * day, (0, "says", "Let a berth be free."), (10, "edit", "berth.py"),
               (55, "runs long", "make lint"), (80, "edit", "berth.py"), (81, "edit", "tide.py")),
        "s5": (BEGIN + 3 * day + timedelta(hours=1), (0, "says", WISH), (5, "edit", "tide.py"),
               (6, "run", "make test")),
    }  # fmt: skip
    folder = tmp_path / "sessions"
    folder.mkdir()
    for name, (begins, *turns) in told.items():
        (folder / f"{name}.jsonl").write_text(lines(name, begins, *turns))
    return folder


def test_it_is_that_of_the_earlier_logs_alone(sessions: Path) -> None:
    records = read_set(sessions, "n")
    before = BEGIN + timedelta(days=3, hours=1) - timedelta(microseconds=1)
    earlier = written_before(records, before)
    with closing(Home(records, "n")) as whole, closing(Home(earlier, "n")) as rebuilt:
        asked = {"then": (whole, before), "rebuilt": (rebuilt, before), "now": (whole, None)}
        told = {
            name: project_brief(open_reader(home.state, "n", moment), "quay")["text"]
            for name, (home, moment) in asked.items()
        }
    assert told["then"] == told["rebuilt"]
    assert "- Often edited: berth.py\n" in told["then"], "the edit at 9:10 is known at 10:00"
    assert "tide.py" not in told["then"], "two sessions edit it later"
    assert WISH not in told["then"], "it was said once by then"
    assert "make lint" not in told["then"], "nothing tells by then how it ends"
    (edited,) = (line for line in told["now"].splitlines() if "Often edited: " in line)
    assert "berth.py" in edited
    assert "tide.py" in edited
    assert all(f"- {line}" in told["now"] for line in (WISH, "lint: `make lint`"))
