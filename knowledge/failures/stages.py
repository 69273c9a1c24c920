"""Failures of conversations, and what ended each kind of error over all of them."""

from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from cairn.knowledge.dialogue.background import settled
from cairn.knowledge.dialogue.outputs import TELLS_STATUS, went_well
from cairn.knowledge.dialogue.sentences import statement
from cairn.knowledge.dialogue.tool_calls import ToolStep, steps
from cairn.knowledge.dialogue.turns import Turn, conversations, readable
from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.engine.stage import ConversationStage
from cairn.knowledge.engine.wilson import wilson
from cairn.knowledge.failures.fixes import shown
from cairn.knowledge.failures.linking import FIXED, OPEN, UNDONE, Failure, failures_of
from cairn.knowledge.schema.calendar import undated
from cairn.knowledge.schema.identity import digest, digest_column
from cairn.knowledge.schema.tables import ERROR_SIGNATURES, FAILURES

EXTRACTOR = Extractor(
    "failure_rules", "rule", 12,
    "Commands that failed: their key line and signature, and what really ended the error.",
)  # fmt: skip

LONGEST_CAUSE = 300


def failures(raw_logs: pl.DataFrame) -> pl.DataFrame:
    """One row for each failed command of whole conversations that says why it failed.

    Each conversation is read by itself, the threads of sub-agents too.
    """
    days: dict[str, str] = dict(raw_logs.select("record_id", "day").iter_rows())
    tells = {
        (namespace, conversation)
        for namespace, conversation, source in raw_logs.select(
            "namespace", "conversation_id", "source"
        )
        .unique()
        .iter_rows()
        if source in TELLS_STATUS
    }
    return FAILURES.frame(
        _row(namespace, conversation, days, failure)
        for namespace, conversation, turns in conversations(readable(raw_logs))
        for failure in _read(turns, tells_status=(namespace, conversation) in tells)
    )


FAILURES_STAGE = ConversationStage(
    EXTRACTOR, (FAILURES,), lambda logs: {"failures": failures(logs)}
)


def _read(turns: list[Turn], *, tells_status: bool) -> Iterator[Failure]:
    every = [_believed(step, tells_status=tells_status) for step in settled(steps(turns))]
    for side in (False, True):
        thread = [turn for turn in turns if turn.sidechain == side]
        yield from failures_of(thread, [step for step in every if step.call.sidechain == side])


def _believed(step: ToolStep, *, tells_status: bool) -> ToolStep:
    """A step that worked by its status or its summary, though it printed words of errors."""
    printed = step.result
    doubted = step.kind == "run" and step.worked is False and printed and not printed.is_error
    if doubted and printed and went_well(step.command, printed.text, tells_status=tells_status):
        return replace(step, worked=True)
    return step


def _row(
    namespace: str, conversation: str, days: dict[str, str], failure: Failure
) -> dict[str, object]:
    result = failure.step.result or failure.step.call
    return {
        "failure_id": "x_" + digest(namespace, result.record_id),
        "namespace": namespace,
        "day": days[result.record_id],
        "conversation_id": conversation,
        "record_id": result.record_id,
        "seq": result.seq,
        "occurred_at": result.occurred_at,
        "settled_at": failure.settled.occurred_at,
        "project": result.project or failure.step.call.project,
        "tool_family": failure.error.family,
        "command": shown(failure.step, failure.step),
        "key_line": failure.error.line,
        "signature": failure.error.signature,
        "names": list(failure.error.names),
        "outcome": failure.outcome,
        "fix": failure.fix,
        "fix_kind": failure.fix_kind,
        "fix_record_ids": [step.call.record_id for step in failure.changes],
        "cause": statement(failure.cause.plain)[:LONGEST_CAUSE] if failure.cause else None,
        "passed_record_id": failure.passed.record_id if failure.passed else None,
        "extractor": EXTRACTOR.label,
    }


def error_signatures(found: pl.DataFrame) -> pl.DataFrame:
    """What each kind of error was, and what was done about it, how often with success.

    A fix counts once a conversation, at its best and its worst: a win where it ended the error, a
    loss where the error stayed or came back, or it was undone. A fix that never won is none. A
    signature has one row per fix, or one without a fix.
    """
    if found.is_empty():
        return ERROR_SIGNATURES.empty()
    signature = ["namespace", "project", "signature_id"]
    rows = (
        found.with_columns(
            pl.col("project").fill_null(""),
            signature_id=digest_column("namespace", "tool_family", "signature", prefix="es_"),
            place=pl.col("occurred_at").fill_null(undated()),
        )
        .with_columns(fix_id=digest_column("signature_id", "fix", prefix="ef_"))
        .sort("namespace", "place", "failure_id")
    )
    seen = rows.group_by(signature, maintain_order=True).agg(
        pl.col("tool_family", "signature").first(),
        failures=pl.len().cast(pl.Int64),
        ended=(~pl.col("outcome").is_in([OPEN, UNDONE])).sum().cast(pl.Int64),
        conversations=pl.col("conversation_id").n_unique().cast(pl.Int64),
        first_seen=pl.col("occurred_at").min(),
        last_seen=pl.col("occurred_at").max(),
        all_records=pl.col("record_id"),
    )
    by_line = rows.group_by(*signature, "key_line", maintain_order=True).agg(
        same_line=pl.col("conversation_id").n_unique().cast(pl.Int64), place=pl.col("place").max()
    )
    usual = (
        by_line.sort("same_line", "place", "key_line", descending=[True, True, False])
        .group_by(signature, maintain_order=True)
        .agg(usual_line=pl.col("key_line").first())
    )
    ended = pl.col("outcome") == FIXED
    tried = (
        rows.filter(pl.col("fix").is_not_null())
        .group_by(*signature, "fix_id", "conversation_id", maintain_order=True)
        .agg(
            pl.col("fix", "fix_kind").first(),
            won=ended.any(),
            ended=pl.col("settled_at").filter(ended).max(),
            ended_line=pl.col("key_line").filter(ended).last(),
            lost=pl.col("outcome").is_in([OPEN, UNDONE]).any(),
            names=pl.col("names").explode(),
            records=pl.concat_list(
                pl.concat_list("record_id"),
                "fix_record_ids",
                pl.concat_list("passed_record_id").list.drop_nulls(),
            ).explode(),
        )
        .group_by(*signature, "fix_id", maintain_order=True)
        .agg(
            pl.col("fix", "fix_kind").first(),
            pl.col("ended_line").drop_nulls().last(),
            fix_last_seen=pl.col("ended").max(),
            wins=pl.col("won").sum().cast(pl.Int64),
            losses=pl.col("lost").sum().cast(pl.Int64),
            names=pl.col("names").explode().drop_nulls().unique().sort(),
            records=pl.col("records").explode().unique().sort(),
        )
        .filter(pl.col("wins") > 0)
    )
    joined = (
        seen.join(usual, on=signature)
        .join(tried, on=signature, how="left")
        .with_columns(
            pl.col("wins", "losses").fill_null(0),
            pl.col("names").fill_null(pl.lit([], dtype=pl.List(pl.String))),
            key_line=pl.coalesce("ended_line", "usual_line"),
            fix_id=pl.coalesce("fix_id", digest_column("signature_id", pl.lit(""), prefix="ef_")),
            source_record_ids=pl.coalesce(
                "records", pl.col("all_records").list.unique().list.sort()
            ),
        )
    )
    joined = joined.join(by_line.drop("place"), on=[*signature, "key_line"])
    ranks = [wilson(*pair) for pair in joined.select("wins", "losses").iter_rows()]
    return ERROR_SIGNATURES.frame(joined.with_columns(rank=pl.Series(ranks, dtype=pl.Float64)))
