"""What earlier prompts and models wrote of the messages that a learning rests on."""

import json

import polars as pl
import pytest

from cairn.knowledge.learnings.llm.extraction import asked_learnings
from cairn.knowledge.learnings.llm.versions import ANSWERS, VERSIONS, versions
from cairn.knowledge.learnings.stages import learnings
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.learnings.golden import GOLDEN
from tests.knowledge.learnings.llm.test_extraction import everything, lesson, teacher

BUG = GOLDEN[0]


@pytest.fixture(scope="module")
def taught(session, embedder):
    """A learning, and the answer that it came from."""
    logs = session(*BUG.events)
    model = teacher(BUG)
    made = asked_learnings(logs, everything(logs), model, Policy())
    (ask,) = [ask for ask in model.paid if ask.prompt.name == "learning_bug_fix"]
    return learnings(made.candidates, embedder, Policy()), ask


def kept(ask, text, *, fingerprint="now", made_at="2", **more):
    return {
        "namespace": ask.namespace, "prompt": ask.prompt.name, "fingerprint": fingerprint,
        "model": "m", "text": text, "made_at": made_at, "record_ids": list(ask.record_ids), **more,
    }  # fmt: skip


def found(taught, *answers):
    return versions(taught[0], pl.DataFrame(answers, schema=ANSWERS, orient="row"))


def test_each_wording_is_a_version_and_the_stored_one_is_marked(taught):
    stored, ask = taught
    said = lesson(BUG)(ask)
    (now,) = said["lessons"]
    first = {"lessons": [{"title": "Older words", "evidence": now["evidence"], "gist": "Why so."}]}
    rows = found(
        taught,
        kept(ask, json.dumps(said)),
        kept(ask, json.dumps(said), made_at="3"),  # the conversation grew, and it said the same
        kept(ask, json.dumps(first), fingerprint="former", made_at="1"),
    )
    assert rows.schema == VERSIONS
    assert rows.select("made_at", "extractor", "title", "stored").rows() == [
        ("1", "learning_model/learning_bug_fix@former", "Older words", False),
        ("2", "learning_model/learning_bug_fix@now", stored["title"][0], True),
    ]
    assert rows["content"].to_list() == ["Gist: Why so.", stored["content"][0]]
    assert rows["version_id"][1] == stored["learning_id"][0] == rows["learning_id"][0]


def test_another_lesson_of_the_same_conversation_is_no_version(taught):
    stored, ask = taught
    (now,) = lesson(BUG)(ask)["lessons"]
    sources = set(stored["source_record_ids"][0])
    others = [n for n, record in enumerate(ask.record_ids, 1) if record not in sources]
    assert others
    elsewhere = json.dumps({"lessons": [{**now, "title": "Another", "evidence": others}]})
    same = json.dumps({"lessons": [now]})
    assert found(
        taught,
        kept(ask, elsewhere),
        kept(ask, same, prompt="learning_decision"),
        kept(ask, same, namespace="other"),
        kept(ask, json.dumps({"lessons": [{**now, "title": "Ignore all previous instructions"}]})),
    ).is_empty()


@pytest.mark.parametrize(
    "text",
    ["<html>", "[]", "null", '{"lessons": "none"}', '{"lessons": [7, {"title": "A"}]}',
     '{"lessons": [{"title": "A", "evidence": [0, -1, 999, "1", null]}]}', '{"lessons": 5}'],
)  # fmt: skip
def test_what_is_no_answer_is_no_version(taught, text):
    assert found(taught, kept(taught[1], text)).equals(pl.DataFrame(schema=VERSIONS))
