"""Pairs of facts: rows with namespace, left_id and right_id, the greater of the two."""

import polars as pl

PAIR = ["namespace", "left_id", "right_id"]


def sides(*pairs: pl.DataFrame) -> pl.DataFrame:
    """namespace, fact_id: the facts of pairs, as often as they stand there."""
    return pl.concat(
        [frame.select("namespace", fact_id=side) for frame in pairs for side in PAIR[1:]]
    )


def of_others(pairs: pl.DataFrame, facts: pl.DataFrame) -> pl.DataFrame:
    """Pairs of which neither side is among some facts (namespace, fact_id)."""
    for side in PAIR[1:]:
        some = facts.select("namespace", pl.col("fact_id").alias(side))
        pairs = pairs.join(some, on=some.columns, how="anti")
    return pairs
