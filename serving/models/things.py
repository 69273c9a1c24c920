"""What memory holds: a model of each thing, described by the table that it comes from."""

from datetime import datetime
from typing import Any

from pydantic import Field

from cairn.knowledge.schema.tables import (
    CONVERSATIONS,
    DECISIONS,
    EPISODES,
    LEARNINGS,
    MEMORY,
    MEMORY_ENTITIES,
    RAW_LOGS,
)
from cairn.serving.models.fields import AT, FILE, NPM, Model, of, tells


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
    score: float = tells(
        "0.6 similarity + 0.3 confidence + 0.1 recency; a reranker's score counts as half of the "
        "similarity.",
        0.7651,
    )
    similarity: float = tells("To the query, by vector and words, 0 to 1.", 0.8448)
    confidence: float = tells("At `as_of`, 0 to 1.", 0.5527)
    recency: float = tells("exp(-0.01 · days since its last event).", 0.9346)
    timestamp: datetime | None = tells("Its last event.", AT)
    dense_rank: int | None = tells("Rank among vectors, from 1.", 1)
    sparse_rank: int | None = tells("Rank by words (BM25), from 1.", 2)
    rerank_score: float | None = tells(
        "By the reranker, 0 to 1; null where it did not read it.", None
    )
    entity: str | None = tells("Name of what it is about; of an episode, its project.", "shop")
    predicate: str | None = of(MEMORY, "predicate", "states")
    status: str | None = tells("Of a fact: active, deprecated, ended, …", "active")
    sources: list[Source] = Field(description="Where it comes from.")


class KnownFactAnswer(Model):
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
    facts: list[KnownFactAnswer] = Field(description="The nearest to the message first.")


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


class FactAnswer(Model):
    """A fact as it stands at `as_of`."""

    BRIEF = (
        "fact_id", "entity", "predicate", "content", "confidence", "status", "conversation_count",
        "last_seen", "valid_from", "valid_to",
    )  # fmt: skip

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
    decay_per_day: float | None = of(MEMORY, "decay_per_day", 0.001)
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


class OneFact(FactAnswer):
    """A fact with its first sources."""

    sources: list[Source] = Field(description="The first 20.")


class Entity(Model):
    """An entity as it stands."""

    BRIEF = (
        "entity_id", "display_name", "type", "aliases", "first_seen", "last_seen", "mentions",
        "active_facts",
    )  # fmt: skip

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

    BRIEF = (
        "learning_id", "conversation_id", "category", "title", "content", "tags", "confidence",
        "created_at",
    )  # fmt: skip

    learning_id: str = of(LEARNINGS, "learning_id", "l_7bd6fe39ba5a3bba")
    namespace: str = of(LEARNINGS, "namespace", "samples")
    conversation_id: str = of(LEARNINGS, "conversation_id", "5690c15e-1a6d-450a-b23e")
    conversation_ids: list[str] = of(
        LEARNINGS, "conversation_ids", ["5690c15e-1a6d-450a-b23e", "797df401-d9e3-405b-8320"]
    )
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
    extractor: str = of(LEARNINGS, "extractor", "learning.error_ended@1")


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


class OneConversation(Conversation):
    """A conversation by itself."""


class Happened(Model):
    """Something that came lately."""

    kind: str = tells("fact, learning or episode.", "fact")
    id: str = tells("Its id.", "f_1c0ad2398567ecbb")
    at: datetime = tells("When it was first said, learnt or begun.", AT)
    text: str = tells("What it says.", NPM)
    about: str | None = tells("Entity of a fact, category of a learning, project of an episode.",
                            "lantern-shop")  # fmt: skip


class ProfileAnswer(Model):
    """What an entity, or the namespace, is like."""

    entity_id: str = of(MEMORY_ENTITIES, "entity_id", "e_a4160f63031a50c7")
    entity_type: str = of(MEMORY_ENTITIES, "type", "project")
    properties: dict[str, Any] = tells("By name.", {"name": "lantern-shop", "facts": 116})


class PieceAnswer(Model):
    """A piece of knowledge."""

    piece_id: str = tells("Id of a fact, learning or episode.", "f_1c0ad2398567ecbb")
    content: str = tells("What it says.", NPM)
    knowledge_type: str = of(MEMORY, "knowledge_type", "fact")
    info_type: str = of(MEMORY, "info_type", "context")
    tags: list[str] = of(MEMORY, "tags", ["pnpm", "npm"])
    entity_id: str | None = of(MEMORY, "entity_id", "e_a4160f63031a50c7")
    confidence: float = tells("At `as_of`, 0 to 1.", 0.5527)
    score: float = tells("Of the search, or 1 / steps along the graph; 0 to 1.", 0.76)


class RelationAnswer(Model):
    """An edge of the graph, reached from the entity."""

    source_id: str = of(MEMORY_ENTITIES, "entity_id", "e_a4160f63031a50c7")
    edge_type: str = of(MEMORY, "predicate", "connects_to_host")
    target_id: str = tells("The entity it leads to.", "e_19cd26fb80bb8e8c")
    target_type: str = of(MEMORY_ENTITIES, "type", "host")
    target_label: str = of(MEMORY_ENTITIES, "display_name", "staging")
    piece_id: str | None = tells("The fact that says so.", "f_0785eb17a05ad22d")
    depth: int = tells("Steps from the entity.", 1)


class NodeAnswer(Model):
    """An entity of the graph."""

    entity_id: str = of(MEMORY_ENTITIES, "entity_id", "e_a4160f63031a50c7")
    name: str = of(MEMORY_ENTITIES, "display_name", "lantern-shop")
    type: str = of(MEMORY_ENTITIES, "type", "project")
    depth: int = tells("Steps from the entity that was asked for.", 0)


class EdgeAnswer(Model):
    """A relation of two entities, and the fact that says so."""

    source_id: str = tells("Entity that the fact is about.", "e_a4160f63031a50c7")
    target_id: str = tells("Entity that it names.", "e_15c749d8d4728870")
    type: str = of(MEMORY, "predicate", "connects_to_host")
    fact_id: str = of(MEMORY, "fact_id", "f_1c0ad2398567ecbb")
    content: str = of(MEMORY, "content", "lantern-shop connects to host staging")
    confidence: float = tells("At `as_of`, 0 to 1.", 0.62)
    depth: int = tells("Steps from the entity that was asked for, from 1.", 1)


class QuoteAnswer(Source):
    """Words that something rests on, who said them, and when."""

    origin: str | None = of(RAW_LOGS, "origin", "human")
    occurred_at: datetime | None = of(RAW_LOGS, "occurred_at", AT)


class ConfidenceChange(Model):
    """What an event did to a fact's confidence."""

    occurred_at: datetime | None = tells("When.", AT)
    cause: str = tells("first, support, contradiction, feedback, …", "first")
    confidence: float = tells("After it.", 0.8)
    source_id: str | None = tells("What spoke for it or against it.", "r_bb2c0d0b011bcbb2")


class PersonDecision(Model):
    """What a person decided."""

    decision_id: str = of(DECISIONS, "decision_id", "r_9f3c0d1be02a7c55")
    decision: str = of(DECISIONS, "decision", "confirm")
    decided_at: datetime | None = of(DECISIONS, "decided_at", AT)
    reason: str | None = of(DECISIONS, "reason", None)
    holds: bool = tells("Whether it still does.", True)


class Totals(Model):
    """Rows of what is published."""

    conversations: int = tells("Sessions.", 66)
    records: int = tells("Lines of logs.", 652)
    entities: int = tells("Whom and what it knows.", 103)
    facts: int = tells("Facts that hold, without events.", 55)
    events: int = tells("What only happened.", 812)
    deprecated_facts: int = tells("Facts that have faded.", 3)
    learnings: int = tells("Lessons.", 15)
    themes: int = tells("What comes again.", 10)


class UsedFact(Model):
    """A fact in short."""

    fact_id: str = of(MEMORY, "fact_id", "f_1c0ad2398567ecbb")
    entity: str | None = of(MEMORY_ENTITIES, "display_name", "lantern-shop")
    predicate: str = of(MEMORY, "predicate", "states")
    content: str = of(MEMORY, "content", NPM)
    status: str = tells("At `as_of`.", "active")
    confidence: float = tells("At `as_of`, 0 to 1.", 0.5527)


class UsedLearning(Model):
    """A learning in short."""

    learning_id: str = of(LEARNINGS, "learning_id", "l_7bd6fe39ba5a3bba")
    category: str = of(LEARNINGS, "category", "bug_fix")
    title: str = of(LEARNINGS, "title", "The test run failed because of a missing import")


class UsedEpisode(Model):
    """An episode in short."""

    episode_id: str = of(EPISODES, "episode_id", "r_bb2c0d0b011bcbb2")
    request: str = of(EPISODES, "request", "The checkout tests fail. Find out why.")
    started_at: datetime | None = of(EPISODES, "started_at", AT)
