"""`cairn brief`."""

from datetime import datetime
from pathlib import Path
from typing import Any

import click

from cairn.serving.cli import options
from cairn.serving.cli.asked import parameters
from cairn.serving.cli.report import print_brief, recalled
from cairn.serving.cli.terminal import advise, emit_json, say
from cairn.serving.models.parameters import BriefParameters
from cairn.serving.read.display import count
from cairn.serving.read.id_lookup import UnknownId
from cairn.serving.read.reader import open_reader


@click.command(
    epilog="""\b
Examples:
  cairn brief                        (of the project of this folder)
  cairn brief lantern-shop --budget 200
  cairn brief ~/code/lantern-shop --as-of 2026-03-01 --json
  cairn brief lantern-shop --text    (as an agent is given it)
  cairn brief --write AGENTS.md      (kept between two marks, for agents without hooks)
  cairn brief --write AGENTS.md --remove"""
)
@click.argument("project", required=False, metavar="PROJECT|PATH")
@parameters(BriefParameters, "budget")
@click.option("--text", is_flag=True, help="Only the text, in the fence that marks it as recalled.")
@click.option(
    "--write",
    "file",
    type=options.GivenPath(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Put it between two marks in a file, such as AGENTS.md or CLAUDE.md; the rest stays.",
)
@click.option("--remove", is_flag=True, help="With --write: take out what stands between them.")
@options.namespace(options.ONE_NAMESPACE)
@parameters(BriefParameters, "as_of")
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    project: str | None,
    budget: int,
    text: bool,
    file: Path | None,
    remove: bool,
    namespace: str | None,
    as_of: datetime | None,
    as_json: bool,
) -> None:
    """What to know of a project before work on it starts, the best first."""
    from cairn.serving.query.briefs import project_brief

    if remove and file is None:
        raise click.UsageError("--remove is for --write FILE", ctx)
    if text and file is not None:
        raise click.UsageError("choose --text or --write", ctx)
    if remove and file is not None:
        _keep(file, None, as_json=as_json)
        return
    reader = open_reader(options.state_of(ctx), namespace, as_of)
    elsewhere = False
    try:
        folder = file.absolute().parent if file else Path.cwd()
        found = project_brief(reader, project or str(folder), budget)
    except UnknownId as error:
        if project or file is not None:
            raise click.ClickException(str(error)) from None
        if text:
            # Who passes on what is printed passes on nothing.
            click.echo("cairn: nothing is known of this folder", err=True)
            return
        found, elsewhere = project_brief(reader, None, budget), True
    told = {"namespace": reader.namespace, "as_of": reader.as_of} | found
    if file is not None:
        _keep(file, told, as_json=as_json)
        return
    if as_json:
        emit_json(told)
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
    with recalled(reader):
        print_brief(found)


def _keep(file: Path, told: dict[str, Any] | None, *, as_json: bool) -> None:
    """Puts a brief into a file, and says so; none takes out what stands there."""
    from cairn.serving.write.brief_file import UnwritableFile, keep_brief

    lines = told["lines"] if told else []
    try:
        changed = keep_brief(file, told["text"] if told and lines else "")
    except UnwritableFile as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        emit_json({"file": str(file), "changed": changed} | (told or {}))
        return
    if told and not lines:
        advise(f"Nothing that helps is known of {told['project'] or 'it'}.")
    if not changed:
        say(f"as it is: {file}")
    elif lines and told:
        say(f"wrote: {file} ({count(len(lines), 'line')} about {told['project']})")
    else:
        say(f"taken out of: {file}")
