"""What tools may be asked, with the bounds of each part. What is not named here is refused."""

from collections.abc import Callable, Collection
from datetime import date, datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, WithJsonSchema

from knowledge.schema.learning_categories import CATEGORIES
from knowledge.schema.predicates import OBSERVED_TYPES
from serving.query.listing import RECENT
from serving.read.moments import as_moment
from serving.read.pagination import CURSOR
from serving.retrieval.token_budget import BUDGET, SMALLEST
from serving.write.requests import TOPIC_SCHEMA

LONGEST_QUERY = 2_000
LONGEST_NAME = 200
LONGEST_TURN = 100_000
LONGEST_NOTE = 10_000
MOST_TURNS = 50
MOST_ROWS = 100

ENTITY_TYPES = sorted(OBSERVED_TYPES | {"topic"})


def _one_of(names: Collection[str]) -> Callable[[str], str]:
    def checked(value: str) -> str:
        if value not in names:
            raise ValueError(f"one of: {', '.join(names)}")
        return value

    return checked


Query = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUERY, pattern=r"\S")]
Name = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME, pattern=r"\S")]
Cursor = Annotated[str, WithJsonSchema({"type": "string", "pattern": CURSOR})]
Topic = Annotated[Name, WithJsonSchema(TOPIC_SCHEMA)]
Note = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NOTE, pattern=r"\S")]
Turn = Annotated[str, StringConstraints(max_length=LONGEST_TURN)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Moment = Annotated[datetime, AfterValidator(as_moment)]
Category = Annotated[
    str,
    AfterValidator(_one_of(CATEGORIES)),
    WithJsonSchema({"type": "string", "enum": list(CATEGORIES)}),
]
EntityType = Annotated[
    str,
    AfterValidator(_one_of(ENTITY_TYPES)),
    WithJsonSchema({"type": "string", "enum": ENTITY_TYPES}),
]
Kind = Annotated[
    str,
    AfterValidator(_one_of(RECENT)),
    WithJsonSchema({"type": "string", "enum": list(RECENT)}),
]


class Arguments(BaseModel):
    """What every tool may be asked."""

    model_config = ConfigDict(extra="forbid")


class At(Arguments):
    """From when memory is looked at."""

    as_of: Moment | None = Field(
        None, description="What was known then (ISO 8601); by the latest event if unset."
    )
    true_at: Moment | None = Field(
        None, description="Of what is known, what was true then; at as_of if unset."
    )


class Paged(Arguments):
    """A list as of the latest event, page by page."""

    limit: int = Field(20, ge=1, le=MOST_ROWS, description="Rows of a page, at most.")
    cursor: Cursor | None = Field(None, description="`next` of the page before.")


class Turning(At, Paged):
    """A list, page by page."""


class Search(At):
    """What `search_memory` is asked."""

    query: Query = Field(description="What to find, in words. Words such as `in May` say when.")
    search_type: Literal["facts", "episodes", "learnings", "both", "all"] = Field(
        "both", description="both = facts and episodes; all = learnings, too."
    )
    limit: int = Field(5, ge=1, le=MOST_ROWS, description="Results, at most.")
    min_confidence: Share = Field(0.3, description="Least confidence of a result.")
    entity: Name | None = Field(
        None, description="Only facts about this: a name, an alias or an entity_id."
    )
    from_day: date | None = Field(None, description="Only what is of this day or later.")
    to_day: date | None = Field(None, description="Only what began by this day.")


class ForContext(At):
    """What `get_context` is asked."""

    message: Annotated[str, StringConstraints(max_length=LONGEST_TURN)] | None = Field(
        None, description="The message that is being answered: what is known of it."
    )
    turns: list[Turn] = Field(
        default_factory=list[str],
        max_length=MOST_TURNS,
        description="What was said before it, the latest last: what bears on the last two.",
    )
    budget: int = Field(
        BUDGET,
        ge=SMALLEST,
        le=100_000,
        description="Tokens of the prompt; each of four kinds of memories may take 2/15 of it.",
    )


class OneEntity(Turning):
    """What `get_entity` is asked."""

    entity: Name = Field(description="An entity_id, a name or an alias.")


class Entities(Turning):
    """What `list_entities` is asked."""

    name: Name | None = Field(None, description="A part of the name, or of an alias.")
    type: EntityType | None = Field(None, description="Only of this type.")


class Learnings(Turning):
    """What `get_learnings` is asked."""

    query: Query | None = Field(
        None, description="What they should be about; without it, the surest come first."
    )
    category: Category | None = Field(None, description="Only of this category.")
    min_confidence: Share = Field(0.0, description="Least confidence.")


class Recent(Turning):
    """What `recent_activity` is asked."""

    kinds: list[Kind] = Field(
        default_factory=lambda: list(RECENT), min_length=1, max_length=len(RECENT),
        description="What to list.",
    )  # fmt: skip
    since: Moment | None = Field(None, description="From then on (ISO 8601).")


class Research(Arguments):
    """What `list_research` is asked."""

    limit: int = Field(20, ge=1, le=MOST_ROWS, description="Rows of each list, at most.")


class OneThing(At):
    """What `explain_fact` is asked."""

    id: Name = Field(description="The id of a fact, learning, episode, record or conversation.")


class Told(Arguments):
    """What every tool that writes may be told."""

    event_id: UUID | None = Field(
        None, description="Send the same again with a retry, and nothing is written twice."
    )


class Feedback(Told):
    """What `record_feedback` is told."""

    id: Name = Field(description="A fact_id or a learning_id.")
    verdict: Literal["right", "wrong"] = Field(
        description="Of a fact: true, or not true. Of a learning: helpful, or not."
    )
    reason: Note | None = Field(None, description="Why; kept beside what is said of a fact.")


class Attitude(Told):
    """What `set_preference` is told."""

    verb: Literal["like", "unlike", "dislike", "undislike", "mute", "unmute"] = Field(
        description="What the person thinks of it; `un…` takes that back."
    )
    topic: Topic = Field(description="What it is about, in the person's words, or a known name.")


class ToRemember(Told):
    """What `remember` is told."""

    text: Note = Field(description="What the person wants to be remembered, in their own words.")


class ToLearn(Told):
    """What `learn` is told."""

    topic: Topic = Field(description="What the person wants to know more about, in a few words.")


class ToSchedule(Told):
    """What `schedule` is told."""

    topic: Topic = Field(description="What is to be searched for, in a few words.")
    every: Annotated[str, StringConstraints(min_length=1, max_length=20)] = Field(
        description="How often: 12h, 3d, week, 2 weeks, month; `never` ends it."
    )


class ToForget(Told):
    """What `forget` is told."""

    id: Name = Field(
        description="The whole id of a fact, entity, record, episode or conversation, or the name"
        " of one entity; with the thing `namespace`, its name; everywhere, any words."
    )
    thing: Literal["fact", "entity", "record", "conversation", "name", "namespace"] | None = Field(
        None,
        description="What it must be of. All of a namespace goes only where this says so.",
    )
    everywhere: bool = Field(
        False, description="Every line that has any name of the entity, or these words."
    )
    dry_run: bool = Field(
        True, description="Only tell what would go, and what would stay; false forgets it."
    )
