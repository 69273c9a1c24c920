"""What our own tools answered is recalled when the session that asked them is taken in."""

import polars as pl
import pytest

from cairn.serving.mcp_server.auth import KeyScope
from cairn.serving.retrieval.open_memory import Memory
from tests.serving.mcp_server.conftest import Things, asking, text
from tests.serving.one_call import knowledge_of, session

RULE = "We always run the quincepress tests first."


@pytest.fixture(scope="module")
def answers(two_memory: Memory, things: dict[str, Things]) -> dict[str, str]:
    """What tools say, and an error."""
    ask = asking(two_memory, KeyScope(("ada",)))
    ada = things["ada"]
    found = ask("search_memory", query=RULE, type="all")
    assert RULE in text(found)
    lessons = ask("get_learnings", query=f"the {ada.topic} build fails")
    return {
        "text": text(found),
        "lessons": text(lessons),
        "explained": text(ask("explain_fact", id=ada.fact)),
        "error": text(ask("get_entity", entity="nobody")),
    }


OURS, OTHER = "mcp__cairn__search_memory", "mcp__notes__search_memory"
ASKED = [("text", OURS), ("lessons", OURS), ("explained", OURS), ("error", OURS), ("text", OTHER),
         ("error", OTHER)]  # fmt: skip


def told(contents: dict[str, object]) -> dict[str, pl.DataFrame]:
    """The knowledge of all that was asked, each in a session of its own."""
    return knowledge_of(b"".join(
        session(tool, contents[form], {"query": RULE}).replace(b'"cy', b'"cy%d' % number)
        for number, (form, tool) in enumerate(ASKED)
    ))  # fmt: skip


def test_an_answer_of_ours_teaches_nothing(answers: dict[str, str]) -> None:
    made = told({form: [{"type": "text", "text": said}] for form, said in answers.items()})
    results = made["raw_logs"].filter(kind="tool_result")
    assert results["origin"].to_list() == ["recalled"] * len(ASKED)
    nothing = told(dict.fromkeys(answers, "<cairn-memory></cairn-memory>"))
    for table, key in (("candidates", "candidate_id"), ("facts", "fact_id"),
                       ("entities", "entity_id"), ("learnings", "learning_id")):  # fmt: skip
        assert made[table][key].to_list() == nothing[table][key].to_list(), table
    assert not {*results["record_id"]} & {*made["candidates"]["record_id"]}
    assert not made["facts"]["content"].str.contains("quincepress").any()


def test_the_same_words_of_a_person_do_teach() -> None:
    told = session("Bash", "ok", {"command": "true"}).replace(b"Look at the pier.", RULE.encode())
    assert RULE in knowledge_of(told)["facts"]["content"].to_list()


def test_what_is_told_to_memory_is_known_from_its_note_alone(answers: dict[str, str]) -> None:
    made = knowledge_of(session("mcp__cairn__remember", answers["error"], {"text": RULE}))
    calls = made["raw_logs"].filter(kind="tool_call")
    assert calls["origin"].to_list() == ["recalled"]
    assert RULE not in made["facts"]["content"].to_list()
