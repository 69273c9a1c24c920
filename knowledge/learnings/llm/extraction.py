"""Lessons that a language model finds in finished conversations, and rules judge.

    spans -> categories (at most two) -> one question each -> drafts -> scoring -> quotes

Each step asks about all conversations at once. Questions hold nothing but the telling messages of
one conversation, so one that grew elsewhere asks nothing anew.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
import polars as pl

from cairn.knowledge.dialogue import trust
from cairn.knowledge.dialogue.hearsay import Hearsay, heard
from cairn.knowledge.dialogue.sentences import headline
from cairn.knowledge.dialogue.trust import OUTCOME, PERSON
from cairn.knowledge.dialogue.turns import CONVERSATION, Turn, conversations, readable
from cairn.knowledge.engine.extractors import Extractor, by_prompts
from cairn.knowledge.engine.work import OUTCOME_SCHEMA
from cairn.knowledge.extraction.llm_units import extractor
from cairn.knowledge.extraction.validation import has_canary
from cairn.knowledge.learnings.categories import MOST, Signal
from cairn.knowledge.learnings.draft import Draft, Factors, encode
from cairn.knowledge.learnings.drafting import draft
from cairn.knowledge.learnings.llm.rendering import found, shown
from cairn.knowledge.learnings.llm.vouching import lesson_trust
from cairn.knowledge.learnings.quotes import quotes, shorten
from cairn.knowledge.learnings.scoring import LONGEST_TITLE, evidence_grade, held, judged
from cairn.knowledge.learnings.stages import best_of, ranked, weighed
from cairn.knowledge.llm.client import Answer, Ask, LanguageModel
from cairn.knowledge.llm.prompt import Prompt
from cairn.knowledge.llm.prompt_injection import gives_orders
from cairn.knowledge.llm.prompt_set import ModelInForce
from cairn.knowledge.llm.prompts import LEARNING_CATEGORIES, LEARNING_QUOTES, LESSON_PROMPTS
from cairn.knowledge.llm.prompts.learnings.categories import Categories
from cairn.knowledge.llm.prompts.learnings.lesson import Lesson, Lessons
from cairn.knowledge.llm.prompts.learnings.quotes import SHOWN, LessonQuotes
from cairn.knowledge.schema.failures import FAILURE_SCHEMA
from cairn.knowledge.schema.learning_categories import ON_EQUAL_SCORES
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import LEARNING_CANDIDATES

LEARNING_MODEL = Extractor(
    "learning_model", "model", 3,
    "Lessons that a language model finds in finished conversations, by category.",
    ("min_conversation_value", "min_category_score", "min_learning_confidence",
     "min_advice_confidence", "max_agent_confidence", "max_outside_confidence"),
    (f"trust@{trust.VERSION}",),
)  # fmt: skip

ASSET = "learning_candidates"
LONGEST_TAG = 50
"""Characters; what is longer is no tag."""

UNIT_OUTCOMES = {
    "stored": "done", "low_quality": "rejected", "no_categories": "empty",
}  # fmt: skip
"""What became of a conversation → of its unit of work."""


_MADE = (
    *CONVERSATION, "categories", "category_scores", "signals", "drafts", "outcome", "details",
    "extractor",
)  # fmt: skip


class Taught(NamedTuple):
    """What a model made of conversations.

    `candidates` are rows of LEARNING_CANDIDATES, one for each conversation that was worth asking
    about. `failures` are rows of FAILURE_SCHEMA, with the first message
    that was shown. `outcomes` has one row for each conversation given, as in `work`; a `pending`
    one is owed still: it is not finished, or the model is not to be had. What it has so far is
    written.
    """

    candidates: pl.DataFrame
    failures: pl.DataFrame
    outcomes: pl.DataFrame


def in_force(model: ModelInForce) -> Extractor:
    """The stage by a model: what decides its rows are also its prompts."""
    prompts = (LEARNING_CATEGORIES, *LESSON_PROMPTS.values(), LEARNING_QUOTES)
    return by_prompts(LEARNING_MODEL, prompts, model)


@dataclass
class _Read:
    """A conversation that is read, and what is known of it so far."""

    namespace: str
    conversation_id: str
    turns: list[Turn]
    """What the model is shown."""
    hearsay: Hearsay
    chosen: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    signals: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    drafts: list[Draft] = field(default_factory=list[Draft])
    notes: list[str] = field(default_factory=list[str])
    """Why what a model wrote is not even among the drafts."""
    failed: list[tuple[str, Answer]] = field(default_factory=list[tuple[str, Answer]])
    """Prompts, and the answer that is none."""
    pending: bool = False

    def ask(self, prompt: Prompt[Any], given: str, turns: Sequence[Turn]) -> Ask:
        """A question about some of its messages."""
        records = tuple(turn.record_id for turn in turns)
        return Ask(prompt, self.namespace, given, records, ASSET)

    def take(self, prompt: Prompt[Any], answer: Answer) -> Any:
        """The value of an answer; notes if there is none."""
        if answer.outcome == "failed":
            self.failed.append((prompt.name, answer))
        self.pending |= answer.outcome == "pending"
        return answer.value

    @property
    def accepted(self) -> list[Draft]:
        """Drafts that may be stored."""
        return [draft for draft in self.drafts if draft.refused is None]

    @property
    def outcome(self) -> str:
        """What became of it, as LEARNING_CANDIDATES has it."""
        if self.accepted:
            return "stored"
        if self.failed:
            return "failed"
        return "low_quality" if self.chosen else "no_categories"

    @property
    def details(self) -> str | None:
        """Why, in one line."""
        if self.failed:
            return "; ".join(f"{prompt}: {answer.reason}" for prompt, answer in self.failed)
        if self.accepted:
            return None
        if not self.chosen:
            return "no category is sure enough"
        refused = [draft.refused for draft in self.drafts if draft.refused]
        return next(iter([*refused, *self.notes]), "the model found no lesson")


def asked_learnings(
    raw_logs: pl.DataFrame, finished: pl.DataFrame, model: LanguageModel, policy: Policy
) -> Taught:
    """What a model learns from conversations.

    `finished` has namespace and conversation_id of those that may be paid for.
    """
    categorising = model.prompts.version(LEARNING_CATEGORIES)
    turns = readable(raw_logs)
    rows = weighed(raw_logs, turns)
    worth = rows.filter(pl.col("value") >= policy.min_conversation_value)
    ready = worth.join(finished, on=CONVERSATION, how="semi")
    read = _read(turns, ready, heard(raw_logs, ready))
    _categorise(read, model, policy)
    _draft(read, model, policy)
    _quote(read, model)
    return Taught(
        _rows(read, rows, extractor(LEARNING_MODEL, categorising, model.model)),
        _failures(read, rows),
        _outcomes(read, rows, worth.join(ready, on=CONVERSATION, how="anti")),
    )


def _read(
    turns: pl.DataFrame, ready: pl.DataFrame, known: Mapping[tuple[str, str], Hearsay]
) -> list[_Read]:
    """Each conversation with its spans, in the order of keys."""
    kept = ready.select("namespace", record_id="spans").explode("record_id")
    rows = turns.join(kept, on=["namespace", "record_id"], how="semi", maintain_order="left")
    return [_Read(*found, known[found[:2]]) for found in conversations(rows)]


def _categorise(read: Iterable[_Read], model: LanguageModel, policy: Policy) -> None:
    """Which two kinds of lessons each conversation holds."""

    def questions(one: _Read) -> list[Ask]:
        return [one.ask(model.prompts.version(LEARNING_CATEGORIES), shown(one.turns), one.turns)]

    for one, _, value in _answers(read, questions, model):
        if not isinstance(value, Categories):
            continue
        scores: dict[str, float] = {}
        for category in value.categories:
            name = str(category.category)
            scores[name] = max(category.confidence, scores.get(name, 0.0))
            one.signals.setdefault(name, []).extend(filter(harmless, category.signals))
        bar = policy.min_category_score
        sure: list[tuple[str, float]] = [
            (name, scores[name]) for name in ON_EQUAL_SCORES if scores.get(name, -1.0) >= bar
        ]
        one.chosen = sorted(sure, key=lambda pair: -pair[1])[:MOST]


def _draft(read: Sequence[_Read], model: LanguageModel, policy: Policy) -> None:
    """The lessons of each kind, judged."""

    def questions(one: _Read) -> list[Ask]:
        prompts = [model.prompts.version(LESSON_PROMPTS[category]) for category, _ in one.chosen]
        return [one.ask(prompt, shown(one.turns), one.turns) for prompt in prompts]

    for one, ask, value in _answers(read, questions, model):
        if not isinstance(value, Lessons):
            continue
        label = extractor(LEARNING_MODEL, ask.prompt, model.model)
        category = ask.prompt.name.removeprefix("learning_")
        for lesson in value.lessons:
            if has_canary(lesson.title, lesson.content, *lesson.tags):
                one.notes.append("canary")
            else:
                one.drafts.append(_drafted(one, category, lesson, label, policy))
    for one in read:
        titled: dict[tuple[str, str], Draft] = {}
        for made in ranked(one.drafts):
            titled.setdefault((made.category, made.title.casefold()), made)
        one.drafts = best_of(list(titled.values()))


def _drafted(one: _Read, category: str, lesson: Lesson, label: str, policy: Policy) -> Draft:
    """A lesson as a draft with the deterministic quotes, and what refuses it."""
    numbers = sorted(set(lesson.evidence))
    evidence = [one.turns[n - 1] for n in numbers if 0 < n <= len(one.turns)]
    if not quotes((), evidence):
        evidence = []  # calls alone are no message
    word = lesson_trust(category, lesson.title, lesson.content, evidence, one.hearsay)
    # How sure the model is of its evidence counts no more than who or what bears it out.
    borne_out = evidence_grade(int(word in (PERSON, OUTCOME)))
    made = draft(
        Signal(category, "model"),
        title_of(lesson.title),
        lesson.content,
        [tag for tag in lesson.tags if len(tag) <= LONGEST_TAG],
        factors=Factors(
            lesson.factors.actionability, lesson.factors.generalizability,
            lesson.factors.clarity, min(lesson.factors.evidence, borne_out),
        ),
        evidence=evidence,
        spans=(),
        extractor=label,
        trust=word,
        steps=one.hearsay.done(evidence),
    )  # fmt: skip
    made = judged(
        msgspec.structs.replace(
            made,
            summary=f"Extracted from conversation {one.conversation_id}",
            signals=list(dict.fromkeys(one.signals.get(category, ()))) or made.signals,
        ),
        policy,
    )
    return held(made, evidence)


def title_of(said: str) -> str:
    """A title as it is stored: on one line, of at most LONGEST_TITLE characters."""
    told = " ".join(said.split())
    return headline(told, LONGEST_TITLE) if len(told) > LONGEST_TITLE else told


def harmless(text: str) -> bool:
    """Whether words of a model may be stored: neither of an example nor an order to a model."""
    return not has_canary(text) and not gives_orders(text, "agent")


def _quote(read: Iterable[_Read], model: LanguageModel) -> None:
    """Quotes and summaries of what may be stored; where they are not to be had, the first stay."""
    asked = [(one, made, _shows(one, made)) for one in read for made in one.accepted]
    asks = [
        one.ask(
            model.prompts.version(LEARNING_QUOTES),
            f"Lesson: {made.title}\n{made.content}\n\nMessages:\n{shown(evidence, SHOWN)}",
            evidence,
        )
        for one, made, evidence in asked
    ]
    answers = model.answers(asks)
    for (one, made, evidence), answer in zip(asked, answers, strict=True):
        one.pending |= answer.outcome == "pending"
        if isinstance(answer.value, LessonQuotes):
            one.drafts[one.drafts.index(made)] = _quoted(made, evidence, answer.value)


def _shows(one: _Read, made: Draft) -> list[Turn]:
    """The messages that a draft rests on."""
    return [turn for turn in one.turns if turn.record_id in made.evidence]


def _quoted(made: Draft, evidence: Sequence[Turn], value: LessonQuotes) -> Draft:
    """A draft with the quotes that stand in their source; as it was if none does."""
    spans = [span for q in value.quotes if (span := found(q.text, q.message, evidence))]
    if not spans:
        return made
    summary = " ".join(value.summary.split())
    if not summary or not harmless(summary):
        summary = made.summary
    return msgspec.structs.replace(made, quotes=quotes(spans, evidence), summary=shorten(summary))


def _answers(
    read: Iterable[_Read], questions: Callable[[_Read], list[Ask]], model: LanguageModel
) -> list[tuple[_Read, Ask, Any]]:
    """Answers to the questions about all conversations, asked at once."""
    asks = [(one, ask) for one in read for ask in questions(one)]
    answers = model.answers([ask for _, ask in asks])
    return [
        (one, ask, one.take(ask.prompt, answer))
        for (one, ask), answer in zip(asks, answers, strict=True)
    ]


def _rows(read: Iterable[_Read], rows: pl.DataFrame, label: str) -> pl.DataFrame:
    """Rows of LEARNING_CANDIDATES; none for what waits and has nothing to show yet."""
    shown_now = [one for one in read if one.accepted or not one.pending]
    made = [
        (
            one.namespace,
            one.conversation_id,
            [category for category, _ in one.chosen],
            [score for _, score in one.chosen],
            [signal for name, _ in one.chosen for signal in dict.fromkeys(one.signals[name])],
            encode(one.drafts),
            one.outcome,
            one.details,
            label,
        )
        for one in shown_now
    ]
    schema = {name: LEARNING_CANDIDATES.schema[name] for name in _MADE}
    frame = pl.DataFrame(made, schema=schema, orient="row")
    return LEARNING_CANDIDATES.frame(frame.join(rows, on=CONVERSATION))


def _failures(read: Iterable[_Read], rows: pl.DataFrame) -> pl.DataFrame:
    lost = [
        (
            one.namespace,
            one.conversation_id,
            one.turns[0].record_id,
            prompt,
            answer.reason or "",
            answer.key,
        )
        for one in read
        for prompt, answer in one.failed
    ]
    schema = {n: t for n, t in FAILURE_SCHEMA.items() if n != "day"}
    frame = pl.DataFrame(lost, schema=schema, orient="row")
    return frame.join(rows.select(*CONVERSATION, "day"), on=CONVERSATION).select(
        FAILURE_SCHEMA.names()
    )


def _outcomes(read: Iterable[_Read], rows: pl.DataFrame, waiting: pl.DataFrame) -> pl.DataFrame:
    """What became of the unit of each conversation."""
    told = {(one.namespace, one.conversation_id): _unit(one) for one in read}
    told |= {(row[0], row[1]): ("pending", 0) for row in waiting.select(CONVERSATION).iter_rows()}
    every = [
        (namespace, LEARNING_MODEL.name, unit, *told.get((namespace, unit), ("empty", 0)))
        for namespace, unit in rows.select(CONVERSATION).sort(CONVERSATION).iter_rows()
    ]
    return pl.DataFrame(every, schema=OUTCOME_SCHEMA, orient="row")


def _unit(one: _Read) -> tuple[str, int]:
    """Outcome and rows of the unit of a conversation that was read."""
    rows = int(bool(one.accepted) or not one.pending)
    if one.pending:
        return "pending", rows
    return "failed" if one.failed else UNIT_OUTCOMES[one.outcome], rows
