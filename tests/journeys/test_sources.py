"""Files that grow, are mended, copied or replaced: nothing is lost, and nothing comes twice."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cairn.assets.pending.records import changed_files
from cairn.assets.records import intake
from cairn.knowledge.schema.tables import DEAD_LETTERS, RECORDS
from cairn.pipelines.checks.rebuild_equal import forget_failures
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source

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
