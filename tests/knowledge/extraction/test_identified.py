"""A nameless person who is looked up is who they say they are, in that conversation alone."""

import time

import pytest

from cairn.knowledge.extraction.candidates import candidates
from cairn.knowledge.extraction.identified import identified
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.extraction.rules.fixtures import Line, agent, human, raw_logs

ASKS = agent("I can help. Could you please provide your e-mail, or your name and zip code?")


def speaker(*lines: Line) -> str | None:
    found = identified(raw_logs(lines, project=None))["speaker"].to_list()
    return found[0] if found else None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("My name is Ada Quay, and my zip code is 12345.", "Ada Quay"),
        ("My first name is Ada, last name is Quay.", "Ada Quay"),
        ("Sure, my user ID is ada_quay_123.", "ada_quay_123"),
        ("My email is ada@quay.example", "ada@quay.example"),
        ("I'm not sure where that is.", None),
    ],
)
def test_who_was_asked_is_who_they_say(text: str, name: str | None) -> None:
    assert speaker(human("My ship is late."), ASKS, human(text)) == name


def test_who_was_not_asked_or_has_a_name_already_is_nobody_else() -> None:
    told = human("My name is Ada Quay.")
    assert speaker(human("Hi"), agent("Nice to meet you. What is your name?"), told) is None
    assert speaker(told, agent("Your order is on its way.")) is None
    assert speaker(ASKS, {**told, "name": "Ada"}) is None


def test_each_customer_is_a_person_and_settles_one_matter() -> None:
    talks = [
        [human("My ship is called Tern."), ASKS, human(f"My name is {name}."),
         human("Let's use the outbox table instead.")]
        for name in ("Ada Quay", "Ben Berth")
    ]  # fmt: skip
    rows = candidates(raw_logs(*talks, project=None), Policy()).candidates
    facts = rows.filter(rows["kind"] == "fact", rows["mode"] == "rule", rows["origin"] == "human")
    assert set(facts["entity_name"]) == {"Ada Quay", "Ben Berth"}
    assert "decides" not in set(facts["predicate"])


@pytest.mark.parametrize("text", ["My name is " * 9_000, "your " * 20_000, "Ab " * 20_000])
def test_hostile_text_takes_no_longer(text: str) -> None:
    begin = time.process_time()
    speaker(human(text), agent(text), human(text))
    assert time.process_time() - begin < 2
