"""A long text is found by each passage of it, and shown by the one that answers."""

from pathlib import Path

import dagster as dg

from cairn.serving.retrieval.open_memory import Memory
from cairn.serving.retrieval.search import search_memory
from tests.journeys.running import follow
from tests.pipelines.house import open_house, talk

PARTS = [
    f"Part {number} of the harbor log tells of wind, of tides and of boats that came in late. "
    for number in range(40)
]
ASKED = "Which valve does the bilge pump need?"
SAID = "The bilge pump needs a check valve of brass."


def test_a_sentence_far_down_is_found_and_shown(tmp_path: Path) -> None:
    house = open_house(tmp_path, dg.DagsterInstance.ephemeral())
    text = "".join([*PARTS[:30], SAID + " ", *PARTS[30:]])
    talk(house.logs, 1, text, "2026-02-01T10:00:00Z")
    talk(house.logs, 2, "The kettle is on.", "2026-02-01T11:00:00Z")
    follow(house.state)
    reader = Memory(house.state).reader()
    first, *others = search_memory(reader, ASKED, "episodes")
    assert SAID in first.text
    assert len(first.text) <= 600
    assert len(first.sources) == 1
    assert not [one for one in others if one.id == first.id], "an episode is found once"
    beginning, *_ = search_memory(reader, "Part 0 of the harbor log", "episodes")
    assert (beginning.id, beginning.text[:6]) == (first.id, "Part 0")
