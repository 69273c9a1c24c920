"""What a person decides about facts and entities, as an event of the inbox says it.

An event names what it is about by id and by content, so that it can be found again when ids change:
the type and name of an entity; of a fact also its predicate and object. The content is kept as it
is shown, and compared in the canonical form of the day.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

CHANNEL = "decisions"
"""Channel of decisions: they join no conversation, and none is longer for them. However long nobody
decides it is one, so that what is decided later is read with what it takes back."""

KIND = "decision"
"""Kind of such a row of raw_logs: no rule but `correction` reads it."""

MERGE, UNMERGE, KEEP_APART = "merge", "unmerge", "keep_apart"
CORRECT, CONFIRM, RETRACT = "correct", "confirm", "retract"
ABOUT_ONE = frozenset({CORRECT, CONFIRM, RETRACT})
"""Decisions about facts one by one; the others are about pairs."""
UNDO = "undo"
"""Of another decision, as if nobody had made it; of an undo, that it holds again."""
DISMISS = "dismiss"
"""Of what waits in review and is neither fact nor entity: it stays as it is, and waits no more."""
DECISION_TYPES = frozenset({MERGE, UNMERGE, KEEP_APART, CORRECT, CONFIRM, RETRACT, UNDO, DISMISS})

FACT, ENTITY, DECISION, IN_REVIEW = "fact", "entity", "decision", "review"


class DecidedThing(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a decision names: a fact, an entity; another decision, or what waits, without words."""

    id: str
    type: str
    """Type of the entity; of a fact, of what it is about; of a decision, which one it is; of what
    waits, the kind."""
    entity: str = ""
    predicate: str = ""
    object: str = ""
    """Of a decision the id of its event: that of its record is of its namespace."""

    @property
    def shown(self) -> str:
        """What a person reads of it."""
        if not self.entity:  # of a decision its event stands in `object`
            return f"{self.type.replace('_', ' ')} {self.id}"
        return self.object or f"{self.entity} ({self.type})"


class ToldDecision(msgspec.Struct, frozen=True, omit_defaults=True):
    """A decision without its time and its text."""

    decision: str
    """One of DECISION_TYPES."""
    thing: str
    """fact, entity, decision or review."""
    meant: tuple[DecidedThing, ...]
    """Of an unmerge, the first is taken from the others; of a correction, the first is corrected,
    and the others, merged into it, go with it."""
    into: str | None = None
    """Id of the one that stays, of a merge."""
    reason: str | None = None
    as_of: str | None = None
    """The moment that the person looked at, if not that of the decision."""


_TOLD = msgspec.json.Decoder(ToldDecision)


def told_of(tool_input: str | None) -> ToldDecision | None:
    """What the `tool_input` of a decision's row says; None if it says nothing that can be read."""
    try:
        return _TOLD.decode(tool_input or "")
    except msgspec.DecodeError:
        return None


def meant_of(given: Any) -> tuple[DecidedThing, ...]:
    """What an event names; what has not the form of a fact or an entity is left out."""
    return tuple(one for one in map(_meant, given if isinstance(given, list) else []) if one)


def _meant(given: Any) -> DecidedThing | None:
    try:
        return msgspec.convert(given, DecidedThing)
    except msgspec.ValidationError:
        return None


def undone(latest_first: Iterable[tuple[str, str, Iterable[str]]]) -> dict[str, str]:
    """What undos take back: ids of decisions, and of the undo of each; one undone undoes nothing.

    Args:
        latest_first: Id, type, and ids that it names, of each decision.
    """
    found: dict[str, str] = {}
    for id_, decision, named in latest_first:
        if decision == UNDO and id_ not in found:
            found |= dict.fromkeys(named, id_)
    return found


def in_words(decision: str, meant: Iterable[DecidedThing], reason: str | None) -> str:
    """What a person reads of a decision that has no text of its own."""
    named = "; ".join(f"“{one.shown}”" for one in meant)
    because = f" ({reason})" if reason else ""
    return f"{decision.replace('_', ' ')}: {named}{because}"
