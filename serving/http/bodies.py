"""What is told in the bodies of requests, with the bounds of each part."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from serving.http.parameters import AnyId, EventId, Moment, Name, Share, Text, Topic, Whole

Every = Annotated[
    str,
    StringConstraints(
        pattern="^(never|hourly|daily|weekly|monthly|"
        "([1-9][0-9]{0,3} ?)?(h|hours?|d|days?|w|weeks?|months?))$"
    ),
]
"""As `knowledge.extraction.searches.interval` reads it, or `never`."""


class ToldBody(BaseModel):
    """What all that is told may have."""

    model_config = ConfigDict(extra="forbid", strict=True)

    event_id: EventId | None = Field(
        None, description="Of the sender's making: a request that is repeated writes nothing.",
        examples=["4f7c1fbe-0f0a-4c2e-9a0f-6d1d3c1f2b7a"],
    )  # fmt: skip


class LearnBody(ToldBody):
    """What somebody wants to know more about."""

    topic: Topic = Field(
        description="What is to be searched for, in a few words.", examples=["drip irrigation"]
    )


class ScheduleBody(ToldBody):
    """What is to be searched for again and again."""

    topic: Topic = Field(description="In a few words.", examples=["Rust releases"])
    every: Every = Field(
        description="How often: `12h`, `3d`, `week`, `2 weeks`, `month`; `never` ends it.",
        examples=["week"],
    )


class ForgetBody(ToldBody):
    """What is to be taken away for good."""

    id: Name = Field(
        description="The whole id of a fact, entity, record or conversation, or the name of one"
        " entity; with the thing `namespace`, the name of one; `everywhere`, any words.",
        examples=["garden-2026"],
    )
    thing: Literal["fact", "entity", "record", "conversation", "name", "namespace"] | None = Field(
        None, description="What it must be of. All of a namespace goes only where this says so.",
        examples=["conversation"],
    )  # fmt: skip
    everywhere: bool = Field(
        False, description="Every line that has any name of the entity, or these words.",
        examples=[False],
    )  # fmt: skip
    dry_run: bool = Field(
        True, description="Only tell what would go, and what would stay; false forgets it.",
        examples=[True],
    )  # fmt: skip
    limit: Whole = Field(
        100, ge=0, le=1_000, description="Rows of the receipt, at most; `counts` has all.",
        examples=[10],
    )  # fmt: skip


class EventBody(ToldBody):
    """What a person, or an agent, tells. It becomes a record at the next run."""

    type: Literal["note", "message", "command", "reaction"] = Field(
        description="note, message, command (such as `/learn rust`) or reaction (such as 👍).",
        examples=["note"],
    )
    text: Text = Field(
        description="What is said; secrets are taken out before anything is written.",
        examples=["The vault host moves to a new address in May."],
    )
    at: Moment | None = Field(
        None, description="When it was said; now if unset.", examples=["2026-03-20T09:00:00Z"]
    )
    name: Name | None = Field(None, description="Who says it.", examples=["Mira"])
    role: Literal["user", "assistant"] | None = Field(
        None, description="Of a message: `assistant` for what Cairn itself said, which is no news.",
        examples=["user"],
    )  # fmt: skip
    conversation_id: AnyId | None = Field(
        None, description="The conversation that it belongs to.", examples=["garden-2026"]
    )
    reply_to: AnyId | None = Field(
        None, description="The message, or learning, that a reaction answers."
    )
    proactive: bool | None = Field(None, description="Whether that message came unasked.")
    strength: Share | None = Field(
        None, description="How much a thumb for a learning counts.", examples=[0.5]
    )
