"""`cairn rate`."""

import click

from cairn.serving.cli import options


@click.command(
    epilog="""\b
Examples:
  cairn rate l_7bd6 up
  cairn rate l_7bd6 down

A learning c sure becomes c + 0.3 (1 - c) sure by a thumb up, and 0.7 c by one down; each counts. It
stays with the lesson when a changed rule or model words that anew. Of a fact, `cairn confirm` and
`cairn retract` say whether it is true."""
)
@click.argument("id_", metavar="ID")
@click.argument("verdict", type=click.Choice(["up", "down"]))
@options.namespace(options.ANY_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context, id_: str, verdict: str, namespace: str | None, as_json: bool
) -> None:
    """Say that a learning helped, or did not."""
    from cairn.serving.cli.terminal import advise, emit_json, say
    from cairn.serving.read.display import one_line
    from cairn.serving.read.id_lookup import find
    from cairn.serving.status.pending import NEXT_RUN
    from cairn.serving.write.rating import rate

    told = rate(find(options.state_of(ctx), id_, namespace), verdict)
    if as_json:
        emit_json(told)
        return
    say(f"{one_line(told['title'], 80)}: rated {verdict}, in {told['namespace']}.", style="bold")
    say(f"Confidence {told['confidence']:.2f}, then {told['after']:.2f}.")
    advise(f"Noted as {told['record_id']}; applied {NEXT_RUN}")
    otherwise = "down" if verdict == "up" else "up"
    advise(f"To decide otherwise: `cairn rate {told['learning_id']} {otherwise}`", style="dim")
