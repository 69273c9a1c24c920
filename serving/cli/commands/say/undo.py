"""`cairn undo`."""

import click

from cairn.serving.cli.deciding import Decided, decision


@click.command(
    epilog="""\b
Examples:
  cairn undo r_9f3c0d1be02a7c55
  cairn undo r_9f3c --reason "wrong pair"

Each command that decides says the id of what it noted; `cairn query decisions` lists all. What is
undone is as if nobody had decided it: what was decided before holds again. An undo is a decision,
and undone alike."""
)
@click.argument("ids", metavar="DECISION", nargs=-1, required=True)
@decision
def command(decided: Decided, ids: tuple[str, ...]) -> None:
    """Take decisions back, as if nobody had made them."""
    from cairn.knowledge.ingest.inbox_events.decisions import UNDO
    from cairn.serving.cli.decision_output import take_down

    take_down(decided, UNDO, ids)
