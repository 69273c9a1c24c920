"""`cairn correct`."""

import click

from cairn.serving.cli import options


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
@options.reason
@options.namespace(options.ANY_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    fact: str,
    text: str,
    reason: str | None,
    namespace: str | None,
    as_json: bool,
) -> None:
    """Put a true sentence in the place of a fact."""
    from cairn.knowledge.ingest.inbox_events.decisions import CORRECT
    from cairn.serving.cli.decision_output import tell
    from cairn.serving.write.decisions import choose, correction, note, unretracted, with_members

    choice = choose(options.state_of(ctx), [fact], namespace, facts_only="corrected")
    unretracted(choice)
    said = correction(choice, text)
    named = with_members(choice)
    told = note(choice, CORRECT, named, text=said, reason=reason)
    otherwise = f"cairn confirm {named[0].id}"
    tell(told | {"text": said}, named, f"to be replaced by “{said}”", otherwise, as_json=as_json)
