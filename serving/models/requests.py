"""What a person cares about and asks for, and what came of it: a model of each."""

from datetime import datetime

from pydantic import Field

from cairn.knowledge.schema.tables import (
    ENGAGEMENTS,
    ENRICHMENT_QUEUE,
    INTERESTS,
    LEARN_PROMPTS,
    MEMORY_ENTITIES,
    NOTIFICATIONS,
)
from cairn.serving.models.fields import AT, NPM, Model, of, tells
from cairn.serving.models.things import NamedEntity


class Waiting(Model):
    """What was said and is on disk; the next run applies it."""

    BRIEF = ("record_id", "at", "verb", "text", "ids")

    record_id: str = tells(
        "Of its record from the next run on; by it a decision is undone.", "r_9f3c51e8a2b7d604"
    )
    at: datetime = tells("When it was said.", AT)
    verb: str = tells("Its command or type: learn, schedule, like, retract, reaction, …", "learn")
    text: str = tells("In words.", "learn drip irrigation")
    ids: list[str] = tells("What it is about, where it names ids.", [])
    event_id: str = tells("Of the event.", "4f7c1fbe-0f0a-4c2e-9a0f-6d1d3c1f2b7a")


class Sign(Model):
    """Something that a person did or said, by which they engaged with an entity."""

    BRIEF = ("engagement_type", "valence", "record_id", "occurred_at")

    engagement_id: str = of(ENGAGEMENTS, "engagement_id", "g_5d0c9a1f7be2a346")
    engagement_type: str = of(ENGAGEMENTS, "engagement_type", "like")
    valence: int = of(ENGAGEMENTS, "valence", 1)
    record_id: str = of(ENGAGEMENTS, "record_id", "r_bb2c0d0b011bcbb2")
    occurred_at: datetime | None = of(ENGAGEMENTS, "occurred_at", AT)


class Interest(Model):
    """What a person cares about, or does not."""

    BRIEF = (
        "entity_id", "display_name", "type", "rank", "score", "muted", "active_facts",
        "last_engaged_at", "signs",
    )  # fmt: skip

    entity_id: str = of(INTERESTS, "entity_id", "e_a4160f63031a50c7")
    namespace: str = of(INTERESTS, "namespace", "samples")
    display_name: str = of(MEMORY_ENTITIES, "display_name", "lantern-shop")
    type: str = of(MEMORY_ENTITIES, "type", "project")
    rank: int = of(INTERESTS, "rank", 1)
    score: float = tells("At `as_of`; below 0 for what the person is against.", 1.314408)
    muted: bool = of(INTERESTS, "muted", False)
    engagements: int = of(INTERESTS, "engagements", 3)
    active_facts: int = of(MEMORY_ENTITIES, "active_facts", 116)
    last_engaged_at: datetime | None = of(INTERESTS, "last_engaged_at", AT)
    signs: list[Sign] = Field(description="What weighs most, the heaviest first; at most 5.")
    curve: list[float] = of(INTERESTS, "curve", [0.0, 0.8, 0.68])


class Found(NamedEntity):
    """An entity that was found through a learn prompt."""

    facts: int = tells("Facts about it that its searches brought.", 3)


class LearnPrompt(Model):
    """What somebody wants to know, and how far the searches are."""

    BRIEF = (
        "learn_prompt_id", "prompt_text", "status", "searches_remaining", "created_at",
        "entities",
    )  # fmt: skip

    learn_prompt_id: str = of(LEARN_PROMPTS, "learn_prompt_id", "r_9f3c0d1be02a7c55")
    namespace: str = of(LEARN_PROMPTS, "namespace", "samples")
    prompt_text: str = of(LEARN_PROMPTS, "prompt_text", "drip irrigation")
    status: str = of(LEARN_PROMPTS, "status", "active")
    searches_remaining: int = of(LEARN_PROMPTS, "searches_remaining", 2)
    queries: list[str] = of(LEARN_PROMPTS, "queries", ["drip irrigation"])
    created_at: datetime | None = of(LEARN_PROMPTS, "created_at", AT)
    updated_at: datetime | None = of(LEARN_PROMPTS, "updated_at", AT)
    entities: list[Found] = Field(description="Prompt → searches → facts → entities; most first.")


class Notification(Model):
    """What a person was told unasked, or is to be."""

    BRIEF = (
        "notification_id", "status", "entity_id", "text", "fact_ids", "found_at", "sent_at",
        "reason",
    )  # fmt: skip

    notification_id: str = of(NOTIFICATIONS, "notification_id", "3f9a0c12be7755d1")
    namespace: str = of(NOTIFICATIONS, "namespace", "samples")
    status: str = of(NOTIFICATIONS, "status", "sent")
    blocked_by: str | None = of(NOTIFICATIONS, "blocked_by", None)
    rank: int = of(NOTIFICATIONS, "rank", 1)
    entity_id: str = of(NOTIFICATIONS, "entity_id", "e_a4160f63031a50c7")
    name: str = of(NOTIFICATIONS, "name", "mason bees")
    trigger: str | None = of(NOTIFICATIONS, "trigger", "enrichment")
    mode: str = of(NOTIFICATIONS, "mode", "broad")
    text: str = of(NOTIFICATIONS, "text", "Learned 2 new facts about mason bees")
    fact_ids: list[str] = of(NOTIFICATIONS, "fact_ids", ["f_1c0ad2398567ecbb"])
    image_url: str | None = of(NOTIFICATIONS, "image_url", None)
    found_at: datetime | None = of(NOTIFICATIONS, "found_at", AT)
    due_at: datetime | None = of(NOTIFICATIONS, "due_at", None)
    sent_at: datetime | None = of(NOTIFICATIONS, "sent_at", AT)
    reason: str = of(NOTIFICATIONS, "reason", "told")
    message_id: str | None = tells("What a reaction to it names as `reply_to`, once sent.", None)


class Recurring(Model):
    """What is searched for again and again."""

    schedule_id: str = of(ENRICHMENT_QUEUE, "schedule_id", "r_0d1be02a7c559f3c")
    topic: str = of(ENRICHMENT_QUEUE, "topic", "Rust releases")
    due_at: datetime | None = tells("When it is searched for next.", AT)
    blocked_by: str | None = of(ENRICHMENT_QUEUE, "blocked_by", None)
    reason: str = of(ENRICHMENT_QUEUE, "reason", "asked for every week")


class Due(Model):
    """A search that is due, will be, or is blocked."""

    BRIEF = ("effect_id", "mode", "topic", "query", "due_at", "blocked_by", "reason")

    effect_id: str = of(ENRICHMENT_QUEUE, "effect_id", "s_5d0c9a1f7be2a346")
    rank: int = of(ENRICHMENT_QUEUE, "rank", 1)
    trigger: str = of(ENRICHMENT_QUEUE, "trigger", "learn_command")
    mode: str = of(ENRICHMENT_QUEUE, "mode", "learn")
    topic: str = of(ENRICHMENT_QUEUE, "topic", "drip irrigation")
    query: str = of(ENRICHMENT_QUEUE, "query", "how does drip irrigation work")
    entity_id: str | None = of(ENRICHMENT_QUEUE, "entity_id", None)
    priority: float | None = of(ENRICHMENT_QUEUE, "priority", None)
    due_at: datetime | None = of(ENRICHMENT_QUEUE, "due_at", AT)
    blocked_by: str | None = of(ENRICHMENT_QUEUE, "blocked_by", None)
    reason: str = of(ENRICHMENT_QUEUE, "reason", "asked to learn it; search 2 of 4")


class Made(Model):
    """A search that was made, or at least begun."""

    BRIEF = ("effect_id", "at", "trigger", "query", "outcome", "results", "error")

    effect_id: str = of(ENRICHMENT_QUEUE, "effect_id", "s_1f7be2a3465d0c9a")
    at: datetime = tells("When.", AT)
    trigger: str = of(ENRICHMENT_QUEUE, "trigger", "learn_command")
    query: str = of(ENRICHMENT_QUEUE, "query", "drip irrigation")
    outcome: str = tells("done, empty, failed, or unknown: begun, without a receipt.", "done")
    results: int | None = tells("How many it found.", 5)
    error: str | None = tells("Why it brought no answer.", None)
    provider: str | None = tells("What was asked.", "searxng")


class ReceiptRow(Model):
    """What becomes of one row."""

    effect: str = tells("removed, kept, revived, or rebuilt.", "kept")
    table: str = tells("Where it stands; inbox, of what waited for a run.", "memory")
    id: str = tells("Its key.", "f_1c0ad2398567ecbb")
    text: str | None = tells("What it says, of what stays.", NPM)


class Naming(Model):
    """Where something is named."""

    where: str = tells("A table; or inbox, answers, notifications file, sources.", "records")
    rows: int = tells("How many rows or lines of it.", 12)
    ids: list[str] = tells("The first of them.", ["r_0b1c2d3e4f5a6b7c"])
