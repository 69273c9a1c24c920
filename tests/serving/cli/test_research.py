"""`cairn learn`, `schedule` and `research`, over the graph and a folder of documents."""

from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from cairn.resources.context import State
from cairn.resources.home.settings import Settings
from cairn.resources.web.search_provider import Failed, SearchOutcome
from cairn.serving.query.research import SEARCHES_WAIT
from tests.journeys.running import follow
from tests.journeys.test_research import QUEUE
from tests.pipelines.house import House, open_house
from tests.serving.conftest import Answer, Ask

TEA = "# Tea\n\nGreen tea is brewed at 80 degrees.\n"


@pytest.fixture
def house(tmp_path: Path) -> House:
    return open_house(tmp_path / "house", dg.DagsterInstance.ephemeral())


@pytest.fixture
def cairn(house: House, run_cairn: Ask) -> Any:
    def cairn(*arguments: str) -> Answer:
        return run_cairn("--home", house.state.home.root, *arguments)

    return cairn


def test_what_was_asked_for_is_noted_at_once_and_stays_active_without_a_provider(
    house: House, cairn: Any
) -> None:
    told = cairn("learn", "green", "tea")
    assert told.code == 0, told.err
    assert "Noted for namespace default: to learn about green tea." in told.out
    assert "No search provider is set" in told.out
    assert cairn("schedule", "Rust releases", "--every", "week").code == 0
    follow(house.state)
    listed = cairn("learn").out
    assert "… green tea: 4 searches to make" in listed
    assert "No search provider is set" in listed
    (recurs,) = cairn("schedule", "--json").json["items"]
    assert (recurs["topic"], recurs["blocked_by"]) == ("Rust releases", "switched_off")
    assert cairn("schedule", "rust releases", "--stop").code == 0
    follow(house.state)
    assert cairn("schedule", "--json").json["items"] == []
    report = cairn("research", "--json").json
    assert (report["provider"], report["due"], report["done"]) == (None, [], [])
    assert {row["blocked_by"] for row in report["blocked"]} == {"switched_off"}


@pytest.mark.slow
def test_what_waits_names_the_command_that_makes_it(
    house: House, cairn: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cairn.assets.effects.search import enrich

    def told() -> str:
        return " ".join(cairn("research").out.split())

    assert cairn("learn", "green tea").code == 0
    follow(house.state)
    assert "until a search provider is set" in told()
    assert SEARCHES_WAIT not in told()
    (tmp_path / "tea.md").write_text(TEA)
    provider = f"folder:{tmp_path}"
    monkeypatch.setenv("CAIRN_SEARCH_PROVIDER", provider)
    assert "until the first searches are made: `cairn research --run` does it at once" in told()
    assert SEARCHES_WAIT in " ".join(cairn("run").out.split())
    state, rounds = State(house.state.home, Settings(search_provider=provider)), 0
    while SEARCHES_WAIT in told() and rounds < 10:
        rounds += 1
        enrich(state)
        follow(state)
    assert 1 < rounds < 10
    assert cairn("research", "--json").json["done"]


def test_what_is_due_is_searched_for_and_what_is_unknown_is_tried_again_when_told(
    house: House, cairn: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cairn.assets.effects.search import enrich
    from cairn.resources.web.search_provider import Folder

    class Dying:
        name = "dying"

        def search(self, query: str) -> SearchOutcome | Failed:
            raise KeyboardInterrupt(query)

    (tmp_path / "tea.md").write_text(TEA)
    folder = Folder(tmp_path, 3)
    assert cairn("learn", "green tea").code == 0
    follow(house.state, QUEUE)
    enrich(house.state, folder)
    follow(house.state, QUEUE)
    with pytest.raises(KeyboardInterrupt):
        enrich(house.state, Dying())
    follow(house.state, QUEUE)
    enrich(house.state, folder)
    follow(house.state)
    monkeypatch.setenv("CAIRN_SEARCH_PROVIDER", f"folder:{tmp_path}")
    report = cairn("research", "--json").json
    assert [row["outcome"] for row in report["done"]] == ["done"] * 3 + ["unknown"]
    (unknown,) = (row for row in report["blocked"] if row["blocked_by"] != "before_switch")
    assert (unknown["blocked_by"], unknown["query"]) == ("unknown", "green tea")
    assert unknown["effect_id"] in cairn("research").out
    assert "To be tried again: green tea" in cairn("research", "--again", "s_").out
    assert "said before" in cairn("research", "--again", unknown["effect_id"]).out
    follow(house.state, QUEUE)
    enrich(house.state, folder)
    follow(house.state)
    assert cairn("learn").out == "✓ green tea: green tea (1 fact)\n", "found without a model"
