"""Each adapter has a fixture, is found by its content, and reads it as the snapshot says."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from knowledge.adapter import Event
from knowledge.adapters import adapters
from knowledge.decoding import document, sample
from knowledge.records import SourceRead, read_records

FIXTURES = Path(__file__).parent / "fixtures"
SEEN_AT = datetime(2026, 6, 1, tzinfo=UTC)


def read(path: Path) -> SourceRead:
    return read_records(
        path.read_bytes(),
        namespace="test",
        source_file="any-name",
        timezone="UTC",
        seen_at=SEEN_AT,
        redactor=None,
    )


def fixture(name: str) -> Path:
    found = [path for path in FIXTURES.glob(f"{name}.*") if path.suffix != ".events"]
    assert len(found) == 1, f"{name} needs one fixture {name}.<ext> in {FIXTURES}"
    return found[0]


def shown(place: str, event: Event) -> str:
    """One event on one line: what tells it apart, then how its text begins."""
    marks = [
        f"tool={event.tool_name}" if event.tool_name else "",
        f"input={event.tool_input[:60]}" if event.tool_input else "",
        f"call={event.call_id}" if event.call_id else "",
        f"name={event.name}" if event.name else "",
        f"trigger={event.trigger}" if event.trigger else "",
        f"model={event.model}" if event.model else "",
        f"cwd={event.cwd}" if event.cwd else "",
        f"reply_to={event.reply_to}" if event.reply_to else "",
        "error" if event.is_error else "",
        "side" if event.sidechain else "",
        "proactive" if event.proactive else "",
        repr(event.text[:40]),
    ]
    told = f"{event.kind} {event.origin} {event.role or '-'}"
    return f"{place}#{event.block} {told:<28} {' '.join(mark for mark in marks if mark)}"


def snapshot(name: str) -> str:
    columns = ("thread", "session", "native_id", "occurred_at", "payload")
    lines: list[str] = []
    for thread, session, native, time, payload in (
        read(fixture(name)).records.select(columns).iter_rows()
    ):
        clock = time.strftime("%m-%d %H:%M:%S") if time else "undated"
        lines.append(f"{'session' if session else 'channel'} {thread}, {clock}")
        lines += [
            "  " + shown(native or "-", event)
            for event in adapters()[name].events(payload.encode())
        ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", sorted(adapters()))
def test_fixture_is_recognised_by_content_and_read_whole(name: str) -> None:
    found = read(fixture(name))
    assert found.adapter == name
    assert found.dead_letters.is_empty()
    assert found.consumed == fixture(name).stat().st_size
    claimed = [
        other.name for other in adapters().values() if other.recognises(_objects(fixture(name)))
    ]
    assert claimed == [name], "two adapters claim the same data"


@pytest.mark.parametrize("name", sorted(adapters()))
def test_fixture_gives_the_events_of_its_snapshot(name: str) -> None:
    """After a change that is meant: raise the version, run this module, read the difference."""
    assert snapshot(name) == (FIXTURES / f"{name}.events").read_text()


@pytest.mark.parametrize("name", sorted(adapters()))
def test_blocks_of_a_line_are_never_used_twice(name: str) -> None:
    for payload in read(fixture(name)).records.get_column("payload"):
        blocks = [event.block for event in adapters()[name].events(payload.encode())]
        assert len(blocks) == len(set(blocks))


@pytest.mark.parametrize(
    ("name", "line", "expected"),
    [
        ("claude_code", b'{"type":"user","uuid":"u","message":"error"}', [""]),
        ("claude_code", b'{"type":"user","message":{"content":["a",{"type":"?"},7]}}', ["a"]),
        ("claude_code", b'{"type":"assistant","message":{"content":null,"model":5}}', [""]),
        ("claude_code", b'{"type":"from-the-future","text":"x"}', []),
        ("codex", b'{"type":"response_item","payload":{"type":"message","role":"user","name":5,'
         b'"content":"a"}}', ["a"]),
        ("codex", b'{"type":"response_item","payload":[1]}', []),
        ("codex", b'{"type":"message","role":"user","content":[{"text":"a"}]}', ["a"]),
        ("codex", b'{"record_type":"state"}', []),
        ("gemini_cli", b'{"$set":{"lastUpdated":"2026-04-29T21:39:33.156Z"}}', []),
        ("chat", b'{"role":"user","content":[{"type":"text","text":"a"},"b"]}', ["a\nb"]),
        ("inbox", b'{"event_id":"e","type":"unheard of","at":"2026-01-01"}', []),
    ],
)  # fmt: skip
def test_odd_lines_give_what_can_be_read(name: str, line: bytes, expected: list[str]) -> None:
    assert [event.text for event in adapters()[name].events(line)] == expected


def _objects(path: Path) -> list[object]:
    data = path.read_bytes()
    whole, value = document(data)
    return [value] if whole else list(sample(data))


if __name__ == "__main__":
    for each in adapters():
        (FIXTURES / f"{each}.events").write_text(snapshot(each))
