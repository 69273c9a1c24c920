"""What waits for a person to decide: pairs that rules are unsure of, decisions that found nothing.

What was decided since the last run is noted in the inbox, and waits no more.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

import polars as pl

from knowledge.decided import undecided
from knowledge.decision_events import CORRECT, DECISION_TYPES, RETRACT, meant_of
from knowledge.identity import digest
from knowledge.pair_verdicts import waiting
from knowledge.policy import Policy
from knowledge.tables import (
    CONTRADICTION_VERDICTS,
    DECISIONS,
    EVIDENCE,
    FACTS,
    MERGE_VERDICTS,
    SIMILAR_FACTS,
    VALID_TIMES,
    Table,
)
from serving.reader import Reader

STANDS = ("active", "pending_embed", "deprecated")


def left_over(read: Callable[[Table], pl.LazyFrame], policy: Policy) -> pl.DataFrame:
    """Rows of knowledge.pair_verdicts.waiting on which no person decided, of tables as `read`."""
    similar = undecided(read(SIMILAR_FACTS).collect(), read(DECISIONS).collect())
    sides = [similar.select("namespace", fact_id=side) for side in ("left_id", "right_id")]
    paired = pl.concat(sides).unique().lazy()
    facts, evidence = (
        read(table).join(paired, on=["namespace", "fact_id"], how="semi").collect()
        for table in (FACTS, EVIDENCE)
    )
    of_words, of_confidence, times = (
        read(table).collect() for table in (CONTRADICTION_VERDICTS, MERGE_VERDICTS, VALID_TIMES)
    )
    return waiting(facts, evidence, similar, of_words, of_confidence, times, policy)


def pairs(reader: Reader) -> pl.DataFrame:
    """Facts that are alike and stand side by side: rules could not make them one. Surest first.

    Returns:
        namespace, left_id, right_id, left, right (what they say), left_confidence,
        right_confidence, entity, similarity, verdict, difference; and `said`, `reason`, `refused`
        of a model's verdict that rules do not follow. The same two sentences about several entities
        stand there once.
    """
    facts = (
        reader.memory()
        .filter(pl.col("status").is_in(STANDS))
        .select("fact_id", "content", "effective", "entity")
        .collect()
    )
    found = left_over(reader.table, reader.state.policy)
    for side in ("left", "right"):
        found = found.join(
            facts.rename({
                "fact_id": f"{side}_id", "content": side, "effective": f"{side}_confidence",
                "entity": f"{side}_entity",
            }),
            on=f"{side}_id",
        )  # fmt: skip
    noted = list(undone(reader))
    settled = {frozenset(pair) for _, ids in noted for pair in _pairs(ids)}
    gone = {id_ for decision, ids in noted if decision in (RETRACT, CORRECT) for id_ in ids}
    waits = [
        frozenset(pair) not in settled and not gone & set(pair)
        for pair in found.select("left_id", "right_id").iter_rows()
    ]
    return (
        found.filter(pl.Series(waits, dtype=pl.Boolean))
        .with_columns(worth=pl.col("left_confidence") + pl.col("right_confidence"))
        .sort("worth", "similarity", "left_id", "right_id", descending=[True, True, False, False])
        .with_columns(texts=pl.concat_list("left", "right").list.sort())
        .unique("texts", keep="first", maintain_order=True)
        .rename({"left_entity": "entity"})
        .select(
            "namespace", "left_id", "right_id", "left", "right", "left_confidence",
            "right_confidence", "entity", "similarity", "verdict", "difference", "said", "reason",
            "refused",
        )
    )  # fmt: skip


def unresolved(reader: Reader) -> pl.DataFrame:
    """Decisions of which something cannot be applied, and why; the latest first."""
    return (
        reader.table(DECISIONS)
        .filter(pl.col("unresolved").is_not_null())
        .select(
            "namespace", "decision_id", "decision", "text", "reason", "unresolved", "decided_at"
        )
        .sort("decided_at", "decision_id", descending=[True, False])
        .collect()
    )


def undone(reader: Reader) -> Iterator[tuple[str, list[str]]]:
    """Decisions that were noted since the last run: each with the ids that it names."""
    known = set(reader.table(DECISIONS, ["decision_id"]).collect()["decision_id"])
    folder = reader.state.home.inbox / reader.namespace
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_bytes().splitlines():
            event = _event(line)
            if event.get("type") not in DECISION_TYPES:
                continue
            record = "r_" + digest(reader.namespace, "", event.get("event_id"), 0)
            if record not in known:
                yield str(event["type"]), [each.id for each in meant_of(event.get("meant"))]


def _event(line: bytes) -> dict[str, Any]:
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}


def _pairs(ids: list[str]) -> Iterator[tuple[str, str]]:
    return ((left, right) for at, left in enumerate(ids) for right in ids[at + 1 :])
