"""What the bodies of requests hold, with the bounds of each part: long questions, what is told."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from cairn.serving.models.parameters import At, Searched
from cairn.serving.read import bounds
from cairn.serving.retrieval.token_budget import BUDGET, SMALLEST


class SearchBody(Searched):
    """A search whose words stand in no address, and so in no log of a proxy."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=False)


class ContextBody(BaseModel):
    """What was said so far."""

    model_config = ConfigDict(extra="forbid", strict=True)

    turns: list[bounds.Turn] = Field(
        default=[],
        max_length=bounds.MOST_TURNS,
        description="What was said before the message, the latest last.",
        examples=[["The nightly backup failed", "It could not wake the NAS"]],
    )
    message: bounds.Turn | None = Field(
        None, description="What is being answered.", examples=["Why does harbor-backup fail?"]
    )
    tool_results: list[bounds.Turn] = Field(
        default=[], max_length=bounds.MOST_TURNS, description="What tools gave, the latest last.",
        examples=[["ssh: connect to host nas port 22: No route to host"]],
    )  # fmt: skip
    system: bounds.Turn = Field(
        "", description="Instructions, profile, whatever else is to fill the rest.",
        examples=["You help with a home-lab."],
    )  # fmt: skip
    budget: bounds.Whole = Field(
        BUDGET, ge=SMALLEST, le=100_000, description="Tokens of the whole text, at most.",
        examples=[800],
    )  # fmt: skip


class ContextParameters(At, ContextBody):
    """What was said so far, and from when memory is looked at."""

    model_config = ConfigDict(strict=False)


class KnowledgeBody(BaseModel):
    """A question to the three layers: profiles, pieces, and the graph around an entity."""

    model_config = ConfigDict(extra="forbid", strict=True)

    query: Annotated[str, StringConstraints(max_length=bounds.LONGEST_QUERY)] = Field(
        "", description="What is asked; an empty one searches no pieces.",
        examples=["why does the backup fail?"],
    )  # fmt: skip
    entity: bounds.Name | None = Field(
        None,
        description="For whom, or about what, it is asked, by id or name: its profile and its place"
        " in the graph are part of the answer.",
        examples=["harbor-backup"],
    )
    about_it: bool = Field(
        False, description="Search only pieces about that entity, or about none.", examples=[True]
    )
    top_k: bounds.Whole = Field(5, ge=0, le=100, description="Pieces of the search, at most.",
                         examples=[3])  # fmt: skip
    knowledge_types: list[bounds.KnowledgeType] | None = Field(
        None, min_length=1, max_length=6, description="Only pieces of these types.",
        examples=[["fact", "procedure"]],
    )  # fmt: skip
    tags: list[bounds.Name] = Field(
        default=[], max_length=10, description="Only pieces that have all of these.",
        examples=[["backup"]],
    )  # fmt: skip
    graph_traversal_depth: bounds.Whole = Field(
        1, ge=0, le=3, description="Steps from the entity along the graph, at most.", examples=[1]
    )


Every = Annotated[
    str,
    StringConstraints(
        pattern="^(never|hourly|daily|weekly|monthly|"
        "([1-9][0-9]{0,3} ?)?(h|hours?|d|days?|w|weeks?|months?))$"
    ),
]
"""As `cairn.knowledge.extraction.searches.interval` reads it, or `never`."""


class ToldBody(BaseModel):
    """What all that is told may have."""

    model_config = ConfigDict(extra="forbid", strict=True)

    event_id: bounds.EventId | None = Field(
        None, description="Of the sender's making: a request that is repeated writes nothing.",
        examples=["4f7c1fbe-0f0a-4c2e-9a0f-6d1d3c1f2b7a"],
    )  # fmt: skip


class LearnBody(ToldBody):
    """What somebody wants to know more about."""

    topic: bounds.Topic = Field(
        description="What is to be searched for, in a few words.", examples=["drip irrigation"]
    )


class ScheduleBody(ToldBody):
    """What is to be searched for again and again."""

    topic: bounds.Topic = Field(description="In a few words.", examples=["Rust releases"])
    every: Every = Field(
        description="How often: `12h`, `3d`, `week`, `2 weeks`, `month`; `never` ends it.",
        examples=["week"],
    )


class ForgetBody(ToldBody):
    """What is to be taken away for good."""

    id: bounds.Name = Field(
        description="A whole id, or the name of one entity; of target_type `namespace`, its name;"
        " `everywhere`, any words.",
        examples=["garden-2026"],
    )
    target_type: (
        Literal["fact", "entity", "record", "conversation", "name", "namespace"] | None
    ) = Field(
        None, description="What it must be; all of a namespace goes only so.",
        examples=["conversation"],
    )  # fmt: skip
    everywhere: bool = Field(
        False, description="Every line with any of its names, or these words.",
        examples=[False],
    )  # fmt: skip
    dry_run: bool = Field(
        True, description="Only tell what would go; false forgets it.",
        examples=[True],
    )  # fmt: skip
    limit: bounds.Whole = Field(
        100, ge=0, le=1_000, description="Rows of the receipt, at most; `counts` has all.",
        examples=[10],
    )  # fmt: skip


class EventBody(ToldBody):
    """What a person, or an agent, tells. It becomes a record at the next run."""

    type: Literal["note", "message", "command", "reaction"] = Field(
        description="note, message, command (such as `/learn rust`) or reaction (such as 👍).",
        examples=["note"],
    )
    text: bounds.Text = Field(
        description="What is said; secrets are taken out before anything is written.",
        examples=["The vault host moves to a new address in May."],
    )
    at: bounds.Moment | None = Field(
        None, description="When it was said; now if unset.", examples=["2026-03-20T09:00:00Z"]
    )
    name: bounds.Name | None = Field(None, description="Who says it.", examples=["Mira"])
    role: Literal["user", "assistant"] | None = Field(
        None, description="Of a message: `assistant` for what Cairn itself said, which is no news.",
        examples=["user"],
    )  # fmt: skip
    conversation_id: bounds.AnyId | None = Field(
        None, description="The conversation that it belongs to.", examples=["garden-2026"]
    )
    reply_to: bounds.AnyId | None = Field(
        None, description="The message, or learning, that a reaction answers."
    )
    proactive: bool | None = Field(None, description="Whether that message came unasked.")
    strength: bounds.Share | None = Field(
        None, description="How much a thumb for a learning counts.", examples=[0.5]
    )
