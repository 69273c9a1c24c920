"""`cairn brief`."""

from datetime import datetime
from pathlib import Path

import click

from cairn.serving.cli import options
from cairn.serving.cli.asked import parameters
from cairn.serving.cli.report import print_brief
from cairn.serving.cli.terminal import advise, emit_json
from cairn.serving.models.parameters import BriefParameters
from cairn.serving.read.id_lookup import UnknownId
from cairn.serving.read.reader import open_reader


@click.command(
    epilog="""\b
Examples:
  cairn brief                        (of the project of this folder)
  cairn brief lantern-shop --budget 200
  cairn brief ~/code/lantern-shop --as-of 2026-03-01 --json
  cairn brief lantern-shop --text    (as an agent is given it)"""
)
@click.argument("project", required=False, metavar="PROJECT|PATH")
@parameters(BriefParameters, "budget")
@click.option("--text", is_flag=True, help="Only the text, in the fence that marks it as recalled.")
@options.namespace(options.ONE_NAMESPACE)
@parameters(BriefParameters, "as_of")
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    project: str | None,
    budget: int,
    text: bool,
    namespace: str | None,
    as_of: datetime | None,
    as_json: bool,
) -> None:
    """What to know of a project before work on it starts, the best first."""
    from cairn.serving.query.briefs import project_brief

    reader = open_reader(options.state_of(ctx), namespace, as_of)
    elsewhere = False
    try:
        found = project_brief(reader, project or str(Path.cwd()), budget)
    except UnknownId as error:
        if project:
            raise click.ClickException(str(error)) from None
        if text:
            # Who passes on what is printed passes on nothing.
            click.echo("cairn: nothing is known of this folder", err=True)
            return
        found, elsewhere = project_brief(reader, None, budget), True
    if as_json:
        emit_json({"namespace": reader.namespace, "as_of": reader.as_of} | found)
        return
    if not found["lines"]:
        about = found["project"] or project
        by_then = f" by {as_of:%Y-%m-%d %H:%M}" if as_of else " yet"
        what = f"Nothing that helps is known of {about}" if about else "No project is known"
        advise(f"{what}{by_then}.")
        return
    if text:
        click.echo(found["text"])
        return
    if elsewhere:
        advise("Nothing is known of this folder; this is the project that was worked on last.")
    print_brief(found)
