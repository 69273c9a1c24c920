"""What is told unasked: nothing that is disliked or muted; of equals, what is cared about more."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count

import dagster as dg
import pytest

from cairn.serving.read.reader import Reader
from cairn.serving.retrieval.context_stream import next_context
from cairn.serving.retrieval.entity_context import known
from cairn.serving.retrieval.open_memory import Memory
from cairn.serving.retrieval.search import search_memory
from cairn.serving.write.inbox import add_event
from tests.journeys.running import follow
from tests.pipelines.house import open_house, talk

SAID = (
    "I use Grafana for the dashboards of the NAS.",
    "I use Kibana for the dashboards of the NAS.",
    "I use tide tables for the dashboards of the NAS.",
)
FIRST = datetime(2026, 2, 1, 11, tzinfo=UTC)
TURNS = ["Which dashboards does the NAS have?"]


Say = Callable[..., datetime]
"""From commands, each in a minute of its own, to the last of these minutes."""


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    house = open_house(tmp_path_factory.mktemp("taste"), dg.DagsterInstance.ephemeral())
    for number, text in enumerate(SAID):
        talk(house.logs, number, text, "2026-02-01T10:00:00Z")
    follow(house.state)
    return Memory(house.state)


@pytest.fixture(scope="module")
def say(memory: Memory) -> Say:
    minutes = count(1)

    def say(*commands: str) -> datetime:
        at = FIRST
        for text in commands:
            at = FIRST + timedelta(minutes=next(minutes))
            add_event(memory.state, {"type": "command", "namespace": "default", "text": text}, at)
        return at

    return say


def streamed(reader: Reader) -> list[str]:
    return [one.text for one in next_context(reader, TURNS).facts if one.text in SAID]


def searched(reader: Reader) -> set[str]:
    return {one.text for one in search_memory(reader, TURNS[0], "facts")}


def test_what_is_disliked_or_muted_is_told_only_where_it_is_asked_for(
    memory: Memory, say: Say
) -> None:
    before = memory.reader()
    told, found = streamed(before), searched(before)
    assert set(told) == set(SAID)

    say("/dislike tide tables", "/mute Kibana")
    follow(memory.state)
    after = memory.reader()
    assert streamed(after) == [SAID[0]]
    assert {one.text for one in next_context(after, TURNS).episodes} == {SAID[0]}
    assert searched(after) == found, "a search is asked for"
    assert "Kibana" not in str(known(after, TURNS[0]))
    asked = known(after, "Do I use Kibana?")
    assert SAID[1] in str(asked), "the message names it"
    assert "tide" not in str(asked)
    then = memory.reader(as_of=before.as_of)
    assert streamed(then) == told, "what came later changes nothing"

    say("/undislike tide tables", "/unmute Kibana")
    follow(memory.state)
    assert set(streamed(memory.reader())) == set(SAID)


def test_of_what_is_equally_relevant_more_interest_comes_first(memory: Memory, say: Say) -> None:
    then = say("/like Grafana", "/dislike tide tables")
    say("/like Kibana", "/unlike Grafana")
    follow(memory.state)
    assert streamed(memory.reader(as_of=then)) == [SAID[0], SAID[1]]
    assert streamed(memory.reader()) == [SAID[1], SAID[0]]


def test_interests_are_read_once_for_a_publication(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = memory.reader()
    shown = streamed(reader)

    def refused(_: Reader) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr("cairn.serving.retrieval.personalization._read", refused)
    assert streamed(reader) == shown
