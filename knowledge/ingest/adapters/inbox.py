"""Our own inbox: what people tell Cairn, one event a line.

Every line has `event_id`, `type` and `at` (ISO 8601). What else it has depends on its type:

- message: text; optional name, conversation_id, reply_to; role `assistant` and proactive for what
  Cairn itself said, which is recalled and never read as news
- command: text, the whole command line such as `/learn python packaging`
- reaction: text (an emoji or a word), reply_to (the message it answers), proactive (whether that
  message came unasked), strength (0 to 1, how much a thumb for a learning counts), meant (of a
  learning: its category and records, by which it is found under another id)
- note: text
- document: text that somebody gives to be read as knowledge; optional name, its title, item
  with `about`: the entity that it is about, and reply_to: the record of which it should have been
  learnt
- knowledge: item, a profile, a piece or an edge (knowledge/ingest/inbox_events/documents.py says
how)
- imported: text, a statement that another program or a file of notes kept; name, where from, and
item (knowledge/ingest/inbox_events/imported.py says how)
- merge, unmerge, keep_apart, correct, confirm, retract, undo: what a person decided about facts,
  entities or decisions that they name (inbox_events/decisions.py says how); for correct, text
- tombstone: thing, ids, records, digests (knowledge/deletion/tombstones.py says how); no event, and
  intake drops what it names
- intent, receipt, switch, retry: what Cairn did itself, what came of it, since when it may, and
  what a person lets it try again; effect is `search` (knowledge/ingest/inbox_events/searches.py) or
  `notification` (knowledge/ingest/inbox_events/notifications.py)
- offer: what the hook client offered to an agent (knowledge/ingest/inbox_events/offers.py)
- feedback and any other: no event; other stages read them
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from cairn.knowledge.ingest.adapter import Adapter, Event, Head
from cairn.knowledge.ingest.chat_format import decoded, instant, mostly, word
from cairn.knowledge.ingest.inbox_events import decisions, effects, notifications, offers, searches
from cairn.knowledge.ingest.inbox_events.decisions import (
    DECISION_TYPES,
    KIND,
    ToldDecision,
    in_words,
    meant_of,
)
from cairn.knowledge.ingest.inbox_events.documents import DOCUMENT, ITEM, IngestedItem, item_from
from cairn.knowledge.ingest.inbox_events.imported import IMPORTED, memory_from
from cairn.knowledge.ingest.speakers import spoken

CHANNEL = "inbox"
TOMBSTONES = "tombstones"
"""Channel of tombstones, which say nothing: no other channel is cut elsewhere for them."""
TYPES = DECISION_TYPES | effects.TYPES | {
    "message", "command", "reaction", "note", DOCUMENT, ITEM, IMPORTED, "feedback", "tombstone",
    offers.OFFER,
}  # fmt: skip
EFFECTS = {
    searches.EFFECT: (searches.THREAD, searches.events),
    notifications.EFFECT: (notifications.THREAD, notifications.events),
}
"""What Cairn does itself: the channel of each effect, and what its lines give."""


class Entry(msgspec.Struct):
    """One line of the inbox."""

    event_id: str | None = None
    type: str | None = None
    at: Any = None
    text: str | None = None
    name: str | None = None
    role: str | None = None
    conversation_id: str | None = None
    reply_to: str | None = None
    proactive: bool | None = None
    strength: Any = None
    thing: str | None = None
    meant: Any = None
    into: str | None = None
    reason: str | None = None
    as_of: Any = None
    item: Any = None
    effect: str | None = None

    @property
    def does(self) -> str | None:
        """One of EFFECTS, if it tells of what Cairn did itself."""
        done = self.type in effects.TYPES and self.effect in EFFECTS
        return self.effect if done else None


_ENTRY = msgspec.json.Decoder(Entry)


def recognises(objects: list[Any]) -> bool:
    """Most objects have an event id, a time and a type of ours."""
    return mostly(
        isinstance(line, dict)
        and isinstance(line.get("event_id"), str)
        and "at" in line
        and word(line.get("type")) in TYPES
        for line in objects
    )


def head(payload: bytes) -> Head:
    """One endless channel, unless the conversation is named; decisions have one of their own."""
    entry = decoded(_ENTRY, payload)
    if entry.type == "tombstone":
        return Head(TOMBSTONES, False, entry.event_id, instant(entry.at))
    if entry.type in DECISION_TYPES:
        return Head(decisions.CHANNEL, False, entry.event_id, instant(entry.at))
    if entry.type == offers.OFFER:
        return Head(offers.CHANNEL, False, entry.event_id, instant(entry.at))
    if entry.does:
        return Head(EFFECTS[entry.does][0], False, entry.event_id, instant(entry.at))
    thread = entry.conversation_id
    return Head(thread or CHANNEL, thread is not None, entry.event_id, instant(entry.at))


def events(payload: bytes) -> Iterable[Event]:
    """What a person wrote, ordered, reacted with or noted."""
    entry = decoded(_ENTRY, payload)
    text = entry.text or ""
    match entry.type:
        case "message" if entry.role in ("assistant", "agent"):
            proactive = bool(entry.proactive)
            return [Event("message", "recalled", text, entry.role, proactive=proactive)]
        case "message":
            parts = list(spoken(text)) or [("system", "")]
            return [
                Event("message", who, part, "user", block, name=entry.name, reply_to=entry.reply_to)
                for block, (who, part) in enumerate(parts)
            ]
        case "command":
            return [_command(entry, text)]
        case "reaction":
            return [
                Event(
                    "reaction", "human", text, "user", name=entry.name, reply_to=entry.reply_to,
                    proactive=bool(entry.proactive), tool_input=_thumb(entry),
                )
            ]  # fmt: skip
        case "note":
            return [Event("note", "human", text, "user", name=entry.name)]
        case "document":
            about = msgspec.json.encode(item_from(entry.item) or IngestedItem()).decode()
            return [
                Event(
                    DOCUMENT, "human", text, "user", name=entry.name, tool_input=about,
                    reply_to=entry.reply_to,
                )
            ]  # fmt: skip
        case "knowledge":
            item = item_from(entry.item) or IngestedItem()
            told = msgspec.json.encode(item).decode()
            return [Event(ITEM, "human", item.words, "user", tool_input=told)]
        case "imported":
            told = msgspec.json.encode(memory_from(entry.item)).decode()
            # A person had it taken in, so its names may come in; that does not make it their word.
            return [
                Event(
                    IMPORTED, "external", text, name=entry.name, trigger="user_message",
                    tool_input=told,
                )
            ]  # fmt: skip
        case offers.OFFER:
            return offers.events(entry.item)
        case str() as decision if decision in DECISION_TYPES:
            return [_decision(decision, entry, text)]
        case str() as kind if entry.does:
            return EFFECTS[entry.does][1](kind, entry.item)
        case _:
            return []


def _thumb(entry: Entry) -> str | None:
    """What a reaction says beside its text, as its input: its strength, and what it means."""
    number = isinstance(entry.strength, int | float) and not isinstance(entry.strength, bool)
    said = ({"strength": entry.strength} if number else {}) | (
        {"meant": entry.meant} if isinstance(entry.meant, dict) else {}
    )
    return msgspec.json.encode(said).decode() if said else None


def _command(entry: Entry, text: str) -> Event:
    verb, _, argument = text.strip().removeprefix("/").partition(" ")
    verb = verb.casefold()
    parts = {"verb": verb, "argument": argument.strip()}
    return Event(
        "command", "human", text, "user", name=entry.name,
        trigger="learn_command" if verb == "learn" else "user_message",
        tool_input=msgspec.json.encode(parts).decode(),
    )  # fmt: skip


def _decision(decision: str, entry: Entry, text: str) -> Event:
    told = ToldDecision(
        decision, entry.thing or "", meant_of(entry.meant), entry.into, entry.reason,
        instant(entry.as_of),
    )  # fmt: skip
    return Event(
        KIND, "human", text or in_words(decision, told.meant, told.reason), "user",
        trigger="user_message", tool_input=msgspec.json.encode(told).decode(),
    )  # fmt: skip


ADAPTER = Adapter(
    name="inbox",
    version=10,
    about="the inbox (JSONL: event_id, type, at, text, …)",
    recognises=recognises,
    head=head,
    events=events,
    rank=0,
)
