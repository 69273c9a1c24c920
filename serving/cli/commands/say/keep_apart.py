"""`cairn keep-apart`."""

import click

from cairn.serving.cli.deciding import Decided, decision


@click.command(
    "keep-apart",
    epilog="""\b
Examples:
  cairn keep-apart f_1c0ad2398567ecbb f_98f82758aeefdd98
  cairn keep-apart f_1c0a f_98f8 --reason "two repositories"

They are never merged, and neither counts as denying the other.""",
)
@click.argument("ids", metavar="ID ID", nargs=2)
@decision
def command(decided: Decided, ids: tuple[str, str]) -> None:
    """Say that two facts, or two entities, are two, and both hold."""
    from cairn.knowledge.ingest.inbox_events.decisions import KEEP_APART
    from cairn.serving.cli.decision_output import take_down

    take_down(decided, KEEP_APART, ids)
