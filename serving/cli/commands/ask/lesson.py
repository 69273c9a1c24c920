"""`cairn lesson`."""

import sys
from datetime import datetime

import click

from cairn.knowledge.llm.fence import harmless
from cairn.serving.cli import options
from cairn.serving.cli.asked import parameters
from cairn.serving.cli.terminal import emit_json, say
from cairn.serving.models.parameters import LessonParameters
from cairn.serving.read.display import times
from cairn.serving.read.reader import open_reader


@click.command(
    epilog="""\b
Examples:
  cairn lesson --error "fatal: The current branch main has no upstream branch."
  go test ./... 2>&1 | cairn lesson --error -
  cairn lesson --error "python: command not found" --project harbor-backup --json
  cairn lesson --error "ModuleNotFoundError: No module named 'distutils'" --as-of 2026-03-01"""
)
@click.option(
    "--error",
    required=True,
    metavar="TEXT|-",
    help="A line of it, or the whole output; - reads it.",
)
@parameters(LessonParameters, "project", "as_of", "limit")
@options.namespace(options.ONE_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    error: str,
    project: str | None,
    as_of: datetime | None,
    limit: int,
    namespace: str | None,
    as_json: bool,
) -> None:
    """What ended an error before: what was changed, and how often that helped."""
    from cairn.serving.cli.report import recalled
    from cairn.serving.query.lessons import lesson

    text = sys.stdin.read() if error == "-" else error
    if not text.strip():
        raise click.UsageError("--error is empty: give a line of the error, or its output")
    reader = open_reader(options.state_of(ctx), namespace, as_of)
    found = lesson(reader, text, project, limit)
    if as_json:
        emit_json({"namespace": reader.namespace, "as_of": reader.as_of} | found)
        return
    if found["signature"] is None:
        say("No line of this says why it failed.")
        return
    say(found["signature"], style="bold")
    if not found["fixes"]:
        seen = times(found["failures"], 0)
        known = f"Seen {seen}; nothing" if found["failures"] else "Not seen before; nothing"
        say(f"{known} is proven to end it.")
        return
    with recalled(reader):
        for fix in found["fixes"]:
            say(harmless(fix["text"]), indent=2)
            helped = f"ended it {times(fix['wins'], fix['losses'])}"
            last = f", last on {fix['last_seen']:%Y-%m-%d}" if fix["last_seen"] else ""
            say(f"{fix['id']}  {helped}{last}", indent=6, style="dim")
