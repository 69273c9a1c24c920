"""What is told unasked: nothing that is disliked or muted; of equals, what is cared about more."""

from collections.abc import Callable
from datetime import UTC, datetime
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
TURNS = ["Which dashboards does the NAS have?"]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Reader]:
    """From commands to what is read after them; each has its day."""
    house = open_house(tmp_path_factory.mktemp("taste"), dg.DagsterInstance.ephemeral())
    for number, text in enumerate(SAID):
        talk(house.logs, number, text, "2026-02-01T10:00:00Z")
    follow(house.state)
    memory = Memory(house.state)

    minutes = count(1)

    def reader(*commands: str) -> Reader:
        for text in commands:
            at = datetime(2026, 2, 1, 11, next(minutes), tzinfo=UTC)
            add_event(house.state, {"type": "command", "namespace": "default", "text": text}, at)
        follow(house.state)
        return memory.reader()

    return reader


def streamed(reader: Reader) -> list[str]:
    return [one.text for one in next_context(reader, TURNS).facts if one.text in SAID]


def searched(reader: Reader) -> set[str]:
    return {one.text for one in search_memory(reader, TURNS[0], "facts")}


def test_what_is_disliked_or_muted_is_told_only_where_it_is_asked_for(
    told: Callable[..., Reader],
) -> None:
    before = told()
    assert set(streamed(before)) == set(SAID)
    found = searched(before)

    after = told("/dislike tide tables", "/mute Kibana")
    assert streamed(after) == [SAID[0]]
    assert {one.text for one in next_context(after, TURNS).episodes} == {SAID[0]}
    assert searched(after) == found, "a search is asked for"
    assert "Kibana" not in str(known(after, TURNS[0]))
    asked = known(after, "Do I use Kibana?")
    assert SAID[1] in str(asked), "the message names it"
    assert "tide" not in str(asked)
    then = Memory(after.state).reader(as_of=before.as_of)
    assert streamed(then) == streamed(before), "what came later changes nothing"

    again = told("/undislike tide tables", "/unmute Kibana")
    assert set(streamed(again)) == set(SAID)


def test_of_what_is_equally_relevant_more_interest_comes_first(
    told: Callable[..., Reader],
) -> None:
    shown = streamed(told("/like Grafana", "/dislike tide tables"))
    assert shown == [SAID[0], SAID[1]]
    shown = streamed(told("/like Kibana", "/unlike Grafana"))
    assert shown == [SAID[1], SAID[0]]


def test_interests_are_read_once_for_a_publication(
    told: Callable[..., Reader], monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = told("/like Grafana")
    shown = streamed(reader)

    def refused(_: Reader) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr("cairn.serving.retrieval.personalization._read", refused)
    assert streamed(reader) == shown
