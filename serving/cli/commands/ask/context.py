"""`cairn context`."""

from datetime import datetime

import click

from cairn.serving.cli import options
from cairn.serving.cli.asked import parameters
from cairn.serving.cli.terminal import emit_json
from cairn.serving.models.parameters import At
from cairn.serving.read.reader import open_reader


@click.command(
    epilog="""\b
Examples:
  cairn context "why does the nightly backup fail?"
  cairn context --turn "The backup failed again" --turn "Which host was it?"
  cairn context "which port?" --budget 400 --json"""
)
@click.argument("message", required=False)
@click.option(
    "--turn", "turns", multiple=True, help="What was said before; repeat it, the latest last."
)
@click.option(
    "--budget",
    type=click.IntRange(120, 1_000_000),
    default=1500,
    show_default=True,
    help="Tokens of turns and memories together.",
)
@options.namespace(options.ONE_NAMESPACE)
@parameters(At, "as_of")
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    message: str | None,
    turns: tuple[str, ...],
    budget: int,
    namespace: str | None,
    as_of: datetime | None,
    as_json: bool,
) -> None:
    """Memories for a prompt: of a message, and of the turns before it, within a budget.

    Nothing but the memories is printed, so that a hook of an agent can pass them on as they are:
    in an element that says they are data, and by which the next import knows them again.
    """
    from cairn.serving.retrieval.context import offer

    if not (message and message.strip()) and not any(turn.strip() for turn in turns):
        raise click.UsageError("give a message, or --turn with what was said before")
    reader = open_reader(options.state_of(ctx), namespace, as_of)
    found = offer(reader, message, turns, budget=budget)
    if as_json:
        emit_json(
            {
                "namespace": reader.namespace,
                "as_of": reader.as_of,
                "known": found.known
                and {
                    "entities": found.known.entities,
                    "sufficient": found.known.sufficient,
                    "score": found.known.score,
                    "threshold": found.known.threshold,
                },
                "found": found.found,
                "reranked": found.reranked,
                "not_reranked": found.not_reranked,
                "streamed": found.streamed,
                "tokens": dict(found.context.tokens),
                "memories": dict(found.context.streamed),
                "text": found.context.memories,
            }
        )
        return
    if found.context.memories:
        click.echo(found.context.memories)
    else:
        # Who passes on what is printed passes on nothing.
        click.echo(f"cairn: nothing about that in namespace {reader.namespace}", err=True)
