"""`cairn sources`."""

from dataclasses import asdict
from pathlib import Path

import click

from cairn.serving.cli import options
from cairn.serving.cli.terminal import TerminalColumn, advise, emit_json, print_table, say

COLUMNS = (
    TerminalColumn("namespace"),
    TerminalColumn("path", wide=True),
    TerminalColumn("timezone"),
    TerminalColumn("state"),
)


@click.group(
    "sources",
    invoke_without_command=True,
    epilog="""\b
Examples:
  cairn sources
  cairn sources add ~/.claude/projects
  cairn sources remove ~/.claude/projects""",
)
@options.as_json
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List, add or remove watched sources. What was read from a source stays when it is removed."""
    if ctx.invoked_subcommand is not None:
        return
    from cairn.resources.home.sources import list_sources

    found = [
        asdict(source) | {"gone": source.is_gone}
        for source in list_sources(options.state_of(ctx).home)
    ]
    if as_json:
        emit_json({"sources": found})
    elif found:
        print_table([row | {"state": "gone" if row["gone"] else "there"} for row in found], COLUMNS)
        if any(row["gone"] for row in found):
            advise("Put back what is gone, or `cairn sources remove PATH`: what was read stays.")
    else:
        advise("No source is registered: `cairn sources add PATH`, or `cairn run --source PATH`.")


@command.command("add")
@click.argument("path", type=options.GivenPath(path_type=Path))
@options.namespace(options.IMPORTS)
@click.option("--timezone", metavar="ZONE", help="Of times without one. [UTC]")
@options.as_json
@click.pass_context
def add(
    ctx: click.Context, path: Path, namespace: str | None, timezone: str | None, as_json: bool
) -> None:
    """Watch a file or folder; the next run, or the sensor, takes it in."""
    from cairn.resources.home.sources import add_source

    state = options.state_of(ctx)
    owner = namespace or state.settings.namespace or "default"
    try:
        source = add_source(state.home, path, owner, timezone, default=state.settings.timezone)
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        emit_json(source)
    else:
        say(f"{source.path} is watched for namespace {source.namespace}.")


@command.command("remove")
@click.argument("path", type=options.GivenPath(path_type=Path))
@options.as_json
@click.pass_context
def remove(ctx: click.Context, path: Path, as_json: bool) -> None:
    """Stop watching a file or folder."""
    from cairn.resources.home.sources import remove_source

    source = remove_source(options.state_of(ctx).home, path)
    if as_json:
        emit_json(source)
    else:
        say(f"{source.path} is no longer watched; what was read from it stays.")
