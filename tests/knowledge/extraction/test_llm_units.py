"""Full and known-only mode: what failures cost, what is owed, what growth and order change."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from unicodedata import normalize

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.knowledge.assembly.stages import KNOWN_ONLY_STAGE
from cairn.knowledge.extraction import llm_extraction as full
from cairn.knowledge.extraction.candidates import candidates
from cairn.knowledge.extraction.introductions import introductions
from cairn.knowledge.extraction.known_entities_extraction import known_only
from cairn.knowledge.extraction.llm_extraction import full_mode
from cairn.knowledge.llm.client import Answer, Ask
from cairn.knowledge.llm.prompt_set import ModelInForce
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import INTRODUCTIONS
from cairn.resources.embedders.choice import load_embedder
from tests.knowledge.extraction.rules.fixtures import agent, human, order, raw_logs
from tests.knowledge.scripted_model import FreeModel

WORDLLAMA = load_embedder("wordllama")
START = datetime(2026, 3, 1, tzinfo=UTC)


def messages_in(ask: Ask) -> list[tuple[int, str]]:
    """Number and text of the messages that a question shows."""
    found = re.findall(r"^\[(\d+)\] .*\n((?:    .*\n?)*)", ask.given, re.MULTILINE)
    return [(int(number), text.strip()) for number, text in found]


def names_in(ask: Ask) -> list[str]:
    return re.findall(r"^- (.*) \(\w+\)$", ask.given, re.MULTILINE)


def telling(ask: Ask) -> dict[str, Any]:
    """A name in capitals per message, and a fact per message about the first name given."""
    if ask.prompt.name == "names":
        found = [
            (n, text, name)
            for n, text in messages_in(ask)
            for name in re.findall("[A-Z]{4,}", text)
        ]
        return {"names": [{"name": one, "message": n, "quote": text} for n, text, one in found]}
    if ask.prompt.name == "commands":
        return {}
    about = names_in(ask)[0]
    fact = {"entity": about, "stance": "asserted"}
    return {
        "facts": [
            {**fact, "statement": f"{about}: {text}", "message": n, "quote": text}
            for n, text in messages_in(ask)
        ]
    }


def poisoned(ask: Ask) -> Answer | dict[str, Any]:
    return Answer("failed", reason="refused") if "poison" in ask.given else telling(ask)


def test_a_poisonous_record_among_twenty_is_lost_alone() -> None:
    said = [
        human(f"I met GRETA{'ABCDEFGHIJ'[n]} here.", episode_id="c0_0")
        if n < 10
        else agent(f"Answer number {n} is here.")
        for n in range(20)
    ]
    said[3] = human("I met a poisonous GRETAD here.", episode_id="c0_0")
    found = full_mode(raw_logs(said, project=None), FreeModel(poisoned), WORDLLAMA, Policy())
    facts = found.candidates.filter(pl.col("kind") == "fact")
    assert facts["record_id"].n_unique() == 19
    assert found.candidates.filter(pl.col("kind") == "entity")["object"].n_unique() == 9
    lost = found.failures.select("conversation_id", "record_id", "prompt", "reason").rows()
    assert lost == [
        ("c0", "c0_3", "entity_facts", "refused"),
        ("c0", "c0_3", "names", "refused"),
    ]
    assert found.outcomes["outcome"].to_list() == ["failed"]


def test_a_pending_answer_leaves_the_conversation_owed_and_the_rest_written() -> None:
    late = "The second is about LISBON."
    said = [human("The first is about OPORTO.", episode_id="c0_0"), human(late, episode_id="c0_1")]
    other = [human("Another is about MADRID.")]
    model = FreeModel(
        lambda ask: Answer("pending", reason="no_budget") if "LISBON" in ask.given else telling(ask)
    )
    found = full_mode(raw_logs(said, other), model, WORDLLAMA, Policy())
    assert found.outcomes.select("unit", "outcome").rows() == [("c0", "pending"), ("c1", "done")]
    assert set(found.candidates["record_id"]) == {"c0_0", "c1_0"}
    assert found.failures.is_empty()
    # Nothing is asked about LISBON before its name is known: it would be paid twice.
    assert [ask.prompt.name for ask in model.asked if "LISBON" in ask.given] == ["names"]


def test_a_grown_conversation_costs_only_its_new_part() -> None:
    policy = Policy(chunk_tokens=100)
    text = "We talked of OPORTO and of ships, at length and in every detail, until late. "
    said = [agent(f"{n}. {text * (1 + n % 3)}") for n in range(30)]
    said[0] = human("We live in OPORTO.")
    before, after = FreeModel(telling), FreeModel(telling)
    full_mode(raw_logs(said), before, WORDLLAMA, policy)
    full_mode(raw_logs([*said, agent(f"30. {text}")]), after, WORDLLAMA, policy)
    assert len(before.keys) > 15
    assert len(after.keys - before.keys) <= 2
    assert len(before.keys - after.keys) <= 1


def test_facts_are_looked_for_where_a_name_of_the_conversation_occurs_later() -> None:
    said = [human("We live in OPORTO."), *(agent("Nothing of the kind. " * 20) for _ in range(9))]
    said.append(agent("In Oporto the sea is cold."))
    logs = raw_logs(said, project=None)
    model = FreeModel(telling)
    full_mode(logs, model, WORDLLAMA, Policy(chunk_tokens=120))
    asked = [ask for ask in model.asked if ask.prompt.name == "entity_facts"]
    assert [names_in(ask) for ask in asked] == [["user", "OPORTO"], ["OPORTO"]]


def test_facts_are_asked_of_no_name_that_a_later_message_may_change() -> None:
    logs = raw_logs([human("We use Restic Vault for copies. Restic Vault is slow.")], project=None)
    assert "Restic Vault" in set(candidates(logs, Policy()).candidates["object"])
    model = FreeModel()
    full_mode(logs, model, WORDLLAMA, Policy())
    assert [names_in(ask) for ask in model.asked] == [[], ["user"]]


def test_a_fact_of_an_agent_introduces_nothing() -> None:
    logs = raw_logs([human("We live in OPORTO."), agent("OPORTO is by the sea.")], project=None)
    found = full_mode(logs, FreeModel(telling), WORDLLAMA, Policy())
    by_agent = found.candidates.filter(pl.col("origin") == "agent")
    assert by_agent.height == 1
    assert introductions(by_agent, Policy()).is_empty()


def of_full_mode(policy: Policy, model: str) -> str:
    return full.in_force(policy, ModelInForce(model)).fingerprint(policy)


def of_known_only(policy: Policy, model: str) -> str:
    return KNOWN_ONLY_STAGE.in_force(model and ModelInForce(model)).fingerprint(policy)


def test_fingerprints_change_with_what_decides() -> None:
    for fingerprint in (of_full_mode, of_known_only):
        here = fingerprint(Policy(), "a")
        assert fingerprint(Policy(), "a") == here
        assert fingerprint(Policy(), "b") != here
        assert fingerprint(Policy(chunk_tokens=900), "a") != here
        assert fingerprint(Policy(merge_similarity=0.9), "a") == here
    assert of_full_mode(Policy(name_words=3), "a") != of_full_mode(Policy(), "a")


TOPICS = ["heat pump", "sourdough", "wien", "straße", "日本語"]


def looked_up(text: str, **more: Any) -> dict[str, Any]:
    result = {"kind": "tool_result", "origin": "external", "text": text, "tool_name": "search"}
    return {**result, "trigger": "enrichment", "episode_id": None, **more}


@st.composite
def days(draw: st.DrawFn) -> list[pl.DataFrame]:
    """Days of one conversation each: topics that a person likes, and texts that were looked up."""
    made: list[pl.DataFrame] = []
    for number in range(draw(st.integers(2, 4))):
        lines: list[dict[str, Any]] = []
        for minute in range(draw(st.integers(1, 4))):
            topics = draw(st.lists(st.sampled_from(TOPICS), min_size=1, max_size=2, unique=True))
            at = START + timedelta(days=number, minutes=minute)
            line = (
                dict(order(f"/like {topics[0]}"))
                if draw(st.booleans())
                else looked_up(" ".join(f"Of {topic.upper()} it is said." for topic in topics))
            )
            place = {"conversation_id": f"d{number}", "record_id": f"d{number}_{minute}"}
            lines.append({**line, **place, "day": f"{at.date()}", "occurred_at": at})
        made.append(raw_logs(lines, project=None))
    return made


def introduced(logs: pl.DataFrame) -> pl.DataFrame:
    return introductions(candidates(logs, Policy()).candidates, Policy())


@settings(max_examples=15, deadline=None)
@given(days(), st.randoms(use_true_random=False))
def test_what_is_known_of_a_day_does_not_depend_on_days_after_it(
    made: list[pl.DataFrame], random: Any
) -> None:
    every = pl.concat(made)
    model = FreeModel(telling)
    expected = known_only(every, introduced(every), model, Policy())
    assert not set(expected.candidates["entity_name"]) - set(TOPICS) - {"strasse"}
    asked = model.keys

    arriving = list(made)
    random.shuffle(arriving)
    shuffled = pl.concat(arriving)
    assert known_only(shuffled, introduced(shuffled), model, Policy()).candidates.equals(
        expected.candidates
    )
    for count in range(1, len(made)):
        first = pl.concat(made[:count])
        model = FreeModel(telling)
        found = known_only(first, introduced(first), model, Policy())
        until = expected.candidates.join(first, on="record_id", how="semi", maintain_order="left")
        assert found.candidates.equals(until)
        assert model.keys <= asked  # what was paid for answers still


def test_a_name_is_known_from_the_moment_that_it_was_introduced() -> None:
    def at(hours: int) -> dict[str, datetime]:
        return {"occurred_at": START + timedelta(hours=hours)}

    logs = raw_logs(
        [
            looked_up("Heat pumps, and the heat pump, hum.", **at(1)),
            order("/like heat pump", **at(2)),
            looked_up("The heat pump hums at two.", **at(2)),
            looked_up("The heat pump hums at three.", **at(3)),
            looked_up("The heat pump hums one day.", occurred_at=None),
            looked_up("Another heat pumpkin.", **at(4)),
        ]
    )
    model = FreeModel(telling)
    found = known_only(logs, introduced(logs), model, Policy())
    assert found.candidates["record_id"].to_list() == ["c0_3"]
    assert len(model.asked) == 1
    assert found.outcomes.select("stage", "outcome", "rows").rows() == [("known_only", "done", 1)]


def test_a_known_name_is_found_however_it_is_spelled() -> None:
    texts = ["The typing_extensions are typed.", normalize("NFD", "The Café opens.")]
    logs = raw_logs([looked_up(text, occurred_at=START + timedelta(hours=1)) for text in texts])
    named = [("typing-extensions", "package"), ("café", "topic")]
    known = INTRODUCTIONS.frame(
        {
            "entity_id": f"e_{name}", "namespace": logs["namespace"][0], "name": name,
            "type": type_, "record_id": "r", "introduced_at": START, "by_command": False,
        }
        for name, type_ in named
    )  # fmt: skip
    model = FreeModel()
    known_only(logs, known, model, Policy())
    assert [names_in(ask) for ask in model.asked] == [["typing_extensions"], ["café"]]
