"""A remembering embedder: the same vectors, each distinct text embedded once."""

from collections.abc import Sequence

import numpy as np

from cairn.knowledge.vectors.model import Remembering, Vectors
from tests.knowledge.toy_embedder import ToyEmbedder


class Counting(ToyEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return super().embed(texts)


def test_each_text_is_embedded_once_and_comes_back_in_order() -> None:
    counting = Counting()
    remembering = Remembering(counting)
    texts = ["the backup failed", "coffee", "the backup failed", "tea"]
    first = remembering.embed(texts)
    again = remembering.embed(["tea", "coffee", "milk"])
    assert sorted(counting.asked) == ["coffee", "milk", "tea", "the backup failed"]
    assert np.array_equal(first, ToyEmbedder().embed(texts))
    assert np.array_equal(again, ToyEmbedder().embed(["tea", "coffee", "milk"]))


def test_what_was_kept_is_not_asked_for() -> None:
    counting = Counting()
    remembering = Remembering(counting)
    remembering.keep(["coffee", "tea"], ToyEmbedder().embed(["coffee", "tea"]))
    assert np.array_equal(remembering.embed(["tea"]), ToyEmbedder().embed(["tea"]))
    assert counting.asked == []
    assert remembering.embed([]).shape[0] == 0


def test_a_text_that_is_kept_twice_shifts_no_other() -> None:
    remembering = Remembering(Counting())
    twice = ["coffee", "coffee", "tea"]
    remembering.keep(twice, ToyEmbedder().embed(twice))
    texts = ["tea", "milk", "coffee"]
    assert np.array_equal(remembering.embed(texts), ToyEmbedder().embed(texts))
