"""News: which findings are worth telling, by how much is known about the thing already.

Of what little is known about, anything substantial; of what more is known about, what says more
than is known; of what is well known, only what is novel.
"""

import polars as pl

from cairn.knowledge.nlp.text import STOP_WORDS, words
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.vectors.model import Embedder
from cairn.knowledge.vectors.similarity import similar_pairs

_ENTITY = ["namespace", "entity_id"]
_NUMBERS = pl.col("content").str.extract_all(r"\d+(?:[.,:/-]\d+)*").list.sort()


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
    said = [
        _said(new, known, embedder, policy)
        for _, new in told.filter(pl.col("mode") != "broad").group_by(_ENTITY, maintain_order=True)
    ]
    rows = pl.concat(said) if said else pl.Series([], dtype=pl.UInt32)
    return told.filter(~pl.col("row").is_in(rows.implode())).drop("row")


def _said(new: pl.DataFrame, known: pl.DataFrame, embedder: Embedder, policy: Policy) -> pl.Series:
    """Rows of findings about one entity that say what was known of it before they were found."""
    old = known.join(new.head(1), on=_ENTITY, how="semi")
    least = min(policy.merge_similarity, policy.notify_similarity)
    pairs = similar_pairs(
        embedder.embed(new["content"].to_list()),
        embedder.embed(old["content"].to_list()),
        least,
        embedder,
        margin=policy.candidate_margin,
    )
    left = new.select("row", "mode", "found_at", numbers=_NUMBERS)[pairs.left.tolist()]
    right = old.select("first_at", same=_NUMBERS)[pairs.right.tolist()]
    alike = pl.DataFrame({"similarity": pairs.similarity}, schema={"similarity": pl.Float64})
    floor = pl.when(mode="gaps").then(policy.merge_similarity).otherwise(policy.notify_similarity)
    return pl.concat([left, right, alike], how="horizontal").filter(
        (pl.col("first_at") < pl.col("found_at")).fill_null(value=True),
        pl.col("numbers") == pl.col("same"),
        pl.col("similarity") >= floor,
    )["row"]
