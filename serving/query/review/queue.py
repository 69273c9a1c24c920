"""Everything that waits for a person, as one queue: what waits most for a word first."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from cairn.knowledge.ingest.inbox_events.decisions import DISMISS
from cairn.knowledge.schema.identity import digest_column
from cairn.resources.home.inbox import files
from cairn.serving.query.review.entities import MAY_BE_ONE, entity_pairs
from cairn.serving.query.review.operations import operations
from cairn.serving.query.review.pairs import SEEM, IsSettled, pairs, readers, settled, unresolved
from cairn.serving.query.review.quarantine import WHY, lessons, lines, proposals
from cairn.serving.query.review.values import at_once, slots, struck
from cairn.serving.read.reader import Reader

if TYPE_CHECKING:
    from cairn.resources.context import State

BOTH = ("merge", "keep_apart", "retract", "correct")
"""What may be said of two facts."""


def _pair(row: dict[str, Any]) -> dict[str, Any]:
    return _two(row) | {"why": SEEM[row["verdict"]], "decisions": BOTH, "about": row["entity"]}


def _entities(row: dict[str, Any]) -> dict[str, Any]:
    why = MAY_BE_ONE[row["rule"]]
    beside = f"; beside both: {', '.join(row['beside'])}" if row["beside"] else ""
    return _two(row) | {"why": why + beside, "decisions": ("merge", "keep_apart")}


def _two(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "ids": [row["left_id"], row["right_id"]],
        "texts": [row["left"], row["right"]],
        "similarity": row["similarity"],
        "model_verdict": row["model_verdict"],
    }


def _unresolved(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "decisions": ("undo",),
        "ids": [row["decision_id"]],
        "texts": [row["text"]],
        "why": row["unresolved"],
        "occurred_at": row["decided_at"],
        "record_id": row["decision_id"],
    }


def _held(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "ids": [row["id"]] if row["id"] else [],
        "texts": [text for text in (row["content"], row["quote"]) if text],
        "why": WHY.get(row["reason"], row["reason"]),
        "occurred_at": row["occurred_at"],
        "record_id": row["record_id"],
    }


def _struck(row: dict[str, Any]) -> dict[str, Any]:
    why = f"it would be {row['cause']}"
    return {"ids": [row["id"]], "texts": [row["content"]], "why": why, "decisions": ("confirm",)}


def _at_once(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "ids": [row["fact_id"], row["other_id"]],
        "texts": [row["content"], row["other"]],
        "why": "one conversation says both at the same time, and one at most holds",
        "about": row["slot"],
        "occurred_at": row["known_from"],
        "decisions": ("retract", "correct", "keep_apart"),
    }


def _slot(row: dict[str, Any]) -> dict[str, Any]:
    why = f"{row['values']} values of {row['entities']} entities followed each other"
    setting = f"policy.single_valued = {row['setting']}"
    return {"texts": list(row["examples"]), "why": why, "about": row["slot"], "setting": setting}


def _operation(row: dict[str, Any]) -> dict[str, Any]:
    return {  # its examples are events, which nobody is told unasked
        "texts": [row["pattern"]],
        "why": f"{row['commands']:,} commands in {row['conversations']:,} conversations, no kind",
        "setting": f'policy.learned_operations = ["{row["pattern"]}={row["name"]}"]',
    }


class WaitingKind(NamedTuple):
    """One kind of what waits."""

    heading: str
    rows: Callable[["State", str | None], pl.DataFrame]
    """Rows of one namespace or of all."""
    item: Callable[[dict[str, Any]], dict[str, Any]]
    """One of them as each is told."""
    key: Sequence[str] = ()
    """Columns by which one is known that is neither fact nor entity: it can be dismissed."""


_HELD = ("conversation_id", "content")

REVIEWED: Mapping[str, WaitingKind] = {
    "pairs": WaitingKind("Facts that are alike", pairs, _pair),
    "entities": WaitingKind("Entities that may be one", entity_pairs, _entities),
    "unresolved": WaitingKind("Decisions that cannot be applied", unresolved, _unresolved),
    "proposals": WaitingKind("Names and facts", proposals, _held, _HELD),
    "lessons": WaitingKind("Lessons", lessons, _held, _HELD),
    "by_rules": WaitingKind("Found by rules", partial(proposals, by_rules=True), _held, _HELD),
    "lines": WaitingKind("Lines that are left out of episodes", lines, _held, _HELD),
    "retractions": WaitingKind("Not published: it would be retracted", struck, _struck),
    "at_once": WaitingKind("Two values at once, of what holds one", at_once, _at_once),
    "slots": WaitingKind("Slots that seem to hold one value at a time", slots, _slot, ("slot",)),
    "operations": WaitingKind("Proposed operation types", operations, _operation, ("pattern",)),
}
"""By name, in the order in which they are asked about."""

NOTHING: Mapping[str, Any] = {
    "ids": (), "texts": (), "about": None, "similarity": None, "model_verdict": None,
    "occurred_at": None, "record_id": None, "setting": None, "decisions": (),
}  # fmt: skip
"""Of what a kind does not tell."""


def review(reader: Reader, kind: str | None = None, limit: int = 20) -> dict[str, Any]:
    """What waits in a namespace, of one kind or of each.

    Returns:
        totals, by kind; items, at most `limit` of each kind: kind, ids, texts, why, about,
        similarity, model_verdict, occurred_at, record_id, setting (that would take it up),
        decisions (that may be made about it) and review_id (by which it is dismissed, if it is).
    """
    chosen = [kind] if kind else list(REVIEWED)
    decisions = cache(partial(settled, reader))
    found = {name: _rows(reader, name, decisions) for name in chosen}
    items = [
        {"kind": name, **NOTHING, **_item(name, row)}
        for name, rows in found.items()
        for row in rows.head(limit).iter_rows(named=True)
    ]
    return {"totals": {name: rows.height for name, rows in found.items()}, "items": items}


def waiting(
    state: "State", namespace: str | None, kinds: Collection[str] = REVIEWED.keys()
) -> dict[str, pl.DataFrame]:
    """Rows of some kinds, of one namespace or of all, without what somebody decided about.

    They have `review_id`, by which one can be dismissed that is neither fact nor entity.
    """
    decisions = {reader.namespace: settled(reader) for reader in readers(state, namespace)}
    return {name: _left(name, REVIEWED[name].rows(state, namespace), decisions) for name in kinds}


def _rows(reader: Reader, name: str, decisions: Callable[[], IsSettled]) -> pl.DataFrame:
    """Rows of one kind: kept while nothing they are made of changes, since some take seconds."""
    rows = partial(REVIEWED[name].rows, reader.state, reader.namespace)
    if reader.cached is None:
        return _left(name, rows(), {reader.namespace: decisions()})
    kept = reader.cached.once("review", dict[str, tuple[object, pl.DataFrame]])
    seen = _seen(reader)
    held = kept.get(name)
    if held is None or held[0] != seen:
        kept[name] = held = seen, _left(name, rows(), {reader.namespace: decisions()})
    return held[1]


def _left(name: str, rows: pl.DataFrame, decisions: Mapping[str, IsSettled]) -> pl.DataFrame:
    """Rows of one kind that nobody decided about, by namespace of those who did.

    They gain `review_id`, by which one can be dismissed that is neither fact nor entity.
    """
    key = REVIEWED[name].key
    # The same in any namespace, and so in one that is imported under another name.
    own = digest_column(pl.lit(name), *key, prefix="v_") if key else pl.lit(None)
    rows = rows.with_columns(review_id=own.cast(pl.String))
    waits: list[bool] = []
    for row in rows.iter_rows(named=True):
        is_settled = decisions.get(row["namespace"], _nothing)
        ids = REVIEWED[name].item(row).get("ids", ())
        waits.append(not is_settled(ids) and not is_settled([row["review_id"]]))
    return rows.filter(pl.Series(waits, dtype=pl.Boolean))


def _nothing(_: Collection[str]) -> bool:
    return False


def _item(name: str, row: dict[str, Any]) -> dict[str, Any]:
    """One row of a kind as each is told."""
    item = REVIEWED[name].item(row) | {"review_id": row["review_id"]}
    return item | ({"decisions": (DISMISS,)} if row["review_id"] else {})


def _seen(reader: Reader) -> object:
    """What such rows are made of: tables, published and as they are, the inbox, what is blocked."""
    from cairn.knowledge.schema.tables import TABLES
    from cairn.resources.warehouse.publication import blocked_namespaces, published

    state, own = reader.state, reader.namespace
    versions = [state.warehouse.version(table, own) for table in TABLES.values()]
    noted = [(file.name, file.stat().st_size) for file in files(state.home, own)]
    return published(state.home, own), versions, noted, blocked_namespaces(state.home).get(own)
