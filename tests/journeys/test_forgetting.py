"""Forgetting, through the real graph: nothing of it is left in any file, and nothing comes back."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl
import pytest
from click.testing import CliRunner

from cairn.assets.effects.search import enrich
from cairn.assets.engine.progress import StageReport
from cairn.assets.engine.run_stage import result
from cairn.assets.publication import older_to_drop, run_publication
from cairn.assets.records import changed_files, intake
from cairn.knowledge.deletion.receipt import receipt
from cairn.knowledge.ingest.inbox_events.searches import EFFECT
from cairn.knowledge.schema.tables import (
    DEAD_LETTERS,
    ENRICHMENT_QUEUE,
    MEMORY,
    RAW_LOGS,
    RECORDS,
    SOURCE_FILES,
    TABLES,
    WORK,
)  # fmt: skip
from cairn.pipelines.deletion import (
    WHILE_RUNNING,
    NotYet,
    as_they_are,
    dry_run,
    forget_runs,
)  # fmt: skip
from cairn.resources.context import State
from cairn.resources.deletion import applying
from cairn.resources.deletion.places import places
from cairn.resources.deletion.tombstones import forgetting, note, tombstones
from cairn.resources.effects import switch_on
from cairn.resources.home.home import HomeError, open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source
from cairn.resources.llm.answer_cache import CachedAnswer
from cairn.resources.llm.open_batches import OpenBatch
from cairn.resources.vector_index import edge
from cairn.resources.warehouse.publication import manifests, namespaces
from cairn.resources.web.search_provider import Folder
from cairn.serving.cli.main import cairn
from cairn.serving.read.id_lookup import UnknownId
from cairn.serving.read.reader import open_reader
from cairn.serving.status.pending import pending
from cairn.serving.write.deciding import WantedDecision, decide
from cairn.serving.write.decisions import Undecidable
from cairn.serving.write.deletion import Target, Unforgettable, reach, target
from cairn.serving.write.inbox import add_event
from cairn.serving.write.missed import say_missed
from tests.homes import copy_home, once
from tests.journeys.decoding import standing
from tests.journeys.running import PUBLISHED, assert_as_built, follow
from tests.pipelines.house import House, open_house, talk
from tests.places import ROOT
from tests.resources.model_server import ModelServer
from tests.serving import two_namespaces

WORD = "quincepress"
KEPT_WORD = "foghorn"


def forget(state: State, what: str, until: str = PUBLISHED) -> None:
    note(state.home, reach(state, target(state, what)).event)
    follow(state, until)


def contents(state: State) -> list[str]:
    memory = state.warehouse.read(MEMORY).collect()
    return sorted(set(memory.filter(memory["status"] == "active")["content"]))


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Three conversations, the later ones against the first; no test changes it."""
    house = open_house(tmp_path_factory.mktemp("told"), dg.DagsterInstance.ephemeral())
    talk(house.logs, 0, "I live in Berlin.", "2026-02-01T10:00:00Z")
    talk(house.logs, 1, "I live in Rome.", "2026-02-05T10:00:00Z")
    talk(house.logs, 2, "I live in Rome.", "2026-02-06T10:00:00Z")
    follow(house.state)
    return house


def copied(home: Path, place: Path) -> State:
    return State(open_home(copy_home(home, place)), Settings())


@pytest.fixture
def state(told: House, tmp_path: Path) -> State:
    return copied(told.state.home.root, tmp_path / "home")


def fact(state: State, content: str) -> str:
    memory = state.warehouse.read(MEMORY).collect()
    return memory.filter(memory["content"] == content)["fact_id"].sort()[0]


def test_a_fact_goes_though_its_run_was_killed_and_what_it_struck_out_stands_again(
    told: House, state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(_: State) -> None:
        raise Died

    event = reach(state, target(state, fact(state, "I live in Rome."))).event
    assert "Rome" not in json.dumps(event)
    expected = dry_run(state, event).rows
    assert contents(state) == ["I live in Berlin.", "I live in Rome."], "a dry run changes nothing"
    assert not list(state.home.root.glob("*.partial"))
    assert not list(state.home.inbox.rglob("*.jsonl"))

    before = as_they_are(state, "default")
    note(state.home, event)
    with monkeypatch.context() as dying:
        dying.setattr("cairn.assets.publication.drop_older", dies)
        with pytest.raises(Died):
            follow(state)
    assert len(manifests(state.home, "default")) == 2
    assert older_to_drop(state) == {"default"}, "what the sensor looks at"
    run_publication(state)
    assert len(list((state.home.index / "default").iterdir())) == 1
    assert not older_to_drop(state)
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

    # The sources hold it still; there are more, with a copy, and all that was read of them is lost.
    logs = tmp_path / "more"
    logs.mkdir()
    add_source(state.home, logs, "default")
    talk(logs, 3, "I prefer tea over coffee.", "2026-02-07T10:00:00Z")
    shutil.copy(told.logs / "1.jsonl", logs / "copy.jsonl")
    shutil.rmtree(state.home.warehouse)
    state.home.warehouse.mkdir()
    anew = State(open_home(state.home.root), Settings())
    follow(anew, RAW_LOGS.name)
    read = anew.warehouse.read(RAW_LOGS).filter(kind="message").collect()["text"]
    assert sorted(read) == ["I live in Berlin.", "I prefer tea over coffee."]

    state.home.forget_key.unlink()
    talk(logs, 4, "I live in Oslo.", "2026-02-08T10:00:00Z")
    with pytest.raises(HomeError, match="without it what was forgotten would come back"):
        intake(anew, changed_files(anew))


def test_a_record_goes_and_what_has_another_source_stays(state: State) -> None:
    logs = state.warehouse.read(RAW_LOGS).collect()
    record = logs.filter(logs["conversation_id"] == "talk-1")["record_id"][0]
    before = as_they_are(state, "default")
    forget(state, record)
    rows = receipt(before, as_they_are(state, "default"))
    assert rows.filter(pl.col("table") == "memory")["effect"].unique().to_list() == ["kept"]
    assert contents(state) == ["I live in Berlin.", "I live in Rome."]
    assert_as_built(state)
    assert len(manifests(state.home, "default")) == 1, "no older manifest can be read"
    again = State(open_home(state.home.root), Settings())
    assert follow(again) == [], "an unchanged home stays unchanged"


def test_what_is_forgotten_stays_so_when_its_file_tells_a_time_at_last(tmp_path: Path) -> None:
    house = open_house(tmp_path, dg.DagsterInstance.ephemeral())
    told = ["I live in Berlin.", "I prefer tea over coffee.", "My bike is a red Gazelle."]
    lines = [{"role": "user", "content": text} for text in told]
    path = house.logs / "chat.jsonl"

    def write(*times: str) -> None:
        later = [{"role": "user", "content": "ok", "timestamp": time} for time in times]
        path.write_text("".join(json.dumps(line) + "\n" for line in [*lines, *later]))

    def messages() -> pl.DataFrame:
        return house.state.warehouse.read(RAW_LOGS).filter(kind="message").collect()

    write()
    follow(house.state, RAW_LOGS.name)
    run_publication(house.state)
    forget(house.state, messages().filter(text=told[0])["record_id"].item(), RAW_LOGS.name)
    for times in (["2026-02-05T10:00:00Z"], ["2026-02-05T10:00:00Z", "2026-02-06T10:00:00Z"]):
        write(*times)
        follow(house.state, RAW_LOGS.name)
        assert sorted(messages()["text"]) == sorted([*told[1:], *["ok"] * len(times)])
        records = house.state.warehouse.read(RECORDS).filter(adapter="chat").collect()
        assert records.height == 2 + len(times)


TEA = "# Tea\n\nGreen tea is brewed at 80 degrees, says the Kettleworth manual.\n"


@pytest.fixture(scope="module")
def searched_home(told: House, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which much was decided and liked, and searched for: a topic, once and again."""
    place = tmp_path_factory.mktemp("searched")
    state = copied(told.state.home.root, place / "home")
    (place / "tea.md").write_text(TEA)
    decide_of_rome(state)
    switch_on(state, "default", EFFECT, datetime.now(UTC))
    for kind, text in (
        ("command", "/learn green tea"),
        ("command", "/schedule brewing --every week"),
        ("command", "/like green tea"),
        ("note", "I live in Oslo."),
        ("note", "I use Grafana for the NAS."),
        ("command", "/like grafana"),
        ("command", "/like the sea"),
        ("command", "/mute grafana"),
    ):
        add_event(state, {"type": kind, "namespace": "default", "text": text})
    follow(state, ENRICHMENT_QUEUE.name)
    enrich(state, Folder(place, 3))
    follow(state)
    return place / "home"


def decide_of_rome(state: State) -> None:
    """A fact is retracted, that is taken back, and so is the taking back; each with a reason."""
    last = fact(state, "I live in Rome.")
    for decision, reason in (
        ("retract", "Rome was a joke"), ("undo", "Rome it is"), ("undo", "no Rome"),
    ):  # fmt: skip
        wanted = WantedDecision(decision, [last], reason=reason)
        last = decide(state, wanted).told["decision_id"]


@pytest.fixture
def searched(searched_home: Path, tmp_path: Path) -> State:
    return copied(searched_home, tmp_path / "searched")


def inbox(state: State) -> str:
    return "".join(file.read_text() for file in sorted(state.home.inbox.rglob("*.jsonl")))


def test_searches_go_with_what_they_were_made_for(searched_home: Path) -> None:
    state = State(open_home(searched_home), Settings())
    logs = state.warehouse.read(RAW_LOGS).collect().sort("record_id")
    for thing, text in (
        ("learn_prompt_id", "/learn green tea"),
        ("schedule_id", "/schedule brewing --every week"),
        ("effect_id", "how does green tea work"),
    ):
        (asked,) = logs.filter(pl.col("kind").is_in(["command", "search"]), text=text)["record_id"]
        given = pl.col("tool_input").str.json_path_match(f"$.{thing}")
        of = logs.filter(record_id=asked).select(given).item() if thing == "effect_id" else asked
        made = logs.filter(given == of)["record_id"].to_list()
        assert len(made) >= 2, f"{thing}: an intent, and a receipt"
        event = reach(state, target(state, asked)).event
        assert event["records"] == sorted({asked, *made}), thing


def test_decisions_likes_mutes_and_searches_repeat_what_is_forgotten_and_go_too(
    searched: State,
) -> None:
    state = searched
    assert "Rome" in inbox(state)
    assert inbox(state).casefold().count("green tea") > 8
    assert standing_rows(state, "grafana")
    lines = len(inbox(state).splitlines())
    names = ("grafana", "green tea")
    about = [target(state, each) for each in (fact(state, "I live in Rome."), *names)]
    assert [each.target_type for each in about] == ["fact", "entity", "entity"]
    for each in about:
        note(state.home, reach(state, each).event)
    follow(state)
    # The decisions of a fact.
    assert "Rome" not in inbox(state)
    assert not standing_rows(state, "Rome")
    # What is liked and muted.
    assert "rafana" not in inbox(state)
    assert as_they_are(state, "default")["preferences"].collect()["topic"].to_list() == ["the sea"]
    assert not [name for name in standing_rows(state, "rafana") if name != "source_files"]
    # All searches for an entity; another that recurs stays.
    assert "green tea" not in inbox(state).casefold()
    assert "schedule_id" in inbox(state)
    assert not standing_rows(state, "reen tea")
    # All else stays where it is.
    assert "I live in Oslo." in inbox(state)
    (file,) = state.home.inbox.rglob("*.jsonl")
    assert file.stat().st_mode & 0o777 == 0o600
    assert len(inbox(state).splitlines()) == lines + 3, "other lines keep their number"
    assert_as_built(state)


def test_decisions_that_wait_repeat_what_is_forgotten_and_go_with_it(state: State) -> None:
    berlin, rome = fact(state, "I live in Berlin."), fact(state, "I live in Rome.")
    (record,) = (
        state.warehouse.read(RAW_LOGS).filter(text="I live in Berlin.").collect()["record_id"]
    )
    decided = [
        decide(state, WantedDecision(*wanted)).told["decision_id"]
        for wanted in (
            ("confirm", [berlin]),
            ("correct", [berlin], "I live in Berlin-Wedding."),
            ("keep_apart", [berlin, rome]),
            ("retract", [berlin]),
            ("retract", [rome]),
        )
    ]
    undo = decide(state, WantedDecision("undo", [decided[0]], reason="Berlin it was")).told
    *repeating, of_rome = decided
    goes = sorted({record, *repeating, undo["decision_id"]})
    reached = reach(state, target(state, berlin))
    assert (reached.event["records"], reached.lines) == (goes, len(goes))
    for other in (target(state, record), target(state, "talk-0")):
        assert reach(state, other).event["records"] == goes, other
    expected = dry_run(state, reached.event).rows
    before = as_they_are(state, "default")
    note(state.home, reached.event)
    follow(state)
    rows = receipt(before, as_they_are(state, "default"), reached.event["records"])
    waited = [("inbox", each, "removed", None) for each in goes if each != record]
    for told in (expected, rows):
        assert told.filter(table="inbox").rows() == waited
    assert "Berlin" not in inbox(state)
    assert not standing_rows(state, "Berlin")
    decisions = as_they_are(state, "default")["decisions"].collect()
    assert decisions["decision_id"].to_list() == [of_rome], "of what stays they are applied"
    assert_as_built(state)


def test_nothing_is_decided_of_what_is_being_forgotten_until_nobody_sees_it(state: State) -> None:
    berlin, rome = fact(state, "I live in Berlin."), fact(state, "I live in Rome.")
    (record,) = reach(state, target(state, berlin)).event["records"]
    retracted = decide(state, WantedDecision("retract", [berlin])).told["decision_id"]
    note(state.home, reach(state, target(state, berlin)).event)

    def refused() -> None:
        said = inbox(state)
        for wanted in (("confirm", [berlin]), ("keep_apart", [rome, berlin])):
            with pytest.raises(Undecidable, match=f"{berlin} is being forgotten"):
                decide(state, WantedDecision(*wanted))
        with pytest.raises(Undecidable, match=f"{record} is being forgotten"):
            say_missed(open_reader(state), record, "Mira lives in Berlin.")
        assert inbox(state) == said

    refused()
    with pytest.raises(Undecidable, match=f"{retracted} is being forgotten"):
        decide(state, WantedDecision("undo", [retracted], reason="Berlin it is"))
    follow(state, RECORDS.name)
    refused()
    follow(state)
    assert "Berlin" not in inbox(state)
    decide(state, WantedDecision("confirm", [rome]))
    note(state.home, reach(state, target(state, "default")).event)
    with pytest.raises(Undecidable, match=f"{rome} is being forgotten"):
        decide(state, WantedDecision("retract", [rome]))
    for until, others in ((RECORDS.name, ["confirm"]), (PUBLISHED, [])):
        waiting = [one.verb for one in pending(state, "default")]
        assert waiting == [*others, "tombstone"], "somebody sees what it takes"
        follow(state, until)
    assert pending(state, "default") == []


def test_a_namespace_goes_with_its_intents_and_receipts(searched: State) -> None:
    state = searched
    note(state.home, reach(state, target(state, "default")).event)
    intake(state, [])
    assert [json.loads(line)["type"] for line in inbox(state).splitlines() if line.strip()] == [
        "tombstone"
    ]
    assert state.warehouse.read(SOURCE_FILES).collect().is_empty(), "no path of it stays"


def standing_rows(state: State, word: str) -> list[str]:
    """Tables with a word in their rows of now."""
    tables = as_they_are(state, "default")
    return [name for name, rows in tables.items() if word in str(rows.collect().to_dicts())]


# A slow test of this module runs before the rest of them: by module it would be made twice.
@pytest.fixture(scope="session")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two namespaces; in the inbox of one a note, of which a model's answer was kept."""
    return once(tmp_path_factory, "forgotten", build_two) / "home"


def build_two(place: Path) -> None:
    state = State(open_home(place / "home"), Settings())
    for name in two_namespaces.SAID:
        (place / name).mkdir()
        two_namespaces.sessions(place / name, name)
        add_source(state.home, place / name, name)
    add_event(state, {"type": "note", "namespace": "ada", "text": f"The {WORD} needs oil."})
    with pytest.MonkeyPatch.context() as patched:  # as of many points, where the word stands, too
        patched.setattr(edge, "FLAT_BELOW", 0)
        follow(state.of("ada"))
    follow(state)
    (record,) = notes_of(state)
    state.answers.put(kept("one", WORD), [record])
    state.answers.put(kept("two", "bench"), ["r_of_another"])
    state.answers.close()
    for name in two_namespaces.SAID:
        batch = OpenBatch(name, name, "m", None, "schema", ("one", "two"), 0.1, "2026-03-01")
        state.open_batches.keep(batch)


def notes_of(state: State, *which: pl.Expr) -> list[str]:
    logs = state.warehouse.read(RAW_LOGS, namespace="ada").filter(*which, kind="note").collect()
    return logs["record_id"].to_list()


@pytest.fixture
def ada_and_bo(two: Path, tmp_path: Path) -> State:
    return copied(two, tmp_path / "home")


def test_one_namespace_never_forgets_for_another(ada_and_bo: State) -> None:
    state = ada_and_bo
    bo = {name: rows.collect() for name, rows in as_they_are(state, "bo").items()}
    with pytest.raises(UnknownId):
        target(state, "ada-session-1", "bo")
    wanted = target(state, "ada-session-1")
    assert wanted == Target("ada", "conversation", "ada-session-1")
    assert target(state, "ada") == Target("ada", "namespace", "ada")
    forget(state, "ada")
    assert namespaces(state.home) == ["bo"]
    assert [batch.keys for batch in state.open_batches.of()] == [("one", "two")]
    assert state.warehouse.namespaces(RECORDS) == {"bo"}
    for name, rows in as_they_are(state, "bo").items():
        if name not in ("vector_index", "work", "source_files"):
            assert rows.collect().sort(pl.all()).equals(bo[name].sort(pl.all())), name
    assert not standing_of(as_they_are(state, "ada"), WORD)


def test_a_name_goes_with_every_line_that_has_it_and_with_what_waits(ada_and_bo: State) -> None:
    state = ada_and_bo
    narrow, wide = (
        reach(state, target(state, "orchard", "ada", everywhere=everywhere))
        for everywhere in (False, True)
    )
    assert narrow.still
    assert (wide.lines, wide.still) == (narrow.lines + narrow.still, 0)

    for text in (f"About {WORD.upper()}, once more.", f"The {WORD}es stay."):
        add_event(state, {"type": "note", "namespace": "ada", "text": text})  # not taken in yet
    state.answers.put(kept("three", WORD), ["r_of_another"])
    state.answers.close()
    wanted = target(state, WORD, "ada", everywhere=True)
    assert wanted == Target("ada", "name", WORD, everywhere=True)
    reached = reach(state, wanted)
    pattern = str(reached.pattern)
    named = {place.where: place.rows for place in places(state, "ada", pattern)}
    assert named["records"] + 1 == reached.lines, "one waits in the inbox"
    assert (named["inbox"], named["answers"]) == (2, 2)
    assert named.keys() >= {"raw_logs", "candidates", "introductions", "embeddings", "memory"}
    before = as_they_are(state, "ada")
    note(state.home, reached.event)
    follow(state)
    assert places(state, "ada", pattern) == []
    rows = receipt(before, as_they_are(state, "ada"))
    assert rows.filter(table="records", effect="removed").height == reached.lines - 1
    (noted,) = tombstones(state.home)["ada"]
    assert (noted.ids, noted.answers) == ((), ("one", "three"))
    assert {batch.namespace: batch.keys for batch in state.open_batches.of()} == {
        "ada": ("two",), "bo": ("one", "two"),
    }  # fmt: skip
    longer = f"The {WORD}es stay."
    assert notes_of(state, pl.col("text") == longer), "another word is not taken"
    assert inbox(state).casefold().count(WORD) == inbox(state).count(f"{WORD}es") == 1


def test_dagster_is_told_no_word_of_a_source_and_its_history_can_be_emptied(
    told: House, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    for table in TABLES.values():
        shown = str(result(told.state.of("default"), table, StageReport("any")).metadata)
        assert not any(word in shown for word in ("talk-", "logs", "Rome", "rome")), table.name

    for name in state.home.dagster_environment():
        monkeypatch.setenv(name, os.environ[name])

    @dg.op
    def say(context: dg.OpExecutionContext) -> None:
        context.log.error(f"of {WORD}")

    @dg.job
    def saying() -> None:
        say()

    with dg.DagsterInstance.get() as instance:
        saying.execute_in_process(instance=instance, tags={"about": WORD})
        running = dg.DagsterRun("running", "r", status=dg.DagsterRunStatus.STARTED)
        instance.add_run(running)
        assert standing(state.home.root, WORD)
        assert forget_runs(state) == NotYet("dagster", [WHILE_RUNNING])
        instance.delete_run(running.run_id)
    assert forget_runs(state) is None
    assert standing(state.home.root, WORD) == {}


@pytest.fixture(scope="module")
def unchanged(two: Path) -> State:
    """Both namespaces as they are; no test changes them."""
    return State(open_home(two), Settings())


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
    unchanged: State, what: str, namespace: str | None, error: type[Exception], message: str
) -> None:
    state = unchanged
    if what == "LEARNING":
        what = as_they_are(state, "ada")["learnings"].collect()["learning_id"][0]
    with pytest.raises(error, match=message):
        target(state, what, namespace)


class Died(Exception):  # noqa: N818  what happened
    """Stands for a kill."""


PLACES = ("_forget_answers", "_forget_letters", "_forget_records", "clear_inbox", "_forget_files",
          "_note")  # fmt: skip
LETTER = {"dead_letter_id": "l", "source_file": "f", "source_line": 1, "source_offset": 0,
          "reason": "r", "replay": "cairn"}  # fmt: skip
APPLIED = (RECORDS, DEAD_LETTERS, WORK)
"""Tables that tombstones are applied to; all else follows from them, the inbox and the answers."""


@pytest.fixture(scope="module")
def noted(two: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tombstones that wait, of a session and of a note, and a letter about the session."""
    state = copied(two, tmp_path_factory.mktemp("noted") / "home")
    letter = LETTER | {"namespace": "ada", "stage": "candidates", "unit": "ada-session-1"}
    state.warehouse.write(DEAD_LETTERS, DEAD_LETTERS.frame([letter]))
    for each in ("ada-session-1", *notes_of(state)):
        note(state.home, reach(state, target(state, each)).event)
    return state.home.root


def applied(state: State) -> dict[str, Any]:
    """All that applying tombstones changes."""
    tables = {
        # How many lines a tombstone took is not known to who comes to the end for another.
        table.name: state.warehouse.read(table)
        .drop("outcome", "rows", strict=False)
        .sort(pl.all())
        .collect()
        .to_dicts()
        for table in APPLIED
    }
    with sqlite3.connect(state.home.root / "answers.sqlite") as answers:
        kept_now = sorted(answers.execute("SELECT key FROM answers").fetchall())
    return tables | {"inbox": inbox(state), "answers": kept_now}


@pytest.fixture(scope="module")
def undisturbed(noted: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    state = copied(noted, tmp_path_factory.mktemp("undisturbed") / "home")
    before = applied(state)
    intake(state, [])
    after = applied(state)
    assert all(before[name] != after[name] for name in before), "each of them is touched"
    assert after["answers"] == [("two",)]
    assert "ada-session-1" not in str(after["records"])
    assert WORD not in after["inbox"]
    return after


@pytest.mark.parametrize("place", PLACES)
def test_dead_in_the_middle_it_ends_the_same(
    noted: Path, undisturbed: dict[str, Any], place: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    state = copied(noted, tmp_path / "home")
    real = getattr(applying, place)

    def dies(*given: Any) -> Any:
        real(*given)
        raise Died

    with monkeypatch.context() as dying:
        dying.setattr(applying, place, dies)
        with pytest.raises(Died):
            intake(state, [])
    assert forgetting(state.home) == {"ada"}
    again = State(open_home(state.home.root), Settings())
    intake(again, [])
    assert applied(again) == undisturbed


def kept(key: str, word: str) -> CachedAnswer:
    """A model's answer that repeats what it was shown."""
    said = json.dumps({"names": [f"the {word} build"]})
    return CachedAnswer(
        key, "ada", "candidates", "names", "f", "m", "done", None, said,
        1, 1, 0, 0.0, 0.1, 1, "2026-03-01T00:00:00",
    )  # fmt: skip


KILLED = """
import os, signal, sys
from cairn.resources.deletion import applying
from cairn.serving.cli.main import main

applying.clear_inbox = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
sys.argv = ["cairn", *sys.argv[1:]]
main()
"""


HOLDING = (
    ("inbox/ada/*", "bytes"),
    ("answers.sqlite*", "bytes"),
    ("answers.sqlite", "tables"),
    ("warehouse/ada/records/*", "rows"),
    ("warehouse/ada/raw_logs/*", "rows"),
    ("warehouse/ada/memory/*", "rows"),
    ("warehouse/ada/memory/*", "statistics"),
    ("warehouse/ada/memory/_delta_log/*", "bytes"),
    ("warehouse/ada/embeddings/*", "rows"),
    ("index/ada/*/payload_storage/page_*", "blocks"),
    ("index/ada/*/payload_index/*", "bytes"),
    ("index/ada/*/shard", "payload"),
)
"""Where the word stands before, of each kind of file that may hold it, and how it is found."""


@pytest.mark.slow
@pytest.mark.faults
def test_forgotten_by_commands_one_of_them_killed_the_word_is_in_no_file(ada_and_bo: State) -> None:
    state, home = ada_and_bo, ada_and_bo.home.root
    seen = standing(home, WORD)
    for place, how in HOLDING:
        assert any(fnmatch(path, place) and how in hows for path, hows in seen.items()), place

    # Killed when records are gone, and the inbox and all tables made of them are not.
    command = ("--home", str(home), "forget", "ada-session-1")
    own = {k: v for k, v in os.environ.items() if not k.startswith(("CAIRN_", "DAGSTER_"))}
    done = subprocess.run(
        [sys.executable, "-c", KILLED, *command], capture_output=True, text=True, check=False,
        env=own, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert forgetting(state.home) == {"ada"}
    here = state.warehouse.read(RECORDS, namespace="ada").collect()
    assert here.filter(thread="ada-session-1").is_empty()
    assert here.height
    assert state.warehouse.read(RAW_LOGS).filter(conversation_id="ada-session-1").collect().height

    note(state.home, reach(state, target(state, "ada-session-3")).event)
    oiled = f"The {KEPT_WORD} needs oil."
    add_event(state, {"type": "note", "namespace": "ada", "text": oiled})
    command = ("--home", str(home), "forget", WORD, "--namespace", "ada", "--everywhere")
    undisturbed = CliRunner(env={"CAIRN_HOME": None, "DAGSTER_HOME": None})
    ended = undisturbed.invoke(cairn, [*command, "--purge", "--yes", "--json"])
    assert ended.exit_code == 0, ended.output
    told = json.loads(ended.stdout)
    assert (told["target_type"], told["named"], told["not_yet"]) == ("name", [], {})
    assert told["counts"]["removed"]["conversations"] == 3, "what was killed is ended"
    assert standing(home, WORD) == {}
    assert not forgetting(state.home)
    assert len(manifests(state.home, "ada")) == 1
    assert_as_built(State(open_home(home), Settings()))
    assert state.warehouse.read(RAW_LOGS).filter(text=oiled).collect().height == 1
    assert list(home.glob("dagster/**/*.db")), "Dagster ran it"
    assert standing(home / "dagster", KEPT_WORD) == {}
    # Its sources hold it still, and are read from their beginning.
    shutil.rmtree(home / "warehouse" / "ada" / "source_files")
    again = State(open_home(home), Settings())
    intake(again, changed_files(again))
    assert standing(home / "warehouse", WORD) == {}


def test_a_kept_answer_goes_and_the_rest_is_not_asked_again(
    opened: Callable[..., State], server: ModelServer
) -> None:
    state = opened()
    follow(state)
    asked = server.requests
    assert asked
    assert "Brandt" in kept_texts(state)

    rows = state.warehouse.read(RAW_LOGS).filter(pl.col("text").str.contains("Brandt")).collect()
    forget(state, rows["record_id"][0])
    assert "Brandt" not in kept_texts(state)
    assert "garden of the old mill" in kept_texts(state)
    assert server.requests == asked, "nothing else is asked again"
    assert not standing_rows(state, "Brandt")


def kept_texts(state: State) -> str:
    with sqlite3.connect(state.home.root / "answers.sqlite") as answers:
        return str(answers.execute("SELECT * FROM answers").fetchall())
