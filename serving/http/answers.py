"""What each route answers with, and what goes wrong."""

from datetime import datetime
from typing import Any, Generic, TypeVar

from pydantic import Field

from knowledge.llm.fence import fenced
from knowledge.schema.tables import EPISODES, LEARNINGS, MEMORY, MEMORY_ENTITIES, RAW_LOGS
from serving.http.models import (
    AT,
    FILE,
    NPM,
    Conversation,
    Due,
    Entity,
    Episode,
    Fact,
    Happened,
    Interest,
    Known,
    Learning,
    LearnPrompt,
    Made,
    Model,
    NamedEntity,
    Notification,
    Piece,
    Profile,
    ReceiptRow,
    Recurring,
    Relation,
    Result,
    Source,
    Streamed,
    Waiting,
    of,
    tells,
)

FENCED = fenced(f"- {NPM}", "samples", "wordllama_l2_supercat_256-256-6b38")


class Answer(Model):
    """What every answer about memory begins with."""

    namespace: str = of(MEMORY, "namespace", "samples")
    as_of: datetime = tells("By what was known then: the latest event, unless told.", AT)


class Results(Answer):
    """Results of a search, the best first; none rather than noise."""

    query: str = tells("What was asked.", "npm or pnpm")
    said: str | None = tells("Words of it that were read as days.", "in March")
    from_day: str | None = tells("The first of the days that it is limited to.", "2026-03-01")
    to_day: str | None = tells("The last.", "2026-03-31")
    results: list[Result] = Field(description="At most `limit`.")
    text: str = tells("The same for a prompt, in its fence; empty if there are none.", FENCED)


class Context(Answer):
    """What belongs into the next prompt."""

    streamed: Streamed = Field(description="By `turns`; empty without any.")
    known: Known | None = Field(description="By `message`; null without one.")
    found: list[Result] = Field(description="By a search for `message`; empty without one.")
    memories: dict[str, list[str]] = tells(
        "What of all fits the budget, by kind.", {"facts": [NPM], "episodes": [], "learnings": []}
    )
    tokens: dict[str, int] = tells(
        "Tokens of each part of the text, its fence included.",
        {"system": 0, "streamed": 67, "recent": 9, "tool_results": 0},
    )
    text: str = tells(
        "All of it, for the prompt, memories in their fence: what changes least stands first.",
        FENCED,
    )


class Knowledge(Answer):
    """What the three layers have: profiles, pieces, and the graph around an entity."""

    entity_id: str | None = of(MEMORY_ENTITIES, "entity_id", "e_a4160f63031a50c7")
    text: str = tells("All of it as text for a prompt, in its fence.", FENCED)
    by_info_type: dict[str, str] = tells(
        "The same, as a text for each section of a prompt.",
        {"context": FENCED},
    )
    metadata: Profile | None = Field(description="The profile of the entity.")
    global_metadata: Profile | None = Field(description="The profile of the namespace.")
    pieces: list[Piece] = Field(description="The best first.")
    graph_context: list[Relation] = Field(description="By type and target.")


Item = TypeVar("Item", bound=Model)


class Listed(Answer, Generic[Item]):
    """One page of a list."""

    items: list[Item] = Field(description="At most `limit`.")
    next: str | None = tells(
        "Send it as `cursor` for the page that follows; null on the last.", "WyJhNDE2MGY2My…"
    )


class FactPage(Listed[Fact]):
    """Facts: those that hold first; of them sentences before attributes, then by support."""


class EntityPage(Listed[Entity]):
    """Entities, those with the most facts first."""


class LearningPage(Listed[Learning]):
    """Learnings, the surest first."""


class EpisodePage(Listed[Episode]):
    """Episodes, the latest first."""


class ConversationPage(Listed[Conversation]):
    """Conversations, the latest first."""


class RecentPage(Listed[Happened]):
    """What came last, the latest first."""


class InterestPage(Listed[Interest]):
    """What the person cares about, the most first."""

    waiting: list[Waiting] = Field(description="What was said since, for the next run to apply.")


class LearnPromptPage(Listed[LearnPrompt]):
    """What somebody wants to know, the latest first."""

    provider: bool = tells("Whether anything is searched for: a search provider is set.", True)
    waiting: list[Waiting] = Field(description="What was said since, for the next run to apply.")


class NotificationPage(Listed[Notification]):
    """What is to be told, what is held back, what was told, in this order."""

    waiting: list[Waiting] = Field(description="What was said since, for the next run to apply.")


class SchedulePage(Listed[Recurring]):
    """What recurs, the next first."""

    provider: bool = tells("Whether anything is searched for: a search provider is set.", True)
    waiting: list[Waiting] = Field(description="What was said since, for the next run to apply.")


class Research(Answer):
    """What is to be searched for, what was, and what is not known."""

    provider: bool = tells("Whether anything is searched for: a search provider is set.", True)
    totals: dict[str, int] = tells("All that there is.", {"due": 7, "held": 2, "done": 12})
    due: list[Due] = Field(description="In the order in which it is searched for.")
    held: list[Due] = Field(description="What is not searched for; `held` says why.")
    done: list[Made] = Field(description="What was searched for, the latest first.")
    waiting: list[Waiting] = Field(description="What was said since, for the next run to apply.")


class Node(Model):
    """An entity of the graph."""

    entity_id: str = of(MEMORY_ENTITIES, "entity_id", "e_a4160f63031a50c7")
    name: str = of(MEMORY_ENTITIES, "display_name", "lantern-shop")
    type: str = of(MEMORY_ENTITIES, "type", "project")
    depth: int = tells("Steps from the entity that was asked for.", 0)


class Edge(Model):
    """A relation of two entities, and the fact that says so."""

    source_id: str = tells("Entity that the fact is about.", "e_a4160f63031a50c7")
    target_id: str = tells("Entity that it names.", "e_15c749d8d4728870")
    type: str = of(MEMORY, "predicate", "connects_to_host")
    fact_id: str = of(MEMORY, "fact_id", "f_1c0ad2398567ecbb")
    content: str = of(MEMORY, "content", "lantern-shop connects to host staging")
    confidence: float = tells("At `as_of`, 0 to 1.", 0.62)
    depth: int = tells("Steps from the entity that was asked for, from 1.", 1)


class Graph(Answer):
    """What lies around an entity."""

    entity_id: str = tells("Where it was entered; what took it up, if it was merged.",
                         "e_a4160f63031a50c7")  # fmt: skip
    nodes: list[Node] = Field(description="The nearest first.")
    edges: list[Edge] = Field(description="The nearest first, of those the surest.")
    more: bool = tells("Whether `limit` left relations out.", False)


class Quote(Source):
    """Words that something rests on, who said them, and when."""

    origin: str | None = of(RAW_LOGS, "origin", "human")
    occurred_at: datetime | None = of(RAW_LOGS, "occurred_at", AT)


class Why(Answer):
    """Why something is here: the words it rests on, and all that is known of it."""

    kind: str = tells("fact, entity, learning, conversation, record, candidate, …", "fact")
    id: str = tells("Its id.", "f_1c0ad2398567ecbb")
    quotes: list[Quote] = Field(description="Fact → quote → record → file and line.")
    explanation: dict[str, Any] = tells(
        "What its kind has: history, merges, decisions, neighbours; as `cairn show --json`.",
        {"history": [], "merges": []},
    )


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

    learning_id: str = of(LEARNINGS, "learning_id", "l_3c654be75baee14b")
    category: str = of(LEARNINGS, "category", "bug_fix")
    title: str = of(LEARNINGS, "title", "The test run failed because of a missing import")


class UsedEpisode(Model):
    """An episode in short."""

    episode_id: str = of(EPISODES, "episode_id", "r_bb2c0d0b011bcbb2")
    request: str = of(EPISODES, "request", "The checkout tests fail. Find out why.")
    started_at: datetime | None = of(EPISODES, "started_at", AT)


class Uses(Answer):
    """What depends on a record."""

    record_id: str = of(RAW_LOGS, "record_id", "r_bb2c0d0b011bcbb2")
    conversation_id: str = of(RAW_LOGS, "conversation_id", "797df401-d9e3-405b-8320")
    kind: str = of(RAW_LOGS, "kind", "message")
    origin: str = of(RAW_LOGS, "origin", "human")
    file: str = of(RAW_LOGS, "source_file", FILE)
    line: int = of(RAW_LOGS, "source_line", 3)
    occurred_at: datetime | None = of(RAW_LOGS, "occurred_at", AT)
    episode: UsedEpisode | None = Field(description="The request that it belongs to.")
    facts: list[UsedFact] = Field(description="Facts that it says; at most 100.")
    supported: list[UsedFact] = Field(description="Facts that it bears out, or denies.")
    learnings: list[UsedLearning] = Field(description="Learnings that rest on it.")
    entities: list[NamedEntity] = Field(description="Entities that it introduced.")


class Received(Model):
    """What became of an event. It is on disk, without its secrets."""

    namespace: str = of(MEMORY, "namespace", "samples")
    event_id: str = tells("Send it again with the same event, and nothing is written twice.",
                        "4f7c1fbe-0f0a-4c2e-9a0f-6d1d3c1f2b7a")  # fmt: skip
    record_id: str = tells("Id of its record from the next run on.", "r_9f3c0d1be02a7c55")
    written: bool = tells("False if the namespace had the event already.", True)
    redactions: int = tells("Secrets that were taken out.", 0)


class Ordered(Received):
    """What became of a word that has something searched for."""

    topic: str = tells("As it was understood.", "drip irrigation")
    provider: bool = tells("False if nothing is searched for until a provider is set.", True)


class Naming(Model):
    """Where something is named."""

    where: str = tells("A table; or inbox, answers, notifications file, sources.", "records")
    rows: int = tells("How many rows or lines of it.", 12)
    ids: list[str] = tells("The first of them.", ["r_0b1c2d3e4f5a6b7c"])


class Forgotten(Model):
    """What goes, or would go, and what stays."""

    namespace: str = of(MEMORY, "namespace", "samples")
    thing: str = tells("fact, entity, record, conversation, name or namespace.", "conversation")
    id: str = tells("Its id; a name itself.", "garden-2026")
    everywhere: bool = tells("Whether every line goes that names it.", False)
    dry_run: bool = tells("Whether nothing was changed.", True)
    lines_removed: int = tells("Lines of sources that go.", 10)
    lines_naming_still: int = tells("Lines that stay and name it, if it is an entity.", 0)
    ready: bool | None = Field(
        None, description="Of a dry run: false while the receipt is made; ask the same again."
    )
    named: list[Naming] | None = Field(
        None, description="Of a dry run: where it would be named still, if it is an entity."
    )
    counts: dict[str, dict[str, int]] | None = Field(
        None,
        description="Of a dry run: rows by effect and table.",
        examples=[{"removed": {"records": 10, "memory": 3}, "kept": {"memory": 4}}],
    )
    rows: list[ReceiptRow] | None = Field(
        None, description="Of a dry run: the first of the receipt."
    )
    event_id: str | None = Field(None, description="Of the tombstone; null of a dry run.")
    record_id: str | None = Field(None, description="Id of its record from the next run on.")
    written: bool | None = Field(None, description="False if it was told before.")


class Published(Model):
    """What is published of a namespace."""

    namespace: str = of(MEMORY, "namespace", "samples")
    watermark: datetime | None = tells("The latest event of its logs.", AT)
    published_at: datetime = tells("When, by the clock.", AT)
    generation: str | None = tells("Generation of vectors.", "wordllama_l2_supercat_256-256-6b38")
    changed_files: int = tells("Files that are new or have grown since they were read.", 0)
    lag_seconds: float = tells("How long what was logged has waited; 0 if nothing waits.", 0.0)
    held_back: list[str] = Field(
        description="Why what is there is not published, so that this is what was before.",
        examples=[[]],
    )
    freshness: str = tells("All of it in words.", "all that was logged is published")


class Namespaces(Model):
    """The namespaces that can be asked for."""

    namespaces: list[Published] = Field(description="By name.")


class Health(Model):
    """Whether the server lives, and has something to answer from."""

    status: str = tells("Always ok: the server answers.", "ok")
    ready: bool = tells("Whether anything is published.", True)


class Wrong(Model):
    """One thing that is wrong with a request."""

    place: str = tells("query, path, header or body.", "query")
    name: str = tells("The parameter, or the place in the body.", "limit")
    detail: str = tells("What is wrong.", "Input should be less than or equal to 100")


class Problem(Model):
    """What went wrong (RFC 9457)."""

    type: str = tells("Always about:blank: the status says which.", "about:blank")
    title: str = tells("The status in words.", "Unprocessable Content")
    status: int = tells("The status.", 422)
    detail: str = tells("What is wrong here, and what to do.", "1 of the parameters is wrong")
    errors: list[Wrong] | None = Field(
        default=None, description="Each parameter that is wrong, of a request that is refused."
    )
