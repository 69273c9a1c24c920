"""`cairn import`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cairn.serving.cli import options
from cairn.serving.cli.terminal import TerminalColumn, advise, emit_json, print_table, say
from cairn.serving.read.display import count

if TYPE_CHECKING:
    from cairn.resources.context import State
    from cairn.serving.exchange.importing import TakenExport
    from cairn.serving.exchange.memories import ForeignMemories, TakenMemories

MOST_SHOWN = 20
MEMORIES = (
    TerminalColumn("about", most=20),
    TerminalColumn("at", "when", from_width=90),
    TerminalColumn("text", wide=True),
)
REFUSED = (TerminalColumn("line"), TerminalColumn("why", wide=True))


@click.command(
    epilog="""\b
Examples:
  cairn import ~/cairn-export
  cairn import ~/cairn-export --dry-run
  cairn import ~/cairn-export --namespace ada
  cairn import mem0.json                 (results of get_all, or an export)
  cairn import graph.json                (edges and nodes of Zep or Graphiti)
  cairn import ~/.claude-mem/claude-mem.db --dry-run
  cairn import lantern-pack.json         (what a colleague shared)
  cairn import CLAUDE.md                 (or AGENTS.md: notes about the project of its folder)

\b
The next run makes knowledge of it: at once with `cairn run`, else by the daemon. Given again,
nothing is there twice. What was forgotten here stays forgotten. What another program or a file of
notes remembered is no person's word: it begins with confidence 0.5 at most, fades, and gives way to
whatever you say."""
)
@click.argument("path", metavar="FOLDER|FILE", type=options.GivenPath(path_type=Path))
@click.option(
    "--from",
    "kind",
    type=click.Choice(["pack", "graphiti", "mem0", "claude-mem", "notes"]),
    help="Of what kind a file is; told by its content, if unset.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be taken in; store nothing.")
@options.namespace("Whose it becomes; that of an export, or the only one there is, if unset.")
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    path: Path,
    kind: str | None,
    *,
    dry_run: bool,
    namespace: str | None,
    as_json: bool,
) -> None:
    """Take in what `cairn export` wrote, or what another program remembered.

    A line of an export that is no record, or is not as it was exported, is a dead letter. Text is
    data: no order in it is followed.
    """
    from cairn.serving.exchange.folder import ExchangeError
    from cairn.serving.exchange.importing import import_export

    if not path.exists():
        raise click.ClickException(f"{path}: no such file or folder")
    state = options.state_of(ctx)
    if not path.is_dir():
        _take_file(state, path, kind, namespace, dry_run=dry_run, as_json=as_json)
        return
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


def _take_file(
    state: "State",
    file: Path,
    kind: str | None,
    namespace: str | None,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    from cairn.serving.exchange.folder import ExchangeError
    from cairn.serving.exchange.foreign import read_foreign
    from cairn.serving.exchange.memories import take_memories
    from cairn.serving.read.namespaces import told_to

    try:
        found = read_foreign(file, kind)
    except ExchangeError as refused:
        raise click.ClickException(str(refused)) from None
    done = take_memories(state, told_to(state, namespace), found, dry_run=dry_run)
    if as_json:
        emit_json(done._asdict() | {"dry_run": dry_run})
    elif found.memories or done.skipped:
        _say_memories(done, found, dry_run=dry_run)
    if not found.memories:
        raise click.ClickException(f"{file} holds nothing that can be taken in")


def _say_memories(done: "TakenMemories", found: "ForeignMemories", *, dry_run: bool) -> None:
    if dry_run:
        from cairn.knowledge.redaction import redactor

        rows = [
            {"about": one.told.about.name if one.told.about else "", "at": one.at,
             "text": redactor().redact_text(one.text)[0]}
            for one in found.memories[:MOST_SHOWN]
        ]  # fmt: skip
        print_table(rows, MEMORIES)
    told = count(done.memories, "statement")
    verb = "Would take in" if dry_run else "Taken in"
    say(f"{verb} for namespace {done.namespace}, from {done.label} ({done.kind}): {told}.")
    if not dry_run and done.new < done.memories:
        say(f"{done.memories - done.new:,} of these were there already.")
    for number, why in (
        (done.skipped, "without a text, or deleted there"),
        (done.too_long, "too long"),
        (done.forgotten, "forgotten here"),
    ):
        if number:
            say(f"Left out: {number:,} {why}.")
    if done.redactions:
        gone = "to be taken out" if dry_run else "and taken out"
        say(f"{count(done.redactions, 'secret')} found, {gone}.")
    if done.new:
        advise("The next run makes knowledge of it: `cairn run`.")


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
