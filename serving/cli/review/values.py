"""What waits for a person about values and their times: rows of `cairn review`."""

import json
from typing import TYPE_CHECKING, Any

import polars as pl

from cairn.serving.cli.terminal import say, say_value
from cairn.serving.read.display import count, one_line

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
        .unique(["namespace", "fact_id", "other_id"], keep="first")
        .join(content, on=["namespace", "fact_id"])
        .join(
            content.rename({"fact_id": "other_id", "content": "other"}),
            on=["namespace", "other_id"],
        )
        .unique(["namespace", "slot", "content", "other"], keep="first")
        .sort("namespace", "known_from", "fact_id", "other_id")
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


def print_struck(row: dict[str, Any]) -> None:
    """One fact that would be retracted."""
    say(one_line(row["content"]), style="yellow", indent=2)
    say_value("would be", row["cause"], indent=4)
    say_value("fact", f"{row['id']} in {row['namespace']}", indent=4)


def print_at_once(row: dict[str, Any]) -> None:
    """Two statements of which one at most can hold."""
    say(one_line(row["content"]), style="yellow", indent=2)
    say(one_line(row["other"]), style="yellow", indent=2)
    say_value("said at once", row["known_from"], indent=4)
    say_value("facts", f"{row['fact_id']}, {row['other_id']} in {row['namespace']}", indent=4)


def print_slot(row: dict[str, Any]) -> None:
    """A proposal, with the setting that takes it up."""
    say(row["slot"], style="yellow", indent=2)
    for example in row["examples"]:
        say(one_line(example, 200), style="dim", indent=4)
    say_value(
        "why",
        f"{count(row['values'], 'value')} of {row['entities']} entities followed each other in"
        f" {count(row['conversations'], 'conversation')}; by chance {row['chance']:.1%}",
        indent=4,
    )
    say_value("to take it up", f"policy.single_valued = {row['setting']}", indent=4)
