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
from cairn.serving.retrieval.token_budget import LARGEST_BRIEF, SMALLEST_BRIEF


class Parameters(BaseModel):
    """What stands behind the `?`; what is not named here is refused."""

    model_config = ConfigDict(extra="forbid")

    namespace: bounds.Namespace | None = Field(
        None, description="Whose memory; the only one that you may read, if unset.",
        examples=["samples"],
    )  # fmt: skip


class At(Parameters):
    """Whose memory, and from when it is looked at."""

    as_of: bounds.Moment | None = Field(
        None, description="What was known then; by the latest event if unset.",
        examples=["2026-03-15T00:00:00Z"],
    )  # fmt: skip
    true_at: bounds.Moment | None = Field(
        None, description="Of what is known, what was true then; at `as_of` if unset.",
        examples=["2026-03-15"],
    )  # fmt: skip


def moments(wanted: BaseModel | None) -> tuple[datetime | None, datetime | None]:
    """`as_of` and `true_at` of whatever is asked; what has neither is about the latest event."""
    return (wanted.as_of, wanted.true_at) if isinstance(wanted, At) else (None, None)


class AlsoEvents(At, defer_build=True):
    """One thing, with what only happened where that is asked for."""

    events: bool = ALSO_EVENTS


class Paged(Parameters, defer_build=True):
    """A list as of the latest event, page by page."""

    limit: int = Field(20, ge=1, le=100, description="Rows of a page, at most.", examples=[2])
    cursor: bounds.Cursor | None = Field(None, description="`next` of the page before.")


class Turning(At, Paged):
    """A list, page by page."""


class LessonParameters(At, defer_build=True):
    """An error, as it was printed."""

    error: bounds.Output = Field(
        description="A line of it, or the whole output.",
        examples=["fatal: The current branch harbour-12 has no upstream branch."],
    )
    project: bounds.Name | None = Field(
        None, description="Only what was seen in this folder, or one of that name.",
        examples=["lantern-shop"],
    )  # fmt: skip
    limit: bounds.Whole = Field(3, ge=1, le=20, description="Fixes, at most.", examples=[3])


class BriefParameters(At, defer_build=True):
    """A project, and how much may be told of it."""

    project: bounds.Name | None = Field(
        None, description="Its name, or a path in it; else the one that was worked on last.",
        examples=["lantern-shop"],
    )  # fmt: skip
    budget: bounds.Whole = Field(
        400, ge=SMALLEST_BRIEF, le=LARGEST_BRIEF, description="Tokens, at most.", examples=[400]
    )


class UtilityParameters(Parameters, defer_build=True):
    """How many single pieces."""

    limit: bounds.Whole = Field(
        20, ge=1, le=1_000, description="Rows of single pieces, at most.", examples=[20]
    )


class Searched(BaseModel, defer_build=True):
    """What is searched for, and what results must be besides."""

    query: bounds.Query = Field(description="In any words.", examples=["npm or pnpm"])
    type: Literal["facts", "episodes", "learnings", "entities", "both", "all"] = Field(
        "both", description="both: facts and episodes; all: learnings too.", examples=["all"]
    )
    limit: bounds.Whole = Field(5, ge=1, le=100, description="Results, at most.", examples=[3])
    min_confidence: bounds.Share | None = Field(
        None, description="Least confidence at `as_of`; 0.3 if unset.", examples=[0.3]
    )
    entity: bounds.Name | None = Field(
        None, description="Only about this one: its id, name or alias.", examples=["lantern-shop"]
    )
    predicate: bounds.Word | None = Field(
        None, description="Only facts with this predicate.", examples=["states"]
    )
    status: bounds.Status | None = Field(
        None, description="Only facts of this status; those in force if unset.",
        examples=["active"],
    )  # fmt: skip
    category: Category | None = Field(None, description="Only learnings of this category.")
    knowledge_type: bounds.KnowledgeType | None = Field(
        None, description="Only facts of this type."
    )
    events: bool = ALSO_EVENTS
    source: bounds.Word | None = Field(
        None, description="Only from this kind of logs.", examples=["claude_code"]
    )
    from_day: bounds.Day | None = Field(
        None,
        description="Of this day or later; if unset, as words of the query say.",
        examples=["2026-02-01"],
    )
    to_day: bounds.Day | None = Field(
        None, description="Of this day or before.", examples=["2026-03-31"]
    )


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

    query: bounds.Query | None = Field(
        None, description="The nearest to this first, on one page; else the surest first."
    )


class TalkParameters(Talks, Turning):
    """Which episodes, or conversations, are listed."""


class RecentParameters(Turning):
    """What of late is listed."""

    kind: list[bounds.Kind] = Field(
        default=["fact", "learning", "episode"], min_length=1, max_length=3,
        description="Only these, of one or several.", examples=[["fact", "learning"]],
    )  # fmt: skip
    since: bounds.Moment | None = Field(None, description="Then or later.", examples=["2026-02-01"])


class GraphParameters(At, defer_build=True):
    """How much of the graph."""

    depth: int = Field(1, ge=1, le=4, description="Steps from the entity, at most.", examples=[2])
    limit: int = Field(100, ge=1, le=1_000, description="Relations, at most.", examples=[10])
    events: bool = Field(False, description=f"Also by events: {RELATING_EVENTS}.")


class ResearchParameters(Parameters, defer_build=True):
    """How much of each list of searches."""

    limit: int = Field(20, ge=1, le=100, description="Rows of each list, at most.", examples=[2])
