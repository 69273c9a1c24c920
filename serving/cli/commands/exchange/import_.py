"""`cairn import`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cairn.serving.cli import options
from cairn.serving.cli.terminal import TerminalColumn, advise, emit_json, print_table, say
from cairn.serving.read.display import count

if TYPE_CHECKING:
    from cairn.serving.exchange.importing import TakenExport

REFUSED = (TerminalColumn("line"), TerminalColumn("why", wide=True))


@click.command(
    epilog="""\b
Examples:
  cairn import ~/cairn-export
  cairn import ~/cairn-export --dry-run
  cairn import ~/cairn-export --namespace ada

\b
The next run makes knowledge of it: at once with `cairn run`, else by the daemon. Given again,
nothing is there twice. What was forgotten here stays forgotten."""
)
@click.argument("path", metavar="FOLDER", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Show what would be taken in; store nothing.")
@options.namespace("Whose it becomes; that of the export, if unset.")
@options.as_json
@click.pass_context
def command(
    ctx: click.Context, path: Path, *, dry_run: bool, namespace: str | None, as_json: bool
) -> None:
    """Take in what `cairn export` wrote.

    A line that is no record, or is not as it was exported, is a dead letter.
    """
    from cairn.serving.exchange.folder import ExchangeError
    from cairn.serving.exchange.importing import import_export

    if not path.exists():
        raise click.ClickException(f"{path}: no such file or folder")
    state = options.state_of(ctx)
    try:
        done = import_export(state, path.absolute(), namespace, dry_run=dry_run)
    except ExchangeError as refused:
        raise click.ClickException(str(refused)) from None
    if as_json:
        emit_json(
            done._asdict()
            | {
                "refused": [one._asdict() for one in done.refused],
                "lacking": list(done.lacking),
                "answers": done.answers._asdict(),
                "dry_run": dry_run,
            }
        )
        return
    _say(done, dry_run=dry_run)


def _say(done: "TakenExport", *, dry_run: bool) -> None:
    verb = "Would take in" if dry_run else "Taken in"
    say(f"{verb} for namespace {done.namespace}: {count(done.records, 'record')}.")
    if done.there:
        say("Just this was imported before.")
    elif done.known:
        say(f"{count(done.known, 'record')} of these were there already.")
    if done.changed:
        say("The records are not those that were exported; each line was checked by itself.")
    for number, what in (
        (done.forgotten, "left out, since they were forgotten here"),
        (done.refused_lines, "taken in as dead letters"),
    ):
        if number:
            say(f"{count(number, 'line')}: {what}.")
    if done.refused:
        print_table([one._asdict() for one in done.refused], REFUSED)
    if done.redactions:
        say(f"{count(done.redactions, 'secret')} found, and taken out.")
    if done.lacking:
        say(f"Adapters that are not installed here: {', '.join(done.lacking)}.")
    answers = done.answers
    if answers.new or answers.known:
        say(f"Answers of a language model: {answers.new:,} new, {answers.known:,} there already.")
    if answers.elsewhere:
        say(
            f"{count(answers.elsewhere, 'answer')} of a language model cannot be used in another"
            " namespace: its questions are asked again, if a model is set."
        )
    if answers.refused:
        say(f"{count(answers.refused, 'line')} of answers could not be read.")
    if not dry_run:
        advise("The next run makes knowledge of it: `cairn run`.")
