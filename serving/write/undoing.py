"""Decisions that a person undoes: those of the last runs, and those that still wait for one."""

from collections.abc import Iterator, Sequence

import polars as pl

from cairn.knowledge.ingest.inbox_events.decisions import (
    DECISION,
    DECISION_TYPES,
    KIND,
    UNDO,
    DecidedThing,
    undone,
)
from cairn.knowledge.schema.tables import DECISIONS, RAW_LOGS
from cairn.resources.context import State
from cairn.resources.warehouse.publication import namespaces
from cairn.serving.read.id_lookup import id_begun
from cairn.serving.read.reader import Reader, open_reader
from cairn.serving.status.pending import pending
from cairn.serving.write.decisions import (
    DecisionTargets,
    NamedThing,
    Undecidable,
    together,
)

STANDS, SUPERSEDED, WAITS, UNDONE = "stands", "superseded", "waits", "undone"
"""What became of a decision."""


def choose_decisions(state: State, starts: Sequence[str], namespace: str | None) -> DecisionTargets:
    """Decisions by their ids, or how these begin.

    Raises:
        UnknownId: one names no decision, or several.
        Undecidable: they are of two namespaces, one is named twice, or one is undone already.
        NothingPublished: nothing is.
    """
    names = [namespace] if namespace else namespaces(state.home)
    known = {
        one.id: (reader, one)
        for name in names
        for reader, one in _decisions(state, open_reader(state, name))
    }
    found = [
        known[
            id_begun(start, known, f"no decision has the id {start}; see `cairn query decisions`")
        ]
        for start in starts
    ]
    together([(reader, one.id) for reader, one in found])
    for _, one in found:
        if one.status == UNDONE:
            by = one.stands_for
            raise Undecidable(f"{one.id} is undone; `cairn undo {by}` has it hold again")
    return DecisionTargets(found[0][0], DECISION, [one for _, one in found])


def _decisions(state: State, reader: Reader) -> Iterator[tuple[Reader, NamedThing]]:
    """All decisions of a namespace; of one that is undone, `stands_for` is what undid it."""
    waiting = pending(state, reader.namespace, DECISION_TYPES)
    by_id = undone((one.record_id, one.verb, one.ids) for one in reversed(waiting))
    logs = reader.table(RAW_LOGS, ["record_id", "native_id", "kind"]).filter(kind=KIND)
    events = dict(logs.select("record_id", "native_id").collect().iter_rows())
    rows = reader.table(DECISIONS, ["decision_id", "decision", "text", "superseded_by"]).collect()
    kinds = dict(rows.select("decision_id", "decision").iter_rows())
    for id_, kind, text, by in rows.sort(pl.all()).iter_rows():
        by_undo = kinds.get(by) == UNDO
        if by_undo and by not in by_id:  # what undid it may be undone itself, by what waits
            by_id.setdefault(id_, by)
        status = SUPERSEDED if by and not by_undo else STANDS
        yield reader, _named(id_, kind, text, status, by_id.get(id_), events.get(id_))
    for one in waiting:
        id_ = one.record_id
        yield reader, _named(id_, one.verb, one.text, WAITS, by_id.get(id_), one.event_id)


def _named(
    id_: str, kind: str, text: str, status: str, undone_by: str | None, event_id: str | None
) -> NamedThing:
    # None of its words: what is forgotten may stand in them. By its event it is found where it was
    # imported under another name, and has another id.
    meant = DecidedThing(id_, kind, object=event_id or "")
    return NamedThing(id_, text, UNDONE if undone_by else status, 1.0, undone_by or id_, meant)
