"""What waits for a person about values and their times."""

import json
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from cairn.resources.context import State


def struck(state: "State", namespace: str | None) -> pl.DataFrame:
    """Published facts of namespaces blocked since too many would be retracted, and why each."""
    from cairn.knowledge.quality.retraction_guard import too_many
    from cairn.knowledge.schema.tables import FACTS
    from cairn.resources.retraction_guard import retractions_now
    from cairn.resources.warehouse.publication import blocked_namespaces

    found: list[pl.DataFrame] = []
    for name in sorted(blocked_namespaces(state.home)):
        now = retractions_now(state, name) if namespace in (None, name) else None
        if now and too_many(now, state.policy):
            facts = state.warehouse.read(FACTS, namespace=name)
            contents = facts.select("namespace", "content", id="fact_id").collect()
            found.append(contents.join(now.facts.rename({"fact_id": "id"}), on="id"))
    empty = {"namespace": pl.String, "content": pl.String, "id": pl.String, "cause": pl.String}
    return pl.concat([pl.DataFrame(schema=empty), *found]).sort("namespace", "cause", "id")


def at_once(state: "State", namespace: str | None) -> pl.DataFrame:
    """Pairs of facts by which one conversation gave a slot two values at the same time."""
    from cairn.knowledge.schema.tables import FACTS, VALID_TIMES

    facts = state.warehouse.read(FACTS, namespace=namespace)
    content = facts.select("namespace", "fact_id", "content")
    return (
        state.warehouse.read(VALID_TIMES, namespace=namespace)
        .select("namespace", "fact_id", "slot", "known_from", other_id="parallel_with")
        .explode("other_id", empty_as_null=False)
        .filter(pl.col("fact_id") < pl.col("other_id"))
        .sort("namespace", "known_from", "fact_id", "other_id")
        .unique(["namespace", "fact_id", "other_id"], keep="first", maintain_order=True)
        .join(content, on=["namespace", "fact_id"])
        .join(
            content.rename({"fact_id": "other_id", "content": "other"}),
            on=["namespace", "other_id"],
        )
        .sort("namespace", "known_from", "fact_id", "other_id")
        # The same one each time, of a sentence and its copies about topics: by it one decides.
        .unique(["namespace", "slot", "content", "other"], keep="first", maintain_order=True)
        .collect()
    )


def slots(state: "State", namespace: str | None) -> pl.DataFrame:
    """Slots that behave as if they held one value, with the setting that would say so."""
    from cairn.knowledge.nlp.statements.inferred_cardinality import learned_slots
    from cairn.knowledge.schema.tables import FACT_SOURCES, FACTS, SIMILAR_FACTS

    facts, sources, similar = (
        state.warehouse.read(table, namespace=namespace).collect()
        for table in (FACTS, FACT_SOURCES, SIMILAR_FACTS)
    )
    found = learned_slots(facts, sources, similar, state.policy)
    known = list(state.policy.single_valued)
    settings = [json.dumps([*known, slot], ensure_ascii=False) for slot in found["slot"]]
    return found.with_columns(setting=pl.Series(settings, dtype=pl.String))
