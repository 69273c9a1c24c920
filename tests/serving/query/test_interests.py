"""A person's days: what they say and order is interest after the next run, and at each past day."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
import pytest
from fastapi.testclient import TestClient
from rich.console import Console

from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.serving.cli import terminal
from cairn.serving.http.app import create_app
from cairn.serving.query.interests import interests
from cairn.serving.read.reader import open_reader
from cairn.serving.retrieval.open_memory import Memory
from cairn.serving.write.inbox import add_event
from tests.homes import copy_home
from tests.journeys.running import assert_as_built, follow
from tests.serving.conftest import Ask

Told = tuple[datetime, list[dict[str, Any]]]
"""A moment, and what was told then."""

FIRST = datetime(2026, 3, 1, 9, tzinfo=UTC)
TALK = "7d1f0a52-7a3e-4a55-9a38-0f3a1be11d01"
DAYS: list[list[dict[str, Any]]] = [
    [{"type": "command", "text": "/learn tide tables"},
     {"type": "command", "text": "/like sea shanties"}],
    [{"type": "message", "text": "The harbour has tide tables on a board.", "event_id": TALK},
     {"type": "command", "text": "/dislike horoscopes"}],
    [{"type": "message", "role": "assistant", "proactive": True, "event_id": TALK[:-1] + "2",
      "text": "There is news of sea shanties."},
     {"type": "reaction", "text": "👎", "reply_to": TALK[:-1] + "2"}],
    [{"type": "command", "text": "/unlike sea shanties"},
     {"type": "command", "text": "/mute tide tables"},
     {"type": "command", "text": "/like sourdough"}],
]  # fmt: skip


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> tuple[State, list[Told]]:
    """A home with all days, and at the end of each its moment and the interests as they were told.

    No test may change it.
    """
    state = State(open_home(tmp_path_factory.mktemp("lived") / "home"), Settings())
    seen: list[Told] = []
    for day, events in enumerate(DAYS):
        for minute, event in enumerate(events):
            at = FIRST + timedelta(days=day, minutes=minute)
            add_event(state, event | {"namespace": "ada"}, at)
        follow(state)
        reader = open_reader(state)
        seen.append((reader.latest, interests(reader).rows))
    return state, seen


def test_day_by_day_and_in_one_rebuild_interests_are_the_same(
    lived: tuple[State, list[Told]],
) -> None:
    state, seen = lived
    assert_as_built(state)  # so that what is read below is what one rebuild gives
    for as_of, rows in seen:
        told = interests(open_reader(state, as_of=as_of)).rows
        names = ("display_name", "rank", "score", "muted", "curve", "last_engaged_at")
        assert [[row[n] for n in names] for row in told] == [
            [row[n] for n in names] for row in rows
        ]
    order = [(row["display_name"], row["muted"]) for row in seen[-1][1]]
    assert order == [("tide tables", True), ("sourdough", False), ("sea shanties", False)]
    assert seen[-1][1][-1]["score"] < 0, "the like was taken back, the thumb down was not"


def test_verbs_are_noted_and_answered_at_once(
    lived: tuple[State, list[Told]], tmp_path: Path, run_cairn: Ask
) -> None:
    state = State(open_home(copy_home(lived[0].home.root, tmp_path / "home")), Settings())

    def cairn(*arguments: str) -> Any:
        told = run_cairn("--home", state.home.root, *arguments, "--json")
        assert told.code == 0, told.err
        return told.json

    noted = cairn("like", "old", "clocks")
    assert (noted["verb"], noted["topic"], noted["written"]) == ("like", "old clocks", True)
    assert cairn("mute", "Sea Shanties")["topic"] == "sea shanties"
    before = {row["display_name"]: row["muted"] for row in cairn("interests")["items"]}
    assert before == {
        "tide tables": True, "sourdough": False, "sea shanties": False,
    }, "nothing changes before the next run"  # fmt: skip
    follow(state)
    rows = {row["display_name"]: row for row in cairn("interests")["items"]}
    assert rows["old clocks"]["score"] == 0.8
    assert rows["old clocks"]["signs"][0]["record_id"] == noted["record_id"]
    assert rows["sea shanties"]["muted"]
    told = [cairn("memory", str(number))["interest"] for number in range(1, len(rows) + 1)]
    assert {(one["entity_id"], one["muted"]) for one in told} == {
        (row["entity_id"], row["muted"]) for row in rows.values()
    }
    then = cairn("interests", "--as-of", "2026-03-01T09:00")
    assert [row["display_name"] for row in then["items"]] == ["tide tables"]
    for words, said in ((("mute", "nobody"), "no entity is called"), (("like", "…"), "nothing")):
        refused = run_cairn("--home", state.home.root, *words)
        assert refused.code == 1
        assert said in refused.err


@pytest.mark.parametrize("width", [50, 80, 140])
def test_interests_fit_the_terminal(
    home: Path, run_cairn: Ask, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    def terminal_of_that_width(*, err: bool = False) -> Console:
        return Console(force_terminal=True, no_color=True, width=width, stderr=err)

    monkeypatch.setattr(terminal, "console", terminal_of_that_width)
    told = click.unstyle(run_cairn("--home", home, "interests").out)
    assert max(map(len, told.splitlines())) <= width
    assert "Uptime Kuma" in told
    assert ("█" in told) == (width >= 80)


def test_pages_over_http_and_an_earlier_moment(home: Path) -> None:
    memory = Memory(State(open_home(home), Settings()))
    with TestClient(create_app(memory), base_url="http://127.0.0.1") as client:
        every = client.get("/v1/interests", params={"limit": 100}).json()["items"]
        first = client.get("/v1/interests", params={"limit": 4}).json()
        rest = client.get("/v1/interests", params={"limit": 100, "cursor": first["next"]}).json()
        assert first["items"] + rest["items"] == every
        assert [row["rank"] for row in every] == list(range(1, len(every) + 1))
        before = client.get("/v1/interests", params={"as_of": "1900-01-01"}).json()["items"]
        assert before == []
        in_a_month = {"as_of": "2026-04-19T07:10:36Z", "limit": 100}
        later = client.get("/v1/interests", params=in_a_month).json()
        halved = {row["entity_id"]: round(row["score"] / 2, 4) for row in every}
        assert {
            row["entity_id"]: round(row["score"], 4) for row in later["items"]
        } == pytest.approx(halved, abs=1e-4), "time scales all alike"
