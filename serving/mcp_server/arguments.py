"""What tools may be asked besides what every surface is: `cairn.serving.models` has the rest."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from cairn.serving.models.bodies import ScheduleBody, ToldBody
from cairn.serving.models.bounds import Name, Query, Topic
from cairn.serving.models.parameters import AlsoEvents, At, LearningParameters, Turning
from cairn.serving.retrieval.token_budget import BUDGET, SMALLEST

LONGEST_TURN = 100_000
LONGEST_NOTE = 10_000
MOST_TURNS = 50

Note = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NOTE, pattern=r"\S")]
Turn = Annotated[str, StringConstraints(max_length=LONGEST_TURN)]


class ForContext(At):
    """What `get_context` is asked."""

    message: Turn | None = Field(
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
        description="Tokens of the prompt; each of five kinds of memories may take 2/15 of it.",
    )


class EntityAsked(AlsoEvents, Turning):
    """What `get_entity` is asked."""

    entity: Name = Field(description="An entity_id, a name or an alias.")


class Learnings(LearningParameters):
    """What `get_learnings` is asked."""

    query: Query | None = Field(
        None, description="What they should be about; without it, the surest come first."
    )


class OneThing(AlsoEvents):
    """What `explain_fact` is asked."""

    id: Name = Field(description="The id of a fact, learning, episode, record or conversation.")


class Feedback(ToldBody):
    """What `record_feedback` is told."""

    id: Name = Field(description="A fact_id or a learning_id.")
    verdict: Literal["right", "wrong"] = Field(
        description="Of a fact: true, or not true. Of a learning: helpful, or not."
    )
    reason: Note | None = Field(None, description="Why; kept beside what is said of a fact.")


class Attitude(ToldBody):
    """What `set_preference` is told."""

    verb: Literal["like", "unlike", "dislike", "undislike", "mute", "unmute"] = Field(
        description="What the person thinks of it; `un…` takes that back."
    )
    topic: Topic = Field(description="What it is about, in the person's words, or a known name.")


class ToRemember(ToldBody):
    """What `remember` is told."""

    text: Note = Field(description="What the person wants to be remembered, in their own words.")


class ToSchedule(ScheduleBody):
    """What `schedule` is told; what is no time is told in words."""

    every: Annotated[str, StringConstraints(min_length=1, max_length=20)] = Field(
        description="How often: 12h, 3d, week, 2 weeks, month; `never` ends it."
    )
