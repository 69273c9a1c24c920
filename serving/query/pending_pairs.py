"""Pairs of facts that wait for a language model, or for a person."""

from collections.abc import Callable

import polars as pl

from cairn.knowledge.consolidation.merges import unequal
from cairn.knowledge.consolidation.pairs import sides
from cairn.knowledge.consolidation.verdicts.decision_effects import undecided
from cairn.knowledge.consolidation.verdicts.llm_verdicts import differing, waiting
from cairn.knowledge.resolution.canonical import about_canonical, equal_statements
from cairn.knowledge.schema import tables
from cairn.knowledge.schema.policy import Policy


def waiting_pairs(read: Callable[[tables.Table], pl.LazyFrame], policy: Policy) -> pl.DataFrame:
    """Rows of `waiting` (llm_verdicts) on which no person decided, of tables as `read`."""
    merged, decisions = read(tables.ENTITY_MERGES).collect(), read(tables.DECISIONS).collect()
    similar = undecided(read(tables.SIMILAR_FACTS).collect(), decisions)
    paired = sides(similar).unique().lazy()
    facts, evidence = (
        read(table).join(paired, on=["namespace", "fact_id"], how="semi").collect()
        for table in (tables.FACTS, tables.EVIDENCE)
    )
    facts = about_canonical(facts, merged)
    equal = equal_statements(facts, merged)
    return waiting(
        differing(similar, read(tables.VALID_TIMES).collect()),
        unequal(facts, evidence, similar, policy, equal=equal, decisions=decisions),
        read(tables.CONTRADICTION_VERDICTS).collect(),
        read(tables.MERGE_VERDICTS).collect(),
    )
