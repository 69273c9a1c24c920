"""`cairn missed`."""

import click

from cairn.serving.cli import options


@click.command(
    epilog="""\b
Examples:
  cairn missed r_bb2c0d0b011bcbb2 "The vault host moves to a new address in May."
  cairn query missed --json     (all examples, each with what its record says)

The sentence is known from the next run on. With its record it is a labelled example for whoever
mends a rule or a prompt: `cairn search`, `cairn show` and the pages tell ids of records."""
)
@click.argument("record_id", metavar="RECORD")
@click.argument("sentence")
@options.namespace(options.ANY_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context, record_id: str, sentence: str, namespace: str | None, as_json: bool
) -> None:
    """Say what should have been learnt from a record."""
    from cairn.serving.cli.terminal import advise, emit_json, say
    from cairn.serving.read.id_lookup import find
    from cairn.serving.status.pending import NEXT_RUN
    from cairn.serving.write.missed import say_missed

    thing = find(options.state_of(ctx), record_id, namespace)
    told = say_missed(thing.reader, thing.id, sentence)
    if as_json:
        emit_json(told)
        return
    say(f"Noted in {told['namespace']}: “{told['expected']}”", style="bold")
    advise(f"Noted as {told['record_id']}; known {NEXT_RUN}")
    advise(f"To take it back: `cairn forget {told['record_id']}`", style="dim")
