"""The inbox: nothing lost, nothing twice, no secret."""

import json
import multiprocessing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cairn.resources.home.home import Home, open_home
from cairn.resources.home.inbox import append_event

SPAWN = multiprocessing.get_context("spawn")
NOVEMBER = datetime(2026, 11, 3, 12, tzinfo=UTC)


def redact(text: bytes) -> tuple[bytes, int]:
    return text.replace(b"hunter2", b"[redacted:test]"), text.count(b"hunter2")


def _events(home: Home) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for file in sorted(home.inbox.glob("*/*.jsonl"))
        for line in file.read_bytes().splitlines()
    ]


def _send(root: Path, sender: int) -> None:
    for number in range(50):
        event = {"type": "note", "namespace": "me", "text": f"{sender} {number} " + "x" * 5000}
        append_event(Home(root), event, redact=redact)


def test_four_processes_lose_nothing(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    senders = [SPAWN.Process(target=_send, args=(home.root, number)) for number in range(4)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    events = _events(home)
    assert len({event["event_id"] for event in events}) == 200
    assert {tuple(event["text"].split()[:2]) for event in events} == {
        (str(sender), str(number)) for sender in range(4) for number in range(50)
    }


def test_a_retry_with_its_id_is_written_once(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    event = {"type": "reaction", "namespace": "me", "event_id": "8a2b" * 8, "text": "👍"}
    first = append_event(home, event, redact=redact, at=NOVEMBER)
    again = append_event(home, event, redact=redact)
    assert (first.written, again.written) == (True, False)
    assert again.event_id == first.event_id
    assert first.file.name == "2026-11.jsonl"
    assert len(_events(home)) == 1


def test_an_id_is_of_its_namespace_alone(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    event = {"type": "note", "event_id": "8a2b" * 8, "text": "one"}
    sent = [append_event(home, event | {"namespace": name}, redact=redact) for name in "abab"]
    assert [one.written for one in sent] == [True, True, False, False]
    assert {event["namespace"] for event in _events(home)} == {"a", "b"}


def test_secrets_are_gone_before_the_line_is_there(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    event = {
        "type": "note",
        "namespace": "me",
        "text": 'it is "hunter2"',
        "about": {"tags": ["hunter2"], "n": 1},
    }
    assert append_event(home, event, redact=redact, at=NOVEMBER).redactions == 2
    [written] = _events(home)
    assert "hunter2" not in json.dumps(written)
    assert written["text"] == 'it is "[redacted:test]"'
    assert written["about"]["n"] == 1
    assert written["at"] == "2026-11-03T12:00:00+00:00"


def test_a_line_that_a_crash_cut_is_closed_and_can_be_sent_again(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    event = {"type": "note", "namespace": "me", "event_id": "8a2b" * 8, "text": "one"}
    file = append_event(home, event, redact=redact, at=NOVEMBER).file
    file.write_bytes(file.read_bytes()[:-10])
    append_event(home, {"type": "note", "namespace": "me"}, redact=redact, at=NOVEMBER)
    assert append_event(home, event, redact=redact, at=NOVEMBER).written
    lines = file.read_bytes().split(b"\n")
    assert len(lines) == 4
    assert json.loads(lines[2])["text"] == "one"


@pytest.mark.parametrize(
    "event",
    [
        {"namespace": "me"},
        {"type": "note"},
        {"type": "note", "namespace": "../me"},
        {"type": "note", "namespace": "me", "at": "2026-11-03T12:00:00"},
        {"type": "note", "namespace": "me", "event_id": "x"},
        {"type": "note", "namespace": "me", "when": NOVEMBER},
    ],
)
def test_what_is_no_event_is_refused(tmp_path: Path, event: dict[str, Any]) -> None:
    home = open_home(tmp_path / "home")
    with pytest.raises(ValueError, match=r"event:|namespace"):
        append_event(home, event, redact=redact)
    assert not _events(home)
