"""Vectors that are dear: each text of a namespace is embedded once, whatever kills come between."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from cairn.knowledge.vectors.model import Vectors
from cairn.resources.embedders.files import EmbedderError
from cairn.resources.embedders.vector_cache import AT_ONCE, CachedEmbedder, VectorCache
from cairn.resources.home.home import Home, open_home
from tests.knowledge.toy_embedder import ToyEmbedder

TEXTS = [f"text {number}" for number in range(3 * AT_ONCE)]


class Counting(ToyEmbedder):
    """Says what it was asked for; fails after so many batches."""

    def __init__(self, fails_after: int = 99) -> None:
        self.asked: list[str] = []
        self._left = fails_after

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self._left == 0:
            raise EmbedderError("gone")
        self._left -= 1
        self.asked += texts
        return super().embed(texts)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return open_home(tmp_path / "home")


def test_what_was_embedded_before_a_failure_is_not_embedded_again(home: Home) -> None:
    first, second, third = Counting(fails_after=2), Counting(), Counting()
    with pytest.raises(EmbedderError):
        CachedEmbedder(first, VectorCache(home, "n")).embed(TEXTS)
    again = CachedEmbedder(second, VectorCache(home, "n")).embed(TEXTS)
    assert (first.asked, second.asked) == (TEXTS[: 2 * AT_ONCE], TEXTS[2 * AT_ONCE :])
    assert np.array_equal(again, ToyEmbedder().embed(TEXTS))
    asked = CachedEmbedder(third, VectorCache(home, "n")).embed([TEXTS[5], TEXTS[5], TEXTS[3]])
    assert np.array_equal(asked, ToyEmbedder().embed([TEXTS[5], TEXTS[5], TEXTS[3]]))
    assert not third.asked


def test_namespaces_and_models_share_nothing(home: Home) -> None:
    CachedEmbedder(ToyEmbedder(), VectorCache(home, "n")).embed(TEXTS[:3])
    assert VectorCache(home, "other").read("toy", TEXTS) == {}
    assert VectorCache(home, "n").read("another", TEXTS) == {}
    assert [*VectorCache(home, "n").read("toy", TEXTS)] == TEXTS[:3]


def test_what_is_forgotten_leaves_no_bytes(home: Home) -> None:
    cache = VectorCache(home, "n")
    vectors = np.random.default_rng(0).normal(size=(2, 64)).astype(np.float32)
    cache.put("toy", ["stays", "goes"], vectors)
    assert cache.keep_only(["stays", "never there"]) == 1
    assert [*cache.read("toy", ["stays", "goes"])] == ["stays"]
    held = b"".join(path.read_bytes() for path in home.vectors.iterdir())
    assert vectors[0].tobytes() in held
    assert vectors[1].tobytes() not in held


def test_a_file_that_is_none_is_named(home: Home) -> None:
    home.vectors.mkdir()
    (home.vectors / "n.sqlite").write_text("no database, and long enough to be looked at" * 9)
    with pytest.raises(EmbedderError, match=r"n\.sqlite cannot be used"):
        VectorCache(home, "n").read("toy", ["text"])
