"""`cairn dismiss`."""

import click

from cairn.serving.cli.deciding import Decided, decision


@click.command(
    epilog="""\b
Examples:
  cairn dismiss v_9f3c0d1be02a7c55
  cairn dismiss v_9f3c v_41c0 --reason "seen; it is of a web page"

`cairn review` lists what waits, with its id: lines and proposals in quarantine, slots that may hold
one value, commands without a kind. What is dismissed stays as it is, and waits no more; of facts
and entities that are alike say `merge` or `keep-apart`."""
)
@click.argument("ids", metavar="ID", nargs=-1, required=True)
@decision
def command(decided: Decided, ids: tuple[str, ...]) -> None:
    """Say that what waits in review needs nothing."""
    from cairn.knowledge.ingest.inbox_events.decisions import DISMISS
    from cairn.serving.cli.decision_output import take_down

    take_down(decided, DISMISS, ids)
