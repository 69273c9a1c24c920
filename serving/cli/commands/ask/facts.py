"""`cairn facts`."""

from datetime import datetime

import click
import polars as pl

from cairn.knowledge.consolidation.standing import ENDED, NOT_YET
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.predicates import EVENT_PREDICATES, EVENTS
from cairn.knowledge.schema.tables import CANDIDATES, MEMORY
from cairn.serving.cli import options
from cairn.serving.cli.asked import parameters
from cairn.serving.cli.terminal import TerminalColumn, console, emit_json, print_table
from cairn.serving.models.parameters import FactParameters
from cairn.serving.read.id_lookup import UnknownId, entities_called
from cairn.serving.read.reader import Reader, best_first, open_reader

FACT_COLUMNS = (
    TerminalColumn("fact_id", "id"),
    TerminalColumn("effective", "conf"),
    TerminalColumn("entity", most=18),
    TerminalColumn("predicate", from_width=100),
    TerminalColumn("content", "fact", wide=True),
    TerminalColumn("conversation_count", "convs", from_width=90),
    TerminalColumn("status", from_width=110),
)
TRIPLE_COLUMNS = (
    TerminalColumn("subject", from_width=100),
    TerminalColumn("predicate"),
    TerminalColumn("object", wide=True),
    TerminalColumn("confidence", "conf"),
    TerminalColumn("occurred_at", "when"),
    TerminalColumn("record_id", "record", from_width=120),
)


@click.command(
    epilog=f"""\b
Examples:
  cairn facts --predicate connects_to_host
  cairn facts --entity harbor-backup --min-confidence 0.5
  cairn facts --true-at 2026-03-01 --as-of 2026-04-01
  cairn facts --triples --predicate used_tool --json

What only happened ({EVENTS})
shows with --events, or by --predicate, until it proves itself."""
)
@parameters(FactParameters, "predicate", "entity", "status", status={"type": str})
@options.confidence("--min-base", "Least confidence of the rule.")
@parameters(FactParameters, "min_confidence", min_confidence={"default": None})
@click.option("--triples", is_flag=True, help="Single observations instead of united facts.")
@parameters(FactParameters, "events")
@options.limit(20)
@options.namespace(options.ONE_NAMESPACE)
@parameters(FactParameters, "as_of", "true_at")
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
    events: bool,
    limit: int,
    namespace: str | None,
    as_of: datetime | None,
    true_at: datetime | None,
    as_json: bool,
) -> None:
    """List facts: what was said first, the best supported first."""
    reader = open_reader(options.state_of(ctx), namespace, as_of, true_at)
    known = sorted(reader.table(MEMORY, ["predicate"]).unique().collect()["predicate"])
    if predicate is not None and predicate not in known:
        raise click.ClickException(
            f"no fact has predicate {predicate!r}; there are: {', '.join(known) or 'none'}"
        )
    if triples:
        found = _triples(reader, as_of)
        least = {"confidence": min_base if min_base is not None else min_confidence}
    else:
        found = best_first(reader.memory())
        least = {"base_confidence": min_base, "effective": min_confidence}
        if status is not None:
            found = _of_status(found, status)
        elif true_at is not None:
            found = found.filter(~pl.col("status").is_in([ENDED, NOT_YET]))
    if predicate is not None:
        found = found.filter(pl.col("predicate") == predicate)
    elif not events:
        happened = pl.col("predicate").is_in(list(EVENT_PREDICATES)) if triples else is_event()
        found = found.filter(~happened)
    if entity is not None:
        found = _about(reader, found, entity)
    for column, value in least.items():
        if value is not None:
            found = found.filter(pl.col(column) >= value)
    rows = found.collect()
    page = rows.head(limit)
    if as_json:
        emit_json(
            {
                "namespace": reader.namespace,
                "as_of": reader.as_of,
                "total": rows.height,
                "triples" if triples else "facts": page.to_dicts(),
            }
        )
        return
    if triples or entity is not None:
        print_table(page.iter_rows(named=True), TRIPLE_COLUMNS if triples else FACT_COLUMNS)
        console().print(f"{page.height:,} of {rows.height:,}", style="dim")
        return
    folded = _folded(rows)
    print_table(folded.head(limit).iter_rows(named=True), FACT_COLUMNS)
    same = rows.height - folded.height
    more = f"; {same:,} more say the same of other entities" if same else ""
    console().print(f"{min(limit, folded.height):,} of {folded.height:,}{more}", style="dim")


def _folded(rows: pl.DataFrame) -> pl.DataFrame:
    """For people: the same words about several entities once, as `rsync +2`."""
    others = pl.len() - 1
    return (
        rows.with_columns(others=others.over("content", "predicate"))
        .unique(["content", "predicate"], keep="first", maintain_order=True)
        .with_columns(
            entity=pl.when(pl.col("others") > 0)
            .then(pl.concat_str("entity", pl.lit(" +"), "others"))
            .otherwise("entity")
        )
        .drop("others")
    )


def _of_status(found: pl.LazyFrame, status: str) -> pl.LazyFrame:
    known = sorted(found.select("status").unique().collect()["status"])
    if status not in known:
        raise click.ClickException(
            f"no fact has status {status!r}; there are: {', '.join(known) or 'none'}"
        )
    return found.filter(pl.col("status") == status)


def _about(reader: Reader, found: pl.LazyFrame, name: str) -> pl.LazyFrame:
    """Rows about an entity, by its name, an alias or its id."""
    try:
        named = entities_called(reader, name)
    except UnknownId as error:
        raise click.ClickException(str(error)) from None
    if "entity_id" in found.collect_schema().names():
        return found.filter(pl.col("entity_id").is_in(named["canonical_id"].implode()))
    names = [*named["name"], *named["display_name"], *named["aliases"].explode().drop_nulls()]
    lowered = sorted({each.casefold() for each in names})
    return found.filter(pl.col("entity_name").str.to_lowercase().is_in(lowered))


def _triples(reader: Reader, as_of: datetime | None) -> pl.LazyFrame:
    columns = [
        "subject", "predicate", "object", "confidence", "occurred_at", "record_id", "entity_name",
        "quote", "extractor",
    ]  # fmt: skip
    found = reader.table(CANDIDATES).filter(pl.col("kind") != "entity")
    if as_of is not None:
        found = found.filter(pl.col("occurred_at").is_null() | (pl.col("occurred_at") <= as_of))
    return found.sort("occurred_at", "candidate_id", nulls_last=True).select(columns)
