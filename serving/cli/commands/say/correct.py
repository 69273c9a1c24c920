"""`cairn correct`."""

import click

from cairn.serving.cli.deciding import Decided, decision


@click.command(
    epilog="""\b
Examples:
  cairn correct f_1c0ad2398567ecbb "We use bun in this repository since May."
  cairn correct f_1c0a "The backup runs at 03:00." --reason "moved in spring"

The text becomes a fact of the same entity, said by you; what it corrects is retracted and points to
it. Put the text in quotation marks."""
)
@click.argument("fact", metavar="FACT")
@click.argument("text", metavar="TEXT")
@decision
def command(decided: Decided, fact: str, text: str) -> None:
    """Put a true sentence in the place of a fact."""
    from cairn.knowledge.ingest.inbox_events.decisions import CORRECT
    from cairn.serving.cli.decision_output import take_down

    take_down(decided, CORRECT, [fact], text=text)
