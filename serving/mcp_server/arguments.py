"""What the tools that write are told: `cairn.serving.models` has the rest."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from cairn.serving.models.bodies import ScheduleBody, ToldBody
from cairn.serving.read.bounds import Name, Sentence, Topic

LONGEST_NOTE = 10_000

Note = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NOTE, pattern=r"\S")]


class Feedback(ToldBody):
    """What `record_feedback` is told."""

    id: Name = Field(description="A fact_id or a learning_id.")
    verdict: Literal["right", "wrong"] = Field(description="Of a learning: helpful, or not.")
    reason: Sentence | None = Field(None, description="Why; of a fact alone.")


class Attitude(ToldBody):
    """What `set_preference` is told."""

    verb: Literal["like", "unlike", "dislike", "undislike", "mute", "unmute"] = Field(
        description="`un…` takes it back."
    )
    topic: Topic = Field(
        description="In the person's words, or a known name; what is muted may be an id, too."
    )


class ToRemember(ToldBody):
    """What `remember` is told."""

    text: Note = Field(description="Their words, with names, without `this` or `here`.")


class ToSchedule(ScheduleBody):
    """What `schedule` is told; what is no time is told in words."""

    every: Annotated[str, StringConstraints(min_length=1, max_length=20)] = Field(
        description="How often: 12h, 3d, week, 2 weeks, month; `never` ends it."
    )
