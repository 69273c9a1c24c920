"""News: which findings are worth telling, by how much is known about the thing already.

Of what little is known about, anything substantial; of what more is known about, what says more
than is known; of what is well known, only what is novel.
"""

import numpy as np
import polars as pl

from knowledge.embedding import Embedder
from knowledge.policy import Policy
from knowledge.similarity import pair_similarity
from knowledge.text import STOP_WORDS, words

_ENTITY = ["namespace", "entity_id"]
_NUMBER = r"\d+(?:[.,:/-]\d+)*"


def worth_telling(
    found: pl.DataFrame, known: pl.DataFrame, embedder: Embedder, policy: Policy
) -> pl.DataFrame:
    """Of findings, those worth telling.

    Args:
        found: As `findings` gives them, with `name`.
        known: As `known_facts` gives them.
        embedder: Tells how alike two statements are.
        policy: notify_words, merge_similarity (what says the same where more than a few facts are
            known) and notify_similarity (where many are). Statements whose numbers differ never say
            the same.

    Returns:
        Rows of `found`, in their order.
    """
    if found.is_empty():
        return found
    telling = pl.Series(
        [
            len(set(words(content)) - STOP_WORDS - set(words(name))) >= policy.notify_words
            for content, name in found.select("content", "name").iter_rows()
        ],
        dtype=pl.Boolean,
    )
    told = found.filter(telling).with_row_index("row")
    floor = (
        pl.when(mode="gaps")
        .then(policy.merge_similarity)
        .when(mode="briefing")
        .then(policy.notify_similarity)
    )
    before = known.select(*_ENTITY, "first_at", old="content")
    pairs = (
        told.filter(pl.col("mode") != "broad")
        .select("row", *_ENTITY, "found_at", "content", floor=floor)
        .join(before, on=_ENTITY)
        .filter((pl.col("first_at") < pl.col("found_at")).fill_null(value=True))
        .filter(_numbers("content") == _numbers("old"))
    )
    if pairs.is_empty():
        return told.drop("row")
    new, old = pairs["content"].unique().sort(), pairs["old"].unique().sort()
    alike = pair_similarity(
        embedder.embed(new.to_list()),
        embedder.embed(old.to_list()),
        _places(pairs["content"], new),
        _places(pairs["old"], old),
        embedder,
    )
    same = pairs.filter(pl.Series(alike) >= pairs["floor"])["row"]
    return told.filter(~pl.col("row").is_in(same.implode())).drop("row")


def _numbers(column: str) -> pl.Expr:
    return pl.col(column).str.extract_all(_NUMBER).list.sort()


def _places(texts: pl.Series, among: pl.Series) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Where each text stands in a sorted series."""
    return among.search_sorted(texts).to_numpy().astype(np.int64)
