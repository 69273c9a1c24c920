"""Telling in the graph: who starts it, and when it waits."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cairn.pipelines.dispatch import news
from cairn.resources.effects import acknowledge, intend
from cairn.resources.web.notifier import told_in
from cairn.serving.write.inbox import add_event
from tests.journeys.running import follow
from tests.pipelines.house import House, open_house

pytestmark = pytest.mark.usefixtures("by_polars")


def found(house: House, number: int, text: str) -> None:
    """A search that Cairn made just now, and what it found."""
    item = {"effect_id": f"s_{number}", "unit": f"u_{number}", "query": "green tea"}
    now = datetime.now(UTC)
    intend(house.state, "default", "search", f"s_{number}", item, now)
    results = [{"title": "", "text": text}]
    acknowledge(house.state, "default", "search", f"s_{number}", item | {"results": results}, now)


def test_what_was_found_is_told_when_all_that_was_logged_is_taken_in(tmp_path: Path) -> None:
    house = open_house(tmp_path / "house")
    state = house.state
    add_event(state, {"type": "command", "namespace": "default", "text": "/like green tea"})
    found(house, 1, "Green tea is brewed at 80 degrees.")
    follow(state)
    assert house.looked(news) == "dispatch", "to note since when things are told"
    assert house.run("dispatch").success
    follow(state)
    assert house.looked(news) == "nothing is due"

    found(house, 2, "Green tea contains caffeine and theanine.")
    follow(state)
    assert not told_in(state.home, "default").exists(), "no run tells anything"
    assert house.looked(news) == "dispatch"
    assert house.run("dispatch").success
    assert house.looked(news) == "what was logged is taken in first"
    follow(state)
    assert house.looked(news) == "nothing is due"
    (line,) = map(json.loads, told_in(state.home, "default").read_text().splitlines())
    assert line["title"] == "Learned 1 new fact about green tea"
    assert line["statements"] == ["Green tea contains caffeine and theanine."]
