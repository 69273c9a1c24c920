"""`cairn entities`."""

import click
import polars as pl

from serving import options
from serving.reader import NothingPublished, open_reader
from serving.terminal import console, emit_json, print_table


@click.command(
    epilog="""\b
Examples:
  cairn entities
  cairn entities --type host --json"""
)
@click.option(
    "--type", "type_", metavar="TYPE", help="Only this type: project, host, tool, topic, …"
)
@options.limit(20)
@options.namespace
@options.as_json
@click.pass_context
def command(
    ctx: click.Context, type_: str | None, limit: int, namespace: str | None, as_json: bool
) -> None:
    """List entities, those with the most facts first."""
    try:
        reader = open_reader(options.state_of(ctx), namespace)
    except NothingPublished as error:
        raise click.ClickException(str(error)) from None
    rows = reader.entities().sort(
        "active_facts", "mentions", "entity_id", descending=[True, True, False]
    ).collect()  # fmt: skip
    if type_ is not None:
        known = sorted(rows["type"].unique())
        if type_ not in known:
            raise click.ClickException(
                f"no entity of type {type_!r}; there are: {', '.join(known)}"
            )
        rows = rows.filter(pl.col("type") == type_)
    shown = rows.head(limit)
    if as_json:
        emit_json(
            {"namespace": reader.namespace, "total": rows.height, "entities": shown.to_dicts()}
        )
        return
    columns = ("entity_id", "type", "display_name", "active_facts", "mentions", "last_seen")
    print_table(shown.iter_rows(named=True), columns, wide="display_name")
    console().print(f"{shown.height:,} of {rows.height:,}", style="dim")
