"""Files that grow, are mended, copied or replaced: nothing is lost, and nothing comes twice."""

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Never

import pytest
from polars.testing import assert_frame_equal

from cairn.assets.pending.records import changed_files
from cairn.assets.records import intake
from cairn.knowledge.deletion.tombstones import digests
from cairn.knowledge.ingest.adapters import adapters
from cairn.knowledge.ingest.records import read_records
from cairn.knowledge.schema.calendar import UNDATED
from cairn.knowledge.schema.tables import CONVERSATIONS, DEAD_LETTERS, RECORDS
from cairn.pipelines.checks.rebuild_equal import forget_failures
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import make_key, note
from cairn.resources.home.home import open_home
from cairn.resources.home.log_files import on_disk
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source
from tests.journeys.running import UNPUBLISHED, assert_as_built, follow

META = {"type": "session_meta", "timestamp": "2026-05-01T10:00:00Z", "payload": {"id": "s1"}}


@pytest.fixture
def state(tmp_path: Path) -> State:
    state = State(open_home(tmp_path / "home"), Settings())
    (tmp_path / "logs").mkdir()
    add_source(state.home, tmp_path / "logs", "default")
    return state


@pytest.fixture
def write(state: State, tmp_path: Path) -> Callable[[str, bytes], None]:
    """Writes a file of the source, and takes in what is new."""

    def write(name: str, data: bytes) -> None:
        (tmp_path / "logs" / name).write_bytes(data)
        intake(state, changed_files(state))

    return write


def said(content: str, time: str | None = "2026-05-01T10:00:00Z") -> bytes:
    told = {"role": "user", "content": content} | ({"timestamp": time} if time else {})
    return json.dumps(told).encode() + b"\n"


def item(text: str, minute: int) -> bytes:
    payload = {"type": "message", "role": "user", "content": [{"text": text}]}
    time = f"2026-05-01T10:{minute:02}:00Z"
    line = {"type": "response_item", "timestamp": time, "payload": payload}
    return json.dumps(line).encode() + b"\n"


def letters(state: State) -> list[int]:
    return state.warehouse.read(DEAD_LETTERS).collect()["source_line"].sort().to_list()


def contents(state: State) -> list[str]:
    order = ["source_file", "source_line", "ordinal"]
    payloads = map(json.loads, state.warehouse.read(RECORDS).collect().sort(order)["payload"])
    return [payload["content"] for payload in payloads if "content" in payload]


def test_a_file_that_was_mended_has_no_dead_letters(
    state: State, write: Callable[[str, bytes], None]
) -> None:
    write("other.jsonl", said("x") + b"torn\n")
    write("a.jsonl", said("a") + b"torn\n" + said("b"))
    assert letters(state) == [2, 2]
    write("a.jsonl", said("a") + said("mended") + said("b"))
    assert letters(state) == [2]


def test_a_file_that_grew_keeps_the_dead_letters_of_what_was_read(
    state: State, write: Callable[[str, bytes], None]
) -> None:
    write("a.jsonl", said("a") + b"torn\n")
    write("a.jsonl", said("a") + b"torn\n" + said("b") + b"torn too\n")
    assert letters(state) == [2, 4]


def test_the_new_lines_of_a_copy_belong_to_the_session_of_the_original(
    state: State, write: Callable[[str, bytes], None]
) -> None:
    start = json.dumps(META).encode() + b"\n" + item("first", 1)
    write("rollout.jsonl", start)
    write("copy.jsonl", start)
    write("rollout.jsonl", start + item("second", 2))
    write("copy.jsonl", start + item("second", 2))
    records = state.warehouse.read(RECORDS).collect()
    assert (records.height, records["thread"].unique().to_list()) == (3, ["s1"])


@pytest.mark.parametrize("time", [None, "2026-05-01T10:00:00Z"])
def test_equal_lines_stay_apart_when_the_file_grows(
    state: State, write: Callable[[str, bytes], None], time: str | None
) -> None:
    lines = said("What now?", time) + said("yes", time)
    write("a.jsonl", lines)
    write("a.jsonl", lines + said("And then?", time) + said("yes", time))
    assert contents(state) == ["What now?", "yes", "And then?", "yes"]


def claude(number: int, time: str | None) -> bytes:
    line = {"type": "user", "sessionId": "s1", "uuid": f"u-{number}",
            "message": {"role": "user", "content": f"line {number}"}}  # fmt: skip
    return json.dumps(line | ({"timestamp": time} if time else {})).encode() + b"\n"


TIME = "2026-05-01T10:00:00Z"
SUMMARY = b'{"type":"summary","summary":"Of before","leafUuid":"x"}\n'
HEADS = {
    "a chat": [said("a", None), said("a", None), said("b", TIME), said("c", None)],
    "a chat that never tells a time": [said("a", None), said("a", None), said("b", None)],
    "a bad line last": [said("a", None) + b"torn\n", said("b", TIME)],
    "a session": [claude(1, None), claude(2, None), claude(3, TIME), claude(4, TIME)],
    "a summary before its session": [SUMMARY, claude(1, None), claude(2, TIME), SUMMARY],
    "a session that never tells a time": [SUMMARY, claude(1, None), claude(2, None)],
}


@pytest.mark.parametrize("name", HEADS)
def test_lines_read_before_their_file_told_a_time_or_session_have_it_once_it_does(
    state: State, write: Callable[[str, bytes], None], name: str
) -> None:
    lines = HEADS[name]
    for end in range(1, len(lines) + 1):
        write("a.jsonl", b"".join(lines[:end]))
        stored = state.warehouse.read(RECORDS).drop("seen_at", "source_file").collect()
        whole = read_records(
            b"".join(lines[:end]), namespace="default", source_file="", timezone="UTC",
            seen_at=UNDATED, redactor=None,
        )  # fmt: skip
        expected = whole.records.select(stored.columns)
        assert_frame_equal(stored, expected, check_row_order=False)


def test_what_a_file_said_before_it_told_a_time_is_known_as_if_it_came_at_once(
    state: State, tmp_path: Path
) -> None:
    for parts in (1, 2):
        lines = [claude(1, None), SUMMARY, claude(2, TIME)]
        (tmp_path / "logs" / "a.jsonl").write_bytes(b"".join(lines[: parts * 2]))
        follow(state, UNPUBLISHED)
    assert_as_built(state)
    (talk,) = state.warehouse.read(CONVERSATIONS).collect().to_dicts()
    assert (talk["conversation_id"], talk["day"], talk["records"]) == ("s1", TIME[:10], 3)


def test_lines_are_numbered_as_in_the_file_though_the_last_had_no_end(
    state: State, write: Callable[[str, bytes], None]
) -> None:
    write("a.jsonl", said("a") + said("b").rstrip())
    write("a.jsonl", said("a") + said("b") + said("c"))
    records = state.warehouse.read(RECORDS).collect()
    assert records["source_line"].sort().to_list() == [1, 2, 3]


def test_a_file_whose_name_is_not_utf8_is_read_and_grows(state: State, tmp_path: Path) -> None:
    place = Path(os.fsdecode(os.fsencode(tmp_path / "logs") + b"/d\xff/n\xfe.jsonl"))
    place.parent.mkdir()
    for lines in (said("a") + b"torn\n", said("a") + b"torn\n" + said("b")):
        place.write_bytes(lines)
        intake(state, changed_files(state))
    assert contents(state) == ["a", "b"]
    assert changed_files(state) == []
    assert forget_failures(state) == (1, [])


DOCUMENTS: dict[str, Callable[[list[dict[str, object]]], object]] = {
    "a chat": lambda lines: lines,
    "a web session": lambda lines: {"loglines": lines},
    "a checkpoint": lambda lines: {"history": lines},
}


def document(name: str, messages: int) -> bytes:
    """The beginning of a document without id, times and ids of messages."""
    texts = ["Which port?", "8080.", "And the host?", "Of the harbour office.", "Thanks!"]
    lines: list[dict[str, object]] = []
    for number, text in enumerate(texts[:messages]):
        role = ("user", "model" if name == "a checkpoint" else "assistant")[number % 2]
        lines.append(
            {
                "a chat": {"role": role, "content": text},
                "a web session": {"type": role, "message": {"role": role, "content": text}},
                "a checkpoint": {"role": role, "parts": [{"text": text}]},
            }[name]
        )
    return json.dumps(DOCUMENTS[name](lines), indent=1).encode()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_without_id_that_grows_from_one_message_is_one_conversation(
    state: State, write: Callable[[str, bytes], None], name: str
) -> None:
    for messages in (1, 2, 3, 5):
        write("a.json", document(name, messages))
    records = state.warehouse.read(RECORDS).collect()
    assert (records.height, records["thread"].n_unique()) == (5, 1)
    write("b.json", document(name, 5))
    assert state.warehouse.read(RECORDS).collect().equals(records)


def test_a_file_is_tried_again_once_it_may_be_read_or_an_adapter_came(
    state: State, write: Callable[[str, bytes], None], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    known = dict(adapters())
    with monkeypatch.context() as before:
        before.setattr("cairn.knowledge.ingest.records.adapters", lambda: {"codex": known["codex"]})
        write("a.jsonl", said("a"))
        assert not changed_files(state)

        def closed(*_: object) -> Never:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

        before.setattr("cairn.assets.records.windows", closed)
        before.setattr("os.access", lambda path, _: not str(path).endswith("b.jsonl"))
        write("b.jsonl", said("b"))
        assert not changed_files(state)
    assert len(changed_files(state)) == 2
    intake(state, changed_files(state))
    assert (contents(state), changed_files(state)) == (["a", "b"], [])


def test_two_names_of_files_that_read_alike_are_two_files(state: State, tmp_path: Path) -> None:
    for name in (rb"/bad\xff.jsonl", b"/bad\xff.jsonl", rb"/bad\x5cxff.jsonl"):
        place = Path(os.fsdecode(os.fsencode(tmp_path / "logs") + name))
        place.write_bytes(said(repr(name)))
        assert any(on_disk(file.name) == file.path == place for file in changed_files(state))
    intake(state, changed_files(state))
    assert (len(contents(state)), changed_files(state)) == (3, [])


def test_what_is_forgotten_of_a_document_stays_so_though_it_grows_and_is_named_anew(
    state: State, write: Callable[[str, bytes], None]
) -> None:
    write("a.json", document("a chat", 2))
    (first, _) = state.warehouse.read(RECORDS).collect().sort("ordinal").iter_slices(1)
    marks = digests(first, make_key(state.home))
    note(state.home, {"type": "tombstone", "namespace": "default", "digests": marks})
    intake(state, changed_files(state))
    assert contents(state) == ["8080."]
    write("a.json", document("a chat", 5))
    assert contents(state) == ["8080.", "And the host?", "Of the harbour office.", "Thanks!"]


def test_equal_lines_stay_apart_though_a_copy_of_the_first_came_before(
    state: State, write: Callable[[str, bytes], None]
) -> None:
    write("copy.jsonl", said("yes"))
    write("a.jsonl", said("yes") + said("And then?"))
    write("a.jsonl", said("yes") + said("And then?") + said("yes"))
    assert sorted(contents(state)) == ["And then?", "yes", "yes"]


def test_a_source_with_another_timezone_is_read_in_that(
    state: State, write: Callable[[str, bytes], None], tmp_path: Path
) -> None:
    write("a.jsonl", said("a", "2026-05-01T10:00:00") + said("b", "2026-05-01T10:00:00Z"))
    assert not changed_files(state)
    add_source(state.home, tmp_path / "logs", "default", "Europe/Berlin")
    for _ in range(2):
        intake(state, changed_files(state))
    records = state.warehouse.read(RECORDS).collect().sort("source_line")
    assert [time.hour for time in records["occurred_at"]] == [8, 10]
    add_source(state.home, tmp_path / "logs", "default")
    assert not changed_files(state)
    add_source(state.home, tmp_path / "logs", "default", "Asia/Tokyo")
    write("a.jsonl", said("c", "2026-05-02T10:00:00"))
    assert sorted(contents(state)) == ["a", "b", "c"], "a file that was replaced takes nothing away"
