"""`cairn learn`, `schedule` and `research`, over the graph and a folder of documents."""

from functools import partial
from pathlib import Path

import pytest

from cairn.assets.effects.search import enrich
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings, load_settings
from cairn.resources.web.search_provider import Failed, SearchOutcome
from cairn.serving.query.research import SEARCHES_WAIT
from tests.journeys.running import follow
from tests.journeys.test_research import QUEUE
from tests.serving.conftest import Ask

TEA = "# Tea\n\nGreen tea is brewed at 80 degrees.\n"


class Dying:
    """A provider whose process ends before it answers."""

    name = "dying"

    def search(self, query: str) -> SearchOutcome | Failed:
        raise KeyboardInterrupt(query)


def test_what_was_asked_for_is_noted_waits_for_a_provider_and_is_searched_for(
    run_cairn: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waits names the command that makes it; what is unknown is tried again when told."""
    state = State(open_home(tmp_path / "home"), Settings())
    cairn = partial(run_cairn, "--home", state.home.root)

    def told() -> str:
        return " ".join(cairn("research").out.split())

    noted = cairn("learn", "green", "tea")
    assert noted.code == 0, noted.err
    assert "Noted for namespace default: to learn about green tea." in noted.out
    assert "No search provider is set" in noted.out
    assert cairn("schedule", "Rust releases", "--every", "week").code == 0
    follow(state)
    listed = cairn("learn").out
    assert "… green tea: 4 searches to make" in listed
    assert "No search provider is set" in listed
    (recurs,) = cairn("schedule", "--json").json["items"]
    assert (recurs["topic"], recurs["blocked_by"]) == ("Rust releases", "switched_off")
    report = cairn("research", "--json").json
    assert (report["provider"], report["due"], report["done"]) == (None, [], [])
    assert {row["blocked_by"] for row in report["blocked"]} == {"switched_off"}
    assert "until a search provider is set" in told()
    assert SEARCHES_WAIT not in told()

    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "tea.md").write_text(TEA)
    monkeypatch.setenv("CAIRN_SEARCH_PROVIDER", f"folder:{tmp_path / 'docs'}")
    assert "until the first searches are made: `cairn research --run` does it at once" in told()
    assert cairn("schedule", "rust releases", "--stop").code == 0
    assert SEARCHES_WAIT in " ".join(cairn("run").out.split())
    state = State(state.home, load_settings())
    enrich(state)  # says from when on searches may be made
    follow(state, QUEUE)
    assert cairn("schedule", "--json").json["items"] == []
    assert SEARCHES_WAIT in told()
    with pytest.raises(KeyboardInterrupt):
        enrich(state, Dying())
    follow(state, QUEUE)
    enrich(state)
    follow(state)
    assert SEARCHES_WAIT not in told()
    report = cairn("research", "--json").json
    outcomes = [row["outcome"] for row in report["done"] if row["query"] != "Rust releases"]
    assert outcomes == ["done"] * 3 + ["unknown"]
    (unknown,) = (row for row in report["blocked"] if row["blocked_by"] != "before_switch")
    assert (unknown["blocked_by"], unknown["query"]) == ("unknown", "green tea")
    assert unknown["effect_id"] in cairn("research").out
    assert "To be tried again: green tea" in cairn("research", "--again", "s_").out
    assert "said before" in cairn("research", "--again", unknown["effect_id"]).out
    follow(state, QUEUE)
    enrich(state)
    follow(state)
    assert cairn("learn").out == "✓ green tea: green tea (1 fact)\n", "found without a model"
