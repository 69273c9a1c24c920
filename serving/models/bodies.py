"""What the bodies of requests hold, with the bounds of each part: long questions, what is told."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from cairn.serving.models.parameters import At, Searched
from cairn.serving.read import bounds
from cairn.serving.read.bounds import optional
from cairn.serving.retrieval.token_budget import BUDGET, SMALLEST


class SearchBody(Searched):
    """A search whose words stand in no address, and so in no log of a proxy."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=False)


class ContextBody(BaseModel):
    """What was said so far."""

    model_config = ConfigDict(extra="forbid", strict=True)

    turns: list[bounds.Turn] = optional(
        [],
        "What was said before the message, the latest last.",
        ["The nightly backup failed", "It could not wake the NAS"],
        max_length=bounds.MOST_TURNS,
    )
    message: bounds.Turn | None = optional(
        None, "What is being answered.", "Why does harbor-backup fail?"
    )
    tool_results: list[bounds.Turn] = optional(
        [],
        "What tools gave, the latest last.",
        ["ssh: connect to host nas port 22: No route to host"],
        max_length=bounds.MOST_TURNS,
    )
    system: bounds.Turn = optional(
        "", "Instructions, profile, whatever else is to fill the rest.", "You help with a home-lab."
    )
    budget: bounds.Whole = optional(
        BUDGET, "Tokens of the whole text, at most.", 800, ge=SMALLEST, le=100_000
    )


class ContextParameters(At, ContextBody):
    """What was said so far, and from when memory is looked at."""

    model_config = ConfigDict(strict=False)


class KnowledgeBody(BaseModel):
    """A question to the three layers: profiles, pieces, and the graph around an entity."""

    model_config = ConfigDict(extra="forbid", strict=True)

    query: Annotated[str, StringConstraints(max_length=bounds.LONGEST_QUERY)] = optional(
        "", "What is asked; an empty one searches no pieces.", "why does the backup fail?"
    )
    entity: bounds.Name | None = optional(
        None,
        "For whom, or about what, it is asked, by id or name: its profile and its place"
        " in the graph are part of the answer.",
        "harbor-backup",
    )
    about_it: bool = optional(False, "Search only pieces about that entity, or about none.", True)
    top_k: bounds.Whole = optional(5, "Pieces of the search, at most.", 3, ge=0, le=100)
    knowledge_types: list[bounds.KnowledgeType] | None = optional(
        None, "Only pieces of these types.", ["fact", "procedure"], min_length=1, max_length=6
    )
    tags: list[bounds.Name] = optional(
        [], "Only pieces that have all of these.", ["backup"], max_length=10
    )
    graph_traversal_depth: bounds.Whole = optional(
        1, "Steps from the entity along the graph, at most.", 1, ge=0, le=3
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

    event_id: bounds.EventId | None = optional(
        None,
        "Of the sender's making: a request that is repeated writes nothing.",
        "4f7c1fbe-0f0a-4c2e-9a0f-6d1d3c1f2b7a",
    )


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

    @property
    def interval(self) -> str | None:
        """How often; None if no more."""
        return None if self.every == "never" else self.every


class DecisionBody(ToldBody):
    """What a person decides about facts, entities, other decisions, or what waits in review."""

    decision: Literal[
        "merge", "unmerge", "keep_apart", "correct", "confirm", "retract", "undo", "dismiss"
    ] = Field(
        description="merge: they are one; keep_apart: they are two, and both hold; unmerge: take"
        " one out again; confirm, retract, correct: a fact is right, wrong, or reads `text`; undo:"
        " decisions are as if nobody had made them; dismiss: what waits in review needs nothing.",
        examples=["retract"],
    )  # fmt: skip
    ids: list[bounds.AnyId] = Field(
        description="Of facts or entities; of decisions, of an undo; `review_id` of a dismissal.",
        examples=[["f_1c0ad2398567ecbb"]], min_length=1, max_length=100,
    )  # fmt: skip
    text: bounds.Sentence | None = optional(None, "The true sentence, of a correction.")
    into: bounds.AnyId | None = optional(None, "The fact that stays, of a merge.")
    reason: bounds.Sentence | None = optional(None, "Why; it is kept and shown.")


class MissedBody(BaseModel):
    """What should have been learnt from a record."""

    model_config = ConfigDict(extra="forbid", strict=True)

    missed_in: bounds.AnyId = Field(
        description="Id of the record.", examples=["r_bb2c0d0b011bcbb2"]
    )
    expected: bounds.Sentence = Field(
        description="What should have been learnt, in one sentence.",
        examples=["The vault host moves to a new address in May."],
    )


class ForgetBody(ToldBody):
    """What is to be taken away for good."""

    id: bounds.Query = Field(
        description="A whole id, or the name of one entity; of target_type `namespace`, its name;"
        " `everywhere`, any words.",
        examples=["garden-2026"],
    )
    target_type: Literal["fact", "entity", "record", "conversation", "name", "namespace"] | None = (
        optional(None, "What it must be; all of a namespace goes only so.", "conversation")
    )
    everywhere: bool = optional(False, "Every line with any of its names, or these words.", False)
    dry_run: bool = optional(True, "Only tell what would go; false forgets it.", True)
    limit: bounds.Whole = optional(
        100, "Rows of the receipt, at most; `counts` has all.", 10, ge=0, le=1_000
    )


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
    at: bounds.Moment | None = optional(
        None, "When it was said; now if unset.", "2026-03-20T09:00:00Z"
    )
    name: bounds.Name | None = optional(None, "Who says it.", "Mira")
    role: Literal["user", "assistant"] | None = optional(
        None, "Of a message: `assistant` for what Cairn itself said, which is no news.", "user"
    )
    conversation_id: bounds.AnyId | None = optional(
        None, "The conversation that it belongs to.", "garden-2026"
    )
    reply_to: bounds.AnyId | None = optional(
        None, "The message, or learning, that a reaction answers."
    )
    proactive: bool | None = optional(None, "Whether that message came unasked.")
    strength: bounds.Share | None = optional(None, "How much a thumb for a learning counts.", 0.5)
