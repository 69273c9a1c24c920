"""The tools that write: off unless allowed, one event each, applied by the next run."""

import json
from typing import Any
from uuid import uuid4

import pytest

from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.serving.mcp_server.auth import KeyScope
from cairn.serving.mcp_server.tools import TOOLS, listed
from cairn.serving.retrieval.open_memory import Memory
from tests.journeys.running import follow
from tests.serving.mcp_server.conftest import Ask, Things, asking, text

WRITES = {name for name, tool in TOOLS.items() if not tool.reads}


def inbox(memory: Memory, namespace: str = "ada") -> list[dict[str, Any]]:
    files = sorted((memory.state.home.inbox / namespace).glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


@pytest.fixture
def ask(two: Memory) -> Ask:
    return asking(two, KeyScope(("ada",), writes=True))


def test_writes_are_off_unless_they_are_allowed(two: Memory, things: dict[str, Things]) -> None:
    assert not WRITES & {tool.name for tool in listed(KeyScope())}
    assert {tool.name for tool in listed(KeyScope(writes=True))} == TOOLS.keys()
    ask = asking(two, KeyScope(("ada",)))
    fact = things["ada"].fact
    arguments = {
        "record_feedback": {"id": fact, "verdict": "wrong"},
        "remember": {"text": "x"},
        "set_preference": {"verb": "like", "topic": "x"},
        "learn": {"topic": "x"},
        "schedule": {"topic": "x", "every": "day"},
        "forget": {"id": fact, "dry_run": False},
    }
    for tool in WRITES:
        result = ask(tool, **arguments[tool])
        assert result.is_error
        assert "cairn mcp --allow-writes" in text(result)
    assert inbox(two) == []


def test_what_is_told_is_known_after_the_next_run(
    two: Memory, ask: Ask, things: dict[str, Things]
) -> None:
    ada = things["ada"]
    learnt = ask.fields("get_learnings")["items"][0]
    told = text(ask("record_feedback", id=ada.fact, verdict="right", reason="Ada said so"))
    assert "it takes effect with the next run" in told
    ask("record_feedback", id=ada.learning, verdict="wrong")
    note = ask.fields("remember", text="We always deploy quincepress on a Tuesday.")
    assert ask.fields("search_memory", query="deploy on a Tuesday")["results"] == []
    follow(two.state.of("ada"))
    explained = ask.fields("explain_fact", id=ada.fact)
    *_, before, after = explained["history"]
    assert after["cause"] == "feedback"
    assert after["confidence"] > before["confidence"]
    (decision,) = explained["decisions"]
    assert (decision["decision"], decision["reason"]) == ("confirm", "Ada said so")
    assert f"recorded as {decision['decision_id']} (event " in told
    found = ask.fields("search_memory", query="deploy on a Tuesday")["results"]
    assert note["record_id"] in {source["record_id"] for one in found for source in one["sources"]}
    learnings = ask.fields("get_learnings")["items"]
    now = {each["learning_id"]: each["confidence"] for each in learnings}
    assert now.get(learnt["learning_id"], 0.0) < learnt["confidence"]


def test_a_fact_that_is_wrong_is_taken_back_once(
    two: Memory, ask: Ask, things: dict[str, Things]
) -> None:
    fact = things["ada"].fact
    assert ask.fields("record_feedback", id=fact, verdict="wrong")["what"] == "retract"
    (event,) = inbox(two)
    assert (event["type"], event["thing"]) == ("retract", "fact")
    assert fact in {each["id"] for each in event["meant"]}


def test_a_retry_writes_nothing_twice(two: Memory, ask: Ask, things: dict[str, Things]) -> None:
    ada = things["ada"]
    for tool, arguments in (
        ("record_feedback", {"id": ada.fact, "verdict": "right"}),
        ("record_feedback", {"id": ada.learning, "verdict": "right"}),
        ("remember", {"text": "Ada keeps bees."}),
        ("set_preference", {"verb": "mute", "topic": ada.entity}),
        ("learn", {"topic": "bees"}),
        ("schedule", {"topic": "bees", "every": "2 weeks"}),
        ("forget", {"id": ada.episode, "dry_run": False}),
    ):
        before, event_id = len(inbox(two)), str(uuid4())
        first = ask.fields(tool, **arguments, event_id=event_id)
        again = ask.fields(tool, **arguments, event_id=event_id)
        assert (first["written"], again["written"]) == (True, False)
        assert first["event_id"] == again["event_id"] == event_id
        assert len(inbox(two)) == before + 1


def test_a_tombstone_has_ids_and_no_text(two: Memory, ask: Ask, things: dict[str, Things]) -> None:
    ada = things["ada"]
    kinds = {ada.fact: "fact", ada.entity: "entity", ada.episode: "record",
             ada.conversation: "conversation"}  # fmt: skip
    for id_ in kinds:
        assert "until then it is still found" in text(ask("forget", id=id_, dry_run=False))
    events = inbox(two)
    assert [(event["type"], event["thing"], event["ids"]) for event in events] == [
        ("tombstone", kind, [id_]) for id_, kind in kinds.items()
    ]
    assert all(
        event.keys()
        == {
            "event_id",
            "type",
            "at",
            "namespace",
            "redactions",
            "thing",
            "ids",
            "records",
            "digests",
        }
        for event in events
    )


def test_a_note_has_no_secrets_and_nothing_that_was_recalled(two: Memory, ask: Ask) -> None:
    recalled = text(ask("search_memory", query="quincepress"))
    assert ask("remember", text=recalled).is_error
    assert inbox(two) == []
    ask("remember", text=f"{recalled}\nThe key of the shed is sk-ant-api03-{'a1B2' * 20}.")
    (event,) = inbox(two)
    assert event["text"].startswith("The key of the shed is")
    assert "a1B2" not in event["text"]
    assert event["redactions"] == 1


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("record_feedback", {"id": "f_0000000000000000", "verdict": "right"}, "nothing has that"),
        ("record_feedback", {"id": "ENTITY", "verdict": "right"}, "for facts and learnings"),
        ("record_feedback", {"id": "LEARNING", "verdict": "right", "reason": "x"}, "facts alone"),
        ("record_feedback", {"id": "FACT", "verdict": "maybe"}, "verdict: "),
        ("remember", {"text": ""}, "text: "),
        ("remember", {"text": "x", "event_id": "again"}, "event_id: "),
        ("forget", {"id": "LEARNING"}, "forget the records that it rests on"),
        ("forget", {"id": "bo-session-1", "dry_run": False}, "nothing has that id"),
        ("forget", {"id": "FACT", "target_type": "entity", "dry_run": False}, "it is of kind fact"),
        ("forget", {"id": "ada", "dry_run": False}, "nothing has that id"),
        ("forget", {"id": "bo", "target_type": "namespace", "dry_run": False}, "another namespace"),
        ("set_preference", {"verb": "mute", "topic": "nothere"}, "no entity is called"),
        ("learn", {"topic": "..."}, "the topic says nothing"),
        ("learn", {"topic": "bees --every day"}, "no option"),
        ("schedule", {"topic": "bees", "every": "often"}, "is no time such as"),
    ],
)
def test_what_cannot_be_noted_is_refused(
    two: Memory,
    ask: Ask,
    things: dict[str, Things],
    tool: str,
    arguments: dict[str, Any],
    message: str,
) -> None:
    ada = things["ada"]
    named = {"ENTITY": ada.entity, "LEARNING": ada.learning, "FACT": ada.fact}
    result = ask(tool, **{key: named.get(value, value) for key, value in arguments.items()})
    assert result.is_error
    assert message in text(result)
    assert inbox(two) == []


def test_a_note_of_a_home_of_samples_is_not_theirs(copied: State) -> None:
    memory = Memory(State(open_home(copied.home.root), Settings()))
    ask = asking(memory, KeyScope(writes=True))
    assert ask.fields("memory_status")["namespace"] == "samples"
    assert ask.fields("remember", text="Ada keeps bees.")["namespace"] == "default"
    assert [event["type"] for event in inbox(memory, "default")] == ["note"]
