"""`cairn learn`."""

import click

from cairn.serving.cli import options
from cairn.serving.cli.terminal import advise, emit_json, say


@click.command(
    epilog="""\b
Examples:
  cairn learn "drip irrigation"
  cairn learn              (what was asked for, and what was found)
  cairn learn --json

Three to five searches are made for a topic when nothing else is to be done; see `cairn research`.
They need a search provider: the setting `search_provider`."""
)
@click.argument("topic", nargs=-1, metavar="[TOPIC]")
@options.limit(20)
@options.namespace(options.ONE_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context, topic: tuple[str, ...], limit: int, namespace: str | None, as_json: bool
) -> None:
    """Ask for a topic to be looked into; or see what came of it."""
    from cairn.serving.cli.pages import page, plain, rows
    from cairn.serving.cli.report import prompt_line, say_pending
    from cairn.serving.query.research import NO_PROVIDER, SEARCHES_FOLLOW
    from cairn.serving.read.namespaces import told_to
    from cairn.serving.status.pending import LEARN
    from cairn.serving.status.pending import listed as noted
    from cairn.serving.write.research import learn

    state = options.state_of(ctx)
    off = not state.searches
    if topic:
        told = learn(state, told_to(state, namespace), " ".join(topic))
        if as_json:
            emit_json(told | {"provider": not off})
            return
        say(f"Noted for namespace {told['namespace']}: to learn about {told['topic']}.")
        say(f"{NO_PROVIDER} It waits until one is." if off else SEARCHES_FOLLOW)
        return
    namespace, reader, waiting = noted(state, namespace, LEARN)
    listed = page("learn_prompts", reader, limit) if reader else None
    if as_json:
        emit_json(plain(listed, namespace, waiting))
        return
    found = rows(listed)
    for one in found:
        say(prompt_line(one))
    say_pending(waiting)
    if not (found or waiting):
        advise("Nothing was asked for yet: `cairn learn TOPIC`.")
    if off and (waiting or any(one["status"] == "active" for one in found)):
        say(NO_PROVIDER)
