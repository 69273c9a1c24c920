"""`cairn merge`."""

from typing import TYPE_CHECKING

import click

from cairn.serving.cli.deciding import Decided, decision

if TYPE_CHECKING:
    from cairn.serving.write.decisions import NamedThing


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
    from cairn.knowledge.ingest.inbox_events.decisions import ENTITY, MERGE
    from cairn.serving.cli.decision_output import tell
    from cairn.serving.read.id_lookup import find
    from cairn.serving.write.decisions import Undecidable, choose, note, unretracted

    state = decided.state
    stays = find(state, into, decided.namespace).id if into else None
    named_too = any(stays is not None and stays.startswith(start) for start in ids)
    choice = choose(state, ids if stays is None or named_too else [*ids, stays], decided.namespace)
    if len(choice.named) < 2:
        raise Undecidable("a merge needs two ids or more")
    if stays and choice.thing == ENTITY:
        raise Undecidable("of entities the most mentioned one stays: --into is for facts")
    unretracted(choice)
    standing = {each.stands_for for each in choice.named}
    if len(standing) == 1 and stays in (None, *standing):
        raise Undecidable(f"they are merged already, into {standing.pop()}")
    told = note(choice, MERGE, choice.named, into=stays, reason=decided.reason)
    kept = next((each for each in choice.named if each.id == stays), None)
    first = "most mentioned" if choice.thing == ENTITY else "surest"
    will = f"to be merged into {kept.id}" if kept else f"to be merged into the {first} of them"
    tell(told | {"into": stays}, choice.named, will, f"cairn unmerge {_other(choice.named, kept)}",
         as_json=decided.as_json)  # fmt: skip


def _other(named: "list[NamedThing]", kept: "NamedThing | None") -> str:
    return next(each.id for each in reversed(named) if each != kept)
