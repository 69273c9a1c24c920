"""What a result is worth, and when there is none."""

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from cairn.knowledge.schema.policy import Policy
from cairn.resources.vector_index.protocol import Hit
from cairn.serving.retrieval.ranking import PublishedHit, ScoredHit, about, diverse, scored
from tests.knowledge.toy_embedder import ToyEmbedder

NOW = datetime(2026, 2, 1, tzinfo=UTC)
POLICY = Policy(weight_dense=0.2, min_search_relevance=0.5, search_diversity=0.8)


def _hit(id_: str, dense: float | None, sparse: float | None, vector: Any = None) -> Hit:
    return Hit(id_, "episode", dense, sparse, None, None, {}, vector)


def _scored(query: str, *rows: tuple[str, float | None, float | None]) -> list[ScoredHit]:
    hits = [_hit(text, dense, sparse) for text, dense, sparse in rows]
    told = [PublishedHit(hit.id) for hit in hits]
    return scored(query, hits, told, NOW, ToyEmbedder(), POLICY)


def test_nothing_is_found_where_nothing_is_near_enough() -> None:
    query = "which restaurants did we book in Lisbon"
    assert not about(_scored(query, ("We booked a flight", 0.1, 4.0)), POLICY)
    assert not about(_scored(query, ("A walk in the park", 0.49, None)), POLICY)


def test_what_is_near_brings_what_stands_beside_it() -> None:
    found = _scored(
        "which restaurants did we book in Lisbon",
        ("Restaurants that we booked in Lisbon", 0.6, 9.0),
        ("The one by the river", 0.3, 1.0),
        ("A walk in the park", 0.1, 0.5),
    )
    assert [one.told.text for one in about(found, POLICY)] == [
        "Restaurants that we booked in Lisbon",
        "The one by the river",
    ]


def test_one_odd_word_in_common_is_not_much() -> None:
    odd, all_ = (
        max(one.similarity for one in _scored(query, ("Fix the nginx port", 0.0, 5.0)))
        for query in ("what wine goes with fish at this port", "nginx port fix")
    )
    assert odd < 0.3
    assert all_ == pytest.approx(0.8)


def test_words_are_counted_where_none_are_spaced() -> None:
    (one,) = _scored("爵士乐", ("我最喜欢的音乐是爵士乐", None, 3.0))
    assert one.covered == 1


def test_common_words_are_not_what_a_query_is_about() -> None:
    found = _scored("what did you do", ("What did you do then?", 0.3, None))
    assert not about(found, POLICY)


@pytest.mark.parametrize(
    ("other", "stay"),
    [("The backup of the server failed again", 1), ("这家餐厅的菜很好吃", 2)],
)
def test_alike_are_those_of_like_vectors_and_words(other: str, stay: int) -> None:
    vector = np.array([1.0, 0.0], dtype=np.float32)
    texts = ("The backup of the server failed today", other)
    hits = [_hit(text, 0.9, 1.0, vector) for text in texts]
    found = scored(
        "backup", hits, [PublishedHit(text) for text in texts], NOW, ToyEmbedder(), POLICY
    )
    assert len(diverse(found, ToyEmbedder(), POLICY)) == stay
