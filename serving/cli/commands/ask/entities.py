"""`cairn entities`."""

import click

from cairn.serving.cli import options
from cairn.serving.cli.asked import parameters
from cairn.serving.cli.known import require_known
from cairn.serving.cli.pages import page, rows
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
    require_known("no entity of type", type_, reader.top_entities().select("type"))
    found = page("entities", reader, limit, type=type_)
    if as_json:
        emit_json(found.model_dump(mode="json"))
        return
    print_table(rows(found), _COLUMNS)
    console().print(f"{len(found.items):,} of {found.total:,}", style="dim")
