"""What a person thinks of a learning: a thumb for the inbox, found again when ids change."""

from typing import Any

import polars as pl

from cairn.knowledge.ingest.inbox_events.decisions import FACT
from cairn.knowledge.learnings.feedback import STRENGTH
from cairn.knowledge.schema.identity import record_id
from cairn.knowledge.schema.tables import LEARNINGS
from cairn.serving.read.id_lookup import Thing
from cairn.serving.read.reader import Reader
from cairn.serving.status.pending import NEXT_RUN
from cairn.serving.write.decisions import Undecidable, counted
from cairn.serving.write.inbox import add_event

THUMBS = {"up": "👍", "down": "👎"}
LEARNING = "learning"

MOST_RECORDS = 20
"""Messages that a thumb names of those that a learning rests on: the first."""


def rate(thing: Thing, verdict: str, event_id: str | None = None) -> dict[str, Any]:
    """Appends a thumb for a learning to the inbox; it is on disk when this returns.

    Args:
        thing: The learning.
        verdict: One of THUMBS.
        event_id: UUID that a retry repeats; a new one if None.

    Returns:
        verdict, namespace, learning_id, title, confidence (as it is), after (as it will be, if
        nothing else moves it), event_id, record_id (from the next run on), written, applied (when).

    Raises:
        Undecidable: it is no learning.
        ValueError: the event id is no UUID.
    """
    if thing.kind != LEARNING:
        also = (
            f": `cairn confirm {thing.id}` says that it is true, `cairn retract {thing.id}` that"
            " it is not"
            if thing.kind == FACT
            else counted(thing)
        )
        raise Undecidable(
            f"{thing.id} is of kind {thing.kind.replace('_', ' ')}; only learnings are rated{also}"
        )
    reader = thing.reader
    row = _row(reader, thing.id)
    event: dict[str, object] = {
        "type": "reaction",
        "namespace": reader.namespace,
        "text": THUMBS[verdict],
        "reply_to": thing.id,
        "meant": {"category": row["category"], "records": row["source_record_ids"][:MOST_RECORDS]},
    }
    received = add_event(reader.state, event | ({"event_id": event_id} if event_id else {}))
    before = row["confidence"]
    moved = before + STRENGTH * (1 - before) if verdict == "up" else before * (1 - STRENGTH)
    return {
        "verdict": verdict,
        "namespace": reader.namespace,
        "learning_id": thing.id,
        "title": row["title"],
        "confidence": before,
        "after": moved,
        "event_id": received.event_id,
        "record_id": record_id(reader.namespace, received.event_id),
        "written": received.written,
        "applied": NEXT_RUN.replace("`", ""),
    }


def _row(reader: Reader, learning_id: str) -> dict[str, Any]:
    columns = ["learning_id", "category", "title", "confidence", "source_record_ids"]
    ids = pl.Series([learning_id])
    return reader.rows(LEARNINGS, "learning_id", ids, columns).row(0, named=True)
