"""Each adapter has a fixture, is found by its content, and reads it as the snapshot says."""

import json
import sys
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import msgspec
import pytest

from cairn.knowledge.extraction.rules.rule import decoded
from cairn.knowledge.ingest.adapter import Event
from cairn.knowledge.ingest.adapters import (
    GROUP,
    AdapterError,
    adapters,
    gemini_cli,
    opencode,
    own_adapters,
)
from cairn.knowledge.ingest.jsonl import document, sample
from cairn.knowledge.ingest.records import SourceRead, read_records
from tests.places import ROOT

FIXTURES = Path(__file__).parent / "fixtures"
PLUG_IN = ROOT / "benchmarks" / "formats" / "fixtures"
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
    folder = FIXTURES if name in own_adapters() else PLUG_IN
    found = [path for path in folder.glob(f"{name}.*") if path.suffix != ".events"]
    assert len(found) == 1, f"{name} needs one fixture {name}.<ext> in {folder}"
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
        f"branch={event.branch}" if event.branch else "",
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
    assert snapshot(name) == fixture(name).with_suffix(".events").read_text()


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
        ("codex", b'{"type":"session_meta","payload":{"id":"s","source":{"subagent":"review"}}}',
         [""]),
        ("gemini_cli", b'{"$set":{"lastUpdated":"2026-04-29T21:39:33.156Z"}}', []),
        ("chat", b'{"role":"user","content":[{"type":"text","text":"a"},"b"]}', ["a\nb"]),
        ("chat", b'{"role":"user","content":{"text":"a"},"timestamp":[],"name":5}', ["a"]),
        ("chat", b'{"role":"user","content":5,"tool_calls":{}}', [""]),
        ("chat", b'{"mark":"checkpoint"}', []),
        ("claude_code", b'{"type":"user","cwd":5,"isMeta":"x","message":{"content":"a"}}', ["a"]),
        ("searches", b'{"query":"a","response":["b"],"learn_prompt_id":7}', ["a", "b"]),
        ("memoryos", b'{"user_input":"a","timestamp":3}', ["a"]),
        ("gemini_cli", b'{"type":"user","content":[{"text":"a"}],"toolCalls":5}', ["a"]),
        ("inbox", b'{"event_id":"e","type":"unheard of","at":"2026-01-01"}', []),
    ],
)  # fmt: skip
def test_odd_lines_give_what_can_be_read(name: str, line: bytes, expected: list[str]) -> None:
    assert [event.text for event in adapters()[name].events(line)] == expected


def test_the_head_of_a_codex_session_says_where_its_repository_is_fetched_from() -> None:
    line = (
        b'{"type":"session_meta","payload":{"id":"s","cwd":"/srv/shop","git":{"branch":"main",'
        b'"repository_url":"git@code.example:ada/shop.git"}}}'
    )
    (note,) = adapters()["codex"].events(line)
    assert note.tool_input == '{"repository_url":"git@code.example:ada/shop.git"}'
    (note,) = adapters()["codex"].events(line.replace(b'"git"', b'"x"'))
    assert note.tool_input is None


FILES = "--- Content from referenced files ---\n@a.md:\nI hate this\n--- End of content ---"


@pytest.mark.parametrize(
    ("name", "line", "expected"),
    [
        (
            "gemini_cli",
            {"type": "user", "content": [{"text": "sum up @a.md"}, {"text": f"\n{FILES}"}]},
            ["human sum up @a.md", f"system {FILES}"],
        ),
        (
            "gemini_cli",
            {"type": "user", "content": f"x {FILES}", "displayContent": "sum up @a.md"},
            ["human sum up @a.md"],
        ),
        (
            "codex",
            {"type": "message", "role": "user", "content": [
                {"text": "<environment_context>x</environment_context>"}, {"text": "fix it"}]},
            ["system <environment_context>x</environment_context>", "human fix it"],
        ),
        (
            "codex",
            {"type": "message", "role": "user", "content":
                "# Files mentioned by the user:\n\n## a.md\n\n## My request for Codex:\nfix it"},
            ["human fix it"],
        ),
        (
            "claude_code",
            {"type": "user", "message": {"content": [
                {"type": "text", "text": "[Request interrupted by user]"},
                {"type": "text", "text": "fix it"}]}},
            ["system [Request interrupted by user]", "human fix it"],
        ),
    ],
)  # fmt: skip
def test_only_what_a_person_typed_is_human(
    name: str, line: dict[str, object], expected: list[str]
) -> None:
    events = list(adapters()[name].events(json.dumps(line).encode()))
    assert [f"{event.origin} {event.text}" for event in events] == expected
    assert len({event.block for event in events}) == len(events)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ('{"a": 1e3}', '{"a": 1e3}'),
        ({"a": 1}, '{"a":1}'),
        ("ls -la", '{"input":"ls -la"}'),
        ("[1]", '{"input":"[1]"}'),
        ("", "{}"),
        (None, "{}"),
    ],
)
def test_the_input_of_a_call_is_an_object(given: object, expected: str) -> None:
    call = {"function": {"name": "x", "arguments": given}}
    said = {"role": "assistant", "content": "", "tool_calls": [call]}
    item = {"type": "function_call", "name": "x", "arguments": given}
    use = {"type": "assistant", "message": {"content": [{"type": "tool_use", "input": given}]}}
    for name, line in (("chat", said), ("codex", item), ("claude_code", use)):
        events = adapters()[name].events(msgspec.json.encode(line))
        assert [event.tool_input for event in events][-1] == expected


def test_a_history_of_parts_tells_thoughts_calls_and_results() -> None:
    call = {"name": "ls", "args": {"path": "."}}
    history = [
        {"role": "user", "parts": [{"text": "which files?"}]},
        {"role": "model", "parts": [{"text": "Look.", "thought": True}, {"functionCall": call}]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "ls", "response": {"output": "a.md"}}}]},
        {"role": "model", "parts": [{"text": "One: a.md"}]},
    ]  # fmt: skip
    found = [
        (event.kind, event.text or event.tool_input)
        for turn in history
        for event in adapters()["gemini_cli"].events(json.dumps(turn).encode())
    ]
    assert found == [
        ("message", "which files?"),
        ("thinking", "Look."),
        ("tool_call", '{"path":"."}'),
        ("tool_result", "a.md"),
        ("message", "One: a.md"),
    ]


ODD_VALUES = (None, True, -1, 2**70, 1.5, "", "x", [], {}, [None], [[1]], {"text": 5}, ["type"])
OWN_FIELDS = {"conversation", "ordinal", "topic", "number", "date"}
"""What an adapter's own `unpack` gives a payload is as it must be."""


@pytest.mark.parametrize("name", sorted(adapters()))
def test_no_value_of_another_type_costs_a_line(name: str) -> None:
    """No kind falls over it, its own still says where the line stands and what else it says."""
    adapter = adapters()[name]
    for payload in read(fixture(name)).records.get_column("payload"):
        line = json.loads(payload)
        for key, value in product(line, ODD_VALUES):
            odd = line | {key: value}
            for one in adapters().values():
                one.recognises([odd])
            if key not in OWN_FIELDS and not (name == "memorybank" and key == "name"):
                encoded = json.dumps(odd).encode()
                assert adapter.head(encoded)._fields
                msgspec.convert([tuple(event) for event in adapter.events(encoded)], list[Event])


@pytest.mark.parametrize("name", ["memorybank", "memoryos", "swe_agent", "tau_bench", "trec_cast"])
def test_a_document_goes_on_after_a_part_that_is_odd(name: str) -> None:
    whole = json.loads(fixture(name).read_bytes())
    odd = {"nobody": None} | whole if name == "memorybank" else whole
    parts = odd["history"] if name == "swe_agent" else odd
    if isinstance(parts, list):
        parts += json.loads(json.dumps(parts))
        parts.insert(1, None)
    found = read_odd(odd)
    assert found.adapter == name
    assert found.dead_letters["reason"].to_list() == ["not an object but null"]
    assert found.records.height >= read(fixture(name)).records.height


def read_odd(value: object) -> SourceRead:
    return read_records(
        json.dumps(value).encode(),
        namespace="test",
        source_file="any-name",
        timezone="UTC",
        seen_at=SEEN_AT,
        redactor=None,
    )


def _objects(path: Path) -> list[object]:
    data = path.read_bytes()
    whole, value = document(data)
    return [value] if whole else list(sample(data))


if __name__ == "__main__":
    for each in adapters():
        (FIXTURES / f"{each}.events").write_text(snapshot(each))


@pytest.mark.parametrize("name", sorted(adapters()))
def test_lines_that_are_called_silent_say_nothing(name: str) -> None:
    adapter = adapters()[name]
    payloads = [text.encode() for text in read(fixture(name)).records["payload"]]
    called = [one for one in payloads if adapter.head(one).silent]
    assert not [event for one in called for event in adapter.events(one)]
    if name == "claude_code":
        assert called, "its fixture has lines of bookkeeping"


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        ("from nowhere import ADAPTER", "adapter logbook of logbook does not load"),
        ("ADAPTER = 5", "adapter logbook of logbook is no Adapter, but int"),
        (
            "from cairn.knowledge.ingest.adapters.chat import ADAPTER",
            "there is an adapter named chat already",
        ),
    ],
)
def test_a_plug_in_that_does_not_work_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, reason: str
) -> None:
    """To go on without its adapter would take away what it had read."""
    (tmp_path / "logbook.py").write_text(module)
    package = tmp_path / "logbook-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: logbook\nVersion: 1\n")
    (package / "entry_points.txt").write_text(f"[{GROUP}]\nlogbook = logbook:ADAPTER\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(AdapterError, match=reason):
        adapters.__wrapped__()
    sys.modules.pop("logbook", None)


def test_a_session_of_gemini_cli_works_in_the_folder_that_its_harness_names() -> None:
    said = "<session_context>\n- **Workspace Directories:**\n  - /srv/harbour\n- **Directory"
    line = {"$set": {"messages": [{"type": "user", "content": [{"text": f"{said} Structure:**"}]}]}}
    (event,) = gemini_cli.events(json.dumps(line).encode())
    assert (event.kind, event.origin, event.text, event.cwd) == (
        "note",
        "system",
        "",
        "/srv/harbour",
    )
    assert list(gemini_cli.events(json.dumps({"$set": {"lastUpdated": "x"}}).encode())) == []


GEMINI_OUTPUTS = [
    ("Output: 3 passed\nProcess Group PGID: 7", "3 passed", False),
    ("Output: (empty)\nExit Code: 1\nProcess Group PGID: 7", "", True),
    ("Output: a\n\nb\nExit Code: 2\nProcess Group PGID: 7", "a\n\nb", True),
    (
        "Command: cd a\n  make\nDirectory: (root)\nOutput: Exit Code: 3\nof which\nError: (none)\n"
        "Exit Code: 0\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 7",
        "Exit Code: 3\nof which\nError: (none)", False,
    ),
    (
        "Command: make\nDirectory: a\nStdout: (empty)\nStderr: no rule\nExit Code: 2\nSignal: 0",
        "\nStderr: no rule", True,
    ),
    ("no frame\nExit Code: 1", "no frame\nExit Code: 1", False),
    (f"Output: {'x' * 5000}", "x" * 5000, False),
    ("Output: killed\nExit Code: (none)\nSignal: 9", "killed", False),
]  # fmt: skip


@pytest.mark.parametrize(("given", "text", "failed"), GEMINI_OUTPUTS)
def test_gemini_cli_counts_as_failed_what_exited_with_an_error(
    given: str, text: str, failed: bool
) -> None:
    result = [{"functionResponse": {"response": {"output": given}}}]
    call = {"name": "run_shell_command", "status": "success", "result": result}
    line = {"type": "gemini", "content": "", "toolCalls": [call]}
    _, returned = gemini_cli.events(json.dumps(line).encode())
    assert (returned.text, returned.is_error) == (text, failed)


def test_an_output_that_is_nested_without_end_is_kept_as_its_text() -> None:
    told = '{"output":' + "[" * 100_000
    payload = {"type": "function_call_output", "call_id": "c1", "output": told}
    line = {"type": "response_item", "timestamp": "2026-05-01T10:00:00Z", "payload": payload}
    (event,) = adapters()["codex"].events(json.dumps(line).encode())
    assert (event.kind, event.text) == ("tool_result", told)
    assert decoded(told) == {}


def test_who_asks_in_a_session_of_opencode_that_an_agent_began_is_that_agent() -> None:
    asked = {"info": {"role": "user"}, "parts": [{"type": "text", "text": "Count the berths."}]}

    def origins(**of: str) -> list[tuple[str, bool]]:
        whole = {"info": {"id": "ses_1", **of}, "messages": [asked]}
        (message,) = opencode.unpack(whole)
        told = opencode.events(json.dumps(message).encode())
        return [(event.origin, event.sidechain) for event in told]

    assert origins() == [("human", False)]
    assert origins(parentID="ses_0") == [("agent", True)]


def test_a_chat_is_one_though_a_role_or_some_content_is_odd() -> None:
    """A line like these among the first twenty took the whole file away; further on it did not."""
    said = {"role": "user", "content": "I live in Oslo."}
    for odd in ({"role": "wizard", "content": "hm"}, {"role": "user", "content": 5}):
        assert adapters()["chat"].recognises([odd, said, said])
    assert not adapters()["chat"].recognises([said, said, {"role": "user", "type": "event"}])
