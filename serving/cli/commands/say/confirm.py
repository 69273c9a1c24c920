"""`cairn confirm`."""

import click

from cairn.serving.cli.deciding import Decided, decision


@click.command(
    epilog="""\b
Examples:
  cairn confirm f_1c0ad2398567ecbb
  cairn confirm f_1c0a --reason "asked Nadia"

A fact c sure becomes c + 0.5 (1 - c) sure (confirm_weight). One that was retracted or corrected
stands again."""
)
@click.argument("fact", metavar="FACT")
@decision
def command(decided: Decided, fact: str) -> None:
    """Say that a fact is true."""
    from cairn.knowledge.ingest.inbox_events.decisions import CONFIRM
    from cairn.serving.cli.decision_output import take_down

    take_down(decided, CONFIRM, [fact])
