"""What each query answers with, and what becomes of what is told."""

from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

from pydantic import Field

from cairn.knowledge.llm.fence import fenced
from cairn.knowledge.schema.tables import (
    DECISIONS,
    ERROR_SIGNATURES,
    MEMORY,
    MEMORY_ENTITIES,
    RAW_LOGS,
)
from cairn.serving.models import operations, things
from cairn.serving.models.fields import AT, FILE, NPM, Model, of, tells
from cairn.serving.models.offers import KindUtility, MutedPiece, PieceUtility
from cairn.serving.models.requests import (
    Due,
    Interest,
    LearnPrompt,
    Made,
    Naming,
    Notification,
    ReceiptRow,
    Recurring,
    Waiting,
)

FENCED = fenced(f"- {NPM}", "samples", "wordllama_l2_supercat_256-256-6b38")

RERANKED: Any = tells(
    "Whether a reranker put the results in order; null where none is set, or nothing was found.",
    None,
)
NOT_RERANKED: Any = tells("Why it did not: the order is the one without it.", None)


class AnswerBase(Model):
    """What every answer about memory begins with."""

    namespace: str = of(MEMORY, "namespace", "samples")
    as_of: datetime = tells("By what was known then: the latest event, unless told.", AT)


class ProvenFix(Model):
    """What was done about an error, and how often that ended it."""

    id: str = of(ERROR_SIGNATURES, "fix_id", "ef_1c0ad2398567ecbb")
    text: str = tells(
        "What was changed.", "Ran `git push --set-upstream origin <name>` instead of `git push`."
    )
    wins: int = of(ERROR_SIGNATURES, "wins", 2)
    losses: int = of(ERROR_SIGNATURES, "losses", 0)
    last_seen: datetime | None = of(ERROR_SIGNATURES, "fix_last_seen", AT)


class EndedError(AnswerBase):
    """What ended an error before; no fix where nothing is proven."""

    CUT = ("fixes",)

    signature: str | None = tells(
        "The key line with slots; null where no line says why.",
        "fatal: The current branch {name} has no upstream branch",
    )
    tool_family: str | None = tells("Whose error it is, if that is known.", "git")
    failures: int = tells("How often it was seen.", 2)
    last_seen: datetime | None = tells("When last.", AT)
    fixes: list[ProvenFix] = Field(
        description="The best by the lower bound of Wilson's interval first."
    )


class ToldLine(Model):
    """One line of a brief, and what bears it out."""

    id: str = tells("Of a practice, fact, fix, file or conversation.", "w_1c0ad2398567ecbb")
    kind: Literal["practice", "directive", "refusal", "error", "fact", "place", "recent"] = tells(
        "What it is about.", "practice"
    )
    text: str = tells("What it says.", "test: `make test`")
    support: int = tells("Runs, statements, or times that a fix ended an error.", 12)
    conversations: int = tells("In how many conversations.", 5)
    last_seen: datetime | None = tells("When last.", AT)


class ProjectBrief(AnswerBase):
    """What an agent should know of a project before it starts."""

    BRIEF = ("namespace", "as_of", "project", "tokens", "lines")
    CUT = ("lines",)

    project: str | None = tells("Its name; null where none is known.", "lantern-shop")
    tokens: int = tells("Of the text (characters / 4).", 210)
    text: str = tells("The lines for a prompt, in its fence; empty if there are none.", FENCED)
    lines: list[ToldLine] = Field(description="The same, the best of each kind first.")


class Utility(AnswerBase):
    """What came of what was offered to agents."""

    CUT = ("top",)

    pieces: int = tells("How many were offered.", 38)
    kinds: list[KindUtility] = Field(description="By kind and outcome.")
    top: list[PieceUtility] = Field(description="Single pieces, the most offered first.")
    muted: list[MutedPiece] = Field(description="Pieces that a person muted, the last first.")


class Results(AnswerBase):
    """Results of a search, the best first; none rather than noise."""

    BRIEF = (
        *("namespace", "as_of", "query", "time_expression", "from_day", "to_day"),
        *("reranked", "not_reranked", "results"),
    )
    CUT = ("results",)

    query: str = tells("What was asked.", "npm or pnpm")
    time_expression: str | None = tells("Words of it that were read as days.", "in March")
    from_day: str | None = tells("The first of the days that it is limited to.", "2026-03-01")
    to_day: str | None = tells("The last.", "2026-03-31")
    reranked: bool | None = RERANKED
    not_reranked: str | None = NOT_RERANKED
    results: list[things.Result] = Field(description="At most `limit`.")
    text: str = tells("The same for a prompt, in its fence; empty if there are none.", FENCED)


class ContextAnswer(AnswerBase):
    """What belongs into the next prompt."""

    BRIEF = ("namespace", "as_of", "streamed", "known", "found", "memories")
    CUT = ("found",)

    streamed: things.Streamed = Field(description="By `turns`; empty without any.")
    known: things.Known | None = Field(description="By `message`; null without one.")
    found: list[things.Result] = Field(description="By a search for `message`; empty without one.")
    reranked: bool | None = RERANKED
    not_reranked: str | None = NOT_RERANKED
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


class KnowledgeAnswer(AnswerBase):
    """What the three layers have: profiles, pieces, and the graph around an entity."""

    entity_id: str | None = of(MEMORY_ENTITIES, "entity_id", "e_a4160f63031a50c7")
    text: str = tells("All of it as text for a prompt, in its fence.", FENCED)
    by_info_type: dict[str, str] = tells(
        "The same, as a text for each section of a prompt.", {"context": FENCED}
    )
    metadata: things.ProfileAnswer | None = Field(description="The profile of the entity.")
    global_metadata: things.ProfileAnswer | None = Field(
        description="The profile of the namespace."
    )
    pieces: list[things.PieceAnswer] = Field(description="The best first.")
    graph_context: list[things.RelationAnswer] = Field(description="By type and target.")


Item = TypeVar("Item", bound=Model)


class Listed(AnswerBase, Generic[Item]):
    """One page of a list."""

    CUT = ("items",)

    items: list[Item] = Field(description="At most `limit`.")
    next: str | None = tells(
        "Send it as `cursor` for the page that follows; null on the last.", "WyJhNDE2MGY2My…"
    )
    total: int = tells("How many there are on all pages.", 55)


class FactPage(Listed[things.FactAnswer]):
    """Facts: those that hold first; of them sentences before attributes, then by support."""


class EntityFacts(Listed[things.FactAnswer]):
    """An entity, and one page of its facts: those that hold first, the best supported first."""

    CUT = ("items", "same_name")

    entity: things.OneEntity = Field(
        description="Of several that are called so, that with most facts."
    )
    same_name: list[things.OneEntity] = Field(description="The others that are called so.")


class EntityPage(Listed[things.Entity]):
    """Entities, those with the most facts first."""


class LearningPage(Listed[things.Learning]):
    """Learnings, the surest first."""


class EpisodePage(Listed[things.Episode]):
    """Episodes, the latest first."""


class ConversationPage(Listed[things.Conversation]):
    """Conversations, the latest first."""


class RecentPage(Listed[things.Happened]):
    """What came last, the latest first."""


class InterestPage(Listed[Interest]):
    """What the person cares about, the most first."""

    waiting: list[Waiting] = Field(description="What was said since, for the next run to apply.")


class LearnPromptPage(Listed[LearnPrompt]):
    """What somebody wants to know, the latest first."""

    provider: bool = tells("Whether anything is searched for: a search provider is set.", True)
    waiting: list[Waiting] = Field(description="What was said since, for the next run to apply.")


class NotificationPage(Listed[Notification]):
    """What is to be told, what is blocked, what was told, in this order."""

    waiting: list[Waiting] = Field(description="What was said since, for the next run to apply.")


class SchedulePage(Listed[Recurring]):
    """What recurs, the next first."""

    provider: bool = tells("Whether anything is searched for: a search provider is set.", True)
    waiting: list[Waiting] = Field(description="What was said since, for the next run to apply.")


class Research(AnswerBase):
    """What is to be searched for, what was, and what is not known."""

    CUT = ("done", "blocked", "due")

    provider: bool = tells("Whether anything is searched for: a search provider is set.", True)
    totals: dict[str, int] = tells("All that there is.", {"due": 7, "blocked": 2, "done": 12})
    due: list[Due] = Field(description="In the order in which it is searched for.")
    blocked: list[Due] = Field(description="What is not searched for; `blocked_by` says why.")
    done: list[Made] = Field(description="What was searched for, the latest first.")
    waiting: list[Waiting] = Field(description="What was said since, for the next run to apply.")


class Graph(AnswerBase):
    """What lies around an entity."""

    entity_id: str = tells("Where it was entered; what took it up, if it was merged.",
                         "e_a4160f63031a50c7")  # fmt: skip
    nodes: list[things.NodeAnswer] = Field(description="The nearest first.")
    edges: list[things.EdgeAnswer] = Field(description="The nearest first, of those the surest.")
    more: bool = tells("Whether `limit` left relations out.", False)


class Why(AnswerBase):
    """Why something is here: the words it rests on, and all that is known of it."""

    BRIEF = (
        "namespace", "as_of", "kind", "id", "quotes", "text", "fact", "extractor", "history",
        "decisions", "facts", "learnings", "episodes",
    )  # fmt: skip
    CUT = ("episodes", "facts", "learnings", "decisions", "history", "quotes")

    kind: str = tells("fact, entity, learning, conversation, record, candidate, …", "fact")
    id: str = tells("Its id.", "f_1c0ad2398567ecbb")
    quotes: list[things.QuoteAnswer] = Field(description="Fact → quote → record → file and line.")
    text: str = tells("What it says.", NPM)
    fact: things.FactAnswer | None = Field(description="The fact, if it is one.")
    extractor: str | None = tells("The rule or model that proposed it.", "states@1")
    history: list[things.ConfidenceChange] = Field(
        description="Of a fact, how sure it was over time."
    )
    decisions: list[things.PersonDecision] = Field(description="What people decided about it.")
    facts: list[things.UsedFact] = Field(description="Facts that it says, or took up.")
    learnings: list[things.UsedLearning] = Field(description="Learnings that rest on it.")
    episodes: list[things.UsedEpisode] = Field(
        description="Requests that it holds, or was drawn from."
    )
    explanation: dict[str, Any] = tells(
        "What its kind has: history, merges, decisions, neighbours; as `cairn show --json`.",
        {"history": [], "merges": []},
    )


class Uses(AnswerBase):
    """What depends on a record."""

    record_id: str = of(RAW_LOGS, "record_id", "r_bb2c0d0b011bcbb2")
    conversation_id: str = of(RAW_LOGS, "conversation_id", "797df401-d9e3-405b-8320")
    kind: str = of(RAW_LOGS, "kind", "message")
    origin: str = of(RAW_LOGS, "origin", "human")
    file: str = of(RAW_LOGS, "source_file", FILE)
    line: int = of(RAW_LOGS, "source_line", 3)
    occurred_at: datetime | None = of(RAW_LOGS, "occurred_at", AT)
    episode: things.UsedEpisode | None = Field(description="The request that it belongs to.")
    facts: list[things.UsedFact] = Field(description="Facts that it says; at most 100.")
    supported: list[things.UsedFact] = Field(description="Facts that it bears out, or denies.")
    learnings: list[things.UsedLearning] = Field(description="Learnings that rest on it.")
    entities: list[things.NamedEntity] = Field(description="Entities that it introduced.")


class MessagePage(Listed[operations.SpokenMessage]):
    """What was said in a conversation, in order."""


class OneRecord(AnswerBase, operations.SpokenMessage):
    """A record whole, with what stands before and after it."""

    CUT = ("after", "before", "facts", "learnings")

    before: list[operations.SpokenRecord] = Field(description="What stands before it, in order.")
    after: list[operations.SpokenRecord] = Field(description="What follows.")


class DecisionPage(Listed[operations.MadeDecision]):
    """What people decided, the latest first."""

    waiting: list[Waiting] = Field(description="What was decided since, for the next run to apply.")


class Review(AnswerBase):
    """What waits for a person."""

    CUT = ("items",)

    totals: dict[str, int] = tells("All that waits, by kind.", {"pairs": 3, "entities": 1})
    items: list[operations.ReviewItem] = Field(description="At most `limit` of each kind.")
    waiting: list[Waiting] = Field(description="What was decided since, for the next run to apply.")


class ProjectPage(Listed[operations.WorkedProject]):
    """Projects, the one that was worked on last first."""


class MissedPage(Listed[operations.MissedSentence]):
    """What should have been learnt, the latest first."""

    waiting: list[Waiting] = Field(description="What was said since, for the next run to take in.")


class Changes(AnswerBase):
    """What differs between two publications."""

    CUT = ("items",)

    publications: list[operations.Publication] = Field(description="Those that are kept.")
    since: int = tells("The earlier one that was compared.", 1)
    until: int = tells("The later one.", 0)
    totals: dict[str, dict[str, int]] = tells(
        "How many rows differ, by kind and change.", {"fact": {"appeared": 3, "changed": 1}}
    )
    items: list[operations.ChangedRow] = Field(description="At most `limit` of each kind.")


class DeadLetters(AnswerBase):
    """What could not be read or done."""

    CUT = ("items",)

    total: int = tells("How many there are.", 1)
    items: list[operations.DeadLetter] = Field(description="By place; at most `limit`.")


class Costs(AnswerBase):
    """What calls to language models cost."""

    CUT = ("items",)

    total: operations.Cost = Field(description="Of all.")
    groups: int = tells("How many groups there are.", 4)
    items: list[operations.CostGroup] = Field(description="The newest day first, then the dearest.")


class Sources(AnswerBase):
    """The watched sources."""

    CUT = ("items",)

    total: int = tells("How many there are.", 2)
    items: list[operations.WatchedSource] = Field(description="By path.")


class Status(AnswerBase):
    """What is there, and how fresh it is."""

    published_at: datetime = tells("When, by the clock.", AT)
    totals: things.Totals = Field(description="How much there is.")
    lag_seconds: float = tells("How long what was logged has waited; 0 if nothing waits.", 0.0)
    blocked_by: list[str] = Field(
        description="Why what is there is not published, so that this is what was before.",
        examples=[[]],
    )
    freshness: str = tells("Both in words.", "all that was logged is published")


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


class Noted(Model):
    """What became of a decision. It is on disk; the next run applies it."""

    decision: str = of(DECISIONS, "decision", "retract")
    namespace: str = of(MEMORY, "namespace", "samples")
    target_type: str = of(DECISIONS, "target_type", "fact")
    ids: list[str] = tells("All that it is about.", ["f_1c0ad2398567ecbb"])
    event_id: str = tells("Send it again with the same, and nothing is written twice.",
                        "4f7c1fbe-0f0a-4c2e-9a0f-6d1d3c1f2b7a")  # fmt: skip
    decision_id: str = tells("Id of its record from the next run on.", "r_9f3c0d1be02a7c55")
    written: bool = tells("False if the namespace had the event already.", True)
    will: str = tells("What becomes of it, in words.", "to be retracted")


class NotedMissing(Received):
    """What should have been learnt, once it is noted."""

    missed_in: str = of(RAW_LOGS, "record_id", "r_bb2c0d0b011bcbb2")
    expected: str = tells("What should have been learnt.", NPM)
    applied: str = tells("When.", "at the next run: cairn run")


class Forgotten(Model):
    """What goes, or would go, and what stays."""

    namespace: str = of(MEMORY, "namespace", "samples")
    target_type: str = tells(
        "fact, entity, record, conversation, name or namespace.", "conversation"
    )
    id: str = tells("Its id; a name itself.", "garden-2026")
    everywhere: bool = tells("Whether every line goes that names it.", False)
    dry_run: bool = tells("Whether nothing was changed.", True)
    lines_removed: int = tells("Lines of sources that go.", 10)
    lines_still_naming: int = tells("Lines that stay and name it, if it is an entity.", 0)
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
    blocked_by: list[str] = Field(
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
