"""What a like or a dislike reaches by similarity, on pairs that were labelled by hand.

The threshold was chosen on the first part of them; the second was written afterwards.
`python -m tests.knowledge.interests.test_preference_reach` measures others.
"""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from cairn.knowledge.extraction.attitudes import READ_BY_MODEL
from cairn.knowledge.interests.engagements import COLUMNS, engagements
from cairn.knowledge.interests.interests import interests
from cairn.knowledge.interests.preferences import may_reach
from cairn.knowledge.nlp.vocabulary import POLAR, UNITED
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import CANDIDATES, ENTITY_MERGES, FACT_SOURCES, FACTS, RAW_LOGS
from cairn.resources.embedders.choice import load_embedder
from tests.knowledge import rows
from tests.knowledge.extraction.rules.fixtures import order, raw_logs

LABELLED = Path(__file__).parents[1] / "labelled" / "preference_pairs.jsonl"
PAIRS = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]
NOW = datetime(2026, 3, 1, tzinfo=UTC)
WORDLLAMA = load_embedder("wordllama")


def reached(policy: Policy) -> list[bool]:
    """Of each pair, whether a like of the topic reaches the entity; one namespace each."""
    liked = [
        raw_logs(
            [
                order(
                    f"/like {pair['topic']}",
                    occurred_at=NOW,
                    tool_input=json.dumps({"verb": "like", "argument": pair["topic"]}),
                )
            ]
        ).with_columns(namespace=pl.lit(f"n{at}"))
        for at, pair in enumerate(PAIRS)
    ]
    known = rows.entities(
        *(
            dict[str, object](
                namespace=f"n{at}", entity_id="e", display_name=pair["entity"], type="topic"
            )
            for at, pair in enumerate(PAIRS)
        )
    )
    found = engagements(
        RAW_LOGS.frame(pl.concat(liked)).select(COLUMNS), CANDIDATES.empty().filter(READ_BY_MODEL),
        known, FACTS.empty(), FACT_SOURCES.empty(), ENTITY_MERGES.empty(), WORDLLAMA,
    )  # fmt: skip
    table = interests(
        found.engagements, found.preferences, known, ENTITY_MERGES.empty(), WORDLLAMA, policy, NOW
    )
    there = set(table["namespace"])
    return [f"n{at}" in there for at in range(len(PAIRS))]


def measured(policy: Policy, parts: Sequence[int]) -> tuple[float, float, Counter[str]]:
    """Precision, recall, and how many of each relation were reached."""
    every = zip(PAIRS, reached(policy), strict=True)
    pairs = [(pair, there) for pair, there in every if pair["part"] in parts]
    found = [pair for pair, there in pairs if there]
    right = sum(pair["reached"] for pair in found)
    wanted = sum(pair["reached"] for pair, _ in pairs)
    return right / len(found), right / wanted, Counter(pair["relation"] for pair in found)


def test_likes_reach_what_is_meant_and_hardly_anything_else() -> None:
    precision, recall, by = measured(Policy.model_validate({}), (1, 2))
    assert precision >= 0.95
    assert recall >= 0.6
    assert by["unrelated"] == by["number"] == by["broader"] == 0


@pytest.mark.parametrize(
    ("topic", "name", "may"),
    [
        ("python", "python 3.12", True),
        ("python 3.11", "python 3.12", False),
        ("python 3.12", "python", False),
        ("python packaging", "python", False),
        ("static typing", "dynamic typing", False),
        ("safe routes", "safe cycling routes", True),
        ("live music", "live music venues", True),
        ("the sea shanties", "sea shanty", True),
        ("the noise of heat pumps", "heat pump", False),
    ],
)
def test_words_tell_which_way_a_like_goes(topic: str, name: str, may: bool) -> None:
    assert may_reach(topic, name) is may


def test_any_word_may_stand_in_a_topic() -> None:
    every = sorted(POLAR | UNITED.keys())
    assert all(may_reach(one, f"{one} and more") in (True, False) for one in every)
    assert not may_reach("hot drinks", "cold drinks")
    assert not may_reach("cold drinks", "hot drinks")


if __name__ == "__main__":
    for percent in range(50, 95, 5):
        policy = Policy.model_validate({"preference_similarity": percent / 100})
        for part in (1, 2):
            sys.stdout.write(f"{percent}% {part} {measured(policy, (part,))}\n")
