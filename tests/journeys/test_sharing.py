"""Homes that share: what one takes in, all know; what one is told to forget, none has."""

import shutil
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from deltalake import DeltaTable

from cairn.assets.model_calls import run_model_calls
from cairn.assets.publication import run_publication
from cairn.knowledge.schema.tables import CANDIDATES, MEMORY, RAW_LOGS
from cairn.pipelines.deletion import purge
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import note
from cairn.resources.home.home import HomeError, open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source
from cairn.resources.sharing import sharing
from cairn.resources.sharing.store import SharedStore
from cairn.resources.warehouse.publication import published
from cairn.serving.read.reader import open_reader
from cairn.serving.retrieval.search import search_memory
from cairn.serving.write.decisions import choose, with_members
from cairn.serving.write.decisions import note as decide
from cairn.serving.write.deletion import reach, target
from cairn.serving.write.inbox import add_event
from tests.homes import copy_home
from tests.journeys.decoding import standing
from tests.journeys.hives import CHAT, chat, model_settings
from tests.journeys.running import PUBLISHED, assert_as_built, follow
from tests.resources.model_server import ModelServer
from tests.resources.qdrant_http import served

TAKEN_IN = RAW_LOGS.name
"""Until there, a run takes in what is new, and makes nothing of it; homes share that, too."""
ASKED = CANDIDATES.name
"""Until there, a run asks what it asks of each conversation."""
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
WORD = "quincepress"
SAID = [
    ("user", f"2026-03-0{day}T10:00:00Z", text)
    for day, text in enumerate(
        ["I'm allergic to hazelnuts.", f"I never use the {WORD} for honey.", "I like mason bees."],
        1,
    )
]


class Homes:
    """Homes by name, that share a folder."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.logs = place / "logs"
        self.settings = Settings(warehouse=str(place / "store"))

    def again(self, kept: str) -> "Homes":
        """The same homes, at the same place, as they were kept beside it."""
        shutil.rmtree(self.place)
        _copy(self.place.with_name(kept), self.place)
        return Homes(self.place)

    def open(self, name: str) -> State:
        """A process that opens a home."""
        (self.place / name).mkdir(exist_ok=True)
        return State(open_home(self.place / name), self.settings)

    def run(self, name: str, until: str = PUBLISHED) -> list[str]:
        """What `cairn run` does in a home, as far as a step; gives the days that had work."""
        own = self.open(name).of("default")
        with own.leased():
            return follow(own, until)

    def said(self, name: str) -> set[str]:
        """What the logs say that a home has."""
        return set(self.open(name).warehouse.read(RAW_LOGS).collect()["text"])

    def statements(self, name: str) -> set[str]:
        """What a reader in a home is told."""
        reader = open_reader(self.open(name))
        rows = reader.memory().collect().filter(event=False, status="active")
        return set(rows["content"])


@pytest.fixture(scope="module")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> Homes:
    """A home that has run, and what it shares; beside them how they were before and are then."""
    found = Homes(tmp_path_factory.mktemp("sharing") / "homes")
    found.logs.mkdir(parents=True)
    chat(found.logs, "hives", SAID)
    add_source(found.open("a").home, found.logs, "default")
    _copy(found.place, found.place.with_name("told of logs"))
    found.run("a")
    _copy(found.place, found.place.with_name("run"))
    return found


def _copy(place: Path, to: Path) -> None:
    for home in place.iterdir():
        copy_home(home, to / home.name)


@pytest.fixture
def new(first_run: Homes) -> Homes:
    """A home that has not run yet."""
    return first_run.again("told of logs")


@pytest.fixture
def homes(first_run: Homes) -> Homes:
    """Home a has run, and nobody else."""
    return first_run.again("run")


def test_what_one_home_takes_in_or_is_told_another_knows(homes: Homes) -> None:
    assert len(homes.statements("b")) == 3
    found = search_memory(open_reader(homes.open("b")), "hazelnuts")
    assert "allergic" in found[0].text
    other = homes.open("b")
    (fact,) = (other.warehouse.read(MEMORY).collect().filter(content="I like mason bees."))[
        "fact_id"
    ]
    choice = choose(other, [fact], None)
    decide(choice, "retract", with_members(choice))
    homes.run("b")
    assert len(homes.statements("a")) == 2
    chat(homes.logs, "wax", [("user", "2026-04-01T10:00:00Z", "I sell the wax at the market.")])
    homes.run("a")
    assert len(homes.statements("b")) == 3
    assert_as_built(homes.open("b"))
    assert published(homes.open("a").home, "default") == published(homes.open("b").home, "default")


def test_homes_that_share_and_one_index_on_a_server(new: Homes) -> None:
    with served() as server:
        new.settings = new.settings.model_copy(update={"qdrant_url": server.url})

        def finds(name: str, word: str) -> str:
            return search_memory(open_reader(new.open(name)), word)[0].text

        new.run("a")
        assert "allergic" in finds("b", "hazelnuts")
        add_source(new.open("b").home, new.logs, "default")
        for number, name in enumerate(["b", "a"]):
            said = (
                "user",
                f"2026-04-0{number + 1}T10:00:00Z",
                f"I sell wax{number} at the market.",
            )
            chat(new.logs, f"wax{number}", [said])
            new.run(name)
            for reader in ("a", "b", "c"):
                assert f"wax{number}" in finds(reader, f"wax{number} market")
        assert not (new.open("a").home.index / "default").exists()


def test_a_run_with_little_new_asks_the_store_little_and_a_service_answers_while_it_comes(
    homes: Homes, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, real = [0], SharedStore._asked

    def counted(self: SharedStore, ask: Any) -> Any:
        asked[0] += 1
        return real(self, ask)

    service = homes.open("b")
    before = published(service.home, open_reader(service).namespace)
    chat(homes.logs, "wax", [("user", "2026-04-01T10:00:00Z", "I sell the wax at the market.")])
    with monkeypatch.context() as counting:
        counting.setattr(SharedStore, "_asked", counted)
        homes.run("a")
    assert 3 < asked[0] <= 15

    monkeypatch.setattr(sharing, "LOOK_SECONDS", 0.2)
    end = time.monotonic() + 60
    while published(service.home, open_reader(service).namespace) == before:
        assert time.monotonic() < end
        time.sleep(0.05)
    monkeypatch.setattr(SharedStore, "listed", _unplugged)
    time.sleep(0.2)
    assert "wax" in search_memory(open_reader(service), "wax market")[0].text
    assert "wax" in search_memory(open_reader(homes.open("b")), "wax market")[0].text
    assert len(homes.statements("b")) == 4


def test_what_is_forgotten_in_one_home_is_in_none_and_not_in_the_store(homes: Homes) -> None:
    homes.statements("b")
    told = homes.open("b")
    add_event(told, {"type": "note", "namespace": "default", "text": f"The {WORD} is lent out."})
    homes.run("b")
    homes.statements("a")
    lines = (homes.logs / "hives.jsonl").read_text().splitlines()
    (homes.logs / "hives.jsonl").write_text(
        "\n".join(line for line in lines if WORD not in line) + "\n"
    )
    state = homes.open("a")
    named = state.warehouse.read(RAW_LOGS).collect().filter(pl.col("text").str.contains(WORD))
    assert named.height == 2
    for record in named["record_id"]:
        note(state.home, reach(state, target(state, record, "default")).event)
    homes.run("a")
    purge(homes.open("a"))
    # Nothing is in the store but what this home has.
    shared = homes.open("a").sharing
    assert shared
    packs = shared.store.listed("default/packs")
    parts = shared.of("default").known.files.values()
    assert sum(one.size for one in packs) == sum(part.length for part in parts)
    assert len(shared.store.listed("default/snapshots")) == 1
    homes.run("b")
    homes.statements("c")
    for name in ("a", "b", "c"):
        assert standing(homes.place / name, WORD) == {}
        assert len(homes.statements(name)) == 2


def test_records_that_were_not_pushed_in_time_are_kept_though_their_source_is_gone(
    homes: Homes, monkeypatch: pytest.MonkeyPatch
) -> None:
    wax = "I sell the wax at the market."
    chat(homes.logs, "wax", [("user", "2026-04-01T10:00:00Z", wax)])
    with monkeypatch.context() as patched:
        patched.setattr(SharedStore, "put", _unplugged)
        with pytest.raises(HomeError, match="unplugged"):
            homes.run("a", TAKEN_IN)
    (homes.logs / "wax.jsonl").unlink()
    other = homes.place / "other"
    other.mkdir()
    chat(other, "honey", CHAT)
    add_source(homes.open("b").home, other, "default")
    homes.run("b", TAKEN_IN)
    assert CHAT[0][2] in homes.said("b")
    assert wax not in homes.said("b")
    homes.run("a")
    assert wax in homes.statements("b")
    assert_as_built(homes.open("b"))


def _unplugged(*_: object) -> None:
    raise HomeError("unplugged")


def test_tables_that_an_older_cairn_kept_in_the_store_come_home(new: Homes) -> None:
    alone = State(open_home(new.place / "a"), Settings())
    follow(alone)
    rows = alone.warehouse.read(MEMORY).collect().height
    shutil.move(new.place / "a" / "warehouse" / "default", new.place / "store" / "default")
    assert DeltaTable(new.place / "store" / "default" / "memory").version() == 0
    new.run("a")
    assert new.open("a").warehouse.read(MEMORY).collect().height == rows
    assert_as_built(new.open("a"))
    assert {path.name for path in (new.place / "store" / "default").iterdir()} == {
        "lease", "packs", "snapshots",
    }  # fmt: skip
    assert len(new.statements("b")) == 3


def test_a_question_is_asked_and_paid_once_for_all_homes_though_it_was_not_pushed_at_once(
    new: Homes, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "no-key")
    chat(new.logs, "hives", CHAT)
    new.settings = model_settings(server.base, warehouse=str(new.place / "store"))
    with monkeypatch.context() as patched:
        patched.setattr(SharedStore, "put", _unplugged)
        with pytest.raises(HomeError, match="unplugged"):
            new.run("a")
    asked = server.requests
    assert asked
    # What could not be pushed is pushed by the next run, though it has nothing to do.
    state = new.open("a")
    assert state.sharing
    assert state.sharing.owes("default")
    assert new.run("a") == []
    assert not state.sharing.owes("default")
    assert len(new.statements("b")) > 1

    shutil.copytree(new.logs, new.place / "copy")
    add_source(new.open("b").home, new.place / "copy", "default")
    new.run("b")
    assert server.requests == asked
    assert new.open("b").answers.paid(LONG_AGO) == new.open("a").answers.paid(LONG_AGO)
    chat(new.place / "copy", "wax", [("user", "2026-04-01T10:00:00Z", "The bees sleep now.")])
    new.run("b")
    assert server.requests > asked
    asked = server.requests
    new.run("a", ASKED)
    assert server.requests == asked
    ledger: list[tuple[int, int]] = []
    for name in ("b", "a"):
        own = new.open(name).of("default")
        with own.leased():
            told = run_model_calls(own)
        ledger.append((told.rows, told.written))
    assert ledger == [(asked, 1), (asked, 0)]
    # What is forgotten goes from what others wrote, too.
    state = new.open("b")
    records = state.warehouse.read(RAW_LOGS).filter(pl.col("text").str.contains("bees")).collect()
    for record in records["record_id"]:
        note(state.home, reach(state, target(state, record, "default")).event)
    new.run("b", ASKED)
    with new.open("a").of("default").leased():  # as a check does, without an intake
        pass
    new.run("a", ASKED)
    new.run("b", ASKED)
    for name in ("a", "b", "c"):
        new.statements(name)
        files = (new.place / name / "shared" / "default" / "answers").glob("*/*")
        assert not any(b'"answer"' in file.read_bytes() for file in files)
        assert new.open(name).answers.of_namespace("default") == []


def test_what_was_forgotten_does_not_come_back_with_what_another_had_not_pushed(
    new: Homes, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = new.place / "copy"
    copy.mkdir()
    add_source(new.open("b").home, copy, "default")
    new.run("b", TAKEN_IN)
    shutil.copy(new.logs / "hives.jsonl", copy)
    with monkeypatch.context() as patched:
        patched.setattr(SharedStore, "put", _unplugged)
        with pytest.raises(HomeError, match="unplugged"):
            new.run("b", TAKEN_IN)
    new.run("a", TAKEN_IN)
    own = new.open("a").of("default")
    with own.leased():
        run_publication(own)
    for file in (copy, new.logs):
        (file / "hives.jsonl").unlink()
    state = new.open("a")
    named = state.warehouse.read(RAW_LOGS).collect().filter(pl.col("text").str.contains(WORD))
    for record in named["record_id"]:
        note(state.home, reach(state, target(state, record, "default")).event)
    new.run("a", TAKEN_IN)
    own = new.open("b").of("default")
    with own.leased():  # as a check does, without an intake
        pass
    new.run("b")
    new.statements("c")
    purge(new.open("b"))
    for name in ("a", "b", "c"):
        new.statements(name)
        assert standing(new.place / name / "warehouse", WORD) == {}
        assert len(new.statements(name)) == 2


def test_homes_with_other_settings_do_not_undo_each_others_work(homes: Homes) -> None:
    homes.settings = Settings.model_validate(
        {"warehouse": str(homes.place / "store"), "policy": {"episode_text_characters": 300}}
    )
    assert len(homes.statements("b")) == 3
    with pytest.raises(HomeError, match="cairn run --remake"):
        homes.run("b")
    state = homes.open("b")
    assert state.sharing
    state.sharing.may_change = True
    own = state.of("default")
    with own.leased():
        follow(own)
    homes.run("b")
    homes.settings = Settings.model_validate({"warehouse": str(homes.place / "store")})
    with pytest.raises(HomeError, match="cairn run --remake"):
        homes.run("a")
