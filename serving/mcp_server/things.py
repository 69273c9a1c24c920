"""The things that answers hold: a model of each, and the same as short lines of text."""

from collections.abc import Iterator
from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field


class Model(BaseModel):
    """Made of dicts, or of objects with such attributes; what it does not name is left out."""

    model_config = ConfigDict(from_attributes=True)


class Source(Model):
    """Words that something rests on, and where they stand."""

    file: str | None
    line: int | None
    record_id: str
    quote: str | None

    def lines(self) -> Iterator[str]:
        """Where it stands."""
        yield f"  from {self.file}:{self.line} ({self.record_id})"


class Result(Model):
    """One result of a search, and why it is here."""

    id: str
    kind: str = Field(description="fact, episode or learning")
    text: str
    score: float = Field(description="0.6 similarity + 0.3 confidence + 0.1 recency")
    similarity: float
    confidence: float
    recency: float
    timestamp: datetime | None = Field(description="Its last event.")
    dense_rank: int | None = Field(description="Rank among vectors, from 1.")
    sparse_rank: int | None = Field(description="Rank by words, from 1.")
    entity: str | None = Field(description="What it is about; of an episode, its project.")
    predicate: str | None
    status: str | None
    sources: list[Source]

    def lines(self) -> Iterator[str]:
        """What it says, and where that stands."""
        about = f"  about {self.entity}" if self.entity else ""
        sure = f"score {self.score:.2f}, confidence {self.confidence:.2f}"
        yield f"{self.kind} {self.id}  {sure}{about}"
        yield from indented(self.text)
        for source in self.sources:
            yield from source.lines()


class Fact(Model):
    """A fact in short."""

    fact_id: str
    entity: str | None
    predicate: str
    content: str
    confidence: float
    status: str

    def lines(self) -> Iterator[str]:
        """What it says."""
        yield f"{self.fact_id}  {self.confidence:.2f}  {self.status}  {self.entity or ''}"
        yield from indented(self.content)


class DatedFact(Fact):
    """A fact as it stands."""

    conversation_count: int = Field(description="Conversations that say it.")
    last_seen: datetime | None
    valid_from: datetime | None
    valid_to: datetime | None


class KnownFact(Model):
    """A fact about something that a message names."""

    fact_id: str
    predicate: str
    text: str
    confidence: float
    similarity: float = Field(description="To the message; 0 where a search did not find it.")


class KnownEntity(Model):
    """Something that a message is about."""

    entity_id: str
    name: str
    type: str
    similarity: float = Field(description="1 where the message names it.")
    facts: list[KnownFact]


class Entity(Model):
    """An entity in short."""

    entity_id: str
    display_name: str
    type: str
    aliases: list[str]
    active_facts: int
    mentions: int
    last_seen: datetime | None

    def lines(self) -> Iterator[str]:
        """What it is."""
        also = f"  also {', '.join(self.aliases)}" if self.aliases else ""
        yield (
            f"{self.entity_id}  {self.display_name} ({self.type})  {self.active_facts} facts,"
            f" {self.mentions} mentions, last {day(self.last_seen)}{also}"
        )


class Sign(Model):
    """Something that the person did or said."""

    engagement_type: str = Field(description="like, search, mention, …")
    valence: int = Field(description="1 for, -1 against.")
    record_id: str
    occurred_at: datetime | None


class Interest(Model):
    """What the person cares about, or does not."""

    rank: int
    score: float = Field(description="Below 0 for what the person is against.")
    entity_id: str
    display_name: str
    type: str
    muted: bool = Field(description="The person wants to hear no more of it.")
    active_facts: int
    last_engaged_at: datetime | None
    made_of: list[Sign] = Field(description="What weighs most, the heaviest first.")

    def lines(self) -> Iterator[str]:
        """What it is, and what made it."""
        muted = "  muted" if self.muted else ""
        yield (
            f"{self.rank}  {self.score:.2f}  {self.entity_id}  {self.display_name} ({self.type}),"
            f" {self.active_facts} facts, last {day(self.last_engaged_at)}{muted}"
        )
        for sign in self.made_of:
            against = " against it" if sign.valence < 0 else ""
            kind = sign.engagement_type.replace("_", " ")
            yield f"  {minute(sign.occurred_at)}  {kind}{against}  {sign.record_id}"


class Notification(Model):
    """What the person was told unasked, or is to be."""

    notification_id: str
    status: str = Field(description="due, waits, held, sent, failed or unknown.")
    text: str
    entity_id: str
    fact_ids: list[str]
    found_at: datetime | None
    sent_at: datetime | None
    reason: str = Field(description="Why it is as it is.")

    def lines(self) -> Iterator[str]:
        """What it tells, and how it stands."""
        yield (
            f"{self.status}  {minute(self.sent_at or self.found_at)}  {self.text}"
            f"  {self.entity_id}  ({self.reason})"
        )


class Found(Model):
    """An entity that was found through a learn prompt."""

    entity_id: str
    display_name: str
    facts: int = Field(description="Facts about it that its searches brought.")


class LearnPrompt(Model):
    """What the person wants to know, and how far the searches are."""

    learn_prompt_id: str
    prompt_text: str
    status: str = Field(description="active, or completed when no search remains.")
    searches_remaining: int
    created_at: datetime | None
    entities: list[Found]

    def lines(self) -> Iterator[str]:
        """How far it is, and what was found."""
        mark = "✓" if self.status == "completed" else "…"
        found = ", ".join(f"{one.display_name} ({one.facts} facts)" for one in self.entities)
        left = f"{self.searches_remaining} searches to make" if self.searches_remaining else ""
        said = "; ".join(filter(None, [found, left])) or "nothing was found"
        yield f"{mark} {self.learn_prompt_id}  {self.prompt_text}: {said}"


class Due(Model):
    """A search that is due, will be, or is held."""

    effect_id: str
    mode: str = Field(description="learn, schedule; of an entity broad, gaps or briefing.")
    topic: str
    query: str
    due_at: datetime | None
    held: str | None = Field(description="Why it is not made.")
    reason: str

    def lines(self) -> Iterator[str]:
        """What is searched for, when and why."""
        held = f"  held: {self.held}" if self.held else ""
        yield f"{minute(self.due_at)}  {self.mode}  {self.effect_id}{held}"
        yield from indented(self.query)
        yield from indented(self.reason)


class Made(Model):
    """A search that was made, or at least begun."""

    effect_id: str
    at: datetime
    trigger: str = Field(description="learn_command, user_message (a schedule) or enrichment.")
    query: str
    outcome: str = Field(description="done, empty, failed, or unknown: without a receipt.")
    results: int | None
    error: str | None

    def lines(self) -> Iterator[str]:
        """What was searched for, and what came of it."""
        found = "" if self.results is None else f", {self.results} results"
        why = f": {self.error}" if self.error else ""
        yield f"{minute(self.at)}  {self.effect_id}  {self.outcome}{found}{why}"
        yield from indented(self.query)


class ReceiptRow(Model):
    """What becomes of one row."""

    effect: str = Field(description="removed, kept, revived, or made anew")
    table: str
    id: str
    text: str | None = Field(description="What it says, of what stays.")

    def lines(self) -> Iterator[str]:
        """Which row, and what it says."""
        yield f"{self.effect}  {self.table}  {self.id}"
        yield from indented(self.text or "")


class NamedEntity(Model):
    """An entity by its name."""

    entity_id: str
    display_name: str
    type: str


class ShortLearning(Model):
    """A learning's title."""

    learning_id: str
    category: str
    title: str

    def lines(self) -> Iterator[str]:
        """What it is about."""
        yield f"{self.learning_id}  {self.category}"
        yield from indented(self.title)


class Learning(ShortLearning):
    """A reusable lesson."""

    content: str
    tags: list[str]
    confidence: float
    created_at: datetime | None
    conversation_id: str

    def lines(self) -> Iterator[str]:
        """What it teaches."""
        yield f"{self.learning_id}  {self.confidence:.2f}  {self.category}"
        yield from indented(self.title)
        yield from indented(self.content)


class Happened(Model):
    """Something that came lately."""

    kind: str = Field(description="fact, learning or episode")
    id: str
    at: datetime = Field(description="When it was first said, learnt or begun.")
    text: str
    about: str | None = Field(description="A fact's entity, a learning's category, a project.")

    def lines(self) -> Iterator[str]:
        """What came, and when."""
        about = f"  {self.about}" if self.about else ""
        yield f"{minute(self.at)}  {self.kind} {self.id}{about}"
        yield from indented(self.text)


class Quote(Source):
    """Words that something rests on, who said them, and when."""

    origin: str | None = Field(description="human, agent, tool, …")
    occurred_at: datetime | None

    def lines(self) -> Iterator[str]:
        """The words, and where they stand."""
        when = minute(self.occurred_at) if self.occurred_at else ""
        yield " ".join(filter(None, ["said", self.origin and f"by {self.origin}", when])) + ":"
        yield from indented(self.quote or "")
        yield from super().lines()


class Change(Model):
    """What an event did to a fact's confidence."""

    occurred_at: datetime | None
    cause: str = Field(description="first, support, contradiction, feedback, …")
    confidence: float = Field(description="After it.")
    source_id: str | None = Field(description="What spoke for it or against it.")


class Decision(Model):
    """What a person decided."""

    decision_id: str
    decision: str
    decided_at: datetime | None
    reason: str | None
    holds: bool


class Episode(Model):
    """A person's request, with the work up to the next."""

    episode_id: str
    request: str
    started_at: datetime | None


def indented(text: str) -> Iterator[str]:
    """A text of the logs under the line that says what it is."""
    for line in text.splitlines():
        yield f"  {line}".rstrip()


def minute(moment: datetime | None) -> str:
    """A time as people read it."""
    return f"{moment:%Y-%m-%d %H:%M}" if moment else "undated"


def day(moment: datetime | None) -> str:
    """The day of a time."""
    return f"{moment:%Y-%m-%d}" if moment else "undated"
