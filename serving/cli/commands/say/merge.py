"""`cairn merge`."""

import click

from cairn.serving.cli.deciding import Decided, decision


@click.command(
    epilog="""\b
Examples:
  cairn merge f_25466729741c279f f_6f298d582e05745c
  cairn merge f_2546 f_6f29 --into f_6f29 --reason "the wording we agreed on"
  cairn merge e_a416 e_77b0                    (two names of one thing)

Of facts the surest stays, unless --into says which; of entities the most mentioned. Nothing is
deleted: the others point to it, and can be shown. The beginning of an id is enough."""
)
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option("--into", metavar="ID", help="The one that stays.")
@decision
def command(decided: Decided, ids: tuple[str, ...], into: str | None) -> None:
    """Say that facts, or entities, are one."""
    from cairn.knowledge.ingest.inbox_events.decisions import MERGE
    from cairn.serving.cli.decision_output import take_down

    take_down(decided, MERGE, ids, into=into)
