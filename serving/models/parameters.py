"""What queries may be asked, with the bounds of each part.

Commands need but the words of it: what checks the bounds is built (`defer_build`) with the queries.
"""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from cairn.knowledge.schema.learning_categories import Category
from cairn.knowledge.schema.predicates import RELATING_EVENTS
from cairn.serving.query.filters import ALSO_EVENTS, EntityFilter, FactFilter, LearningFilter, Talks
from cairn.serving.read import bounds
from cairn.serving.read.bounds import optional
from cairn.serving.retrieval.token_budget import LARGEST_BRIEF, SMALLEST_BRIEF


class Parameters(BaseModel):
    """What stands behind the `?`; what is not named here is refused."""

    model_config = ConfigDict(extra="forbid")

    namespace: bounds.Namespace | None = optional(
        None, "Whose memory; the only one that you may read, if unset.", "samples"
    )


class At(Parameters):
    """Whose memory, and from when it is looked at."""

    as_of: bounds.Moment | None = optional(
        None, "What was known then; by the latest event if unset.", "2026-03-15T00:00:00Z"
    )
    true_at: bounds.Moment | None = optional(
        None, "Of what is known, what was true then; at `as_of` if unset.", "2026-03-15"
    )


def moments(wanted: BaseModel | None) -> tuple[datetime | None, datetime | None]:
    """`as_of` and `true_at` of whatever is asked; what has neither is about the latest event."""
    return (wanted.as_of, wanted.true_at) if isinstance(wanted, At) else (None, None)


class AlsoEvents(At, defer_build=True):
    """One thing, with what only happened where that is asked for."""

    events: bool = ALSO_EVENTS


class Paged(Parameters, defer_build=True):
    """A list as of the latest event, page by page."""

    limit: int = optional(20, "Rows of a page, at most.", 2, ge=1, le=100)
    cursor: bounds.Cursor | None = optional(None, "`next` of the page before.")


class Turning(At, Paged):
    """A list, page by page."""


class LessonParameters(At, defer_build=True):
    """An error, as it was printed."""

    error: bounds.Output = Field(
        description="A line of it, or the whole output.",
        examples=["fatal: The current branch harbour-12 has no upstream branch."],
    )
    project: bounds.Name | None = optional(
        None, "Only what was seen in this folder, or one of that name.", "lantern-shop"
    )
    limit: bounds.Whole = optional(3, "Fixes, at most.", 3, ge=1, le=20)


class BriefParameters(At, defer_build=True):
    """A project, and how much may be told of it."""

    project: bounds.Name | None = optional(
        None, "Its name, or a path in it; else the one that was worked on last.", "lantern-shop"
    )
    budget: bounds.Whole = optional(
        400, "Tokens, at most.", 400, ge=SMALLEST_BRIEF, le=LARGEST_BRIEF
    )


class UtilityParameters(Parameters, defer_build=True):
    """How many single pieces."""

    limit: bounds.Whole = optional(20, "Rows of single pieces, at most.", 20, ge=1, le=1_000)


class Searched(BaseModel, defer_build=True):
    """What is searched for, and what results must be besides."""

    query: bounds.Query = Field(description="In any words.", examples=["npm or pnpm"])
    type: Literal["facts", "episodes", "learnings", "entities", "both", "all"] = optional(
        "both", "both: facts and episodes; all: learnings too.", "all"
    )
    limit: bounds.Whole | None = optional(
        None, "Results, at most; `policy.search_limit` (5) if unset.", 3, ge=1, le=100
    )
    min_confidence: bounds.Share | None = optional(
        None, "Least confidence at `as_of`; 0.3 if unset.", 0.3
    )
    entity: bounds.Name | None = optional(
        None, "Only about this one: its id, name or alias.", "lantern-shop"
    )
    predicate: bounds.Word | None = optional(None, "Only facts with this predicate.", "states")
    status: bounds.Status | None = optional(
        None, "Only facts of this status; those in force if unset.", "active"
    )
    category: Category | None = optional(None, "Only learnings of this category.")
    knowledge_type: bounds.KnowledgeType | None = optional(None, "Only facts of this type.")
    events: bool = ALSO_EVENTS
    source: bounds.Word | None = optional(None, "Only from this kind of logs.", "claude_code")
    from_day: bounds.Day | None = optional(
        None, "Of this day or later; if unset, as words of the query say.", "2026-02-01"
    )
    to_day: bounds.Day | None = optional(None, "Of this day or before.", "2026-03-31")


class SearchParameters(At, Searched):
    """A search."""


class FactParameters(FactFilter, Turning):
    """Which facts are listed."""


class AboutParameters(AlsoEvents, Turning):
    """Whom, or what, and which page of its facts."""

    entity: bounds.Name = Field(description="Its id, name or alias.", examples=["harbor-backup"])


class EntityParameters(EntityFilter, Turning):
    """Which entities are listed."""


class LearningParameters(LearningFilter, Turning):
    """Which learnings are listed."""

    query: bounds.Query | None = optional(
        None, "The nearest to this first, on one page; else the surest first."
    )


class TalkParameters(Talks, Turning):
    """Which episodes, or conversations, are listed."""


class RecentParameters(Turning):
    """What of late is listed."""

    kind: list[bounds.Kind] = optional(
        ["fact", "learning", "episode"],
        "Only these, of one or several.",
        ["fact", "learning"],
        min_length=1,
        max_length=3,
    )
    since: bounds.Moment | None = optional(None, "Then or later.", "2026-02-01")


class GraphParameters(At, defer_build=True):
    """How much of the graph."""

    depth: int = optional(1, "Steps from the entity, at most.", 2, ge=1, le=4)
    limit: int = optional(100, "Relations, at most.", 10, ge=1, le=1_000)
    events: bool = optional(False, f"Also by events: {RELATING_EVENTS}.")


class MessageParameters(At, Paged, defer_build=True):
    """A conversation, page by page."""


class RecordParameters(At, defer_build=True):
    """How much of what stands around a record."""

    around: bounds.Whole = optional(2, "Records before it, and after it.", 2, ge=0, le=20)


class ReviewParameters(Parameters, defer_build=True):
    """What of all that waits."""

    kind: bounds.ReviewKind | None = optional(None, "Only of this kind.", "pairs")
    limit: bounds.Whole = optional(20, "Of each kind, at most.", 20, ge=1, le=100)


class RowParameters(Parameters, defer_build=True):
    """How many rows."""

    limit: bounds.Whole = optional(20, "Rows, at most.", 20, ge=1, le=1_000)


class ChangeParameters(Parameters, defer_build=True):
    """Which two publications are compared."""

    since: bounds.Whole = optional(
        1, "The earlier one, counted back from the one in force.", 1, ge=0, le=100
    )
    until: bounds.Whole = optional(0, "The later one; 0 is in force.", 0, ge=0, le=100)
    limit: bounds.Whole = optional(20, "Rows of each kind, at most.", 20, ge=1, le=1_000)


class CostParameters(Parameters, defer_build=True):
    """How costs are added up."""

    by: list[bounds.CostColumn] = optional(
        ["day", "prompt", "model"], "By these, one or several.", ["day"], max_length=5
    )
    since: bounds.Moment | None = optional(None, "Then or later.", "2026-02-01")
    limit: bounds.Whole = optional(20, "Rows, at most.", 20, ge=1, le=1_000)


class ResearchParameters(Parameters, defer_build=True):
    """How much of each list of searches."""

    limit: int = optional(20, "Rows of each list, at most.", 2, ge=1, le=100)
