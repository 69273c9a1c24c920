"""The bounds of what may be asked and told, part by part."""

import re
from contextlib import suppress
from datetime import date, datetime
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    StringConstraints,
    ValidationInfo,
    WithJsonSchema,
)

from cairn.knowledge.extraction.validation import LONGEST_STATEMENT
from cairn.resources.home.home import NAMESPACE
from cairn.serving.read.moments import as_moment
from cairn.serving.read.pagination import CURSOR

LONGEST_QUERY = 2_000
LONGEST_NAME = 200
MOST_TURNS = 10
LONGEST_TURN = 20_000
LONGEST_TEXT = 100_000
"""Characters of an event. Whatever has these bounds is less than the largest body, however it is
escaped."""

_TIME = re.compile(
    r"\d{4}-\d\d-\d\d(?:[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d))?", re.ASCII
)
_SPACES = r"\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""White space as Python has it, and control characters; `\\s` is another set in each dialect."""
_ANY = r"[^\x00-\x08\x0e-\x1f\x7f]*"
_WORDY = f"^{_ANY}[^{_SPACES}]{_ANY}$"
"""Something besides white space, and no control characters."""


_PLAIN = r"[^\x00-\x08\x0e-\x1f\x7f-\x9f]*"
TOPIC_SCHEMA: dict[str, Any] = {
    "type": "string",
    "minLength": 1,
    "maxLength": LONGEST_NAME,
    "pattern": rf"^{_PLAIN}[\p{{L}}\p{{N}}]{_PLAIN}$",
    "not": {"pattern": r"(^|\s)--"},
}
"""Texts that are taken for a topic, as JSON Schema: a letter or digit, no option, no controls."""


def optional(default: object, about: str, *example: object, **bounds: Any) -> Any:
    """A field that may be left out: what it is then, what it is for, and an example, if any."""
    shown: dict[str, Any] = {"examples": [*example]} if example else {}
    return Field(default, description=about, **shown, **bounds)


LENIENT = {"lenient": True}
"""Context of a validation in which times may do without seconds and zone, as agents write them."""


def _moment(value: object, asked: ValidationInfo) -> datetime:
    """A time of RFC 3339, or a day: its first moment, UTC.

    Raises:
        ValueError: it is neither.
    """
    if isinstance(value, datetime):
        return as_moment(value)
    if isinstance(value, str) and (asked.context or _TIME.fullmatch(value)):
        with suppress(ValueError):
            return as_moment(datetime.fromisoformat(value))
    raise ValueError("no time such as 2026-03-01 or 2026-03-01T12:00:00Z")


def _day(value: object) -> date:
    """A day of ISO 8601.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.ASCII):
        raise ValueError("no day such as 2026-03-01")
    return date.fromisoformat(value)


def _whole(value: object) -> object:
    """5.0 is an integer of JSON too."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _cursor(value: str, asked: ValidationInfo) -> str:
    """A cursor by its form; agents and people are told by the list itself what is wrong with one.

    Raises:
        ValueError: it is none.
    """
    if not asked.context and not re.fullmatch(CURSOR, value):
        raise ValueError("no cursor that a page has given: begin again without one")
    return value


Cursor = Annotated[
    str, AfterValidator(_cursor), WithJsonSchema({"type": "string", "pattern": CURSOR})
]

Moment = Annotated[
    datetime,
    BeforeValidator(_moment),
    WithJsonSchema({"type": "string", "anyOf": [{"format": "date-time"}, {"format": "date"}]}),
]
"""A time with its zone, or a day."""

Whole = Annotated[int, BeforeValidator(_whole)]

Day = Annotated[date, BeforeValidator(_day), WithJsonSchema({"type": "string", "format": "date"})]

Namespace = Annotated[str, StringConstraints(pattern=f"^{NAMESPACE.pattern}$")]
Name = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME, pattern=_WORDY)]
Sentence = Annotated[
    str, StringConstraints(min_length=1, max_length=LONGEST_STATEMENT, pattern=_WORDY)
]
"""What a person says of one thing: a true sentence, or why."""
Topic = Annotated[Name, WithJsonSchema(TOPIC_SCHEMA)]
Query = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUERY, pattern=_WORDY)]
Output = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TURN)]
Word = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
Turn = Annotated[str, StringConstraints(max_length=LONGEST_TURN)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TEXT)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Id(NamedTuple):
    """An id by which one thing is asked for."""

    name: str
    about: str
    example: str
    pattern: str

    @classmethod
    def of(cls, kind: str, example: str) -> "Id":
        """An id that is its letter and 16 hexadecimal digits."""
        return cls(f"{kind}_id", f"Id of the {kind}.", example, rf"^{example[0]}_[0-9a-f]{{16}}$")


ANY_ID = f"^[^{_SPACES}/]{{3,{LONGEST_NAME}}}$"
AnyId = Annotated[str, StringConstraints(pattern=ANY_ID)]
"""Of a conversation it is whatever its agent called it."""

EventId = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"),
    WithJsonSchema({"type": "string", "format": "uuid"}),
]

Status = Literal[
    "active", "pending_embed", "deprecated", "ended", "not_yet", "merged_into", "quarantined",
    "retracted",
]  # fmt: skip
KnowledgeType = Literal["fact", "instruction", "preference", "procedure", "note", "episodic"]
EntityType = Literal["project", "host", "path", "tool", "package", "system", "person", "topic"]
Kind = Literal["fact", "learning", "episode"]
ReviewKind = Literal[
    "pairs", "entities", "unresolved", "proposals", "lessons", "by_rules", "lines", "retractions",
    "at_once", "slots", "operations",
]  # fmt: skip
CostColumn = Literal["asset", "prompt", "fingerprint", "model", "day"]
