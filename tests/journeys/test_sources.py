"""Files that grow, are mended, copied or replaced: nothing is lost, and nothing comes twice."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from cairn.assets.pending.records import changed_files
from cairn.assets.records import intake
from cairn.knowledge.ingest.records import read_records
from cairn.knowledge.schema.calendar import UNDATED
from cairn.knowledge.schema.tables import CONVERSATIONS, DEAD_LETTERS, RECORDS
from cairn.pipelines.checks.rebuild_equal import forget_failures
from cairn.resources.context import State
from cairn.resources.home.home import open_home
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
    payloads = state.warehouse.read(RECORDS).collect().sort("source_file", "source_line")["payload"]
    return [json.loads(payload)["content"] for payload in payloads]


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
