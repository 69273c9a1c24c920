"""What a drafted learning is, whoever drafted it: a rule today, a model later."""

from datetime import datetime

import msgspec

from cairn.knowledge.dialogue.trust import AGENT


class Factors(msgspec.Struct, frozen=True):
    """The four factors, each 1.0, 0.7, 0.4 or 0.0."""

    actionability: float
    generalizability: float
    clarity: float
    evidence: float


class Quote(msgspec.Struct, frozen=True):
    """Words of a record: `text` equals the record's text from `start` (code points) on."""

    record_id: str
    text: str
    role: str
    start: int


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A learning before it is judged.

    `refused` says why it is not stored; None if it may be. `occurred_at` is the time of its last
    evidence; None if that is undated.
    """

    category: str
    title: str
    content: str
    tags: list[str]
    factors: Factors
    evidence: list[str]
    """record_ids of messages, calls and results, in order."""
    quotes: list[Quote]
    summary: str
    signals: list[str]
    extractor: str
    occurred_at: datetime | None = None
    confidence: float = 0.0
    refused: str | None = None
    trust: str = AGENT
    """Whose word it is: see knowledge/dialogue/trust.py."""
    shortcut: str | None = None
    """The kind of shortcut that it teaches; None if it teaches none."""


def encode(drafts: list[Draft]) -> str:
    """Drafts as JSON."""
    return msgspec.json.encode(drafts).decode()


def decode(text: str) -> list[Draft]:
    """Drafts from JSON.

    Raises:
        msgspec.ValidationError: it is no list of drafts.
    """
    return msgspec.json.decode(text, type=list[Draft])
