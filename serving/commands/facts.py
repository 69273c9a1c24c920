"""`cairn facts`."""

from datetime import datetime

import click
import polars as pl

from knowledge.tables import CANDIDATES
from serving import options
from serving.reader import NothingPublished, Reader, open_reader
from serving.terminal import console, emit_json, print_table


@click.command(
    epilog="""\b
Examples:
  cairn facts --predicate connects_to_host
  cairn facts --entity harbor-backup --min-confidence 0.7
  cairn facts --triples --predicate used_tool --json"""
)
@click.option("--predicate", help="Only this predicate, e.g. connects_to_host.")
@click.option("--entity", help="Only facts about this entity (its name).")
@click.option("--status", help="Only this status: active, deprecated, merged_into, …")
@click.option("--min-base", type=click.FloatRange(0, 1), help="Least confidence of the rule.")
@click.option("--min-confidence", type=click.FloatRange(0, 1), help="Least confidence at --as-of.")
@click.option("--triples", is_flag=True, help="Single observations instead of united facts.")
@options.limit(20)
@options.namespace
@options.as_of
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    predicate: str | None,
    entity: str | None,
    status: str | None,
    min_base: float | None,
    min_confidence: float | None,
    triples: bool,
    limit: int,
    namespace: str | None,
    as_of: datetime | None,
    as_json: bool,
) -> None:
    """List facts, the surest and best supported first."""
    try:
        reader = open_reader(options.state_of(ctx), namespace, as_of)
    except NothingPublished as error:
        raise click.ClickException(str(error)) from None
    known = _predicates(reader)
    if predicate is not None and predicate not in known:
        raise click.ClickException(
            f"no fact has predicate {predicate!r}; there are: {', '.join(known) or 'none'}"
        )
    if triples:
        found, columns, wide = _triples(reader, predicate, entity, min_base), TRIPLE, "object"
    else:
        found = _facts(reader, predicate, entity, status, min_base, min_confidence)
        columns, wide = FACT, "content"
    total = found.select(pl.len()).collect().item()
    rows = found.head(limit).collect()
    if as_json:
        emit_json(
            {
                "namespace": reader.namespace,
                "as_of": reader.as_of,
                "total": total,
                "triples" if triples else "facts": rows.to_dicts(),
            }
        )
        return
    print_table(rows.iter_rows(named=True), columns, wide=wide)
    console().print(f"{rows.height:,} of {total:,}", style="dim")


FACT = ("fact_id", "entity", "predicate", "content", "effective", "conversation_count", "status")
TRIPLE = ("subject", "predicate", "object", "confidence", "occurred_at")


def _predicates(reader: Reader) -> list[str]:
    column = reader.memory().select("predicate").unique().collect()["predicate"]
    return sorted(column.to_list())


def _facts(
    reader: Reader,
    predicate: str | None,
    entity: str | None,
    status: str | None,
    min_base: float | None,
    min_confidence: float | None,
) -> pl.LazyFrame:
    facts = reader.memory()
    if predicate is not None:
        facts = facts.filter(pl.col("predicate") == predicate)
    if entity is not None:
        facts = facts.filter(pl.col("entity").str.to_lowercase() == entity.lower())
    if status is not None:
        facts = facts.filter(pl.col("status") == status)
    if min_base is not None:
        facts = facts.filter(pl.col("base_confidence") >= min_base)
    if min_confidence is not None:
        facts = facts.filter(pl.col("effective") >= min_confidence)
    return facts.sort(
        pl.col("status").is_in(["active", "pending_embed"]),
        "effective",
        "conversation_count",
        "fact_id",
        descending=[True, True, True, False],
    )


def _triples(
    reader: Reader, predicate: str | None, entity: str | None, min_base: float | None
) -> pl.LazyFrame:
    found = reader.table(CANDIDATES).filter(pl.col("kind") != "entity")
    if predicate is not None:
        found = found.filter(pl.col("predicate") == predicate)
    if entity is not None:
        found = found.filter(pl.col("entity_name").str.to_lowercase() == entity.lower())
    if min_base is not None:
        found = found.filter(pl.col("confidence") >= min_base)
    columns = [
        "subject", "predicate", "object", "confidence", "occurred_at", "record_id", "quote",
        "extractor",
    ]  # fmt: skip
    return found.sort("occurred_at", "candidate_id", nulls_last=True).select(columns)
