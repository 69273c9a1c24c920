"""Forgetting, through the real graph: nothing of it is left in any file, and nothing comes back."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl
import pytest

from assets import forgetting as stage
from assets.enrich import enrich
from assets.records import changed_files, intake
from knowledge.receipt import receipt
from knowledge.tables import MEMORY, RAW_LOGS, RECORDS, WORK
from pipelines.forgetting import as_they_are, rehearsed
from resources.answers import Kept
from resources.home import HomeError, open_home
from resources.publication import manifests, namespaces
from resources.search_provider import Folder
from resources.settings import Settings
from resources.state import State
from resources.tombstones import forgetting
from serving.forgetting import Target, Unforgettable, note, target, tombstone
from serving.ids import UnknownId
from serving.inbox import add_event
from tests.homes import copy_home
from tests.journeys.decoding import standing
from tests.journeys.running import assert_as_built, follow
from tests.pipelines.house import House, open_house, talk
from tests.serving import two_namespaces

WORD = "quincepress"
KEPT_WORD = "foghorn"


def forget(state: State, what: str, namespace: str | None = None) -> Target:
    wanted = target(state, what, namespace)
    note(state, tombstone(state, wanted))
    follow(state)
    return wanted


def contents(state: State) -> list[str]:
    memory = state.warehouse.read(MEMORY).collect()
    return sorted(set(memory.filter(memory["status"] == "active")["content"]))


@pytest.fixture
def house(tmp_path: Path) -> House:
    house = open_house(tmp_path / "house", dg.DagsterInstance.ephemeral())
    talk(house.logs, 0, "I live in Berlin.", "2026-02-01T10:00:00Z")
    talk(house.logs, 1, "I live in Rome.", "2026-02-05T10:00:00Z")
    talk(house.logs, 2, "I live in Rome.", "2026-02-06T10:00:00Z")
    follow(house.state)
    return house


def fact(state: State, content: str) -> str:
    memory = state.warehouse.read(MEMORY).collect()
    return memory.filter(memory["content"] == content)["fact_id"].sort()[0]


def test_a_fact_goes_and_what_it_struck_out_stands_again(house: House) -> None:
    state = house.state
    event = tombstone(state, target(state, fact(state, "I live in Rome.")))
    assert "Rome" not in json.dumps(event)
    expected = rehearsed(state, event)
    assert contents(state) == ["I live in Berlin.", "I live in Rome."], "a dry run changes nothing"
    assert not list(state.home.root.glob("*.partial"))
    assert not list(state.home.inbox.rglob("*.jsonl"))

    before = as_they_are(state, "default")
    note(state, event)
    follow(state)
    assert contents(state) == ["I live in Berlin."]
    assert_as_built(state)
    rows = receipt(before, as_they_are(state, "default"))
    assert rows.equals(expected), "the dry run told what came"
    of_facts = rows.filter(pl.col("table") == "memory")
    assert of_facts.group_by("effect").len().sort("effect").rows() == [
        ("removed", 2),
        ("revived", 2),
    ]
    assert "Rome" not in str(rows.rows())
    assert len(manifests(state.home, "default")) == 1, "no older manifest can be read"
    assert not forgetting(state.home)

    # The sources hold it still; they grow, are copied, and all that was read of them is lost.
    talk(house.logs, 3, "I prefer tea over coffee.", "2026-02-07T10:00:00Z")
    shutil.copy(house.logs / "1.jsonl", house.logs / "copy.jsonl")
    shutil.rmtree(state.home.warehouse / "source_files")
    shutil.rmtree(state.home.warehouse / "work")
    again = State(open_home(state.home.root), Settings())
    follow(again)
    assert contents(again) == ["I live in Berlin.", "I prefer tea over coffee."]
    shutil.rmtree(state.home.warehouse)
    state.home.warehouse.mkdir()
    anew = State(open_home(state.home.root), Settings())
    follow(anew)
    assert contents(anew) == ["I live in Berlin.", "I prefer tea over coffee."]

    state.home.forget_key.unlink()
    talk(house.logs, 4, "I live in Oslo.", "2026-02-08T10:00:00Z")
    with pytest.raises(HomeError, match="without it what was forgotten would come back"):
        intake(anew, changed_files(anew))


def test_a_record_goes_and_what_has_another_source_stays(house: House) -> None:
    state = house.state
    logs = state.warehouse.read(RAW_LOGS).collect()
    record = logs.filter(logs["conversation_id"] == "talk-1")["record_id"][0]
    before = as_they_are(state, "default")
    forget(state, record)
    rows = receipt(before, as_they_are(state, "default"))
    assert rows.filter(pl.col("table") == "memory")["effect"].unique().to_list() == ["kept"]
    assert contents(state) == ["I live in Berlin.", "I live in Rome."]
    assert_as_built(state)
    again = State(open_home(state.home.root), Settings())
    assert follow(again) == [], "an unchanged home stays unchanged"


def test_decisions_about_what_is_forgotten_repeat_it_and_go_too(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    from serving.deciding import choose, with_members
    from serving.deciding import note as decide

    state = house.state
    choice = choose(state, [fact(state, "I live in Rome.")], None)
    decide(choice, "retract", with_members(choice), reason="Rome was a joke")
    note_ = add_event(state, {"type": "note", "namespace": "default", "text": "I live in Oslo."})
    follow(state)
    (inbox,) = state.home.inbox.rglob("*.jsonl")
    assert "Rome" in inbox.read_text()
    lines = len(inbox.read_text().splitlines())
    forget(state, fact(state, "I live in Rome."))
    assert "Rome" not in inbox.read_text()
    assert "I live in Oslo." in inbox.read_text()
    assert inbox.stat().st_mode & 0o777 == 0o600
    assert len(inbox.read_text().splitlines()) == lines + 1, "other lines keep their number"
    assert not standing_rows(state, "Rome")
    assert_as_built(state)
    assert note_.event_id in inbox.read_text()


def test_an_entity_goes_with_what_names_it_and_with_likes_and_mutes_of_it(house: House) -> None:
    state = house.state
    for text in ("/like grafana", "/like the sea", "/mute grafana"):
        add_event(state, {"type": "command", "namespace": "default", "text": text})
    talk(house.logs, 3, "I use Grafana for the NAS.", "2026-02-08T10:00:00Z")
    follow(state)
    assert standing_rows(state, "grafana")
    assert forget(state, "grafana").thing == "entity"
    tables = as_they_are(state, "default")
    assert tables["preferences"].collect()["topic"].to_list() == ["the sea"]
    assert not [name for name in standing_rows(state, "rafana") if name != "source_files"]
    assert_as_built(state)


TEA = "# Tea\n\nGreen tea is brewed at 80 degrees, says the Kettleworth manual.\n"


@pytest.fixture(scope="module")
def searched_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which a topic was looked into, one recurs, and an entity was searched for."""
    place = tmp_path_factory.mktemp("searched")
    state = State(open_home(place / "home"), Settings())
    (place / "tea.md").write_text(TEA)
    for text in ("/like the sea", "/learn green tea", "/schedule brewing --every week"):
        add_event(state, {"type": "command", "namespace": "default", "text": text})
        if text == "/like the sea":
            follow(state)
            enrich(state, Folder(place, 3))  # says from when on searches may be made
    add_event(state, {"type": "command", "namespace": "default", "text": "/like green tea"})
    follow(state)
    enrich(state, Folder(place, 3))
    follow(state)
    return place / "home"


@pytest.fixture
def searched(searched_home: Path, tmp_path: Path) -> State:
    return State(open_home(copy_home(searched_home, tmp_path / "searched")), Settings())


def inbox(state: State) -> str:
    return "".join(file.read_text() for file in sorted(state.home.inbox.rglob("*.jsonl")))


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        ("learn_prompt_id", "/learn green tea"),
        ("schedule_id", "/schedule brewing --every week"),
        ("effect_id", "how does green tea work"),
    ],
)
def test_searches_go_with_what_they_were_made_for(searched: State, thing: str, text: str) -> None:
    logs = searched.warehouse.read(RAW_LOGS).collect().sort("record_id")
    (asked,) = logs.filter(pl.col("kind").is_in(["command", "search"]), text=text)["record_id"]
    given = pl.col("tool_input").str.json_path_match(f"$.{thing}")
    of = logs.filter(record_id=asked).select(given).item() if thing == "effect_id" else asked
    made = logs.filter(given == of)["record_id"].to_list()
    assert len(made) >= 2, "an intent, and a receipt"
    event = tombstone(searched, target(searched, asked))
    assert event["records"] == sorted({asked, *made})


def test_an_entity_goes_with_all_searches_for_it(searched: State) -> None:
    state = searched
    assert inbox(state).casefold().count("green tea") > 8
    forget(state, "green tea")
    assert "green tea" not in inbox(state).casefold()
    assert "schedule_id" in inbox(state)
    assert not standing_rows(state, "reen tea")
    assert_as_built(state)


def test_a_namespace_goes_with_its_intents_and_receipts(searched: State) -> None:
    state = searched
    note(state, tombstone(state, target(state, "default")))
    intake(state, [])
    assert [json.loads(line)["type"] for line in inbox(state).splitlines() if line.strip()] == [
        "tombstone"
    ]


def standing_rows(state: State, word: str) -> list[str]:
    """Tables with a word in their rows of now."""
    tables = as_they_are(state, "default")
    return [name for name, rows in tables.items() if word in str(rows.collect().to_dicts())]


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return two_namespaces.build(tmp_path_factory.mktemp("forgotten"))


@pytest.fixture
def ada_and_bo(two: Path, tmp_path: Path) -> State:
    return State(open_home(copy_home(two, tmp_path / "home")), Settings())


def test_one_namespace_never_forgets_for_another(ada_and_bo: State) -> None:
    state = ada_and_bo
    bo = {name: rows.collect() for name, rows in as_they_are(state, "bo").items()}
    with pytest.raises(UnknownId):
        target(state, "ada-session-1", "bo")
    wanted = forget(state, "ada-session-1")
    assert wanted == Target("ada", "conversation", "ada-session-1")
    left = state.warehouse.read(RAW_LOGS).collect()
    assert set(left["conversation_id"]) == {"ada-session-3", "bo-session-1", "bo-session-3"}
    forget(state, "ada")
    assert namespaces(state.home) == ["bo"]
    assert state.warehouse.namespaces(RECORDS) == {"bo"}
    for name, rows in as_they_are(state, "bo").items():
        if name not in ("vector_index", "work", "source_files"):
            assert rows.collect().sort(pl.all()).equals(bo[name].sort(pl.all())), name
    assert not standing_of(as_they_are(state, "ada"), WORD)


def standing_of(tables: dict[str, pl.LazyFrame], word: str) -> list[str]:
    return [name for name, rows in tables.items() if word in str(rows.collect().to_dicts())]


@pytest.mark.parametrize(
    ("what", "namespace", "error", "message"),
    [
        ("f_0000000000000000", None, UnknownId, "has the id f_0000000000000000"),
        ("nobody", None, UnknownId, "has the id nobody"),
        ("c_", None, UnknownId, "too short"),
        ("ada-session", None, UnknownId, "the beginning of 2 ids"),
        ("LEARNING", "ada", Unforgettable, "forget the records that it rests on"),
        ("quincepress", "bo", UnknownId, "has the id quincepress"),
    ],
)
def test_wrong_ids_are_told(
    ada_and_bo: State, what: str, namespace: str | None, error: type[Exception], message: str
) -> None:
    if what == "LEARNING":
        learnings = as_they_are(ada_and_bo, "ada")["learnings"].collect()
        what = learnings["learning_id"][0]
    with pytest.raises(error, match=message):
        target(ada_and_bo, what, namespace)


class Died(Exception):  # noqa: N818  what happened
    """Stands for a kill."""


PLACES = ("_forget_answers", "_forget_letters", "_forget_records", "clear_inbox", "_note")


@pytest.mark.parametrize("place", PLACES)
def test_killed_in_the_middle_it_ends_the_same(
    house: House, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = house.state
    secret = add_event(
        state, {"type": "note", "namespace": "default", "text": "I prefer Rome over Oslo."}
    )
    follow(state)
    state.answers.put(kept("one", "default"), [secret.event_id])
    for each in (fact(state, "I live in Rome."), fact(state, "I prefer Rome over Oslo.")):
        note(state, tombstone(state, target(state, each)))
    real = getattr(stage, place)

    def dies(*given: Any) -> Any:
        real(*given)
        raise Died

    with monkeypatch.context() as dying:
        dying.setattr(stage, place, dies)
        with pytest.raises(Died):
            intake(state, changed_files(state))
    assert forgetting(state.home) == {"default"}
    again = State(open_home(state.home.root), Settings())
    follow(again)
    assert contents(again) == ["I live in Berlin."]
    assert not standing_rows(again, "Rome")
    assert "Rome" not in "".join(file.read_text() for file in state.home.inbox.rglob("*.jsonl"))
    assert_as_built(again)
    assert not forgetting(state.home)
    applied = again.warehouse.read(WORK).filter(pl.col("stage") == stage.STAGE).collect()
    assert applied.height == 2


def test_killed_before_older_manifests_are_dropped_they_are_dropped_later(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = house.state
    note(state, tombstone(state, target(state, fact(state, "I live in Rome."))))

    def dies(_: State) -> None:
        raise Died

    with monkeypatch.context() as dying:
        dying.setattr("assets.publication.drop_older", dies)
        with pytest.raises(Died):
            follow(state)
    assert len(manifests(state.home, "default")) == 2
    assert house.follow() == ["consolidate"]
    assert len(manifests(state.home, "default")) == 1
    assert len(list((state.home.index / "default").iterdir())) == 1
    assert house.follow() == []


def kept(key: str, namespace: str) -> Kept:
    """A model's answer that repeats what it was shown."""
    return Kept(
        key, namespace, "candidates", "names", "f", "m", "done", None,
        json.dumps({"names": [f"the {WORD} build"]}), 1, 1, 0, 0.0, 0.1, 1, "2026-03-01T00:00:00",
    )  # fmt: skip


@pytest.fixture
def environment() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith(("CAIRN_", "DAGSTER_"))}


def cairn(home: Path, environment: dict[str, str], *arguments: str) -> Any:
    """A command in a process of its own; gives its JSON."""
    done = subprocess.run(
        [sys.executable, "-m", "serving.cli", "--home", str(home), *arguments, "--json"],
        capture_output=True, text=True, check=False, timeout=280, env=environment,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


HOLDING = (
    "inbox/ada", "answers.sqlite", "warehouse/records", "warehouse/raw_logs", "warehouse/memory/",
    "warehouse/memory/_delta_log", "warehouse/embeddings",
)  # fmt: skip
"""Where the word stands before, of each kind of file that may hold it."""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_after_a_purge_no_file_of_the_home_has_the_word(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    for name in ("ada", "bo"):
        (tmp_path / name).mkdir()
        two_namespaces.sessions(tmp_path / name, name)
    home = tmp_path / "home"
    for name in ("ada", "bo"):
        cairn(home, environment, "run", "--source", str(tmp_path / name), "--namespace", name)
    state = State(open_home(home), Settings())
    add_event(state, {"type": "note", "namespace": "ada", "text": f"The {WORD} needs oil."})
    records = as_they_are(state, "ada")["raw_logs"].collect()["record_id"].to_list()
    state.answers.put(kept("one", "ada"), records[:1])
    state.answers.put(kept("two", "ada"), records[1:2])
    state.answers.close()
    cairn(home, environment, "run")
    seen = standing(home, WORD)
    for part in HOLDING:
        assert any(path.startswith(part) for path in seen), part
    assert not any(path.startswith("dagster/") for path in seen), "Dagster never sees text"
    assert standing(home, KEPT_WORD)

    planned = cairn(home, environment, "forget", "orchard", "--namespace", "ada", "--dry-run")
    assert planned["thing"] == "entity"
    assert planned["counts"]["removed"]["raw_logs"] >= 1
    assert standing(home, WORD).keys() == seen.keys(), "a dry run leaves all as it is"
    for session in ("ada-session-1", "ada-session-3"):
        done = cairn(home, environment, "forget", session)
        assert done["counts"]["removed"]["conversations"] == 1
    assert standing(home, WORD), "old versions hold it still"
    note_ = as_they_are(state, "ada")["raw_logs"].collect().filter(pl.col("kind") == "note")
    done = cairn(home, environment, "forget", note_["record_id"][0], "--purge")
    assert done["not_yet"] == {}
    assert standing(home, WORD) == {}
    assert standing(home, KEPT_WORD)
    cairn(home, environment, "run")
    assert standing(home, WORD) == {}, "its sources hold it still"
    assert cairn(home, environment, "facts", "--namespace", "bo")["facts"]
