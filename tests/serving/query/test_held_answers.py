"""A server that holds tables, and what is made of them, answers as one that reads all anew."""

from pathlib import Path
from typing import Any

from cairn.resources.context import open_state
from cairn.serving.models.queries import BY_NAME
from cairn.serving.query.listing import facts
from cairn.serving.read.reader import Reader, open_reader
from cairn.serving.retrieval.open_memory import Memory
from cairn.serving.write.deciding import WantedDecision, decide
from tests.homes import copy_home

LISTS = (
    "facts", "entities", "learnings", "conversations", "recent", "review", "utility", "brief",
    "status", "decisions", "interests", "projects", "research", "learn_prompts", "schedules",
    "missed", "changes",
)  # fmt: skip


def answered(reader: Reader, name: str, *ids: str) -> Any:
    asks = BY_NAME[name]
    found = asks.answered(reader, asks.asked(), *ids).model_dump()
    return {key: value for key, value in found.items() if key != "lag_seconds"}


def test_what_is_held_answers_like_what_is_read(home: Path) -> None:
    state = open_state(home)
    anew, memory = open_reader(state), Memory(state)
    for name in LISTS:
        expected = answered(anew, name)
        assert [answered(memory.reader(), name) for _ in range(2)] == [expected] * 2, name
    ids = [
        *(row["fact_id"] for row in answered(anew, "facts")["items"]),
        *(row["entity_id"] for row in answered(anew, "entities")["items"]),
        *(row["learning_id"] for row in answered(anew, "learnings")["items"]),
    ]
    records: list[str] = []
    for talk in answered(anew, "conversations")["items"]:
        own = talk["conversation_id"]
        expected = answered(anew, "messages", own)
        assert answered(memory.reader(), "messages", own) == expected
        records += [row["record_id"] for row in expected["items"][:1]]
    for record in records:
        assert answered(memory.reader(), "record", record) == answered(anew, "record", record)
    for id_ in [*ids[::4], *records[:5]]:
        assert answered(memory.reader(), "why", id_) == answered(anew, "why", id_), id_


def test_a_decision_leaves_the_review_at_once(home: Path, tmp_path: Path) -> None:
    state = open_state(copy_home(home, tmp_path / "home"))
    memory = Memory(state)
    before = answered(memory.reader(), "review")
    pair = next(one for one in before["items"] if one["kind"] == "pairs")
    decide(state, WantedDecision(decision="keep_apart", ids=list(pair["ids"])), "samples")
    after = answered(memory.reader(), "review")
    assert after["totals"]["pairs"] == before["totals"]["pairs"] - 1
    assert after == answered(open_reader(state), "review")
    one, two = next(one for one in after["items"] if one["kind"] == "entities")["ids"]
    decide(state, WantedDecision(decision="merge", ids=[one, two]), "samples")
    assert answered(memory.reader(), "review")["totals"]["entities"] == 0
    assert answered(memory.reader(), "review") == answered(open_reader(state), "review")
    assert facts(memory.reader()).total == facts(open_reader(state)).total
