"""Slots that behave as if they held one value at a time, though no table says so.

Values of such a slot follow each other and never alternate. That alone says little: of two values
that were each stated once, one always comes first. So a slot is proposed for what chance does not
explain: if its values could hold side by side and were stated in any order, statements of `m1, m2,
…` conversations would fall into unbroken runs of their `k` values with probability

    k! · m1! · m2! · … / (m1 + m2 + …)!

for each entity. The product over entities must not exceed `CHANCE`, with `ENTITIES` of them at
least: three entities with two values, each stated in two conversations, are enough (1/27). One
entity in which a value returns behind another speaks against the slot. A person decides.
"""

from itertools import groupby
from math import factorial, prod

import polars as pl

from cairn.knowledge.nlp.statements.cardinality import RELATIONS_OF_MANY, known_slot
from cairn.knowledge.nlp.statements.compare import Verdict, compare
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables.table import TEXT

ENTITIES = 3
CHANCE = 0.05

PROPOSED = pl.Schema(
    {"namespace": TEXT, "slot": TEXT, "entities": pl.Int64, "values": pl.Int64,
     "conversations": pl.Int64, "chance": pl.Float64, "examples": pl.List(TEXT)}
)  # fmt: skip
"""A slot, how many entities and values there are, in how many conversations, and statements of the
entity that has most."""


def learned_slots(
    facts: pl.DataFrame, fact_sources: pl.DataFrame, similar: pl.DataFrame, policy: Policy
) -> pl.DataFrame:
    """Rows of PROPOSED, the least likely by chance first.

    `similar` are pairs that give one slot two values. What the policy decides is not proposed.
    """
    filled = _values(facts, similar, policy)
    said = (
        fact_sources.drop_nulls("occurred_at")
        .join(filled, on=["namespace", "fact_id"])
        .group_by("namespace", "slot", "entity_id", "value", "conversation_id")
        .agg(pl.col("occurred_at").min(), pl.col("content").min())
        .sort("namespace", "slot", "entity_id", "occurred_at", "value", "conversation_id")
    )
    rows: list[dict[str, object]] = []
    for (namespace, slot), own in said.group_by(["namespace", "slot"], maintain_order=True):
        held = own.partition_by("entity_id", maintain_order=True)
        several = [each for each in held if each["value"].n_unique() > 1]
        chance = prod(map(_chance, several))
        if len(several) < ENTITIES or not 0 < chance <= CHANCE:
            continue
        most = max(several, key=lambda each: each.height)
        rows.append(
            {
                "namespace": namespace,
                "slot": slot,
                "entities": len(several),
                "values": sum(each["value"].n_unique() for each in several),
                "conversations": sum(each.height for each in several),
                "chance": chance,
                "examples": most["content"].unique(maintain_order=True).to_list(),
            }
        )
    return pl.DataFrame(rows, schema=PROPOSED).sort("chance", "namespace", "slot")


def _values(facts: pl.DataFrame, similar: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """namespace, slot, entity_id, fact_id, value, content of facts that may share a slot."""
    known = facts.select("namespace", "fact_id", "entity_id", "content")
    pairs = similar.filter(pl.col("verdict") == Verdict.VALUE).drop_nulls("slot")
    for side in ("left", "right"):
        named = {name: f"{side}_{name}" for name in ("entity_id", "content")}
        pairs = pairs.join(
            known.rename({"fact_id": f"{side}_id", **named}), on=["namespace", f"{side}_id"]
        )
    enough = pl.col("left_entity_id").n_unique().over("namespace", "slot") >= ENTITIES
    wanted = [
        slot
        for slot in pairs.filter(enough)["slot"].unique()
        if not RELATIONS_OF_MANY & set(slot.split()) and not known_slot(slot, policy)
    ]
    rows = [
        (namespace, slot, entity, fact, value, content)
        for namespace, slot, entity, left, left_said, right, right_said in pairs.filter(
            pl.col("slot").is_in(wanted)
        )
        .select(
            "namespace", "slot", "left_entity_id", "left_id", "left_content", "right_id",
            "right_content",
        )
        .iter_rows()
        for fact, content, value in zip(
            (left, right),
            (left_said, right_said),
            compare(left_said, right_said).values or (),
            strict=False,
        )
    ]  # fmt: skip
    columns = ("namespace", "slot", "entity_id", "fact_id", "value", "content")
    return (
        pl.DataFrame(rows, schema=dict.fromkeys(columns, TEXT), orient="row")
        .sort(columns)
        .unique(["namespace", "slot", "fact_id"], keep="first", maintain_order=True)
    )


def _chance(said: pl.DataFrame) -> float:
    """Probability of unbroken runs by chance; 0 if they are broken, or two values are of one time.

    Args:
        said: value, occurred_at of one entity, by time.
    """
    values = said["value"].to_list()
    if len([value for value, _ in groupby(values)]) > len(set(values)):
        return 0.0
    if said.group_by("occurred_at").agg(pl.col("value").n_unique())["value"].max() != 1:
        return 0.0
    counts = [values.count(value) for value in set(values)]
    return factorial(len(counts)) * prod(map(factorial, counts)) / factorial(len(values))
