"""What a home exports is, in an empty one, the same knowledge; nothing forgotten comes along."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cairn.assets.records import files_of_run, intake
from cairn.knowledge.ingest.exported import REASONS, encoded, read_lines
from cairn.knowledge.ingest.inbox_events.decisions import CONFIRM, CORRECT, MERGE, RETRACT
from cairn.knowledge.schema.tables import (
    DEAD_LETTERS,
    DECISIONS,
    MEMORY,
    MEMORY_ENTITIES,
    RECORDS,
    SOURCE_FILES,
    TABLES,
    WORK,
    Table,
)
from cairn.pipelines.planning.pending import pending_days
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import note
from cairn.resources.home.home import open_home
from cairn.resources.home.inbox import imports
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source, list_sources
from cairn.resources.llm.answer_cache import CachedAnswer
from cairn.resources.repair.lost_records import lost_records
from cairn.serving.exchange.exporting import RECORDS_FILE, WrittenExport, export_jsonl
from cairn.serving.exchange.folder import ExchangeError
from cairn.serving.exchange.importing import import_export
from cairn.serving.query.lineage import why
from cairn.serving.read.reader import open_reader
from cairn.serving.write.deciding import WantedDecision, decide
from cairn.serving.write.deletion import reach, target
from cairn.serving.write.documents import ingest, text_given
from cairn.serving.write.inbox import add_event
from tests.homes import copy_home
from tests.journeys.decoding import standing
from tests.journeys.running import assert_as_built, follow

OF_THIS_HOME = {SOURCE_FILES.name}
"""Files that intake read: of an import there is one."""
WORD = "quincepress"
TILL = "The till of the shop runs on port 8080."
ANSWER = CachedAnswer(
    "a" * 32, "ada", "candidates", "names", "names@1:x", "a/model", "done", None, '{"names": []}',
    10, 5, 0, 0.01, 1.0, 1, "2026-03-01T10:00:00+00:00",
)  # fmt: skip


FILES = (
    "chat/homelab.jsonl",
    "chat/viewing-with-a-truncated-line.jsonl",
    "claude_code/harbor-backup/b7d4e0c2-5a1f-4c36-9e88-3f0a6d21c945.jsonl",
    "claude_code/harbor-backup/d19c6f58-7e02-4b9d-a3c1-8452e6f7b0aa.jsonl",
    "codex/2026/02/24/rollout-2026-02-24T17-31-09-019c9c75-643b-7dd8-8980-6084a0755489.jsonl",
    "documents/mason-bees.md",
    "events/garden.jsonl",
    "gemini_cli/session-2026-03-16T06-41-6e06d59f.json",
    "searches/searches.jsonl",
)
"""Samples of each adapter."""


def opened(place: Path) -> State:
    return State(open_home(place), Settings())


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> State:
    """Logs with decisions of every kind, and something forgotten; no test changes it."""
    place = tmp_path_factory.mktemp("source")
    state = opened(place / "home")
    logs = place / "logs"
    for name in FILES:
        (logs / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(samples / name, logs / name)
    add_source(state.home, logs, "ada", "Europe/Vienna")
    ingest(state, "ada", text_given(state, TILL, title="till"))
    ingest(state, "ada", text_given(state, f"The {WORD} is in the cellar.", title="cellar"))
    add_event(state, {"type": "note", "namespace": "ada", "text": "The attic is dry."})
    follow(state)
    facts = _facts(state)
    of_logs = ~pl.col("event") & ~pl.col("content").str.contains(f"{TILL}|{WORD}")
    ids = facts.filter(of_logs)["fact_id"].to_list()
    decide(state, WantedDecision(CONFIRM, [ids[0]]), "ada")
    decide(state, WantedDecision(RETRACT, [ids[1]], reason="no more"), "ada")
    decide(state, WantedDecision(CORRECT, [ids[2]], text="It is otherwise by now."), "ada")
    decide(state, WantedDecision(MERGE, _two_hosts(state)), "ada")
    gone = facts.filter(pl.col("content").str.contains(WORD))["fact_id"][0]
    note(state.home, reach(state, target(state, gone, "ada")).event)
    state.answers.put(ANSWER, ["r_1"])
    follow(state)
    assert state.warehouse.read(DECISIONS).collect()["unresolved"].null_count() == 4
    return state


def _facts(state: State) -> pl.DataFrame:
    memory = state.warehouse.read(MEMORY).filter(pl.col("status") == "active")
    return memory.collect().sort("fact_id")


def _two_hosts(state: State) -> list[str]:
    entities = state.warehouse.read(MEMORY_ENTITIES).filter(pl.col("type") == "host").collect()
    alone = entities.filter(pl.col("entity_id") == pl.col("canonical_id")).sort("entity_id")
    return alone["entity_id"].to_list()[:2]


@pytest.fixture(scope="module")
def exported(source: State, tmp_path_factory: pytest.TempPathFactory) -> WrittenExport:
    place = tmp_path_factory.mktemp("exported") / "ada"
    return export_jsonl(open_reader(source, "ada"), place, replace=False, tell=lambda _: None)


@pytest.fixture(scope="module")
def arrived(exported: WrittenExport, tmp_path_factory: pytest.TempPathFactory) -> State:
    """An empty home that took it in; no test changes it."""
    state = opened(tmp_path_factory.mktemp("arrived") / "home")
    import_export(state, exported.folder)
    follow(state)
    return state


def content(state: State, table: Table) -> pl.DataFrame:
    history = [*table.processing, *(["input_hash"] if table is WORK else [])]
    rows = state.warehouse.read(table).collect()
    if table is WORK:
        rows = rows.filter(pl.col("stage") != "forget")
    if table is DEAD_LETTERS:
        rows = rows.filter(pl.col("stage") != "records")
    if table is RECORDS:
        rows = rows.filter(pl.col("thread") != "tombstones")
    rows = rows.drop(history, strict=False)
    return rows.sort([name for name in table.key if name in rows.columns])


def test_another_home_knows_the_same(source: State, arrived: State) -> None:
    for name, table in TABLES.items():
        if name not in OF_THIS_HOME:
            assert_frame_equal(content(arrived, table), content(source, table), check_exact=True)
    assert _facts(arrived).height > 100
    places = ["record_key", "source_file", "source_line", "source_offset"]
    then, now = (
        state.warehouse.read(RECORDS).filter(pl.col("thread") != "tombstones").select(places)
        for state in (source, arrived)
    )
    assert_frame_equal(now.collect(), then.collect(), check_row_order=False)
    assert arrived.answers.kept("ada") == source.answers.kept("ada") != []
    assert not pending_days(arrived)
    assert_as_built(arrived, "raw_logs", "memory")


def test_lineage_is_the_same(source: State, arrived: State) -> None:
    then, now = (open_reader(state, "ada") for state in (source, arrived))
    ids = _facts(source)["fact_id"].to_list()[::9]
    learnings = then.learnings().collect()["learning_id"].to_list()
    asked = [*ids, *learnings[:2]]
    assert [_told(why(now, one)) for one in asked] == [_told(why(then, one)) for one in asked]
    assert len(asked) > 10


def _told(found: dict[str, Any] | None) -> str:
    assert found
    return json.dumps(found, default=str, sort_keys=True)


def test_given_twice_nothing_is_there_twice(arrived: State, exported: WrittenExport) -> None:
    records = arrived.warehouse.read(RECORDS).collect()
    done = import_export(arrived, exported.folder)
    assert (done.there, done.known, done.records) == (True, records.height, records.height)
    intake(arrived, files_of_run(arrived, None, inbox_alone=True))
    assert_frame_equal(arrived.warehouse.read(RECORDS).collect(), records)
    till = text_given(arrived, TILL, title="till")
    assert ingest(arrived, "ada", till).new == 0, "an event came along"


def test_in_another_namespace_it_is_the_same_by_other_ids(
    source: State, exported: WrittenExport, tmp_path: Path
) -> None:
    state = opened(tmp_path / "home")
    done = import_export(state, exported.folder, "bo")
    assert (done.namespace, done.origin, done.answers.elsewhere) == ("bo", "ada", 1)
    follow(state, MEMORY.name)
    columns = ["content", "predicate", "status", "confidence", "first_seen"]
    then, now = (
        each.warehouse.read(MEMORY).select(columns).sort(columns).collect()
        for each in (source, state)
    )
    assert_frame_equal(now, then, check_exact=True)
    assert state.warehouse.read(DECISIONS).collect()["unresolved"].null_count() == 4
    assert set(state.warehouse.read(RECORDS).collect()["namespace"]) == {"bo"}


def _lines(exported: WrittenExport, count: int) -> list[dict[str, Any]]:
    with (exported.folder / RECORDS_FILE).open() as lines:
        return [json.loads(next(lines)) for _ in range(count)]


def test_what_is_wrong_is_a_dead_letter_and_the_rest_is_there(
    exported: WrittenExport, tmp_path: Path
) -> None:
    lines = _lines(exported, 12)
    wrong = [
        {**lines[0], "payload": lines[0]["payload"].replace(":", ": ", 1)},
        {**lines[1], "thread": "another"},
        {**lines[2], "record_key": "../" * 15},
        {**lines[3], "adapter": "../../etc"},
        {**lines[4], "source_line": 2**70},
        {**lines[5], "occurred_at": "1066-10-14T09:00:00Z"},
        {**lines[6], "payload": "[]"},
        {name: value for name, value in lines[7].items() if name != "payload"},
        {"refused": "anything <b>else</b>"},
        "a text",
    ]
    whole = [json.dumps(each) for each in [*wrong, lines[8], lines[8], lines[9]]]
    torn = json.dumps(lines[10])[:-40]
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / "manifest.json").write_bytes((exported.folder / "manifest.json").read_bytes())
    deep = "[" * 100_000
    (folder / RECORDS_FILE).write_bytes(
        "\n".join([*whole, "", deep, torn]).encode() + b"\xff\n\x00"
    )
    state = opened(tmp_path / "home")
    done = import_export(state, folder)
    assert (done.records, done.refused_lines, done.changed) == (2, 14, True)
    intake(state, files_of_run(state, None, inbox_alone=True))
    records = state.warehouse.read(RECORDS).collect()
    assert set(records["record_key"]) == {lines[8]["record_key"], lines[9]["record_key"]}
    letters = state.warehouse.read(DEAD_LETTERS).collect().sort("source_line")
    assert letters["source_line"].to_list() == [*range(1, 11), 12, 15, 16, 17]
    assert set(letters["reason"]) <= {*REASONS.values()}
    assert letters["reason"][0] == REASONS["content"]
    assert letters["reason"][1] == REASONS["key"]
    assert b"<b>" not in b"".join(file.read_bytes() for file in imports(state.home, "ada"))


def test_a_line_of_an_adapter_that_is_not_here_waits_and_no_secret_reaches_the_disk(
    source: State, exported: WrittenExport, tmp_path: Path
) -> None:
    secret = "ghp_" + "q7Wz" * 9
    records = source.warehouse.read(RECORDS).filter(pl.col("native_id").is_not_null()).head(2)
    rows = records.collect().with_columns(
        adapter=pl.lit("not_here"),
        payload=pl.concat_str(pl.lit(f'{{"token": "{secret}", "n": '), "source_line", pl.lit("}")),
        source_file=pl.lit(f"/home/ada/{secret}.jsonl"),
    )
    signed = _signed(rows)
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / "manifest.json").write_bytes((exported.folder / "manifest.json").read_bytes())
    (folder / RECORDS_FILE).write_bytes(b"".join(encoded(signed)))
    state = opened(tmp_path / "home")
    done = import_export(state, folder)
    assert (done.records, done.redactions, done.lacking) == (2, 2, ["not_here"])
    follow(state, until="raw_logs")
    letters = state.warehouse.read(DEAD_LETTERS).collect()
    assert set(letters["reason"]) == {"no adapter named not_here"}
    assert standing(state.home.root, secret) == {}


def _signed(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with the digests of what they say, as whoever forges an export would make them."""
    from cairn.knowledge.ingest.records import content_digest, place_digest, where_of

    told: list[dict[str, Any]] = []
    for row in rows.to_dicts():
        content = content_digest(row["payload"].encode())
        place = place_digest(where_of(row["namespace"], row["adapter"]), row["thread"], None)
        told.append(row | {"content_hash": content, "record_key": place + content})
    return pl.DataFrame(told, schema=RECORDS.schema)


def test_what_is_forgotten_leaves_the_import_and_does_not_come_back(
    arrived: State, exported: WrittenExport, tmp_path: Path
) -> None:
    state = opened(copy_home(arrived.home.root, tmp_path / "home"))
    (file,) = imports(state.home, "ada")
    assert TILL in file.read_text()
    cut = file.parent.with_name("0" * 16)
    cut.mkdir()
    (cut / "records.jsonl.4194305.partial").write_text(TILL)
    facts = _facts(state)
    gone = facts.filter(pl.col("content") == TILL)["fact_id"][0]
    note(state.home, reach(state, target(state, gone, "ada")).event)
    follow(state, MEMORY.name)
    assert _facts(state).filter(pl.col("content") == TILL).is_empty()
    assert TILL not in file.read_text()
    assert standing(state.home.inbox, TILL) == {}
    records = state.warehouse.read(RECORDS).collect().height
    for place in (tmp_path / "elsewhere", exported.folder):
        if place != exported.folder:  # an export with one line less is another import
            place.mkdir()
            (place / "manifest.json").write_bytes((exported.folder / "manifest.json").read_bytes())
            lines = (exported.folder / RECORDS_FILE).read_bytes().splitlines(keepends=True)
            (place / RECORDS_FILE).write_bytes(b"".join(lines[1:]))
        assert import_export(state, place).forgotten == 1
        assert not any(TILL in one.read_text() for one in imports(state.home, "ada"))
    assert follow(state, MEMORY.name) == []
    assert state.warehouse.read(RECORDS).collect().height == records

    note(state.home, reach(state, target(state, "ada")).event)
    intake(state, [])
    assert imports(state.home, "ada") == []


def test_records_that_are_lost_come_back_from_an_import(arrived: State, tmp_path: Path) -> None:
    state = opened(copy_home(arrived.home.root, tmp_path / "home"))
    own = state.of("ada")
    folder = own.warehouse.folder(RECORDS)
    for file in folder.rglob("*"):
        if file.is_file():
            file.unlink()
    lost = lost_records(state.home, own.warehouse, None)
    assert lost.lines.height > 100
    assert not lost.for_good, str(lost)


def test_a_folder_is_replaced_only_if_it_holds_the_same(
    source: State, exported: WrittenExport, tmp_path: Path
) -> None:
    reader = open_reader(source, "ada")
    first = (exported.folder / RECORDS_FILE).read_bytes()

    def export(place: Path, *, replace: bool = False) -> WrittenExport:
        return export_jsonl(reader, place, replace=replace, tell=lambda _: None)

    with pytest.raises(ExchangeError, match="--replace"):
        export(exported.folder)
    again = export(exported.folder, replace=True)
    assert (again.folder / RECORDS_FILE).read_bytes() == first, "the same knowledge, the same bytes"
    (tmp_path / "empty").mkdir()
    export(tmp_path / "empty")
    cut = tmp_path / ".empty.4194305.partial"
    cut.mkdir()
    export(tmp_path / "empty", replace=True)
    assert not cut.exists(), "what a kill left"
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "one.txt").write_text("mine")
    watched = Path(list_sources(source.home)[0].path) / "out"
    for place in (
        watched,
        tmp_path / "letters",
        source.home.root / "out",
        tmp_path / "letters" / "one.txt",
    ):
        with pytest.raises(ExchangeError):
            export(place, replace=True)
    assert {one.name for one in tmp_path.iterdir()} == {"empty", "letters"}
    with pytest.raises(ExchangeError, match=r"manifest\.json"):
        import_export(source, tmp_path / "letters")
    assert exported.manifest.left_out == {"tombstones": 1}
    assert WORD not in first.decode()


def test_every_line_of_an_export_reads_as_it_was_written(
    source: State, exported: WrittenExport
) -> None:
    data = (exported.folder / RECORDS_FILE).read_bytes()
    now = datetime.now(UTC)
    found = read_lines(data, namespace="ada", seen_at=now, redactor=None)
    stored = source.warehouse.read(RECORDS).filter(pl.col("thread") != "tombstones").collect()
    assert found.refused == []
    assert_frame_equal(found.records.drop("seen_at"), stored.drop("seen_at"), check_row_order=False)
