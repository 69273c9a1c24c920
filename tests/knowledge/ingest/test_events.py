"""Where events belong: conversations, their order, episodes and projects."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import polars as pl
import pytest

from cairn.knowledge.ingest.events import HEAD_COLUMNS, placed, raw_logs
from cairn.knowledge.ingest.records import read_records
from cairn.knowledge.ingest.sessions import conversations
from cairn.knowledge.schema.identity import record_id
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import RECORDS

SEEN_AT = datetime(2026, 6, 1, 12, tzinfo=UTC)
DAY = "2026-05-01"


def records(*files: Sequence[Mapping[str, object]]) -> pl.DataFrame:
    read = [
        read_records(
            b"".join(json.dumps(line).encode() + b"\n" for line in lines),
            namespace="n",
            source_file=f"{number}.jsonl",
            timezone="UTC",
            seen_at=SEEN_AT,
            redactor=None,
        ).records
        for number, lines in enumerate(files)
    ]
    return pl.concat([RECORDS.empty(), *read]).unique("record_key", keep="first")


def logs(*files: Sequence[Mapping[str, object]]) -> pl.DataFrame:
    found = records(*files)
    where = placed(found.select(HEAD_COLUMNS), Policy())
    belongs = where.select("namespace", "record_key", "conversation_id", "day")
    read = raw_logs(found.join(belongs, on=["namespace", "record_key"]))
    assert read.dead_letters.is_empty()
    return read.raw_logs


def chat(content: str, time: str | None = None, **fields: object) -> dict[str, object]:
    told = {"timestamp": f"{DAY}T{time}Z"} if time else {}
    return {"role": "user", "content": content, **told, **fields}


def session(uuid: str, text: str, parent: str | None = None, **fields: object) -> dict[str, object]:
    return {
        "type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "cwd": "/srv/app",
        "timestamp": f"{DAY}T10:00:00Z", "message": {"role": "user", "content": text}, **fields,
    }  # fmt: skip


def rollout(session: str, source: object, text: str) -> list[dict[str, object]]:
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    time = {"timestamp": f"{DAY}T10:00:00Z"}
    return [
        {"type": "session_meta", "payload": {"id": session, "source": source}, **time},
        {"type": "response_item", "payload": item, **time},
    ]


def texts(frame: pl.DataFrame) -> list[str]:
    return frame.sort("conversation_id", "seq")["text"].to_list()


def test_a_thread_at_one_moment_stands_parent_before_child_down_the_line() -> None:
    lines = [session("d", "1"), session("c", "2", "d"), session("b", "3", "c")]
    lines += [session("a", "4", "b"), session("e", "side", "d")]
    seq = {text: place for place, text in enumerate(texts(logs(lines)))}
    assert seq["1"] < seq["2"] < seq["3"] < seq["4"]
    assert seq["1"] < seq["side"]


def test_numbers_of_messages_count_within_their_conversation() -> None:
    """Two exports that number their messages from 1 lose none of them."""
    one = [chat("a", "10:00:00", id=1, conversation_id="x"), chat("b", "10:01:00", id="1")]
    two = [chat("c", "11:00:00", id=1, conversation_id="y"), chat("d", "11:01:00", id=1)]
    search = {"timestamp": f"{DAY}T12:00:00Z", "query": "e", "response": "f", "id": 1}
    assert sorted(texts(logs(one, two, [search]))) == ["a", "b", "c", "d", "e", "f"]


@pytest.mark.parametrize("id_", ["{}", "msg-{}"])
def test_numbered_messages_of_one_moment_stand_in_the_order_of_their_numbers(id_: str) -> None:
    found = logs([chat(str(n), id=id_.format(n), conversation_id="x") for n in range(1, 13)])
    assert texts(found) == [str(n) for n in range(1, 13)]


def test_an_id_that_is_no_uuid_is_its_conversation_s_own() -> None:
    said = {"id": "msg-1", "time": "10:00:00"}
    found = logs(
        [chat("in one", conversation_id="one", **said)],
        [chat("in two", conversation_id="two", **said)],
    )
    assert texts(found) == ["in one", "in two"]
    assert found["record_id"].n_unique() == 2


def test_a_uuid_that_a_resumed_session_repeats_is_one_record() -> None:
    uuid = "0a1b2c3d-0000-4000-8000-000000000001"
    found = logs([session(uuid, "asked")], [session(uuid, "asked", sessionId="resumed")])
    assert texts(found) == ["asked"]
    assert found["record_id"].to_list() == [record_id("n", uuid)]


def test_undated_lines_of_a_channel_are_no_part_of_its_last_day() -> None:
    found = logs([chat("undated")], [chat("dated", "10:00:00")])
    assert found.sort("day").select("text", "day").rows() == [
        ("undated", "2015-01-01"),
        ("dated", DAY),
    ]
    assert found["conversation_id"].n_unique() == 2


def test_what_an_agent_asks_its_sub_agent_is_no_person_s() -> None:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": "main"}}}
    found = logs(rollout("main", "cli", "fix it"), rollout("inner", spawn, "look for it"))
    said = found.filter(kind="message").select("text", "origin", "sidechain").sort("text")
    assert said.rows() == [("fix it", "human", False), ("look for it", "agent", True)]
    header = {"sessionId": "g", "projectHash": "h", "startTime": f"{DAY}T10:00:00Z"}
    asked = {"id": "1", "type": "user", "content": [{"text": "look for it"}]}
    for kind, origin in (("main", "human"), ("subagent", "agent")):
        lines = logs([header | {"kind": kind}, asked])
        document = logs([header | {"kind": kind, "messages": [asked]}])
        assert lines.filter(kind="message")["origin"].to_list() == [origin]
        assert document["origin"].to_list() == [origin]


def test_what_a_program_asks_is_no_person_s() -> None:
    for source, origin in (("cli", "human"), ("exec", "agent"), ("mcp", "agent")):
        found = logs(rollout("main", source, "Do not run any tests."))
        assert found.filter(kind="message")["origin"].to_list() == [origin]

    def origins(*texts: str, **more: str) -> list[str]:
        lines = [session(f"u{place}", text) | more for place, text in enumerate(texts)]
        return logs(lines).filter(kind="message")["origin"].to_list()

    assert origins("Do not run any tests.", entrypoint="sdk-cli") == ["agent"]
    assert origins("Do not run any tests.", entrypoint="cli") == ["human"]
    assert origins("Use pnpm.", entrypoint="sdk-ts", promptSource="typed") == ["human"]
    assert origins("Rate it.", promptSource="sdk") == ["agent"]
    # A window that hands on what people type, by the same way.
    assert origins("Use pnpm.", "And never npm.", promptSource="sdk") == ["human", "human"]


def test_a_line_opens_one_episode_whatever_the_harness_put_into_it() -> None:
    text = "First half.<system-reminder>be brief</system-reminder>Second half."
    for found in (logs([session("a", text)]), logs([chat(text, "10:00:00")])):
        assert found["origin"].to_list() == ["human", "system", "human"]
        assert found["episode_id"].n_unique() == 1


@pytest.mark.parametrize(
    ("folders", "project"),
    [
        (["/home/mira/code/app/src", "/home/mira/code/app"], "~/code/app"),
        (["/home/mira/code/app", "/home/mira/code/app-two"], "~/code/app"),
        (["C:\\Users\\Mira\\app\\src", "C:\\Users\\Mira\\app"], "~\\app"),
        (["C:\\Users\\Mira\\app\\"], "~\\app"),
        (["/home/mira/code/app", "/home/mira"], "~/code/app"),
        (["C:\\Users\\Mira\\app", "C:\\Users\\Mira"], "~\\app"),
        (["/rootfs/app"], "/rootfs/app"),
        (["/root/app"], "~/app"),
        (["/srv/app", "/"], "/srv/app"),
        (["/home/mira/code/app/.worktrees/mira/x/src"], "~/code/app"),
        (["/home/mira/code/app/.claude/worktrees/x"], "~/code/app"),
        (["C:\\Users\\Mira\\app\\.worktrees\\x"], "~\\app"),
        (["/home/mira/code/app-worktrees/x"], "~/code/app"),
        (["/home/mira/.codex/worktrees/1f2e/app/src"], "~/.codex/worktrees/1f2e/app"),
        (["/home/mira/.cursor/worktrees/app/k3x"], "~/.cursor/worktrees/app"),
        (["/home/mira/.claude-worktrees/app/calm-fox"], "~/.claude-worktrees/app"),
        (["/home/mira/conductor/workspaces/app/porto/src"], "~/conductor/workspaces/app"),
        (["/home/mira/.worktrees/app/x"], "~/.worktrees/app/x"),
        (["/home/mira/code/app/.git/worktrees/x"], "~/code/app/.git/worktrees/x"),
    ],
)
def test_a_project_is_the_outermost_folder_seen_around_the_first(
    folders: list[str], project: str
) -> None:
    lines = [
        session(str(number), "x", cwd=folder, timestamp=f"{DAY}T10:00:0{number}Z")
        for number, folder in enumerate(folders)
    ]
    assert logs(lines)["project"].unique().to_list() == [project]


@pytest.mark.parametrize(
    "changes",
    [
        {"cwd": "/srv/other"},
        {"timestamp": f"{DAY}T10:00:01Z"},
        {"isMeta": True},
        {"isSidechain": True},
    ],
)
def test_a_conversation_is_another_when_anything_that_is_read_of_it_is(
    changes: dict[str, object],
) -> None:
    """Else what was made of it before would stay, though its adapter now says otherwise."""
    one, other = logs([session("a", "x")]), logs([session("a", "x") | changes])
    assert one["record_id"].to_list() == other["record_id"].to_list()
    hashes = [conversations(found)["content_hash"][0] for found in (one, other)]
    assert hashes[0] != hashes[1]
