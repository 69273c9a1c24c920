"""Clocks that are wrong: of a machine that wrote logs, and of the one that reads them."""

from collections.abc import Callable
from pathlib import Path

from polars.testing import assert_frame_equal

from cairn.knowledge.assembly.build import build, comparable
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.schema.tables import CONVERSATIONS, MEMORY, RAW_LOGS, RECORDS
from cairn.pipelines.planning.dates import dates
from cairn.resources.warehouse.publication import published
from tests.journeys.running import follow
from tests.pipelines.house import House
from tests.pipelines.test_sensors import line

NewHouse = Callable[[], House]
USUAL = b"".join(line(f"2026-03-0{n}T10:00:00Z", n, f"Use pnpm in step {n}.") for n in range(1, 6))
AHEAD = line("2126-03-09T10:00:00Z", 9, "Use ssh to reach nas.example.net.")


def as_one_rebuild(house: House) -> None:
    """The tables are those that all records give at once."""
    means = StageContext(house.state.policy, house.state.embedder)
    whole = comparable(build(house.state.warehouse.read(RECORDS).collect(), means, until="memory"))
    for table in (RAW_LOGS, CONVERSATIONS, MEMORY):
        stored = comparable({table.name: house.state.warehouse.read(table).collect()})[table.name]
        assert_frame_equal(stored, whole[table.name], check_exact=True)


def days(house: House) -> list[str]:
    return sorted(house.state.warehouse.read(CONVERSATIONS).collect()["day"])


def test_a_file_that_is_ahead_is_believed_until_others_say_otherwise(new_house: NewHouse) -> None:
    house = new_house()
    (house.logs / "ahead.jsonl").write_bytes(AHEAD)
    follow(house.state)
    assert days(house) == ["2126-03-09"], "a century ahead"
    (house.logs / "usual.jsonl").write_bytes(USUAL)
    follow(house.state)
    assert days(house) == ["2015-01-01", *(f"2026-03-0{n}" for n in range(1, 6))]
    manifest = published(house.state.home, "default")
    assert manifest is not None
    assert str(manifest.watermark)[:10] == "2026-03-05"
    (file,) = dates(house.state).undated.to_dicts()
    assert (Path(file["source_file"]).name, file["records"], file["late"]) == ("ahead.jsonl", 1, 1)
    as_one_rebuild(house)
