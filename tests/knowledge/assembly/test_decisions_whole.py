"""Decisions through the whole: whenever they come, and whatever was made anew, they hold."""

import json
import random
from collections.abc import Mapping

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.knowledge.assembly.build import build, comparable
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.quality.invariants import violations
from cairn.knowledge.schema.identity import record_id
from cairn.knowledge.schema.policy import Policy
from cairn.resources.embedders.choice import load_embedder
from tests.knowledge.assembly.test_build import assert_same, records

SAID = {
    "a": "I use pnpm for the shop, never npm.",
    "b": "I use pnpm for the web shop, never npm.",
    "c": "I prefer to bake bread at seven in the morning.",
    "d": "I prefer tea over coffee in the afternoon.",
    "e": "I hate long meetings on Monday mornings.",
    "f": "I love to water the tomatoes in the evening.",
}
EARLIER = "2026-01-01T00:00:00Z"


@pytest.fixture(scope="module")
def means() -> StageContext:
    return StageContext(Policy(), load_embedder("wordllama"))


def chats(said: Mapping[str, str] = SAID) -> list[tuple[str, bytes]]:
    return [
        (
            f"{name}.jsonl",
            json.dumps(
                {"conversation_id": name, "role": "user", "content": text, "name": "Nadia",
                 "timestamp": f"2026-03-0{number}T10:00:00Z"}
            ).encode(),
        )
        for number, (name, text) in enumerate(said.items(), 1)
    ]  # fmt: skip


def meant(
    tables: Mapping[str, pl.DataFrame], name: str, said: Mapping[str, str] = SAID
) -> dict[str, str]:
    """What a decision says of the fact that a chat states, as `cairn` writes it."""
    of = tables["entities"].filter(type="person")
    (fact,) = tables["facts"].filter(content=said[name]).join(of, on="entity_id").to_dicts()
    (entity,) = of.filter(entity_id=fact["entity_id"]).to_dicts()
    return {
        "id": fact["fact_id"], "type": entity["type"], "entity": entity["display_name"],
        "predicate": fact["predicate"], "object": fact["object"],
    }  # fmt: skip


def inbox(tables: Mapping[str, pl.DataFrame], at: str = "2026-03-20") -> list[tuple[str, bytes]]:
    """All kinds of decisions; a file each, so that they too may come in any order."""
    of = {name: meant(tables, name) for name in SAID}
    told = [
        ("merge", [of["a"], of["b"]], {"into": of["b"]["id"]}),
        ("merge", [of["b"], of["c"]], {}),
        ("unmerge", [of["c"], of["b"], of["a"]], {}),
        ("correct", [of["d"]], {"text": "I prefer coffee over tea in the afternoon."}),
        ("retract", [of["e"]], {}),
        ("retract", [of["f"]], {}),
        ("confirm", [of["f"]], {"as_of": "2026-03-06T10:00:00Z"}),
    ]
    return [
        (
            f"decision-{number}.jsonl",
            json.dumps(
                {"event_id": f"00000000-0000-4000-8000-00000000000{number}", "type": kind,
                 "at": at if "T" in at else f"{at}T10:0{number}:00Z", "thing": "fact",
                 "meant": named, **more}
            ).encode(),
        )
        for number, (kind, named, more) in enumerate(told)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def stated(means: StageContext) -> dict[str, pl.DataFrame]:
    return build(records(chats()), means)


@pytest.fixture(scope="module")
def expected(stated: dict[str, pl.DataFrame], means: StageContext) -> dict[str, pl.DataFrame]:
    return build(records([*chats(), *inbox(stated)]), means)


def view(tables: Mapping[str, pl.DataFrame]) -> dict[str, dict[str, object]]:
    """MEMORY by content."""
    return {row["content"]: row for row in tables["memory"].to_dicts()}


def test_each_decision_does_what_it_says(
    stated: dict[str, pl.DataFrame], expected: dict[str, pl.DataFrame]
) -> None:
    now = view(expected)
    assert now.keys() > view(stated).keys()
    corrected = now["I prefer coffee over tea in the afternoon."]
    assert now[SAID["a"]]["merged_into"] == now[SAID["b"]]["fact_id"]
    assert now[SAID["c"]]["status"] == "active"
    assert (now[SAID["d"]]["status"], now[SAID["d"]]["merged_into"]) == (
        "retracted", corrected["fact_id"],
    )  # fmt: skip
    assert (corrected["status"], corrected["confidence"]) == ("active", 0.8)
    assert corrected["valid_from"] == now[SAID["d"]]["valid_from"]
    assert corrected["derived_from"] == [now[SAID["d"]]["fact_id"]]
    assert now[SAID["e"]]["status"] == "retracted"
    assert now[SAID["f"]]["status"] == "active"
    assert now[SAID["f"]]["confidence"] == pytest.approx(0.9)
    assert expected["decisions"]["unresolved"].null_count() == 7
    assert violations({name: frame.lazy() for name, frame in expected.items()}) == []
    assert set(stated["conversations"]["conversation_id"]) < set(
        expected["conversations"]["conversation_id"]
    )
    assert expected["episodes"].equals(stated["episodes"]), "a decision is no episode"


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10_000))
def test_any_order_of_arrival_gives_the_same_rows(
    seed: int,
    stated: dict[str, pl.DataFrame],
    expected: dict[str, pl.DataFrame],
    means: StageContext,
) -> None:
    files = [*chats(), *inbox(stated)]
    random.Random(seed).shuffle(files)
    shuffled = records(files).sample(fraction=1.0, shuffle=True, seed=seed)
    assert_same(comparable(build(shuffled, means)), comparable(expected))


def test_what_was_decided_before_its_fact_was_there_holds_when_it_comes(
    stated: dict[str, pl.DataFrame], means: StageContext
) -> None:
    early = inbox(stated, EARLIER[:10])
    alone = build(records(early), means, until="decisions")["decisions"]
    assert alone["unresolved"].null_count() == 0
    rest = {name: text for name, text in SAID.items() if name != "e"}
    partly = build(records([*chats(rest), *early]), means, until="decisions")["decisions"]
    assert partly.drop_nulls("unresolved")["decision"].to_list() == ["retract"]
    now = view(build(records([*chats(), *early]), means, until="memory"))
    assert now[SAID["e"]]["status"] == "retracted"
    assert now[SAID["a"]]["status"] == "merged_into"


LIVED = {
    "old": "I live in Quellbronn.",
    "dog": "My dog is called Wuffelstein.",
    "now": "I live in Marlstadt now.",
    "later": "My dog is called Bello.",
}
WRONG = {"I use bun here, never npm.": "dog", LIVED["dog"]: "now", LIVED["old"]: "now",
         LIVED["now"]: "now", LIVED["later"]: "dog"}  # fmt: skip
"""New words, and those of an active fact, an ended one, the corrected one, and one told later."""
TOLD = {"raw_logs", "conversations", "learning_candidates", "funnel", "decisions"}
"""Tables that hold decisions themselves, or a row or count of each conversation."""


@pytest.fixture(scope="module")
def lived(means: StageContext) -> dict[str, pl.DataFrame]:
    return build(records(chats(LIVED)), means)


def decisions_on(
    tables: Mapping[str, pl.DataFrame], name: str, *told: Mapping[str, object]
) -> list[tuple[str, bytes]]:
    """Decisions in November about what a chat of March states, each a month after the other."""
    return [
        (
            f"{event['type']}.jsonl",
            json.dumps(
                {"event_id": f"00000000-0000-4000-8000-00000000000{number}", "thing": "fact",
                 "at": f"2026-{11 + number}-28T10:00:00Z", "as_of": "2026-03-03T10:00:00Z",
                 "meant": [meant(tables, name, LIVED)], **event}
            ).encode(),
        )
        for number, event in enumerate(told)
    ]  # fmt: skip


def corrected_and_confirmed(
    tables: Mapping[str, pl.DataFrame], name: str, words: str
) -> list[tuple[str, bytes]]:
    return decisions_on(tables, name, {"type": "correct", "text": words}, {"type": "confirm"})


@pytest.fixture(scope="module")
def confirmed(
    lived: dict[str, pl.DataFrame], means: StageContext
) -> dict[str, dict[str, pl.DataFrame]]:
    """What is made where a chat's fact was confirmed and never corrected."""
    return {
        name: comparable(
            build(records([*chats(LIVED), *corrected_and_confirmed(lived, name, "")[1:]]), means)
        )
        for name in sorted({*WRONG.values()})
    }


@pytest.mark.parametrize("words", WRONG)
def test_with_a_correction_and_its_undo_all_is_as_if_neither_had_been_made(
    words: str, lived: dict[str, pl.DataFrame], means: StageContext
) -> None:
    undo = {"type": "undo", "thing": "decision",
            "meant": [{"id": record_id("n", "00000000-0000-4000-8000-000000000000"),
                       "type": "correct"}]}  # fmt: skip
    told = decisions_on(lived, WRONG[words], {"type": "correct", "text": words}, undo)
    made = comparable(build(records([*chats(LIVED), *told]), means))
    assert made["decisions"]["superseded_by"].drop_nulls().len() == 1
    assert_same(*({name: each for name, each in tables.items() if name not in TOLD}
                  for tables in (made, comparable(lived))))  # fmt: skip


@pytest.mark.parametrize("words", WRONG)
def test_what_is_confirmed_stands_as_if_it_had_never_been_corrected(
    words: str,
    lived: dict[str, pl.DataFrame],
    confirmed: dict[str, dict[str, pl.DataFrame]],
    means: StageContext,
) -> None:
    told = corrected_and_confirmed(lived, WRONG[words], words)
    made = comparable(build(records([*chats(LIVED), *told]), means))
    assert_same(*({name: each for name, each in tables.items() if name not in TOLD}
                  for tables in (made, confirmed[WRONG[words]])))  # fmt: skip


ALIKE = "I do live in Quellbronn."


@pytest.mark.parametrize(
    ("words", "name", "surer"),
    [(LIVED["old"], "now", LIVED["old"]), (LIVED["dog"], "now", LIVED["dog"]),
     (LIVED["later"], "dog", LIVED["later"]), (ALIKE, "now", LIVED["old"])],
)  # fmt: skip
def test_a_correction_in_november_makes_nothing_that_says_the_same_in_march_less_sure(
    words: str, name: str, surer: str, lived: dict[str, pl.DataFrame], means: StageContext
) -> None:
    told = decisions_on(lived, name, {"type": "correct", "text": words})
    made = build(records([*chats(LIVED), *told]), means, until="memory")
    before, same = (view(tables)[surer] for tables in (lived, made))
    stands = same["merged_into"] or same["fact_id"]
    (after,) = made["memory"].filter(fact_id=stands, status="active").to_dicts()
    assert after["confidence"] > before["confidence"]
