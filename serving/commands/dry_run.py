"""`cairn dry-run`."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import polars as pl

from knowledge.policy import STRUCTURAL_PREDICATES
from serving import options
from serving.terminal import Column, console, count, emit_json, print_table, say

if TYPE_CHECKING:
    from resources.state import State

NAMESPACE = "dry-run"

ACCEPTED = (
    Column("base_confidence", "conf"),
    Column("entity", most=18),
    Column("predicate", from_width=100),
    Column("content", "fact", wide=True),
    Column("extractor", "by", most=24, from_width=110),
)
REFUSED = (
    Column("what"),
    Column("reason"),
    Column("content", "proposed", wide=True),
    Column("extractor", "by", most=24, from_width=110),
)


@click.command(
    epilog="""\b
Examples:
  cairn dry-run ~/.claude/projects/shop/session.jsonl
  cairn dry-run chat.jsonl --json

Nothing is stored but answers of a language model, if one is set: what was paid once is kept, and
costs nothing when the file is taken in."""
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@options.limit(20)
@options.as_json
@click.pass_context
def command(ctx: click.Context, file: Path, limit: int, as_json: bool) -> None:
    """Show what would be extracted from a file: accepted and refused, and why."""
    tables = _built(options.state_of(ctx), file)
    accepted, refused = _accepted(tables), _refused(tables)
    names = tables["entities"].sort("facts", "name", descending=[True, False])
    learnings = tables["learnings"].sort("confidence", "learning_id", descending=[True, False])
    if as_json:
        emit_json(
            {
                "file": str(file),
                "facts": accepted.to_dicts(),
                "entities": names.select("name", "type", "facts", "mentions").to_dicts(),
                "learnings": learnings.select("category", "confidence", "title").to_dicts(),
                "refused": refused.to_dicts(),
            }
        )
        return
    out = console()
    for title, frame, columns in (
        ("Facts", accepted, ACCEPTED),
        ("Entities", names, (Column("name", wide=True), Column("type"), Column("facts"))),
        ("Refused", refused, REFUSED),
    ):
        say(f"{title}: {frame.height:,}", style="bold")
        if frame.height:
            print_table(frame.head(limit).iter_rows(named=True), columns, indent=2)
    say(count(learnings.height, "learning"), style="bold")
    for row in learnings.head(limit).iter_rows(named=True):
        say(f"{row['confidence']:.2f}  {row['category']}  {row['title']}", indent=2)
    out.print("Nothing was stored.", style="dim")


def _built(state: "State", file: Path) -> dict[str, pl.DataFrame]:
    """All tables, made of one file alone."""
    from knowledge.records import read_records
    from knowledge.redaction import redactor
    from knowledge.stage import Means
    from knowledge.whole import build

    read = read_records(
        file.read_bytes(),
        namespace=NAMESPACE,
        source_file=str(file),
        timezone="UTC",
        seen_at=datetime.now(UTC),
        redactor=redactor(state.policy.redact_personal),
    )
    if read.refused:
        raise click.ClickException(f"{file}: {read.refused}")
    if read.records.is_empty():
        raise click.ClickException(f"{file}: there is no record in it")
    return build(read.records, Means(state.policy, state.embedder, state.language_model))


def _accepted(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    names = tables["entities"].select("entity_id", entity="display_name")
    return (
        tables["facts"]
        .join(names, on="entity_id", how="left")
        .sort(
            pl.col("predicate").is_in(list(STRUCTURAL_PREDICATES)), "base_confidence", "fact_id",
            descending=[False, True, False],
        )
        .select("base_confidence", "entity", "predicate", "content", "extractor")
    )  # fmt: skip


def _refused(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """What a gate or a check refused, names first; each with the reason."""
    nobody = pl.lit(None, pl.String)
    names = tables["rejections"].select(
        what=pl.lit("name"),
        reason=pl.concat_str("gate", pl.lit(": "), "rule"),
        content="name",
        extractor=nobody,
    )
    proposals = tables["refusals"].select(
        what=pl.when(pl.col("kind") == "entity").then(pl.lit("name")).otherwise(pl.lit("fact")),
        reason="reason",
        content=pl.coalesce("content", "object"),
        extractor="extractor",
    )
    judged: list[dict[str, Any]] = [
        {"what": "lesson", "reason": row["outcome"], "content": row["details"] or "",
         "extractor": row["extractor"]}
        for row in tables["learning_candidates"].iter_rows(named=True)
        if row["outcome"] != "stored"
    ]  # fmt: skip
    lessons = pl.DataFrame(judged, schema=dict.fromkeys(names.columns, pl.String))
    return pl.concat([names, proposals, lessons]).sort(pl.all(), nulls_last=True)
