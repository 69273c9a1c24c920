"""What real logs contain must not break or skew what is read from them."""

import json
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.knowledge.ingest.adapter import Event
from cairn.knowledge.ingest.adapters import adapters
from cairn.knowledge.ingest.records import Before, SourceRead, read_records
from cairn.knowledge.redaction import Redactor
from cairn.knowledge.schema.tables import DEAD_LETTERS, RECORDS

SEEN_AT = datetime(2026, 6, 1, 12, tzinfo=UTC)
OPEN, CLOSE = b'{"role":"user","timestamp":"2026-05-01T10:00:00Z","content":"', b'"}'


def line(text: bytes) -> bytes:
    return OPEN + text + CLOSE


def read(data: bytes, **changes: object) -> SourceRead:
    given_ = {
        "namespace": "test",
        "source_file": "log.jsonl",
        "timezone": "UTC",
        "seen_at": SEEN_AT,
        "redactor": None,
    }
    return read_records(data, **(given_ | changes))


def texts(found: SourceRead) -> list[str]:
    return [json.loads(payload)["content"] for payload in found.records.get_column("payload")]


LONG = "x" * 5_000_000
BREAKS = "a\u2028b\u2029c\x85d"
ODD = {
    "plain": (line(b"a") + b"\n" + line(b"b") + b"\n", ["a", "b"]),
    "no final newline": (line(b"a") + b"\n" + line(b"b"), ["a", "b"]),
    "one line, no newline": (line(b"a"), ["a"]),
    "blank lines": (b"\n\n" + line(b"a") + b"\n \n\n" + line(b"b") + b"\n\n", ["a", "b"]),
    "CRLF": (line(b"a") + b"\r\n" + line(b"b") + b"\r\n", ["a", "b"]),
    "BOM": (b"\xef\xbb\xbf" + line(b"a") + b"\n" + line(b"b") + b"\n", ["a", "b"]),
    "NUL run between lines": (line(b"a") + b"\n" + b"\0" * 900 + line(b"b") + b"\n", ["a", "b"]),
    "line of NULs": (line(b"a") + b"\n" + b"\0" * 900 + b"\n" + line(b"b") + b"\n", ["a", "b"]),
    "two objects glued": (line(b"a") + line(b"b") + b"\n" + line(b"c") + b"\n", ["a", "b", "c"]),
    "glued on the only line": (line(b"a") + line(b"b"), ["a", "b"]),
    "glued with brackets inside": (line(b'{\\"x\\":[') + line(b"}{") + b"\n", ['{"x":[', "}{"]),
    "U+2028 is no line end": (line(BREAKS.encode()) + b"\n" + line(b"b"), [BREAKS, "b"]),
    "invalid UTF-8": (line(b"caf\xe9 \xff") + b"\n" + line(b"b"), ["caf\ufffd \ufffd", "b"]),
    "lone surrogate": (line(b"cut \\ud83d") + b"\n" + line(b"b") + b"\n", ["cut \ufffd", "b"]),
    "raw tab in a string": (line(b"a\tb") + b"\n" + line(b"c") + b"\n", ["a\tb", "c"]),
    "a line of megabytes": (line(LONG.encode()) + b"\n" + line(b"b") + b"\n", [LONG, "b"]),
    "a list over several lines": (b"[\n" + line(b"a") + b",\n" + line(b"b") + b"\n]\n", ["a", "b"]),
    "a list on one line": (b"[" + line(b"a") + b"," + line(b"b") + b"]", ["a", "b"]),
    "nested deeply": (
        line(b"a")[:-1] + b',"x":' + b"[" * 700 + b'"base64"' + b"]" * 700 + b"}\n" + line(b"b"),
        ["a", "b"],
    ),
    "times out of order": (
        line(b"late").replace(b"10:00", b"11:00") + b"\n" + line(b"early") + b"\n",
        ["late", "early"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_odd_files_lose_nothing(name: str) -> None:
    data, expected = ODD[name]
    found = read(data)
    assert found.adapter == "chat"
    assert texts(found) == expected
    assert found.dead_letters.is_empty()
    assert (found.consumed, found.incomplete) == (len(data), False)
    assert found.records.schema == RECORDS.schema


BAD = {
    "an array": (b"[1]", "not an object but an array"),
    "a string": (b'"secret words"', "not an object but a string"),
    "a number": (b"42", "not an object but a number"),
    "no JSON": (b"secret words", "not JSON: Expecting value"),
    "torn": (b'{"role":"user","content":"secret wor', "not JSON: Unterminated string starting at"),
    "nested without end": (b'{"a":' * 200_000, "not JSON that can be held: nested too deeply"),
    "nested deeply to its end": (
        b'{"a":' * 200_000 + b"1" + b"}" * 200_000,
        "not JSON that can be held: nested too deeply",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_is_a_dead_letter_and_the_rest_goes_on(name: str) -> None:
    bad, reason = BAD[name]
    before = line(b"a") + b"\n"
    found = read(before + bad + b"\n" + line(b"b") + b"\n")
    assert texts(found) == ["a", "b"]
    letter = found.dead_letters.row(0, named=True)
    assert (letter["source_line"], letter["source_offset"]) == (2, len(before))
    assert letter["reason"] == reason
    assert "secret" not in str(letter)
    assert found.dead_letters.height == 1
    assert found.dead_letters.schema == DEAD_LETTERS.schema


def test_a_file_of_nothing_but_a_line_nested_without_end_is_refused_and_stops_no_other() -> None:
    for data in (b"[" * 200_000, b"[" * 200_000 + b"]" * 200_000, b'{"a":' * 200_000):
        found = read(data)
        assert found.records.is_empty()
        assert found.refused or found.incomplete
        assert read(data + b"\n").records.is_empty()


def test_what_follows_good_objects_on_a_line_is_told_by_its_own_offset() -> None:
    found = read(line(b"a") + b"\n" + line(b"b") + b' {"role":\n' + line(b"c") + b"\n")
    assert texts(found) == ["a", "b", "c"]
    offset = len(line(b"a")) + 1 + len(line(b"b")) + 1
    assert found.dead_letters["source_offset"].to_list() == [offset]


def test_a_last_line_still_being_written_is_left_for_later() -> None:
    whole = line(b"a") + b"\n"
    partial = whole + line("café".encode())[:-4]
    found = read(partial)
    assert (texts(found), found.incomplete) == (["a"], True)
    assert (found.consumed, found.lines) == (len(whole), 1)
    assert found.dead_letters.is_empty()
    rest = read(
        line("café".encode()) + b"\n",
        start_line=2,
        start_offset=found.consumed,
        adapter=found.adapter,
        before=found.last,
    )
    assert texts(rest) == ["café"]
    assert rest.records["source_line"].to_list() == [2]
    assert rest.records["source_offset"].to_list() == [len(whole)]


def test_a_broken_line_that_is_at_its_end_is_refused_though_it_is_the_only_one() -> None:
    found = read(line(b"a")[:30] + b"\n")
    assert (found.incomplete, found.refused is None) == (False, False)


@pytest.mark.parametrize("data", [line(b"a")[:30], b'{\n  "sessionId": "s",\n  "messages": [\n'])
def test_a_file_whose_first_value_is_still_being_written_is_not_refused(data: bytes) -> None:
    found = read(data)
    assert (found.incomplete, found.consumed, found.refused) == (True, 0, None)


@pytest.mark.parametrize(
    "data",
    [
        b'{"ts":"2026-01-02T19:11:26Z","session_id":"s","event":"Stop"}\n' * 3,
        b'{"type":"session.start","data":{"sessionId":"s"},"id":"e1"}\n',
        b'{"uuid":"1","sessionId":"s","type":"user","message":{"role":"user","parts":[]}}\n',
        b'{"role":"user","message":{"content":[{"type":"text","text":"hi"}]}}\n',
        b'{"type":"user","content":[{"type":"text","text":"hi"}]}\n',
        b'{"session_id":"h","platform":"cli","messages":[{"role":"user","content":"hi"}]}',
        b'{"type":["object","null"],"role":{},"properties":{}}',
        b'{"timestamp":"2026-05-01T10:00:00Z","query":"SELECT 1","duration_ms":5}\n' * 3,
        b'{"role":"_checkpoint","id":0}\n{"role":"user","content":"hi"}\n' * 3,
        b'{"level":"info","content":"started"}\n' * 3 + line(b"a") + b"\n",
        b"plain words\nand more\n",
        b"SQLite format 3\0\x10\0\x01\x01",
    ],
)
def test_unknown_kinds_are_refused_by_name(data: bytes) -> None:
    found = read(data)
    assert (found.adapter, found.consumed, found.records.height) == (None, 0, 0)
    assert found.refused
    assert "claude_code" in found.refused


def test_a_chat_is_one_in_spite_of_odd_lines_among_the_first() -> None:
    odd = b'{"error":"overloaded"}\n{"role":"user","content":{"text":"b"}}\n'
    found = read(line(b"a") + b"\n" + odd + line(b"c") + b"\n")
    assert (found.adapter, found.records.height) == ("chat", 4)


def test_a_rollout_without_header_is_known_by_its_calls() -> None:
    call = b'{"type":"tool_call","function":{"name":"git"},"arguments":"status"}\n'
    assert read(line(b"a") + b"\n" + call).adapter == "codex"


@pytest.mark.parametrize("number", [b"1e400", b"-1e999"])
def test_a_number_beyond_all_bounds_costs_no_line(number: bytes) -> None:
    odd = line(b"b")[:-1] + b',"x":' + number + b"}"
    found = read(line(b"a") + b"\n" + odd + b"\n" + line(b"c") + b"\n")
    assert texts(found) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (("\ufeff" + line(b"a").decode()).encode("utf-16-le"), "UTF-16"),
        (("\ufeff" + line(b"a").decode()).encode("utf-16-be"), "UTF-16"),
        (b"\x1f\x8b\x08\x00\x00\x00\x00\x00", "compressed"),
        (b"\x28\xb5\x2f\xfd\x04\x00", "compressed"),
    ],
)
def test_what_must_first_be_unpacked_is_refused_in_those_words(data: bytes, word: str) -> None:
    assert word in (read(data).refused or "")


def test_a_forked_rollout_is_its_own_session_though_it_holds_the_header_of_another() -> None:
    """Codex copies the history of the parent, header included, behind the header of the fork."""
    lines = [
        {"type": "session_meta", "payload": {"id": "fork", "forked_from_id": "parent"}},
        {"type": "session_meta", "payload": {"id": "parent"}},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": "a"}},
    ]
    data = b"".join(
        json.dumps({"timestamp": "2026-05-01T10:00:00Z"} | one).encode() + b"\n" for one in lines
    )
    assert read(data).records["thread"].to_list() == ["fork"] * 3


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\0\0", b"\xef\xbb\xbf"])
def test_nothing_to_read_is_no_failure(data: bytes) -> None:
    found = read(data)
    assert (found.records.height, found.refused, found.incomplete) == (0, None, False)


def test_lines_without_thread_or_time_take_the_nearest_ones() -> None:
    def session(**fields: object) -> str:
        return json.dumps({"type": "system", "version": "2", "uuid": "u"} | fields)

    data = "\n".join(
        [
            json.dumps({"type": "summary", "summary": "before all", "leafUuid": "x"}),
            session(sessionId="s1", timestamp="2026-05-01T10:00:00Z", uuid="1"),
            json.dumps({"type": "mode", "mode": "normal"}),
            session(sessionId="s2", timestamp="2026-05-01T11:00:00Z", uuid="2"),
            json.dumps({"type": "summary", "summary": "after all", "leafUuid": "x"}),
        ]
    )
    records = read(data.encode()).records
    assert records["thread"].to_list() == ["s1", "s1", "s1", "s2", "s2"]
    assert records["session"].all()
    assert records["occurred_at"].dt.hour().to_list() == [10, 10, 10, 11, 11]


def test_times_are_utc_and_impossible_ones_count_as_undated() -> None:
    def at(time: str | float | None) -> bytes:
        return json.dumps({"role": "user", "content": "x", "timestamp": time}).encode() + b"\n"

    cases = {
        "2026-05-01T10:00:00Z": "2026-05-01T10:00:00",
        "2026-05-01T10:00:00.123456789Z": "2026-05-01T10:00:00.123456",
        "2026-05-01T10:00:00+02:00": "2026-05-01T08:00:00",
        "2026-05-01 10:00:00": "2026-05-01T08:00:00",  # Berlin, summer
        "2026-01-15": "2026-01-14T23:00:00",  # Berlin, winter
        "2026-03-29T02:30:00": "2026-03-29T01:30:00",  # skipped by the change to summer time
        "2025-10-26T02:30:00": "2025-10-26T00:30:00",  # came twice: the earlier
        1777629600: "2026-05-01T10:00:00",
        1777629600000: "2026-05-01T10:00:00",
        1777629600000000: "2026-05-01T10:00:00",
        1777629600.25: "2026-05-01T10:00:00.250000",
        "1777629600": "2026-05-01T10:00:00",
        " 1777629600000 ": "2026-05-01T10:00:00",
        "2026-05-01T12:00:00+02": "2026-05-01T10:00:00",
        -1: None,
        "2014-12-31T23:59:59Z": None,
        "1970-01-01T00:00:00Z": None,
        "2026-06-02T11:59:00Z": "2026-06-02T11:59:00",
        "2199-12-31T23:59:59Z": "2199-12-31T23:59:59",  # whether it can be, all records say
        "9999-12-31T23:59:59Z": None,
        8_000_000_000_000_000_000: None,
    }
    records = read(b"".join(at(time) for time in cases), timezone="Europe/Berlin").records
    found = [time and time.replace(tzinfo=None).isoformat() for time in records["occurred_at"]]
    assert found == list(cases.values())
    unknown = ("yesterday", None, "2026-05-03T10:00:00+99:99", "2026-05-03T10:00:00-0960")
    borrowed = read(b"".join(map(at, ("2026-05-01T10:00:00Z", *unknown)))).records
    assert borrowed["occurred_at"].n_unique() == 1
    assert read(at(None)).records["occurred_at"].to_list() == [None]


def test_a_session_keeps_its_place_though_its_times_are_numbers() -> None:
    told = {"type": "user", "uuid": "u", "sessionId": "s", "message": {"content": "a"}}
    meta = {"type": "session_meta", "payload": {"id": "s"}}
    for one, native in ((told, "u"), (meta, "s")):
        data = json.dumps(one | {"timestamp": 1777629600000}).encode()
        row = read(data).records.row(0, named=True)
        assert (row["thread"], row["native_id"]) == ("s", native)
        assert row["occurred_at"] == datetime(2026, 5, 1, 10, tzinfo=UTC)


def test_images_are_dropped_and_counted() -> None:
    picture = "iVBORw0KGgo" * 40
    blocks = [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": picture}},
        {"type": "text", "text": f"see data:image/png;base64,{picture} there"},
        {"type": "text", "text": "the word base64 alone"},
    ]
    data = json.dumps({"role": "user", "content": blocks, "timestamp": "2026-05-01"}).encode()
    records = read(line(b"base64 is an encoding") + b"\n" + data + b"\n").records
    assert records["images_dropped"].to_list() == [0, 2]
    assert picture not in records["payload"][1]
    kept = json.loads(records["payload"][1])["content"]
    size = len(picture) * 3 // 4
    assert kept[0]["source"] == {
        "type": "image",
        "dropped": True,
        "bytes": size,
        "media_type": "image/png",
    }
    assert kept[1]["text"] == f"see [image dropped: {size} bytes] there"
    assert records["payload"][0].encode() == line(b"base64 is an encoding")


SECRET = "sshpass -p 'kiwi77banana' ssh root@10.0.0.4"


@pytest.mark.parametrize(
    "data",
    [
        line(b"a") + b"\n" + line(SECRET.encode()) + b"\n" + line(b"c") + b"\n",
        line(b"a") + line(SECRET.encode()) + line(b"c") + b"\n",
        b"[\n" + line(b"a") + b"," + line(SECRET.encode()) + b"," + line(b"c") + b"]",
        line(b"a") + b"\n" + line(SECRET.replace("ss", "\\u0073s").encode()) + b"\n" + line(b"c"),
    ],
)
def test_secrets_are_gone_before_anything_leaves(data: bytes) -> None:
    found = read(data, redactor=Redactor())
    assert found.records["redactions"].to_list() == [0, 1, 0]
    assert texts(found)[::2] == ["a", "c"]
    assert "[redacted:" in texts(found)[1]
    assert "kiwi77" not in str(found.records.to_dicts())


def test_clean_lines_pass_byte_for_byte() -> None:
    odd = b'{"role": "user",  "content":"\\u00e9 REDACTED \\/ 1e3", "timestamp":"2026-05-01"}'
    found = read(odd + b"\n" + line(SECRET.encode()) + b"\n", redactor=Redactor())
    assert found.records["payload"][0].encode() == odd


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image_generation_call", "result": "iVBORw0KGgo" + "A" * 400},
        {"type": "image", "mimeType": "image/jpeg", "data": "/9j/" + "A" * 400},
        {"inline_data": {"mime_type": "image/webp", "data": "UklGR" + "A" * 400}},
        {"url": "data:image/gif;charset=utf-8;base64,R0lGOD" + "A" * 400},
    ],
)
def test_a_picture_is_dropped_however_it_is_wrapped(block: dict[str, object]) -> None:
    said = {"role": "user", "content": [block], "timestamp": "2026-05-01"}
    records = read(json.dumps(said).encode() + b"\n" + line(b"b") + b"\n").records
    assert records["images_dropped"].to_list() == [1, 0]
    assert "AAAA" not in records["payload"][0]


def test_no_id_keeps_what_the_line_lost() -> None:
    said = {"role": "user", "content": "x", "id": SECRET, "timestamp": "2026-05-01T10:00:00Z"}
    found = read(json.dumps(said).encode(), redactor=Redactor())
    assert "kiwi77" not in str(found.records.to_dicts())


def test_equal_chat_lines_stay_apart_and_equal_ids_are_one() -> None:
    assert read((line(b"ok") + b"\n") * 3).records["record_key"].n_unique() == 3
    named = b'{"role":"user","id":"m1","content":"ok","timestamp":"2026-05-01T10:00:00Z"}\n'
    assert read(named * 3).records.height == 1


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=8),
    st.data(),
)
def test_a_prefix_and_a_file_read_in_two_goes_give_the_same_records(
    words: list[str], draws: st.DataObject
) -> None:
    """Two lines alike at one moment that a cut parts are the one thing that only a whole file
    tells, so each line here has its own moment.
    """
    lines = [
        json.dumps({"role": "user", "content": word, "timestamp": f"2026-05-01T10:{n:02d}:00Z"})
        if n % 3
        else json.dumps({"role": "assistant", "content": word})
        for n, word in enumerate(words, 1)
    ]
    data = "".join(one + "\n" for one in lines).encode()
    cut = draws.draw(st.integers(0, len(lines)))
    head = "".join(one + "\n" for one in lines[:cut]).encode()
    whole, first = read(data), read(head)
    rest = read(
        data[first.consumed :],
        start_line=first.lines + 1,
        start_offset=first.consumed,
        adapter=first.adapter if cut else None,
        before=first.last,
    )
    parts = pl.concat([first.records, rest.records])
    assert parts.equals(whole.records)
    elsewhere = read(head, source_file="copy.jsonl").records["record_key"]
    assert elsewhere.to_list() == whole.records["record_key"].to_list()[:cut]


def test_two_halves_of_a_session_are_the_whole() -> None:
    session = Path(__file__).parent / "adapters" / "fixtures" / "claude_code.jsonl"
    lines = session.read_bytes().splitlines(keepends=True)
    whole = set(read(b"".join(lines)).records["record_key"])
    for cut in range(3, len(lines)):  # before, no line tells the session
        halves = [read(b"".join(lines[cut:])), read(b"".join(lines[:cut]))]
        keys = {key for half in halves for key in half.records["record_key"]}
        assert keys == whole


def test_a_namespace_shares_no_key_with_another() -> None:
    ours, theirs = read(line(b"a")).records, read(line(b"a"), namespace="other").records
    assert ours["record_key"][0] != theirs["record_key"][0]


def test_before_is_what_the_last_line_says() -> None:
    found = read(line(b"a") + b"\n" + line(b"b").replace(b"10:00", b"11:30") + b"\n")
    assert found.last == Before("chat", False, datetime(2026, 5, 1, 11, 30, tzinfo=UTC))
    assert found.last.occurred_at is not None
    assert SEEN_AT - found.last.occurred_at > timedelta(days=30)


def claude_events(folder: Path) -> tuple[dict[tuple[str | None, int], Event], set[str]]:
    """Events by native id and block, of an id that came twice the longer line; and sessions."""
    reads = [
        read(path.read_bytes(), source_file=str(path)) for path in sorted(folder.rglob("*.jsonl"))
    ]
    records = pl.concat([found.records for found in reads])
    sessions = set(records.filter("session")["thread"].to_list())
    longest = records.sort(pl.col("payload").str.len_bytes(), descending=True)
    events: dict[tuple[str | None, int], Event] = {}
    taken: set[str] = set()
    for native, payload in longest.select("native_id", "payload").iter_rows():
        if native is not None and native not in taken:
            taken.add(native)
            for event in adapters()["claude_code"].events(payload.encode()):
                events[native, event.block] = event
    return events, sessions


def ids(keys: Iterable[tuple[str | None, int]]) -> int:
    return len({native for native, _ in keys})


@pytest.mark.parametrize("name", ["cc_spotter", "cc_fasthooks", "cc_claude_code_log", "cc_simonw"])
def test_counts_equal_those_taken_by_hand(shared_data: Path, name: str) -> None:
    expected = json.loads((shared_data / "dev_counts.json").read_text())["datasets"][name]
    events, sessions = claude_events(shared_data / name)
    said = [key for key, event in events.items() if event.role in ("user", "assistant")]
    calls = [event for event in events.values() if event.kind == "tool_call"]
    bash = [call for call in calls if call.tool_name == "Bash" and "command" in call.tool_input]
    human = [key for key, event in events.items() if event.origin == "human"]
    assert ids(said) == expected["messages_distinct_uuid"]
    assert len(sessions) == expected["sessions"]
    assert Counter(call.tool_name for call in calls) == expected["tool_use"]["distinct_by_name"]
    assert len(bash) == expected["bash_commands"]["distinct_tool_use_id"]
    assert ids(human) == expected["user_tasks"]["human"]["distinct_uuid"]


def test_kinds_of_the_shared_logs_are_told_apart(shared_data: Path) -> None:
    """Logs of agents that have no adapter are refused, never taken for another's."""
    agents = shared_data / "multi_agent_sessions" / "Resources" / "Fixtures" / "stage0" / "agents"
    known = {"claude": "claude_code", "codex": "codex", "gemini": "gemini_cli"}
    for path in sorted(agents.rglob("*")):
        if path.is_file() and not path.name.endswith(".meta.json"):
            agent = path.relative_to(agents).parts[0]
            assert read(path.read_bytes()).adapter == known.get(agent), path
    others = {
        "swe_agent_traj/**/*.traj": "swe_agent",
        "tau_bench/**/*.json*": "tau_bench",
        "memoryos_samples/*.json": "memoryos",
        "memorybank/*/memory_bank_*.json": "memorybank",
        "trec_cast_2019_2020/**/*.json": "trec_cast",
    }
    for pattern, adapter in others.items():
        found = [read(path.read_bytes()) for path in sorted(shared_data.glob(pattern))]
        assert found
        assert {one.adapter for one in found} == {adapter}
        for one in found:
            natives = one.records["native_id"].drop_nulls()
            assert natives.is_unique().all()
            assert one.dead_letters.is_empty()
