"""What searches found is told, once, through the graph: to a webhook on loopback, or in a file."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest
from pytest_httpserver import HTTPServer

from cairn.assets.effects.notify import Dispatched, dispatch, due
from cairn.assets.effects.search import enrich
from cairn.assets.publication import run_publication
from cairn.knowledge.schema.tables import ENGAGEMENTS, NOTIFICATIONS, RAW_LOGS, RECORDS, TABLES
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import note
from cairn.resources.home.home import Home, open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source
from cairn.resources.web.notifier import OutgoingMessage, Sent, told_in
from cairn.serving.read.reader import open_reader
from cairn.serving.write.deletion import reach, target
from cairn.serving.write.notifications import again, react
from tests.homes import copy_home, once
from tests.journeys.hives import CHAT, chat, documents, model_settings
from tests.journeys.running import UNPUBLISHED, assert_as_built, follow
from tests.journeys.test_research import Clock, ordered, rows, telling_of_bees, told
from tests.resources.model_server import ModelServer, served

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])


@pytest.fixture
def webhook() -> Iterator[HTTPServer]:
    with HTTPServer(host="127.0.0.1", threaded=True) as server:
        server.expect_request("/cairn", method="POST").respond_with_data("ok")
        yield server


def bodies(webhook: HTTPServer) -> list[dict[str, str]]:
    return [json.loads(request.get_data()) for request, _ in webhook.log]


@pytest.fixture(scope="module")
def told_of_bees(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, datetime]:
    """A home in which a search of its own just found something about bees, which somebody likes."""
    place = once(tmp_path_factory, "bees", build_told_of_bees)
    return place / "home", datetime.fromisoformat((place / "clock").read_text())


def build_told_of_bees(place: Path) -> None:
    clock = Clock()
    (place / "logs").mkdir()
    chat(place / "logs", "hives", CHAT)
    with served() as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "no-key")
        server.script = telling_of_bees
        settings = model_settings(server.base, notify="json://127.0.0.1/cairn")
        state = State(open_home(place / "home"), settings)
        add_source(state.home, place / "logs", "default")
        follow(state, NOTIFICATIONS.name)
        assert dispatch(state, clock) == Dispatched(), "a first import tells nothing"
        provider = documents(place)
        assert enrich(state, provider, clock).switched_on == 1
        told(state, "/like bees", clock())
        ordered(state, ENGAGEMENTS.name)
        assert enrich(state, provider, clock).done == 1
        follow(state)
    (place / "clock").write_text(clock.at.isoformat())


@pytest.fixture
def found(
    told_of_bees: tuple[Path, datetime],
    server: ModelServer,
    webhook: HTTPServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> tuple[State, Clock]:
    """That home, to be changed by a test, and a webhook that listens."""
    monkeypatch.setenv("OPENAI_API_KEY", "no-key")
    server.script = telling_of_bees
    home, at = told_of_bees
    settings = model_settings(server.base, notify=f"json://127.0.0.1:{webhook.port}/cairn")
    clock = Clock()
    clock.at = at
    return State(open_home(copy_home(home, tmp_path / "home")), settings), clock


def status(state: State) -> list[object]:
    return [row["status"] for row in rows(state, NOTIFICATIONS)]


def test_it_is_told_once_and_what_the_person_says_to_it_counts(
    found: tuple[State, Clock], webhook: HTTPServer
) -> None:
    state, clock = found
    (row,) = rows(state, NOTIFICATIONS)
    assert (row["status"], row["text"]) == ("due", "Learned 1 new fact about bees")
    assert dispatch(state, clock).sent == 1
    assert dispatch(state, clock).begun_before == 1, "on a table that does not know of it yet"
    follow(state, NOTIFICATIONS.name)
    run_publication(state)
    assert (dispatch(state, clock).due, status(state)) == (0, ["sent"])
    (body,) = bodies(webhook)
    assert body["title"] == "Learned 1 new fact about bees"
    assert body["message"] == "- The bees dance to show the way."

    event = react(open_reader(state, "default"), str(row["notification_id"])[:6], "dislike")
    assert event.written
    follow(state, UNPUBLISHED)
    signs = state.warehouse.read(ENGAGEMENTS).filter(engagement_type="proactive_reaction").collect()
    assert signs.select("valence", "strength").rows() == [(-1, 0.8)]
    assert_as_built(state)

    # A rebuild tells nothing.
    before = rows(state, NOTIFICATIONS)
    for name, table in TABLES.items():
        if name not in (RECORDS.name, "source_files") and "namespace" in table.columns:
            state.warehouse.write(table, table.empty())
    state.answers.delete_all("default")
    follow(state, NOTIFICATIONS.name)
    assert rows(state, NOTIFICATIONS) == before
    clock.at += timedelta(days=1)
    assert dispatch(state, clock) == Dispatched()
    assert len(bodies(webhook)) == 1


class Dies(BaseException):
    """The process ends here."""


def test_a_crash_between_sending_and_receipt_is_unknown_and_not_sent_again(
    found: tuple[State, Clock], webhook: HTTPServer
) -> None:
    state, clock = found

    def dying(home: Home, settings: Settings, message: OutgoingMessage) -> Sent:
        raise Dies

    with pytest.raises(Dies):
        dispatch(state, clock, dying)
    follow(state)
    assert (status(state), dispatch(state, clock).due, bodies(webhook)) == (["unknown"], 0, [])

    reader = open_reader(state, "default")
    (row,) = rows(state, NOTIFICATIONS)
    assert again(reader, str(row["notification_id"])).new
    clock.at = datetime.now(UTC)
    follow(state, NOTIFICATIONS.name)
    assert dispatch(state, clock).sent == 1
    follow(state, UNPUBLISHED)
    assert (status(state), len(bodies(webhook))) == (["sent"], 1)
    assert_as_built(state)


def test_a_service_that_refuses_is_told_of_and_not_asked_again(
    found: tuple[State, Clock], webhook: HTTPServer
) -> None:
    state, clock = found
    webhook.clear()
    webhook.expect_request("/cairn", method="POST").respond_with_data("no", status=500)
    assert dispatch(state, clock).failed == 1
    follow(state, NOTIFICATIONS.name)
    (row,) = rows(state, NOTIFICATIONS)
    assert (row["status"], row["reason"]) == ("failed", "it could not be sent: json took nothing")
    assert dispatch(state, clock).due == 0
    assert len(bodies(webhook)) == 1


def test_what_is_old_by_the_clock_is_not_told_where_nothing_was_logged_since(
    found: tuple[State, Clock],
) -> None:
    state, clock = found
    assert due(state, clock()).height == 1
    assert due(state, clock() + timedelta(days=8)).is_empty()


def test_forgetting_takes_it_along(found: tuple[State, Clock]) -> None:
    state, clock = found
    plain = State(state.home, state.settings.model_copy(update={"notify": None}))
    assert dispatch(plain, clock).sent == 1
    follow(plain, UNPUBLISHED)
    file = told_in(state.home, "default")
    (line,) = map(json.loads, file.read_text().splitlines())
    assert line["statements"] == ["The bees dance to show the way."]
    assert file.stat().st_mode & 0o777 == 0o600

    results = state.warehouse.read(RAW_LOGS).filter(kind="tool_result", tool_name="search")
    record = results.filter(pl.col("text").str.contains("dance")).collect()["record_id"][0]
    note(plain.home, reach(plain, target(plain, record)).event)
    follow(plain)
    assert rows(plain, NOTIFICATIONS) == []
    assert "dance" not in file.read_text()
    assert not any(
        "about bees" in inbox.read_text() for inbox in Path(state.home.inbox).rglob("*.jsonl")
    )
    assert_as_built(plain)
