"""`cairn retract`."""

import click

from cairn.serving.cli.deciding import Decided, decision


@click.command(
    epilog="""\b
Examples:
  cairn retract f_1c0ad2398567ecbb
  cairn retract f_1c0a --reason "that was a joke"

It is kept as a row, with the status retracted; no search finds it, it is merged with nothing, and
speaks against nothing. What was merged into it goes with it, and so does the same sentence about
other entities, unless it was said elsewhere too."""
)
@click.argument("fact", metavar="FACT")
@decision
def command(decided: Decided, fact: str) -> None:
    """Say that a fact is not true, or not worth knowing."""
    from cairn.knowledge.ingest.inbox_events.decisions import RETRACT
    from cairn.serving.cli.decision_output import take_down

    take_down(decided, RETRACT, [fact])
