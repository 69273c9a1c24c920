"""What lists may be narrowed to, field by field: for the functions and for every surface."""

from typing import Any

from pydantic import BaseModel, Field

from cairn.knowledge.schema.learning_categories import Category
from cairn.serving.read.bounds import (
    AnyId,
    EntityType,
    KnowledgeType,
    Moment,
    Name,
    Share,
    Status,
    Word,
)

ALSO_EVENTS: Any = Field(
    default=False, description="Also events, what only happened: used_tool, executed_command, …"
)
"""What happened (predicates.EVENTS) is told by its predicate, or where it is asked for so."""


class FactFilter(BaseModel):
    """Which facts are listed."""

    entity: Name | None = Field(
        default=None, description="Only about this one: its id, name or alias.",
        examples=["lantern-shop"],
    )  # fmt: skip
    predicate: Word | None = Field(
        default=None, description="Only with this predicate.", examples=["states"]
    )
    status: Status | None = Field(
        default=None, description="Only of this status.", examples=["active"]
    )
    knowledge_type: KnowledgeType | None = Field(default=None, description="Only of this type.")
    min_base: Share = Field(
        default=0.0, description="Least confidence of the rule.", examples=[0.6]
    )
    min_confidence: Share = Field(
        default=0.0, description="Least confidence at `as_of`.", examples=[0.3]
    )
    events: bool = ALSO_EVENTS
    since: Moment | None = Field(
        default=None, description="Last said then or later.", examples=["2026-02-01"]
    )
    until: Moment | None = Field(
        default=None, description="Last said before.", examples=["2026-04-01"]
    )


class EntityFilter(BaseModel):
    """Which entities are listed."""

    type: EntityType | None = Field(
        default=None, description="Only of this type.", examples=["project"]
    )
    name: Name | None = Field(
        default=None, description="A part of the name, or of an alias, in any case.",
        examples=["shop"],
    )  # fmt: skip


class LearningFilter(BaseModel):
    """Which learnings are listed."""

    category: Category | None = Field(
        default=None, description="Only of this category.", examples=["bug_fix"]
    )
    tag: Name | None = Field(default=None, description="Only with this tag.", examples=["python"])
    conversation: AnyId | None = Field(default=None, description="Only of this conversation.")
    min_confidence: Share = Field(default=0.0, description="Least confidence.", examples=[0.6])
    since: Moment | None = Field(
        default=None, description="First found then or later.", examples=["2026-02-01"]
    )
    until: Moment | None = Field(
        default=None, description="First found before.", examples=["2026-04-01"]
    )


class Talks(BaseModel):
    """Which episodes, or conversations, are listed."""

    conversation: AnyId | None = Field(default=None, description="Only of this conversation.")
    project: Name | None = Field(
        default=None, description="Only of this project: its folder, or its name.",
        examples=["lantern-shop"],
    )  # fmt: skip
    since: Moment | None = Field(
        default=None, description="Begun then or later.", examples=["2026-02-01"]
    )
    until: Moment | None = Field(default=None, description="Begun before.", examples=["2026-04-01"])


EVERY_FACT, EVERY_ENTITY = FactFilter(), EntityFilter()
EVERY_LEARNING, EVERY_TALK = LearningFilter(), Talks()
