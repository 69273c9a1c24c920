"""What a person orders in a word or two: an event for the inbox, answered at once.

The next run makes of it what it makes of any other event.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from cairn.knowledge.interests.preferences import muted
from cairn.knowledge.nlp.names import canonical
from cairn.resources.context import State
from cairn.serving.query.interests import preferences_at
from cairn.serving.read.id_lookup import COUNTED, PIECE_ID, UnknownId, entities_called, find
from cairn.serving.read.reader import Reader
from cairn.serving.status.pending import NEXT_RUN
from cairn.serving.write.decisions import Undecidable
from cairn.serving.write.inbox import add_event_of

OF_KNOWN = frozenset({"mute", "unmute"})
"""Attitudes to an entity or a piece of memory that is known; the others may be to any topic."""

MUTED_BY_ID = COUNTED | {"fact", "learning", "record"}
"""Kinds of pieces of memory of which agents are told one by one; an episode is its record."""

LONGEST_TOPIC = 200
"""Characters."""


def topic_of(words: Sequence[str]) -> str:
    """A topic as it was typed, on one line.

    Raises:
        Undecidable: it says nothing, or too much.
    """
    topic = " ".join(" ".join(words).split())
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in topic):
        raise Undecidable("the topic holds control characters")
    if not canonical(topic, "topic"):
        raise Undecidable("the topic says nothing")
    if len(topic) > LONGEST_TOPIC:
        raise Undecidable(f"the topic has {len(topic)} characters; {LONGEST_TOPIC} at most")
    return topic


def muted_as(reader: Reader, said: str) -> str:
    """What is muted, or no more: an entity by its name, a piece of memory by its id.

    A name means the same in any rebuild. A piece is what agents are told of one by one: a command
    that is run here, what ended an error, a fact, a learning, an episode.

    Raises:
        UnknownId: no entity is called so, and no piece of memory has that id.
    """
    if said in muted(preferences_at(reader)):  # known no more, perhaps, and yet to be taken back
        return said
    try:
        found = entities_called(reader, said).sort("active_facts", descending=True)
    except UnknownId:
        if not re.match(PIECE_ID, said):
            raise
        piece = find(reader.state, said, reader.namespace)
        if piece.kind not in MUTED_BY_ID:
            raise Undecidable(
                f"{said} is of kind {piece.kind}, of which no agent is told by itself"
            ) from None
        return piece.id
    return str(found["display_name"][0])


def order(
    state: State,
    namespace: str,
    verb: str,
    topic: str,
    event_id: str | None = None,
    option: str = "",
) -> dict[str, Any]:
    """Appends `/verb topic option` to the inbox; it is on disk when this returns.

    Returns:
        verb, topic, namespace, event_id, record_id (from the next run on), written (false if the
        namespace had the event already), redactions (secrets that were taken out), applied (when).

    Raises:
        ValueError: the event id is no UUID.
    """
    text = f"/{verb} {topic} {option}".rstrip()
    event = {"type": "command", "text": text, "event_id": event_id}
    noted = add_event_of(state, namespace, event)
    return {"verb": verb, "topic": topic, **noted, "applied": NEXT_RUN.replace("`", "")}
