"""The conversations in which made-up facts were said, with what pages show of them, and lessons."""

import polars as pl

from benchmarks.made_up import NAMESPACE
from cairn.knowledge.schema.learning_categories import CATEGORIES
from cairn.knowledge.schema.tables import (
    CANDIDATES,
    CONVERSATIONS,
    FACT_SOURCES,
    FACTS,
    LEARNINGS,
    RAW_LOGS,
)
from cairn.resources.context import State

LESSONS = 2_000
"""At most: one for each second conversation, where there are fewer."""
RESULT = 12
"""Times that a tool's result repeats the statement beside it."""


def put_talks(state: State) -> int:
    """Writes records, conversations, candidates and lessons to the facts that are there.

    Each source of a fact is a message that says it, followed by a call of a tool and its result.

    Returns:
        How many records there are.
    """
    facts = state.warehouse.read(FACTS).select("fact_id", "content", "predicate", "object")
    said = state.warehouse.read(FACT_SOURCES).join(facts, on="fact_id").collect()
    said = said.sort("conversation_id", "occurred_at", "record_id")
    records = _records(said)
    learnings = _learnings(said)
    for table, frame in (
        (RAW_LOGS, records),
        (CONVERSATIONS, _conversations(records)),
        (CANDIDATES, _candidates(said)),
        (LEARNINGS, learnings),
    ):
        state.warehouse.write(table, table.frame(frame), namespaces=[NAMESPACE])
    return records.height


def _records(said: pl.DataFrame) -> pl.DataFrame:
    place = pl.int_range(pl.len()).over("conversation_id")
    no_text = pl.lit(None, pl.String)
    parts = [
        said.select(
            "namespace", "conversation_id", "day", "occurred_at",
            record_id=pl.concat_str("record_id", pl.lit(behind)),
            seq=3 * place + number,
            kind=pl.lit(kind),
            origin=pl.lit(origin),
            text=text,
            tool_name=pl.lit("Bash") if number else no_text,
            tool_input=pl.concat_str(pl.lit('{"command": "make '), "object", pl.lit('"}'))
            if number == 1
            else no_text,
        )
        for number, (behind, kind, origin, text) in enumerate((
            ("", "message", "human", pl.concat_str("content", pl.lit("."))),
            ("_c", "tool_call", "agent", pl.lit("")),
            ("_r", "tool_result", "tool", pl.col("content").repeat_by(RESULT).list.join("\n")),
        ))
    ]  # fmt: skip
    return pl.concat(parts).with_columns(
        source=pl.lit("claude_code"),
        block=pl.lit(0),
        project=pl.lit("/home/mira/code/harbor"),
        is_error=pl.lit(value=False),
        sidechain=pl.lit(value=False),
        proactive=pl.lit(value=False),
        source_file=pl.concat_str(pl.lit("logs/"), "conversation_id", pl.lit(".jsonl")),
        source_line=pl.col("seq") + 1,
        content_hash=pl.col("record_id"),
        redactions=pl.lit(0),
    )


def _conversations(records: pl.DataFrame) -> pl.DataFrame:
    human = pl.col("origin") == "human"
    return records.group_by("namespace", "conversation_id", "day").agg(
        pl.col("source", "project", "content_hash").first(),
        title=pl.col("text").filter(human).first(),
        started_at=pl.col("occurred_at").min(),
        ended_at=pl.col("occurred_at").max(),
        records=pl.len(),
        messages=human.sum(),
        human_messages=human.sum(),
        tool_calls=(pl.col("kind") == "tool_call").sum(),
        errors=pl.lit(0),
        tokens=pl.col("text").str.len_chars().sum() // 4,
    )


def _candidates(said: pl.DataFrame) -> pl.DataFrame:
    return said.with_columns(
        kind=pl.lit("fact"),
        subject=pl.concat_str(pl.lit("task_"), "record_id"),
        entity_name=pl.lit("user"),
        entity_type=pl.lit("person"),
        quote=pl.col("content"),
        quote_field=pl.lit("text"),
        quote_start=pl.lit(0),
        quote_end=pl.col("content").str.len_chars(),
        mode=pl.lit("rule"),
        extractor=pl.lit("rule@1"),
        origin=pl.lit("human"),
        passing=pl.lit(value=False),
    )


def _learnings(said: pl.DataFrame) -> pl.DataFrame:
    share = pl.lit(0.8)
    kinds = pl.Series(CATEGORIES)
    quote = pl.struct(
        "record_id", text=pl.col("content"), role=pl.lit("problem"), start=pl.lit(0, pl.Int64)
    )
    return (
        said.group_by("namespace", "conversation_id", maintain_order=True)
        .agg(
            quotes=quote.head(3),
            source_record_ids=pl.col("record_id").head(3),
            title=pl.col("content").first().str.head(100),
            content=pl.col("content").head(8).str.join(". "),
            created_at=pl.col("occurred_at").max(),
        )
        .gather_every(2)
        .head(LESSONS)
        .with_row_index("number")
        .with_columns(
            learning_id=pl.concat_str(
                pl.lit("l_"), pl.col("number").cast(pl.String).str.zfill(16)
            ),
            conversation_ids=pl.concat_list("conversation_id"),
            category=pl.lit(kinds).gather(pl.col("number") % len(kinds)),
            summary=pl.col("content").str.head(300),
            tags=pl.lit(["made", "up", "facts"]),
            confidence=0.5 + (pl.col("number") % 50) / 100,
            factors=pl.struct(
                actionability=share, generalizability=share, clarity=share, evidence=share
            ),
            dedupe_hash=pl.col("title"),
            simhash=pl.col("number").cast(pl.UInt64),
            runs=pl.lit([], LEARNINGS.schema["runs"]),
            feedback=pl.lit([], LEARNINGS.schema["feedback"]),
            signals=pl.lit([], pl.List(pl.String)),
            extractor=pl.lit("rule@1"),
        )
    )  # fmt: skip
