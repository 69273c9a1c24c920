"""`cairn facts`."""

from collections import Counter
from datetime import datetime
from typing import Any

import click
import polars as pl

from cairn.knowledge.schema.predicates import EVENT_PREDICATES, EVENTS
from cairn.knowledge.schema.tables import CANDIDATES, MEMORY
from cairn.serving.cli import options
from cairn.serving.cli.asked import parameters
from cairn.serving.cli.known import require_known
from cairn.serving.cli.pages import page, rows
from cairn.serving.cli.terminal import TerminalColumn, console, emit_json, print_table
from cairn.serving.models.parameters import FactParameters
from cairn.serving.read.id_lookup import UnknownId, entities_called
from cairn.serving.read.reader import Reader, open_reader

_ALL = 1_000_000
UNSET = {"default": None, "show_default": False}

FACT_COLUMNS = (
    TerminalColumn("fact_id", "id"),
    TerminalColumn("confidence", "conf"),
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
@parameters(FactParameters, "min_base", "min_confidence", min_base=UNSET, min_confidence=UNSET)
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
    require_known("no fact has predicate", predicate, reader.table(MEMORY, ["predicate"]))
    require_known("no fact has status", status, reader.memory().select("status"))
    named = None
    if entity is not None:
        try:
            named = entities_called(reader, entity)
        except UnknownId as error:
            raise click.ClickException(str(error)) from None
    if triples:
        found = _triples(reader, as_of)
        if predicate is not None:
            found = found.filter(pl.col("predicate") == predicate)
        elif not events:
            found = found.filter(~pl.col("predicate").is_in(list(EVENT_PREDICATES)))
        if named is not None:
            found = _about(found, named)
        least = min_base if min_base is not None else min_confidence
        if least is not None:
            found = found.filter(pl.col("confidence") >= least)
        every = found.collect()
        shown = every.head(limit).to_dicts()
        if as_json:
            head = {"namespace": reader.namespace, "as_of": reader.as_of, "total": every.height}
            emit_json(head | {"items": shown})
            return
        print_table(shown, TRIPLE_COLUMNS)
        console().print(f"{len(shown):,} of {every.height:,}", style="dim")
        return
    folds = not (as_json or entity)
    listed = page(
        "facts", reader, _ALL if folds else limit, entity=entity, predicate=predicate,
        status=status, events=events, min_base=min_base, min_confidence=min_confidence,
    )  # fmt: skip
    if as_json:
        emit_json(listed.model_dump(mode="json"))
        return
    folded = _folded(rows(listed)) if folds else rows(listed)
    print_table(folded[:limit], FACT_COLUMNS)
    every = len(folded) if folds else listed.total
    same = listed.total - every
    more = f"; {same:,} more say the same of other entities" if same else ""
    console().print(f"{min(limit, every):,} of {every:,}{more}", style="dim")


def _folded(facts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """For people: the same words about several entities once, as `rsync +2`."""
    others = Counter((fact["content"], fact["predicate"]) for fact in facts)
    first = {(fact["content"], fact["predicate"]): fact for fact in reversed(facts)}
    return [
        fact | ({"entity": f"{fact['entity']} +{others[said] - 1}"} if others[said] > 1 else {})
        for said, fact in reversed(first.items())
    ]


def _about(found: pl.LazyFrame, named: pl.DataFrame) -> pl.LazyFrame:
    """Observations about an entity, by any of its names."""
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
