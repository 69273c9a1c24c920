"""What lists may be narrowed to, field by field: for the functions and for every surface."""

from typing import Any

from pydantic import BaseModel

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
    optional,
)

ALSO_EVENTS: Any = optional(
    False, "Also events, what only happened: used_tool, executed_command, …"
)
"""What happened (predicates.EVENTS) is told by its predicate, or where it is asked for so."""


class FactFilter(BaseModel):
    """Which facts are listed."""

    entity: Name | None = optional(
        None, "Only about this one: its id, name or alias.", "lantern-shop"
    )
    predicate: Word | None = optional(None, "Only with this predicate.", "states")
    status: Status | None = optional(None, "Only of this status.", "active")
    knowledge_type: KnowledgeType | None = optional(None, "Only of this type.")
    min_base: Share = optional(0.0, "Least confidence of the rule.", 0.6)
    min_confidence: Share = optional(0.0, "Least confidence at `as_of`.", 0.3)
    events: bool = ALSO_EVENTS
    since: Moment | None = optional(None, "Last said then or later.", "2026-02-01")
    until: Moment | None = optional(None, "Last said before.", "2026-04-01")


class EntityFilter(BaseModel):
    """Which entities are listed."""

    type: EntityType | None = optional(None, "Only of this type.", "project")
    name: Name | None = optional(None, "A part of the name, or of an alias, in any case.", "shop")


class LearningFilter(BaseModel):
    """Which learnings are listed."""

    category: Category | None = optional(None, "Only of this category.", "bug_fix")
    tag: Name | None = optional(None, "Only with this tag.", "python")
    conversation: AnyId | None = optional(None, "Only of this conversation.")
    min_confidence: Share = optional(0.0, "Least confidence.", 0.6)
    since: Moment | None = optional(None, "First found then or later.", "2026-02-01")
    until: Moment | None = optional(None, "First found before.", "2026-04-01")


class Talks(BaseModel):
    """Which episodes, or conversations, are listed."""

    conversation: AnyId | None = optional(None, "Only of this conversation.")
    project: Name | None = optional(
        None, "Only of this project: its folder, or its name.", "lantern-shop"
    )
    since: Moment | None = optional(None, "Begun then or later.", "2026-02-01")
    until: Moment | None = optional(None, "Begun before.", "2026-04-01")


EVERY_FACT, EVERY_ENTITY = FactFilter(), EntityFilter()
EVERY_LEARNING, EVERY_TALK = LearningFilter(), Talks()
