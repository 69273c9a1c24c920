"""What requests may say, with the bounds of each part."""

import re
from datetime import date, datetime
from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    WithJsonSchema,
)

from knowledge.schema.learning_categories import Category
from knowledge.schema.predicates import EVENTS, RELATING_EVENTS
from resources.home.home import NAMESPACE
from serving.read.moments import as_moment
from serving.read.pagination import CURSOR
from serving.retrieval.token_budget import BUDGET, SMALLEST
from serving.write.requests import TOPIC_SCHEMA

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


def _moment(value: object) -> datetime:
    """A time of RFC 3339, or a day: its first moment, UTC.

    Raises:
        ValueError: it is neither.
    """
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        raise ValueError("no time such as 2026-03-01 or 2026-03-01T12:00:00Z")
    return as_moment(datetime.fromisoformat(value))


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
Topic = Annotated[Name, WithJsonSchema(TOPIC_SCHEMA)]
Query = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUERY, pattern=_WORDY)]
Word = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
Turn = Annotated[str, StringConstraints(max_length=LONGEST_TURN)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TEXT)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


def _id_of(what: str, example: str) -> Any:
    """An id in a path, as its letter and 16 hexadecimal digits."""
    pattern = rf"^{example[0]}_[0-9a-f]{{16}}$"
    return Path(pattern=pattern, description=f"Id of the {what}.", examples=[example])


FactId = Annotated[str, _id_of("fact", "f_1c0ad2398567ecbb")]
EntityId = Annotated[str, _id_of("entity", "e_a4160f63031a50c7")]
LearningId = Annotated[str, _id_of("learning", "l_3c654be75baee14b")]
EpisodeId = Annotated[str, _id_of("episode", "r_bb2c0d0b011bcbb2")]
RecordId = Annotated[str, _id_of("record", "r_bb2c0d0b011bcbb2")]

AnyId = Annotated[str, StringConstraints(pattern=f"^[^{_SPACES}/]{{3,{LONGEST_NAME}}}$")]
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


class Parameters(BaseModel):
    """What stands behind the `?`; what is not named here is refused."""

    model_config = ConfigDict(extra="forbid")

    namespace: Namespace | None = Field(
        None, description="Whose memory; the only one that you may read, if unset.",
        examples=["samples"],
    )  # fmt: skip


class At(Parameters):
    """Whose memory, and from when it is looked at."""

    as_of: Moment | None = Field(
        None, description="What was known then; by the latest event if unset.",
        examples=["2026-03-15T00:00:00Z"],
    )  # fmt: skip
    true_at: Moment | None = Field(
        None, description="Of what is known, what was true then; at `as_of` if unset.",
        examples=["2026-03-15"],
    )  # fmt: skip


class Paged(Parameters):
    """A list as of the latest event, page by page."""

    limit: int = Field(20, ge=1, le=100, description="Rows of a page, at most.", examples=[2])
    cursor: str | None = Field(
        None, pattern=CURSOR, description="`next` of the page before.",
    )  # fmt: skip


class Turning(At, Paged):
    """A list, page by page."""


class Searched(BaseModel):
    """What is searched for, and what results must be besides."""

    query: Query = Field(description="In any words.", examples=["npm or pnpm"])
    type: Literal["facts", "episodes", "learnings", "entities", "both", "all"] = Field(
        "both", description="both: facts and episodes; all: learnings too.", examples=["all"]
    )
    limit: Whole = Field(5, ge=1, le=100, description="Results, at most.", examples=[3])
    min_confidence: Share | None = Field(
        None, description="Least confidence at `as_of`; 0.3 if unset.", examples=[0.3]
    )
    entity: Name | None = Field(
        None, description="Only about this one: its id, name or alias.", examples=["lantern-shop"]
    )
    predicate: Word | None = Field(
        None, description="Only facts with this predicate.", examples=["states"]
    )
    status: Status | None = Field(
        None, description="Only facts of this status; those in force if unset.",
        examples=["active"],
    )  # fmt: skip
    category: Category | None = Field(None, description="Only learnings of this category.")
    knowledge_type: KnowledgeType | None = Field(None, description="Only facts of this type.")
    source: Word | None = Field(
        None, description="Only from this kind of logs.", examples=["claude_code"]
    )
    from_day: Day | None = Field(
        None,
        description="Of this day or later. Where no days are given, words of the query that say"
        " when are read as days.",
        examples=["2026-02-01"],
    )
    to_day: Day | None = Field(None, description="Of this day or before.", examples=["2026-03-31"])


class SearchParameters(At, Searched):
    """A search."""


class SearchBody(Searched):
    """A search whose words stand in no address, and so in no log of a proxy."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ContextBody(BaseModel):
    """What was said so far."""

    model_config = ConfigDict(extra="forbid", strict=True)

    turns: list[Turn] = Field(
        default=[],
        max_length=MOST_TURNS,
        description="What was said before, the latest last, without what is being answered.",
        examples=[["The nightly backup failed", "It could not wake the NAS"]],
    )
    message: Turn | None = Field(
        None, description="What is being answered.", examples=["Why does harbor-backup fail?"]
    )
    tool_results: list[Turn] = Field(
        default=[], max_length=MOST_TURNS, description="What tools gave, the latest last.",
        examples=[["ssh: connect to host nas port 22: No route to host"]],
    )  # fmt: skip
    system: Turn = Field(
        "", description="Instructions, profile, whatever else is to fill the rest.",
        examples=["You help with a home-lab."],
    )  # fmt: skip
    budget: Whole = Field(
        BUDGET, ge=SMALLEST, le=100_000, description="Tokens of the whole text, at most.",
        examples=[800],
    )  # fmt: skip


class KnowledgeBody(BaseModel):
    """A question to the three layers: profiles, pieces, and the graph around an entity."""

    model_config = ConfigDict(extra="forbid", strict=True)

    query: Annotated[str, StringConstraints(max_length=LONGEST_QUERY)] = Field(
        "", description="What is asked; an empty one searches no pieces.",
        examples=["why does the backup fail?"],
    )  # fmt: skip
    entity: Name | None = Field(
        None,
        description="For whom, or about what, it is asked, by id or name: its profile and its place"
        " in the graph are part of the answer.",
        examples=["harbor-backup"],
    )
    about_it: bool = Field(
        False, description="Search only pieces about that entity, or about none.", examples=[True]
    )
    top_k: Whole = Field(5, ge=0, le=100, description="Pieces of the search, at most.",
                         examples=[3])  # fmt: skip
    knowledge_types: list[KnowledgeType] | None = Field(
        None, min_length=1, max_length=6, description="Only pieces of these types.",
        examples=[["fact", "procedure"]],
    )  # fmt: skip
    tags: list[Name] = Field(
        default=[], max_length=10, description="Only pieces that have all of these.",
        examples=[["backup"]],
    )  # fmt: skip
    graph_traversal_depth: Whole = Field(
        1, ge=0, le=3, description="Steps from the entity along the graph, at most.", examples=[1]
    )


class FactParameters(Turning):
    """Which facts are listed."""

    entity: Name | None = Field(
        None, description="Only about this one: its id, name or alias.", examples=["lantern-shop"]
    )
    predicate: Word | None = Field(
        None, description="Only with this predicate.", examples=["states"]
    )
    status: Status | None = Field(None, description="Only of this status.", examples=["active"])
    knowledge_type: KnowledgeType | None = Field(None, description="Only of this type.")
    min_confidence: Share = Field(0.0, description="Least confidence at `as_of`.", examples=[0.3])
    structural: bool = Field(False, description=f"Also {EVENTS}, which are many.")
    since: Moment | None = Field(
        None, description="Last said then or later.", examples=["2026-02-01"]
    )
    until: Moment | None = Field(None, description="Last said before.", examples=["2026-04-01"])


class EntityParameters(Turning):
    """Which entities are listed."""

    type: EntityType | None = Field(None, description="Only of this type.", examples=["project"])
    name: Name | None = Field(
        None, description="A part of the name, or of an alias, in any case.", examples=["shop"]
    )


class LearningParameters(Turning):
    """Which learnings are listed."""

    category: Category | None = Field(
        None, description="Only of this category.", examples=["bug_fix"]
    )
    tag: Name | None = Field(None, description="Only with this tag.", examples=["python"])
    conversation: AnyId | None = Field(None, description="Only of this conversation.")
    min_confidence: Share = Field(0.0, description="Least confidence.", examples=[0.6])
    since: Moment | None = Field(
        None, description="First found then or later.", examples=["2026-02-01"]
    )
    until: Moment | None = Field(None, description="First found before.", examples=["2026-04-01"])


class TalkParameters(Turning):
    """Which episodes, or conversations, are listed."""

    conversation: AnyId | None = Field(None, description="Only of this conversation.")
    project: Name | None = Field(
        None,
        description="Only of this project: its folder, or its name.",
        examples=["lantern-shop"],
    )
    since: Moment | None = Field(None, description="Begun then or later.", examples=["2026-02-01"])
    until: Moment | None = Field(None, description="Begun before.", examples=["2026-04-01"])


class RecentParameters(Turning):
    """What of late is listed."""

    kind: list[Kind] = Field(
        default=["fact", "learning", "episode"], min_length=1, max_length=3,
        description="Only these; may be given several times.", examples=[["fact", "learning"]],
    )  # fmt: skip
    since: Moment | None = Field(None, description="Then or later.", examples=["2026-02-01"])


class GraphParameters(At):
    """How much of the graph."""

    depth: int = Field(1, ge=1, le=4, description="Steps from the entity, at most.", examples=[2])
    limit: int = Field(100, ge=1, le=1_000, description="Relations, at most.", examples=[10])
    structural: bool = Field(False, description=f"Also by {RELATING_EVENTS}, which are many.")


class ResearchParameters(Parameters):
    """How much of each list of searches."""

    limit: int = Field(20, ge=1, le=100, description="Rows of each list, at most.", examples=[2])
