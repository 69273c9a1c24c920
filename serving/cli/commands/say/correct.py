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
    from cairn.serving.cli.decision_output import tell
    from cairn.serving.write.decisions import choose, correction, note, unretracted, with_members

    choice = choose(decided.state, [fact], decided.namespace, facts_only="corrected")
    unretracted(choice)
    said = correction(choice, text)
    named = with_members(choice)
    told = note(choice, CORRECT, named, text=said, reason=decided.reason)
    otherwise = f"cairn confirm {named[0].id}"
    tell(
        told | {"text": said},
        named,
        f"to be replaced by “{said}”",
        otherwise,
        as_json=decided.as_json,
    )
