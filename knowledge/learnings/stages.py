"""The two stages: what each conversation gives, and the lessons that stay.

    value -> spans -> findings -> categories -> drafts -> scoring      (learning_candidates, by day)
    value -> spans -> a model's categories -> its drafts -> scoring    (the same: `asked`)
    all drafts -> duplicates -> feedback -> stored                     (learnings)

Rules judge every conversation as it stands, a model only those that are finished. Each gives a row
of its own in `learning_candidates`, which the conversation's own rows decide; its outcome there is
low_value, no_categories, low_quality, failed, or stored, which means that a draft went on to
`learnings`. Scoring and duplicates take a model's draft like one that a rule made. Only there can
it turn out that all drafts of a conversation had been learned before. `outcomes` gives the final
one.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
import polars as pl

from cairn.knowledge.dialogue import trust
from cairn.knowledge.dialogue.background import settled
from cairn.knowledge.dialogue.hearsay import Hearsay, heard
from cairn.knowledge.dialogue.tool_calls import steps
from cairn.knowledge.dialogue.turns import CONVERSATION, Turn, conversations, readable
from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.learnings.categories import categories
from cairn.knowledge.learnings.context_window import spans
from cairn.knowledge.learnings.deduplication import dedupe_hash, keepers, simhashes
from cairn.knowledge.learnings.draft import Draft, decode, encode
from cairn.knowledge.learnings.feedback import moved
from cairn.knowledge.learnings.recurrence.occurrences import RECURRENCE
from cairn.knowledge.learnings.rules.failure_drafts import ERROR_ENDED
from cairn.knowledge.learnings.rules.registry import drafts, findings, signals_of
from cairn.knowledge.learnings.scoring import STRONG, WEIGHTS, evidence_of_fix, held, judged
from cairn.knowledge.learnings.value_score import values
from cairn.knowledge.llm import prompt_injection
from cairn.knowledge.schema.calendar import undated
from cairn.knowledge.schema.identity import digest_column
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import LEARNING_CANDIDATES, LEARNINGS
from cairn.knowledge.vectors.model import Embedder

MOST_PER_CATEGORY = 3
"""Drafts of one category that a conversation may give: the most confident, then the first."""

OUTCOMES = ("stored", "duplicate", "failed", "low_quality", "no_categories", "low_value")
"""What may become of a conversation, the most telling first."""

EXTRACTOR = Extractor(
    "learning_rules", "rule", 19,
    "Lessons from errors that really ended, stated decisions, answered questions, patterns in use, "
    "and gains that were measured.",
    ("min_conversation_value", "min_category_score", "min_learning_confidence",
     "min_advice_confidence", "max_agent_confidence", "max_outside_confidence"),
    (f"injection@{prompt_injection.VERSION}", f"trust@{trust.VERSION}"),
)  # fmt: skip
DUPLICATES = Extractor(
    "learnings", "stage", 7,
    "Lessons that recur, those that are the same (canonical hash, SimHash, calibrated similarity), "
    "and feedback on them.",
    ("learning_similarity", "learning_hamming", "candidate_margin", "min_learning_confidence",
     "min_advice_confidence", "embedder"),
)  # fmt: skip


def learning_candidates(raw_logs: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """One row for each conversation: value, categories, drafts and what became of them.

    Each is judged by its own rows alone.
    """
    turns = readable(raw_logs)
    rows = weighed(raw_logs, turns)
    worth = rows.filter(pl.col("value") >= policy.min_conversation_value).select(CONVERSATION)
    known = heard(raw_logs, worth)
    read = {
        (namespace, conversation): _judged(found, known[namespace, conversation], policy)
        for namespace, conversation, found in conversations(
            turns.join(worth, on=CONVERSATION, how="semi", maintain_order="left")
        )
    }
    unread = _Judged([], [], "[]", "low_value", "value under the bar")
    results = [read.get((row[0], row[1]), unread) for row in rows.select(CONVERSATION).iter_rows()]
    return LEARNING_CANDIDATES.frame(
        rows.with_columns(
            pl.Series(
                "categories", [[c for c, _ in r.categories] for r in results], pl.List(pl.String)
            ),
            pl.Series(
                "category_scores",
                [[s for _, s in r.categories] for r in results],
                pl.List(pl.Float64),
            ),
            pl.Series("signals", [r.signals for r in results], pl.List(pl.String)),
            pl.Series("drafts", [r.drafts for r in results], pl.String),
            pl.Series("outcome", [r.outcome for r in results], pl.String),
            pl.Series("details", [r.details for r in results], pl.String),
            extractor=pl.lit(EXTRACTOR.label),
        )
    )


def weighed(raw_logs: pl.DataFrame, turns: pl.DataFrame) -> pl.DataFrame:
    """One row for each conversation: what it promises, and what is read of it on a budget.

    Args:
        raw_logs: Whole conversations.
        turns: `turns.readable` of them.

    Returns:
        namespace, conversation_id, day, content_hash, value, reasons, spans.
    """
    places = (
        raw_logs.sort(*CONVERSATION, "seq", "record_id")
        .group_by(CONVERSATION, maintain_order=True)
        .agg(pl.col("day").min(), pl.concat_str("record_id", "content_hash").str.join("\n"))
        .rename({"record_id": "content"})
        .with_columns(content_hash=digest_column("content"))
    )
    return (
        places.join(values(turns), on=CONVERSATION, how="left")
        .join(spans(turns), on=CONVERSATION, how="left")
        .with_columns(
            pl.col("value").fill_null(0.0),
            pl.col("reasons", "spans").fill_null(pl.lit([], dtype=pl.List(pl.String))),
        )
    )


class _Judged(NamedTuple):
    categories: list[tuple[str, float]]
    signals: list[str]
    drafts: str
    outcome: str
    details: str | None


def _judged(turns: list[Turn], hearsay: Hearsay, policy: Policy) -> _Judged:
    """What a conversation teaches; one that rules fail on must not fail the others."""
    try:
        return _read(turns, hearsay, policy)
    except Exception as error:
        return _Judged([], [], "[]", "failed", type(error).__name__)


def _read(turns: list[Turn], hearsay: Hearsay, policy: Policy) -> _Judged:
    every = settled(steps(turns))
    found = findings(turns, every)
    signals = signals_of(found)
    chosen = categories(signals, policy)
    names = list(dict.fromkeys(signal.name for signal in signals))
    if not chosen:
        return _Judged([], names, "[]", "no_categories", "no signal is strong enough")
    wanted = [category for category, _ in chosen]
    by_id = {turn.record_id: turn for turn in turns}
    made = [
        held(judged(draft, policy), [by_id[record] for record in draft.evidence])
        for draft in drafts(found, turns, every, wanted, hearsay)
    ]
    kept = best_of(made)
    accepted = [draft for draft in kept if draft.refused is None]
    outcome = "stored" if accepted else "low_quality"
    reason = None
    if not accepted:
        reason = (kept[0].refused if kept else None) or "nothing names what was learned"
    return _Judged(chosen, names, encode(kept), outcome, reason)


def ranked(made: list[Draft]) -> list[Draft]:
    """Judged drafts, those that may be stored first, the most confident first."""
    return sorted(made, key=lambda draft: (draft.refused is not None, -draft.confidence))


def best_of(made: list[Draft]) -> list[Draft]:
    """The first of `ranked`, few a category."""
    kept: list[Draft] = []
    for draft in ranked(made):
        if sum(other.category == draft.category for other in kept) < MOST_PER_CATEGORY:
            kept.append(draft)
    return kept


class BeyondOne(NamedTuple):
    """What only all conversations together show of lessons."""

    recurrent: Sequence[tuple[str, str, Draft]] = ()
    """Namespace, conversation and draft: see `recurrence`."""
    tried: Mapping[tuple[str, str], tuple[int, int]] = {}
    """How often fixes won and lost: see `tried`."""


NOTHING_MORE = BeyondOne()


def learnings(
    candidates: pl.DataFrame,
    embedder: Embedder,
    policy: Policy,
    feedback: pl.DataFrame | None = None,
    beyond: BeyondOne = NOTHING_MORE,
) -> pl.DataFrame:
    """The lessons that stay, each with all its sources.

    Drafts are taken in the order of event time and id. A later one that is a duplicate adds its
    sources and a row in `runs`; the higher confidence counts, with its factors, and a second
    conversation makes the evidence strong. What people said of a lesson, or of one that was merged
    into it, then moves its confidence. `beyond` is what only all conversations together show.
    """
    ordered = _accepted(candidates, policy, beyond)
    if ordered.is_empty():
        return LEARNINGS.empty()
    ordered = _with_new(ordered.with_columns(keepers(ordered, embedder, policy)))
    best = pl.col("confidence").arg_max()
    merged = ordered.group_by("keeper", maintain_order=True).agg(
        pl.col(
            "learning_id", "namespace", "conversation_id", "category", "title", "content", "tags",
            "quotes", "summary", "dedupe_hash", "simhash", "signals", "created_at", "extractor",
        ).first(),
        pl.col("confidence", "factors").get(best),
        conversation_ids=pl.col("conversation_id").unique(maintain_order=True),
        source_record_ids=pl.col("new").list.explode(),
        runs=pl.struct(occurred_at="created_at", sources="new", confidence="confidence"),
    )  # fmt: skip
    names = ordered.select(
        "namespace", named="learning_id", learning_id=pl.col("learning_id").gather(pl.col("keeper"))
    )
    return LEARNINGS.frame(moved(_borne_out_again(merged), names, feedback, policy))


def _borne_out_again(merged: pl.DataFrame) -> pl.DataFrame:
    """Lessons with strong evidence where a further conversation bears them out."""
    again = pl.col("conversation_ids").list.len() > 1
    graded = pl.col("factors").struct.field("evidence")
    strong = pl.col("factors").struct.with_fields(evidence=pl.lit(STRONG))
    return merged.with_columns(
        confidence=pl.when(again)
        .then(pl.col("confidence") + WEIGHTS.evidence * (STRONG - graded))
        .otherwise("confidence"),
        factors=pl.when(again).then(strong).otherwise("factors"),
    )


def _with_new(ordered: pl.DataFrame) -> pl.DataFrame:
    """Drafts with the column `new`: their evidence that none before them had for that lesson."""
    first = (
        ordered.select("place", "keeper", new="evidence")
        .explode("new")
        .unique(["keeper", "new"], keep="first", maintain_order=True)
        .group_by("place", maintain_order=True)
        .agg("new")
    )
    none = pl.lit([], dtype=pl.List(pl.String))
    joined = ordered.join(first, on="place", how="left", maintain_order="left")
    return joined.with_columns(pl.col("new").fill_null(none))


def tried(signatures: pl.DataFrame) -> dict[tuple[str, str], tuple[int, int]]:
    """How often the fix of a failure won and lost, over all conversations.

    Returns:
        Wins and losses by namespace and record; of a record that several fixes share, the best.
    """
    rows = signatures.sort("rank", "fix_id").select(
        "namespace", "source_record_ids", "wins", "losses"
    )
    return {
        (namespace, record): (wins, losses)
        for namespace, records, wins, losses in rows.iter_rows()
        for record in records
    }


def _proven(draft: Draft, known: tuple[int, int] | None, policy: Policy) -> Draft:
    """A draft whose evidence is as strong as its fix is proven; refused if it lost as often."""
    if known is None:
        return draft
    wins, losses = known
    if losses >= wins:
        return msgspec.structs.replace(draft, refused="it failed as often as it worked")
    graded = msgspec.structs.replace(draft.factors, evidence=evidence_of_fix(wins, losses))
    return judged(msgspec.structs.replace(draft, factors=graded), policy)


def _drafts(
    candidates: pl.DataFrame, policy: Policy, beyond: BeyondOne
) -> Iterator[tuple[str, str, Draft]]:
    """Namespace, conversation and draft of all that may be stored."""
    rows = candidates.filter(pl.col("outcome") == "stored").sort(*CONVERSATION, "extractor")
    for namespace, conversation, text in rows.select(*CONVERSATION, "drafts").iter_rows():
        for draft in decode(text):
            if draft.refused is None:
                is_fix = draft.extractor == ERROR_ENDED
                known = beyond.tried.get((namespace, draft.evidence[0])) if is_fix else None
                yield namespace, conversation, _proven(draft, known, policy)
    yield from beyond.recurrent


def _accepted(candidates: pl.DataFrame, policy: Policy, beyond: BeyondOne) -> pl.DataFrame:
    """One row for each accepted draft, with its hashes, in the order in which they are taken."""
    rows = [
        {
            "namespace": namespace, "conversation_id": conversation, "category": draft.category,
            "title": draft.title, "content": draft.content, "tags": draft.tags,
            "confidence": draft.confidence,
            "factors": msgspec.structs.asdict(draft.factors),
            "evidence": draft.evidence,
            "quotes": [msgspec.structs.asdict(quote) for quote in draft.quotes],
            "summary": draft.summary, "signals": draft.signals, "created_at": draft.occurred_at,
            "extractor": draft.extractor, "recurrent": draft.extractor == RECURRENCE,
        }
        for namespace, conversation, draft in _drafts(candidates, policy, beyond)
        if draft.refused is None
    ]  # fmt: skip
    kept = [name for name in LEARNINGS.schema if name not in _DERIVED]
    schema = {name: LEARNINGS.schema[name] for name in kept} | {
        "evidence": pl.List(pl.String), "recurrent": pl.Boolean(),
    }  # fmt: skip
    return (
        pl.DataFrame(rows, schema=schema)
        .pipe(identified)
        .sort(
            pl.col("created_at").fill_null(undated()),
            "learning_id",
            *CONVERSATION,
            maintain_order=True,
        )
        .with_row_index("place")
        .with_columns(
            pl.col("content")
            .map_batches(lambda texts: pl.Series(simhashes(texts.to_list())), pl.UInt64)
            .alias("simhash")
        )
    )


def identified(lessons: pl.DataFrame) -> pl.DataFrame:
    """Lessons (namespace, category, title, content, …) with their dedupe_hash and learning_id."""
    return lessons.with_columns(dedupe_hash=dedupe_hash()).with_columns(
        learning_id=digest_column("namespace", "dedupe_hash", prefix="l_")
    )


_DERIVED = frozenset(
    {"learning_id", "dedupe_hash", "simhash", "runs", "source_record_ids", "conversation_ids"}
)


def outcomes(candidates: pl.DataFrame, stored: pl.DataFrame) -> pl.DataFrame:
    """The final outcome of each conversation, over what rules and a model made of it.

    One that passed drafts on, but first gave none of the lessons that stay, is a duplicate. Of two
    outcomes the first of OUTCOMES counts.

    Returns:
        namespace, conversation_id, outcome.
    """
    first = stored.select(CONVERSATION).unique().with_columns(kept=pl.lit(True))
    return (
        candidates.join(first, on=CONVERSATION, how="left")
        .select(
            *CONVERSATION,
            outcome=pl.when((pl.col("outcome") == "stored") & pl.col("kept").is_null())
            .then(pl.lit("duplicate"))
            .otherwise(pl.col("outcome"))
            .cast(pl.Enum(OUTCOMES)),
        )
        .group_by(CONVERSATION)
        .agg(pl.col("outcome").min().cast(pl.String))
        .sort(*CONVERSATION)
    )
