"""What should have been learnt from a record: a text for the inbox, which names that record."""

import uuid
from typing import Any

import polars as pl

from cairn.knowledge.ingest.inbox_events.documents import DOCUMENT
from cairn.knowledge.schema.tables import RAW_LOGS
from cairn.serving.read.id_lookup import UnknownId
from cairn.serving.read.reader import Reader
from cairn.serving.status.pending import NEXT_RUN
from cairn.serving.write.decisions import Undecidable, check_length, check_stays
from cairn.serving.write.inbox import add_event_of

_EXAMPLES = uuid.UUID("a8f7b3a7-2c1e-5d53-8c2f-0d7f3a4f6b11")


def say_missed(reader: Reader, missed_in: str, expected: str) -> dict[str, Any]:
    """Notes what should have been learnt from a record; it is on disk when this returns.

    The sentence is known from the next run on, and with its record a labelled example. Said twice,
    it is noted once.

    Returns:
        missed_in, expected, namespace, event_id, record_id (of the example, from the next run on),
        written, redactions (secrets that were taken out), applied (when).

    Raises:
        UnknownId: no record has that id.
        Undecidable: the sentence says nothing, or too much, or the record is being forgotten.
    """
    if reader.rows(RAW_LOGS, "record_id", pl.Series([missed_in]), ["record_id"]).is_empty():
        raise UnknownId("no record has that id")
    check_stays(reader, [missed_in])
    text = " ".join(expected.split())
    if not any(character.isalnum() for character in text):
        raise Undecidable("the sentence says nothing")
    check_length("sentence", text)
    event_id = str(uuid.uuid5(_EXAMPLES, f"{reader.namespace}\x1f{missed_in}\x1f{text}"))
    event = {"type": DOCUMENT, "text": text, "reply_to": missed_in, "event_id": event_id}
    noted = add_event_of(reader.state, reader.namespace, event)
    return {"missed_in": missed_in, "expected": text, **noted, "applied": NEXT_RUN.replace("`", "")}
