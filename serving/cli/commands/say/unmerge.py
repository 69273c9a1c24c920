"""`cairn unmerge`."""

import click

from cairn.serving.cli.deciding import Decided, decision


@click.command(
    epilog="""\b
Examples:
  cairn unmerge f_98f82758aeefdd98
  cairn unmerge f_98f8 --reason "another repository"

It stands by itself again, whoever merged it, and is not merged with these any more. Of a fact that
took others up, all others are taken from it."""
)
@click.argument("id_", metavar="ID")
@decision
def command(decided: Decided, id_: str) -> None:
    """Take a fact, or an entity, out of what it was merged with."""
    from cairn.knowledge.ingest.inbox_events.decisions import UNMERGE
    from cairn.serving.cli.decision_output import take_down

    take_down(decided, UNMERGE, [id_])
