"""Searches in the graph: who starts them, and when they wait."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from cairn.assets.effects.search import enrich
from cairn.knowledge.schema.tables import LEARN_PROMPTS, RAW_LOGS
from cairn.pipelines.enrich import idle
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import note
from cairn.resources.effects import intended
from cairn.resources.home.inbox import append_event
from cairn.resources.home.settings import Settings
from cairn.serving.query.research import report
from cairn.serving.read.reader import open_reader
from cairn.serving.write.deletion import reach, target
from tests.journeys.running import follow
from tests.pipelines.house import House, open_house

pytestmark = pytest.mark.usefixtures("by_polars")


@pytest.fixture
def house(tmp_path: Path) -> House:
    made = open_house(tmp_path / "house")
    (tmp_path / "tea.md").write_text("# Tea\n\nGreen tea is brewed at 80 degrees.\n")
    settings = Settings(search_provider=f"folder:{tmp_path}")
    return House(State(made.state.home, settings), made.logs, made.instance)


def told(house: House, text: str, kind: str = "command") -> None:
    event = {"type": kind, "namespace": "default", "text": text}
    append_event(house.state.home, event, redact=lambda given: (given, 0))


LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def test_learn_prompts_are_searched_for_by_one_job_once_nothing_else_is_to_be_done(
    house: House,
) -> None:
    assert house.looked(idle) == "nothing is due"
    told(house, "/learn green tea")
    without = House(State(house.state.home, Settings()), house.logs, house.instance)
    assert follow(without.state)
    assert without.looked(idle) == "no search provider is set"
    assert without.run("enrich").success
    told(house, "The kettle is blue.", "note")
    assert house.looked(idle) == "extraction waits"
    assert house.run("enrich").success
    assert intended(house.state, "search", LONG_AGO).total() == 0, "the job waits too"
    follow(house.state)
    assert house.looked(idle) == "enrich"
    assert house.run("enrich").success, "notes since when searches may be made"
    follow(house.state)
    assert intended(house.state, "search", LONG_AGO).total() == 0, "no run searches"
    assert house.looked(idle) == "enrich"
    assert house.run("enrich").success
    assert intended(house.state, "search", LONG_AGO).total() == 4
    assert house.looked(idle) == "extraction waits"
    follow(house.state)
    statuses = house.state.warehouse.read(LEARN_PROMPTS).collect()["status"]
    assert statuses.to_list() == ["completed"]
    assert house.looked(idle) == "nothing is due"
    assert_what_they_brought_is_forgotten_for_good_and_may_be_asked_for_anew(house)


def assert_what_they_brought_is_forgotten_for_good_and_may_be_asked_for_anew(house: House) -> None:
    state = house.state
    (made,) = (
        state.warehouse.read(RAW_LOGS).filter(kind="search").collect()["conversation_id"].unique()
    )
    note(state.home, reach(state, target(state, made)).event)
    follow(state)
    assert house.looked(idle) == "enrich"
    enrich(state)
    follow(state)
    assert house.looked(idle) == "nothing is due"
    (inbox,) = (state.home.inbox / "default").glob("*.jsonl")
    assert "80 degrees" not in inbox.read_text()
    held = report(open_reader(state, "default")).blocked
    assert held["blocked_by"].to_list().count("forgotten") == 4
    told(house, "/learn green tea")
    follow(state)
    assert house.looked(idle) == "enrich"
    enrich(state)
    assert "80 degrees" in inbox.read_text()
