"""What the two modes of extraction share: the question for facts, and what came of all questions.

Full mode is in knowledge/extraction/llm_extraction.py, known-only mode in
knowledge/extraction/known_entities_extraction.py.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import polars as pl

from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.engine.work import OUTCOME_SCHEMA
from cairn.knowledge.extraction.validation import (
    KnownName,
    Proposal,
    accepted,
    judged_facts,
    refused,
)
from cairn.knowledge.llm.batches import AskedLines, asked, failures, records_of
from cairn.knowledge.llm.chunks import Line, Lines, shown
from cairn.knowledge.llm.client import Answer, Ask, LanguageModel
from cairn.knowledge.llm.prompt import Prompt
from cairn.knowledge.llm.prompts.entity_facts import Facts
from cairn.knowledge.llm.prompts.known_facts import KnownFacts
from cairn.knowledge.schema.policy import Policy

CONVERSATIONS_AT_ONCE = 16

_UNIT = ["namespace", "conversation_id"]


class Extraction(NamedTuple):
    """What a model gave, and what became of it.

    Every proposal is in one of the first two: what is accepted, with the columns of CANDIDATES, and
    what a check refused or holds, as REJECTED_FACTS. `failures` are messages that were lost
    (FAILURE_SCHEMA). `outcomes` has one row per conversation given, as in
    `work`, and may be `pending`: such a unit is owed still, though what is there may be written.
    """

    candidates: pl.DataFrame
    refused: pl.DataFrame
    failures: pl.DataFrame
    outcomes: pl.DataFrame


def extraction(
    stage: str,
    conversations: pl.DataFrame,
    proposals: Sequence[Proposal],
    settled: Sequence[AskedLines],
) -> Extraction:
    """Frames of what was proposed, what failed, and what became of each conversation.

    `conversations` has namespace and conversation_id of what was read; rows may repeat.
    """
    rows, others, failed = accepted(proposals), refused(proposals), failures(settled)
    owed = pl.DataFrame(
        [conversation_of(one.lines[0]) for one in settled if one.answer.outcome == "pending"],
        schema=dict.fromkeys(_UNIT, pl.String),
        orient="row",
    )
    outcome = (
        pl.when("pending")
        .then(pl.lit("pending"))
        .when("failed")
        .then(pl.lit("failed"))
        .when(pl.col("rows") > 0)
        .then(pl.lit("done"))
        .when("rejected")
        .then(pl.lit("rejected"))
        .otherwise(pl.lit("empty"))
    )
    outcomes = conversations.select(_UNIT).unique()
    for name, frame in {"pending": owed, "failed": failed, "rejected": others}.items():
        flag = frame.select(_UNIT).unique().with_columns(pl.lit(value=True).alias(name))
        outcomes = outcomes.join(flag, on=_UNIT, how="left")
    counts = rows.group_by(_UNIT).agg(rows=pl.len().cast(pl.Int64))
    outcomes = (
        outcomes.join(counts, on=_UNIT, how="left")
        .with_columns(pl.col("rows").fill_null(0))
        .with_columns(outcome=outcome, stage=pl.lit(stage), unit="conversation_id")
        .select(OUTCOME_SCHEMA.names())
        .sort("namespace", "unit")
    )
    return Extraction(rows, others, failed, outcomes)


def by_parts(raw_logs: pl.DataFrame, extract: Callable[[pl.DataFrame], Extraction]) -> Extraction:
    """What is extracted of conversations, a few at a time and the newest first.

    Where a model is stopped in between, those before are done, and not all of them begun.
    """
    newest = raw_logs.group_by(_UNIT).agg(pl.col("day").max()).sort("day", *_UNIT, descending=True)
    parts = [
        extract(raw_logs.join(part, on=_UNIT, how="semi"))
        for part in newest.iter_slices(CONVERSATIONS_AT_ONCE)
    ]
    return Extraction(*map(pl.concat, zip(*parts or [extract(raw_logs)], strict=True)))


def extractor(stage: Extractor, prompt: Prompt[Any], model: str) -> str:
    """Stage, prompt and fingerprint, as rows carry them."""
    return f"{stage.name}/{prompt.label(model)}"


def label_of_answer(label: str, answer: Answer) -> str:
    """A label as of `extractor`, with the version of the prompt that gave an answer."""
    return label if answer.earlier is None else f"{label.partition('@')[0]}@{answer.earlier}"


def facts_ask(
    prompt: Prompt[Any], lines: Lines, names: Sequence[KnownName], asset: str
) -> Ask | None:
    """The question for facts about names in some lines; None without names."""
    if not names:
        return None
    listed = "\n".join(f"- {name.name} ({name.type})" for name in names)
    given = f"Names:\n{listed}\n\nMessages:\n{shown(lines)}"
    return Ask(prompt, lines[0].namespace, given, records_of(lines), asset)


def asked_facts(
    model: LanguageModel,
    prompt: Prompt[Any],
    pieces: Sequence[Lines],
    given: Mapping[str, Sequence[KnownName]],
    asset: str,
) -> list[AskedLines]:
    """Asks for facts by a prompt that ships, and those beside it; `given` as of `facts_of`."""

    def ask(prompt: Prompt[Any], lines: Lines) -> Ask | None:
        return facts_ask(prompt, lines, given[lines[0].chunk_id], asset)

    return [
        one
        for each in model.prompts.asked(prompt)
        for one in asked(pieces, partial(ask, each), model)
    ]


def facts_of(
    settled: Iterable[AskedLines],
    given: Mapping[str, Sequence[KnownName]],
    stage: Extractor,
    model: str,
    policy: Policy,
) -> list[Proposal]:
    """The facts that answers hold, judged; `given` are the names asked about, by chunk."""
    return [
        proposal
        for one in settled
        if isinstance(one.answer.value, Facts | KnownFacts)
        for names in [given[one.lines[0].chunk_id]]
        for proposal in judged_facts(
            one.answer.value.facts,
            one.lines,
            {name.key: name for name in names},
            label_of_answer(extractor(stage, one.ask.prompt, model), one.answer),
            policy,
        )
    ]


def conversation_of(line: Line) -> tuple[str, str]:
    """Namespace and conversation of a line."""
    return line.namespace, line.conversation_id
