"""`cairn dry-run`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
import polars as pl

from cairn.knowledge.schema.fact_types import is_event
from cairn.serving.cli import options
from cairn.serving.cli.prompt_trial import read_files, tables_of, told_unanswered, unanswered
from cairn.serving.cli.terminal import TerminalColumn, console, emit_json, print_table, say
from cairn.serving.read.display import count, one_line

if TYPE_CHECKING:
    from cairn.knowledge.llm.experiments import Trial
    from cairn.resources.context import State

ACCEPTED = (
    TerminalColumn("base_confidence", "conf"),
    TerminalColumn("entity", most=18),
    TerminalColumn("predicate", from_width=100),
    TerminalColumn("content", "fact", wide=True),
    TerminalColumn("extractor", "by", most=24, from_width=110),
)
LESSONS = (
    TerminalColumn("confidence", "conf"),
    TerminalColumn("about", "category"),
    TerminalColumn("content", "lesson", wide=True),
    TerminalColumn("extractor", "by", most=24, from_width=110),
)
REFUSED = (
    TerminalColumn("what"),
    TerminalColumn("reason"),
    TerminalColumn("content", "proposed", wide=True),
    TerminalColumn("extractor", "by", most=24, from_width=110),
)


@click.command(
    epilog="""\b
Examples:
  cairn dry-run ~/.claude/projects/shop/session.jsonl
  cairn dry-run chat.jsonl --json            (every candidate, with its quote)
  cairn dry-run chat.jsonl --namespace home

Nothing is stored but answers of a language model, if one is set: what was paid once is kept, and
costs nothing when the file is taken in for the same namespace."""
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@options.limit(20)
@options.namespace("Whose logs these are; that of the source that holds FILE, if unset.")
@options.as_json
@click.pass_context
def command(
    ctx: click.Context, file: Path, limit: int, namespace: str | None, as_json: bool
) -> None:
    """Show what would be extracted from a file: accepted and refused, and why."""
    from cairn.knowledge.assembly.trace import proposed
    from cairn.knowledge.llm.experiments import Trial

    state = options.state_of(ctx)
    model = Trial(state.language_model) if state.language_model else None
    read = read_files(state, [file], namespace)
    tables = tables_of(state, read.records, model)
    rows = proposed(tables, state.policy)
    accepted, refused = rows.filter(pl.col("reason").is_null()), _refused(rows, tables)
    facts = _facts(tables)
    names = tables["entities"].sort("facts", "name", descending=[True, False])
    lessons = accepted.filter(pl.col("what") == "lesson").sort(
        "confidence", "content", descending=[True, False]
    )
    missing = unanswered(model.answered.values()) if model else []
    unreadable = read.unreadable.select("source_line", "source_offset", "reason")
    if as_json:
        learnings = tables["learnings"].sort("confidence", "learning_id", descending=[True, False])
        emit_json(
            {
                "file": str(file),
                "candidates": accepted.drop("reason").to_dicts(),
                "rejected": refused.to_dicts(),
                "facts": facts.to_dicts(),
                "entities": names.select("name", "type", "facts", "mentions").to_dicts(),
                "learnings": learnings.select("category", "confidence", "title").to_dicts(),
                "unreadable": unreadable.to_dicts(),
                "unanswered": missing,
            }
        )
        return
    for title, frame, columns in (
        ("Facts", facts, ACCEPTED),
        (
            "Entities",
            names,
            (
                TerminalColumn("display_name", "name", wide=True),
                TerminalColumn("type"),
                TerminalColumn("facts"),
            ),
        ),
        ("Lessons", lessons, LESSONS),
        ("Refused", refused, REFUSED),
    ):
        say(f"{title}: {frame.height:,}", style="bold")
        if frame.height:
            print_table(frame.head(limit).iter_rows(named=True), columns, indent=2)
    for line, offset, reason in unreadable.iter_rows():
        say(f"line {line}, byte {offset}: {one_line(reason)}", style="yellow")
    for told in told_unanswered(missing):
        say(told, style="yellow")
    console().print(_closing(state, model), style="dim")


def _closing(state: "State", model: "Trial | None") -> str:
    if model is None or state.language_model is None:
        return "Nothing was stored."
    there = sum(answer.outcome != "pending" for _, answer in model.answered.values())
    return (
        f"Nothing was stored but {count(there, 'answer')} of {model.model};"
        f" {count(state.language_model.spent.calls, 'call')} paid now."
    )


def _facts(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    names = tables["entities"].select("entity_id", entity="display_name")
    return (
        tables["facts"]
        .join(names, on="entity_id", how="left")
        .sort(
            is_event(), "base_confidence", "fact_id",
            descending=[False, True, False],
        )
        .select("base_confidence", "entity", "predicate", "content", "extractor")
    )  # fmt: skip


def _refused(rows: pl.DataFrame, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """What a check or a gate refused, names first, and conversations without a draft; with why."""
    silent = (
        tables["learning_candidates"]
        .filter(pl.col("outcome") != "stored", pl.col("drafts") == "[]")
        .with_columns(
            what=pl.lit("lesson"),
            content=pl.concat_str(pl.lit("none in "), "conversation_id"),
            reason=pl.concat_str("outcome", "details", separator=": ", ignore_nulls=True),
        )
    )
    own = [name for name in rows.columns if name in silent.columns]
    every = [rows.filter(pl.col("reason").is_not_null()), silent.select(own)]
    return pl.concat(every, how="diagonal").sort(
        pl.col("what").replace_strict({"name": 0, "fact": 1, "lesson": 2}), pl.all(),
        nulls_last=True,
    )  # fmt: skip
