"""Pairs of facts that wait for a language model, or for a person."""

from typing import TYPE_CHECKING

import polars as pl

from knowledge.decided import undecided
from knowledge.entity_merges import about_canonical, equal_statements
from knowledge.merges import unequal
from knowledge.pair_verdicts import differing, waiting
from knowledge.tables import (
    CONTRADICTION_VERDICTS,
    DECISIONS,
    ENTITY_MERGES,
    EVIDENCE,
    FACTS,
    MERGE_VERDICTS,
    SIMILAR_FACTS,
    VALID_TIMES,
    Table,
)

if TYPE_CHECKING:
    from resources.state import State


def waiting_pairs(state: "State", namespace: str | None = None) -> pl.DataFrame:
    """Rows of knowledge.pair_verdicts.waiting, of one namespace or of all."""

    def read(table: Table) -> pl.DataFrame:
        return state.warehouse.read(table, namespace=namespace).collect()

    merged, decisions = read(ENTITY_MERGES), read(DECISIONS)
    similar = undecided(read(SIMILAR_FACTS), decisions)
    sides = [similar.select("namespace", fact_id=side) for side in ("left_id", "right_id")]
    paired = pl.concat(sides).unique().lazy()
    facts, evidence = (
        state.warehouse.read(table, namespace=namespace)
        .join(paired, on=["namespace", "fact_id"], how="semi")
        .collect()
        for table in (FACTS, EVIDENCE)
    )
    facts = about_canonical(facts, merged)
    equal = equal_statements(facts, merged)
    return waiting(
        differing(similar, read(VALID_TIMES)),
        unequal(facts, evidence, similar, state.policy, equal=equal, decisions=decisions),
        read(CONTRADICTION_VERDICTS),
        read(MERGE_VERDICTS),
    )
