"""Which facts that are alike are one, which nobody but a person can say; and what found nothing.

What was decided since the last run is noted in the inbox, and waits no more.
"""

import json
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from cairn.knowledge.consolidation.verdicts.standing import IN_FORCE

if TYPE_CHECKING:
    from cairn.resources.context import State
    from cairn.serving.read.reader import Reader

IsSettled = Callable[[Collection[str]], bool]
"""Of one thing, or of two, whether a decision says what it is."""

SEEM = {
    "same": "say the same, but are not sure enough to be merged by rule",
    "opposite": "deny each other",
    "value": "give one thing different values",
    "unsure": "may say the same",
}
"""How two facts that are alike stand to each other, by the verdict on their words."""


_PAIRS = pl.Schema(
    {
        "namespace": pl.String(), "left_id": pl.String(), "right_id": pl.String(),
        "left": pl.String(), "right": pl.String(), "left_confidence": pl.Float64(),
        "right_confidence": pl.Float64(), "entity": pl.String(), "similarity": pl.Float64(),
        "verdict": pl.String(), "difference": pl.String(), "model_verdict": pl.String(),
        "reason": pl.String(), "rejected_by": pl.String(), "decide": pl.List(pl.String()),
    }
)  # fmt: skip


def pairs(state: "State", namespace: str | None) -> pl.DataFrame:
    """Facts that are alike and hold side by side: rules could not make them one. Surest first.

    Returns:
        namespace, left_id, right_id, left, right (what they say), left_confidence,
        right_confidence, entity, similarity, verdict, difference, decide (commands); and `said`,
        `reason`, `refused` of what a model said and rules do not follow. The same two sentences
        about several entities stand there once.
    """
    found = [_pairs_of(reader) for reader in readers(state, namespace)]
    return pl.concat(found or [pl.DataFrame(schema=_PAIRS)])


def _pairs_of(reader: "Reader") -> pl.DataFrame:
    from cairn.serving.query.pending_pairs import waiting_pairs

    facts = (
        reader.memory()
        .filter(pl.col("status").is_in(IN_FORCE), pl.col("valid_to").is_null())
        .select("fact_id", "content", "effective", "entity")
        .collect()
    )
    found = waiting_pairs(reader.table, reader.state.policy)
    for side in ("left", "right"):
        found = found.join(
            facts.rename({
                "fact_id": f"{side}_id", "content": side, "effective": f"{side}_confidence",
                "entity": f"{side}_entity",
            }),
            on=f"{side}_id",
        )  # fmt: skip
    is_settled = settled(reader)
    waits = [not is_settled(pair) for pair in found.select("left_id", "right_id").iter_rows()]
    return (
        found.filter(pl.Series(waits, dtype=pl.Boolean))
        .with_columns(
            worth=pl.col("left_confidence") + pl.col("right_confidence"),
            texts=pl.concat_list("left", "right").list.sort(),
            entity="left_entity",
            decide=pl.concat_list(
                pl.concat_str(pl.lit(f"cairn {verb}"), "left_id", "right_id", separator=" ")
                for verb in ("merge", "keep-apart")
            ),
        )
        .sort("worth", "similarity", "left_id", "right_id", descending=[True, True, False, False])
        .unique("texts", keep="first", maintain_order=True)
        .select(_PAIRS.names())
        .cast(_PAIRS)
    )


def unresolved(state: "State", namespace: str | None) -> pl.DataFrame:
    """Decisions of which something cannot be applied, and why; the latest first, none undone."""
    from cairn.knowledge.schema.tables import DECISIONS

    columns = ["namespace", "decision_id", "decision", "text", "reason", "unresolved", "decided_at"]
    return (
        state.warehouse.read(DECISIONS, namespace=namespace)
        .filter(pl.col("unresolved").is_not_null(), pl.col("superseded_by").is_null())
        .select(columns)
        .sort("decided_at", "decision_id", descending=[True, False])
        .collect()
    )


def readers(state: "State", namespace: str | None) -> "list[Reader]":
    """Readers of one namespace or of all, as far as anything is published."""
    from cairn.resources.warehouse.publication import namespaces
    from cairn.serving.read.reader import open_reader

    known = namespaces(state.home)
    return [open_reader(state, name) for name in known if namespace in (None, name)]


def settled(reader: "Reader") -> IsSettled:
    """Tells of one thing, or of two, whether a decision says what it is.

    Of those that the last run applied, what keeps two apart, and dismissals.
    """
    from cairn.knowledge.ingest.inbox_events.decisions import CORRECT, KEEP_APART, RETRACT

    noted = _noted(reader)
    said = {frozenset((left, right)) for _, ids in noted.stand for left in ids for right in ids}
    said |= {frozenset((id_,)) for id_ in (*noted.undone, *_dismissed(reader, noted))}
    for pairs_of in _applied(reader, KEEP_APART, noted.undone)["pairs"]:
        said |= {frozenset(pair.values()) for pair in pairs_of}
    gone = {id_ for decision, ids in noted.stand if decision in (RETRACT, CORRECT) for id_ in ids}
    return lambda ids: frozenset(ids) in said or not gone.isdisjoint(ids)


def dismissed(reader: "Reader") -> set[str]:
    """Review ids of what somebody dismissed: applied by a run, or noted since."""
    return _dismissed(reader, _noted(reader))


def _dismissed(reader: "Reader", noted: "_Noted") -> set[str]:
    from cairn.knowledge.ingest.inbox_events.decisions import DISMISS

    named = [ids for decision, ids in noted.stand if decision == DISMISS]
    named += _applied(reader, DISMISS, noted.undone)["ids"].to_list()
    return {id_ for ids in named for id_ in ids}


def _applied(reader: "Reader", decision: str, undone: Sequence[str]) -> pl.DataFrame:
    """Decisions of one type that a run applied: `ids` and `pairs` of those that stand still.

    `undone` are decisions that are undone since; if one of them had undone another, that stands.
    """
    from cairn.knowledge.schema.tables import DECISIONS

    by = pl.col("superseded_by")
    return (
        reader.table(DECISIONS, ["decision_id", "decision", "ids", "pairs", "superseded_by"])
        .filter(
            pl.col("decision") == decision,
            by.is_null() | by.is_in(undone),
            ~pl.col("decision_id").is_in(undone),
        )
        .select("ids", "pairs")
        .collect()
    )


class _Noted(NamedTuple):
    """Decisions since the last run."""

    stand: list[tuple[str, list[str]]]
    """Each with what it names, but for undos, and what they undo."""
    undone: list[str]
    """Ids of decisions that they undo, these and earlier ones."""


def _noted(reader: "Reader") -> _Noted:
    from cairn.knowledge.ingest.inbox_events.decisions import DECISION_TYPES, UNDO, meant_of, undone
    from cairn.knowledge.schema.identity import record_id
    from cairn.knowledge.schema.tables import DECISIONS
    from cairn.resources.home.inbox import lines_of

    known = set(reader.table(DECISIONS, ["decision_id"]).collect()["decision_id"])
    noted = [
        (decision_id, str(event["type"]), [each.id for each in meant_of(event.get("meant"))])
        for event in map(_event, lines_of(reader.state.home, reader.namespace))
        if event.get("type") in DECISION_TYPES
        and (decision_id := record_id(reader.namespace, event.get("event_id"))) not in known
    ]
    gone = undone(reversed(noted))
    stand = [
        (decision, ids) for id_, decision, ids in noted if decision != UNDO and id_ not in gone
    ]
    return _Noted(stand, list(gone))


def _event(line: bytes) -> dict[str, Any]:
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}
