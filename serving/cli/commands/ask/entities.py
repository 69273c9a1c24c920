"""`cairn entities`."""

import click
import polars as pl

from cairn.serving.cli import options
from cairn.serving.cli.asked import parameters
from cairn.serving.cli.report import ENTITY_COLUMNS
from cairn.serving.cli.terminal import TerminalColumn, console, emit_json, print_table
from cairn.serving.models.parameters import EntityParameters
from cairn.serving.read.reader import open_reader

_COLUMNS = (*ENTITY_COLUMNS, TerminalColumn("aliases", "also", most=32, from_width=110))


@click.command(
    epilog="""\b
Examples:
  cairn entities
  cairn entities --type host --json"""
)
@parameters(EntityParameters, "type", type={"flags": ("--type", "type_"), "type": str})
@options.limit(20)
@options.namespace(options.ONE_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context, type_: str | None, limit: int, namespace: str | None, as_json: bool
) -> None:
    """List entities, those with the most facts first."""
    reader = open_reader(options.state_of(ctx), namespace)
    rows = reader.top_entities().collect()
    if type_ is not None:
        known = sorted(rows["type"].unique())
        if type_ not in known:
            raise click.ClickException(
                f"no entity of type {type_!r}; there are: {', '.join(known) or 'none'}"
            )
        rows = rows.filter(pl.col("type") == type_)
    page = rows.head(limit)
    if as_json:
        emit_json(
            {"namespace": reader.namespace, "total": rows.height, "entities": page.to_dicts()}
        )
        return
    print_table(page.iter_rows(named=True), _COLUMNS)
    console().print(f"{page.height:,} of {rows.height:,}", style="dim")
