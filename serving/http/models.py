"""The things that answers hold: a model of each, described by the table that it comes from."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from knowledge.schema.tables import (
    CONVERSATIONS,
    ENGAGEMENTS,
    ENRICHMENT_QUEUE,
    EPISODES,
    INTERESTS,
    LEARN_PROMPTS,
    LEARNINGS,
    MEMORY,
    MEMORY_ENTITIES,
    NOTIFICATIONS,
    RAW_LOGS,
)
from knowledge.schema.tables import Table as Rows

AT = datetime.fromisoformat("2026-03-13T14:06:54Z")
FILE = "/home/mira/.claude/projects/lantern-shop/797df401.jsonl"
NPM = "We use pnpm in this repository, never npm install."


def of(table: Rows, column: str, example: object) -> Any:
    """A field that is a column of a table."""
    return Field(description=table.columns[column].about, examples=[example])


def tells(about: str, example: object) -> Any:
    """A field that is none."""
    return Field(description=about, examples=[example])


class Model(BaseModel):
    """Made of dicts, or of objects with such attributes; what it does not name is left out."""

    model_config = ConfigDict(from_attributes=True)


class Waiting(Model):
    """What was said and is on disk; the next run applies it."""

    at: datetime = tells("When it was said.", AT)
    verb: str = tells("Its command or type: learn, schedule, like, retract, reaction, …", "learn")
    said: str = tells("In words.", "learn drip irrigation")
    ids: list[str] = tells("What it is about, where it names ids.", [])
    event_id: str = tells("Of the event.", "4f7c1fbe-0f0a-4c2e-9a0f-6d1d3c1f2b7a")


class Source(Model):
    """Words that something rests on, and where they stand."""

    file: str | None = of(RAW_LOGS, "source_file", FILE)
    line: int | None = of(RAW_LOGS, "source_line", 3)
    record_id: str = of(RAW_LOGS, "record_id", "r_bb2c0d0b011bcbb2")
    quote: str | None = tells("The words.", NPM)


class Result(Model):
    """One result of a search, and why it is here."""

    id: str = tells("Id of the fact, episode, learning or entity.", "f_1c0ad2398567ecbb")
    kind: str = tells("fact, episode, learning or entity.", "fact")
    text: str = tells("What it says.", NPM)
    score: float = tells("0.6 similarity + 0.3 confidence + 0.1 recency.", 0.7651)
    similarity: float = tells("To the query, by vector and words, 0 to 1.", 0.8448)
    confidence: float = tells("At `as_of`, 0 to 1.", 0.5527)
    recency: float = tells("exp(-0.01 · days since its last event).", 0.9346)
    timestamp: datetime | None = tells("Its last event.", AT)
    dense_rank: int | None = tells("Rank among vectors, from 1.", 1)
    sparse_rank: int | None = tells("Rank by words (BM25), from 1.", 2)
    entity: str | None = tells("Name of what it is about; of an episode, its project.", "shop")
    predicate: str | None = of(MEMORY, "predicate", "states")
    status: str | None = tells("Of a fact: active, deprecated, ended, …", "active")
    sources: list[Source] = Field(description="Where it comes from.")


class KnownFact(Model):
    """A fact about something that a message names."""

    fact_id: str = of(MEMORY, "fact_id", "f_1c0ad2398567ecbb")
    predicate: str = of(MEMORY, "predicate", "states")
    text: str = of(MEMORY, "content", NPM)
    confidence: float = tells("At `as_of`, 0 to 1.", 0.5527)
    similarity: float = tells("To the message, 0 to 1; 0 where a search did not find it.", 0.61)


class KnownEntity(Model):
    """Something that a message is about."""

    entity_id: str = of(MEMORY_ENTITIES, "entity_id", "e_a4160f63031a50c7")
    name: str = of(MEMORY_ENTITIES, "display_name", "lantern-shop")
    type: str = of(MEMORY_ENTITIES, "type", "project")
    similarity: float = tells("1 where the message names it.", 1.0)
    facts: list[KnownFact] = Field(description="The nearest to the message first.")


class Known(Model):
    """What is known of what a message is about."""

    entities: list[KnownEntity] = Field(description="The nearest first.")
    score: float = tells("Similarity of the nearest fact.", 0.61)
    threshold: float = tells("From this score on it is enough.", 0.5)
    sufficient: bool = tells("Whether an agent can do without a search of its own.", True)


class Streamed(Model):
    """What bears on the last two turns."""

    facts: list[Result] = Field(description="Those above 0.5, at most 5.")
    episodes: list[Result] = Field(description="At most 5.")


class Fact(Model):
    """A fact as it stands at `as_of`."""

    fact_id: str = of(MEMORY, "fact_id", "f_1c0ad2398567ecbb")
    namespace: str = of(MEMORY, "namespace", "samples")
    entity_id: str = of(MEMORY, "entity_id", "e_a4160f63031a50c7")
    entity: str | None = of(MEMORY_ENTITIES, "display_name", "lantern-shop")
    entity_type: str | None = of(MEMORY_ENTITIES, "type", "project")
    predicate: str = of(MEMORY, "predicate", "states")
    object: str = of(MEMORY, "object", NPM)
    content: str = of(MEMORY, "content", NPM)
    confidence: float = tells("At `as_of`, 0 to 1.", 0.5527)
    base_confidence: float = of(MEMORY, "base_confidence", 0.8)
    status: str = tells(
        "active, pending_embed, deprecated, ended, not_yet, merged_into, quarantined, retracted.",
        "active",
    )
    source_count: int = of(MEMORY, "source_count", 2)
    conversation_count: int = of(MEMORY, "conversation_count", 2)
    evidence_count: int = of(MEMORY, "evidence_count", 3)
    first_seen: datetime | None = of(MEMORY, "first_seen", AT)
    last_seen: datetime | None = of(MEMORY, "last_seen", AT)
    last_event_at: datetime | None = of(MEMORY, "last_event_at", AT)
    valid_from: datetime | None = of(MEMORY, "valid_from", AT)
    valid_to: datetime | None = of(MEMORY, "valid_to", None)
    merged_into: str | None = of(MEMORY, "merged_into", None)
    knowledge_type: str = of(MEMORY, "knowledge_type", "fact")
    info_type: str = of(MEMORY, "info_type", "context")
    tags: list[str] = of(MEMORY, "tags", ["pnpm", "npm"])
    extractor: str = of(MEMORY, "extractor", "states@1")


class OneFact(Fact):
    """A fact with its first sources."""

    sources: list[Source] = Field(description="The first 20.")


class Entity(Model):
    """An entity as it stands."""

    entity_id: str = of(MEMORY_ENTITIES, "entity_id", "e_a4160f63031a50c7")
    namespace: str = of(MEMORY_ENTITIES, "namespace", "samples")
    name: str = of(MEMORY_ENTITIES, "name", "lantern-shop")
    display_name: str = of(MEMORY_ENTITIES, "display_name", "lantern-shop")
    type: str = of(MEMORY_ENTITIES, "type", "project")
    aliases: list[str] = of(MEMORY_ENTITIES, "aliases", ["the shop"])
    first_seen: datetime | None = of(MEMORY_ENTITIES, "first_seen", AT)
    last_seen: datetime | None = of(MEMORY_ENTITIES, "last_seen", AT)
    introduced_by: str = of(MEMORY_ENTITIES, "introduced_by", "r_bb2c0d0b011bcbb2")
    mentions: int = of(MEMORY_ENTITIES, "mentions", 275)
    facts: int = of(MEMORY_ENTITIES, "facts", 116)
    canonical_id: str = of(MEMORY_ENTITIES, "canonical_id", "e_a4160f63031a50c7")
    active_facts: int = of(MEMORY_ENTITIES, "active_facts", 116)
    confidence: float = of(MEMORY_ENTITIES, "confidence", 1.0)


class NamedEntity(Model):
    """An entity in short."""

    entity_id: str = of(MEMORY_ENTITIES, "entity_id", "e_a4160f63031a50c7")
    display_name: str = of(MEMORY_ENTITIES, "display_name", "lantern-shop")
    type: str = of(MEMORY_ENTITIES, "type", "project")


class OneEntity(Entity):
    """An entity, what was merged into it, and what its facts say."""

    merged_from: list[NamedEntity] = Field(description="Entities that it took up.")
    predicates: dict[str, int] = tells("Facts by predicate.", {"states": 7, "discovery": 4})


class Learning(Model):
    """A reusable lesson."""

    learning_id: str = of(LEARNINGS, "learning_id", "l_3c654be75baee14b")
    namespace: str = of(LEARNINGS, "namespace", "samples")
    conversation_id: str = of(LEARNINGS, "conversation_id", "5690c15e-1a6d-450a-b23e")
    category: str = of(LEARNINGS, "category", "bug_fix")
    title: str = of(LEARNINGS, "title", "The test run failed because of a missing import")
    content: str = of(LEARNINGS, "content", "Symptom: … Root cause: … Solution: …")
    summary: str = of(LEARNINGS, "summary", "The test run failed because of …")
    tags: list[str] = of(LEARNINGS, "tags", ["pytest", "python"])
    confidence: float = of(LEARNINGS, "confidence", 0.95)
    factors: dict[str, float] = of(
        LEARNINGS, "factors",
        {"actionability": 1.0, "generalizability": 1.0, "clarity": 1.0, "evidence": 0.7},
    )  # fmt: skip
    created_at: datetime | None = of(LEARNINGS, "created_at", AT)
    extractor: str = of(LEARNINGS, "extractor", "learning.error_chain@2")


class LearningSource(Source):
    """A quote of a learning."""

    role: str = tells("Who spoke: human, agent, tool, …", "agent")


class OneLearning(Learning):
    """A learning with its quotes."""

    sources: list[LearningSource] = Field(description="2 to 4, of its evidence.")


class Episode(Model):
    """A person's request, with the work up to the next."""

    episode_id: str = of(EPISODES, "episode_id", "r_bb2c0d0b011bcbb2")
    namespace: str = of(EPISODES, "namespace", "samples")
    conversation_id: str = of(EPISODES, "conversation_id", "797df401-d9e3-405b-8320")
    seq: int = of(EPISODES, "seq", 0)
    project: str | None = of(EPISODES, "project", "~/code/lantern-shop")
    request: str = of(EPISODES, "request", "The checkout tests fail. Find out why.")
    answer: str = of(EPISODES, "answer", "The total was rounded per line. Fixed.")
    started_at: datetime | None = of(EPISODES, "started_at", AT)
    ended_at: datetime | None = of(EPISODES, "ended_at", AT)
    records: int = of(EPISODES, "records", 31)
    tool_calls: int = of(EPISODES, "tool_calls", 12)
    errors: int = of(EPISODES, "errors", 1)


class OneEpisode(Episode):
    """An episode, and where its request stands."""

    file: str | None = of(RAW_LOGS, "source_file", FILE)
    line: int | None = of(RAW_LOGS, "source_line", 3)


class Conversation(Model):
    """A session, or a stretch of a channel."""

    conversation_id: str = of(CONVERSATIONS, "conversation_id", "797df401-d9e3-405b-8320")
    namespace: str = of(CONVERSATIONS, "namespace", "samples")
    source: str = of(CONVERSATIONS, "source", "claude_code")
    project: str | None = of(CONVERSATIONS, "project", "~/code/lantern-shop")
    title: str | None = of(CONVERSATIONS, "title", "The checkout tests fail.")
    started_at: datetime | None = of(CONVERSATIONS, "started_at", AT)
    ended_at: datetime | None = of(CONVERSATIONS, "ended_at", AT)
    records: int = of(CONVERSATIONS, "records", 84)
    human_messages: int = of(CONVERSATIONS, "human_messages", 3)
    tool_calls: int = of(CONVERSATIONS, "tool_calls", 31)
    errors: int = of(CONVERSATIONS, "errors", 2)


class Happened(Model):
    """Something that came lately."""

    kind: str = tells("fact, learning or episode.", "fact")
    id: str = tells("Its id.", "f_1c0ad2398567ecbb")
    at: datetime = tells("When it was first said, learnt or begun.", AT)
    text: str = tells("What it says.", NPM)
    about: str | None = tells("Entity of a fact, category of a learning, project of an episode.",
                            "lantern-shop")  # fmt: skip


class Sign(Model):
    """Something that a person did or said, by which they engaged with an entity."""

    engagement_id: str = of(ENGAGEMENTS, "engagement_id", "g_5d0c9a1f7be2a346")
    engagement_type: str = of(ENGAGEMENTS, "engagement_type", "like")
    valence: int = of(ENGAGEMENTS, "valence", 1)
    record_id: str = of(ENGAGEMENTS, "record_id", "r_bb2c0d0b011bcbb2")
    occurred_at: datetime | None = of(ENGAGEMENTS, "occurred_at", AT)


class Interest(Model):
    """What a person cares about, or does not."""

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
    made_of: list[Sign] = Field(description="What weighs most, the heaviest first; at most 5.")
    curve: list[float] = of(INTERESTS, "curve", [0.0, 0.8, 0.68])


class Found(NamedEntity):
    """An entity that was found through a learn prompt."""

    facts: int = tells("Facts about it that its searches brought.", 3)


class LearnPrompt(Model):
    """What somebody wants to know, and how far the searches are."""

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

    notification_id: str = of(NOTIFICATIONS, "notification_id", "3f9a0c12be7755d1")
    namespace: str = of(NOTIFICATIONS, "namespace", "samples")
    status: str = of(NOTIFICATIONS, "status", "sent")
    held: str | None = of(NOTIFICATIONS, "held", None)
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
    held: str | None = of(ENRICHMENT_QUEUE, "held", None)
    reason: str = of(ENRICHMENT_QUEUE, "reason", "asked for every week")


class Due(Model):
    """A search that is due, will be, or is held."""

    effect_id: str = of(ENRICHMENT_QUEUE, "effect_id", "s_5d0c9a1f7be2a346")
    rank: int = of(ENRICHMENT_QUEUE, "rank", 1)
    trigger: str = of(ENRICHMENT_QUEUE, "trigger", "learn_command")
    mode: str = of(ENRICHMENT_QUEUE, "mode", "learn")
    topic: str = of(ENRICHMENT_QUEUE, "topic", "drip irrigation")
    query: str = of(ENRICHMENT_QUEUE, "query", "how does drip irrigation work")
    entity_id: str | None = of(ENRICHMENT_QUEUE, "entity_id", None)
    priority: float | None = of(ENRICHMENT_QUEUE, "priority", None)
    due_at: datetime | None = of(ENRICHMENT_QUEUE, "due_at", AT)
    held: str | None = of(ENRICHMENT_QUEUE, "held", None)
    reason: str = of(ENRICHMENT_QUEUE, "reason", "asked to learn it; search 2 of 4")


class Made(Model):
    """A search that was made, or at least begun."""

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

    effect: str = tells("removed, kept, revived, or made anew.", "kept")
    table: str = tells("Where it stands.", "memory")
    id: str = tells("Its key.", "f_1c0ad2398567ecbb")
    text: str | None = tells("What it says, of what stays.", NPM)


class Profile(Model):
    """What an entity, or the namespace, is like."""

    entity_id: str = of(MEMORY_ENTITIES, "entity_id", "e_a4160f63031a50c7")
    entity_type: str = of(MEMORY_ENTITIES, "type", "project")
    properties: dict[str, Any] = tells("By name.", {"name": "lantern-shop", "facts": 116})


class Piece(Model):
    """A piece of knowledge."""

    piece_id: str = tells("Id of a fact, learning or episode.", "f_1c0ad2398567ecbb")
    content: str = tells("What it says.", NPM)
    knowledge_type: str = of(MEMORY, "knowledge_type", "fact")
    info_type: str = of(MEMORY, "info_type", "context")
    tags: list[str] = of(MEMORY, "tags", ["pnpm", "npm"])
    entity_id: str | None = of(MEMORY, "entity_id", "e_a4160f63031a50c7")
    confidence: float = tells("At `as_of`, 0 to 1.", 0.5527)
    score: float = tells("Of the search, or 1 / steps along the graph; 0 to 1.", 0.76)


class Relation(Model):
    """An edge of the graph, reached from the entity."""

    source_id: str = of(MEMORY_ENTITIES, "entity_id", "e_a4160f63031a50c7")
    edge_type: str = of(MEMORY, "predicate", "connects_to_host")
    target_id: str = tells("The entity it leads to.", "e_19cd26fb80bb8e8c")
    target_type: str = of(MEMORY_ENTITIES, "type", "host")
    target_label: str = of(MEMORY_ENTITIES, "display_name", "staging")
    piece_id: str | None = tells("The fact that says so.", "f_0785eb17a05ad22d")
    depth: int = tells("Steps from the entity.", 1)
