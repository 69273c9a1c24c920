"""`cairn learn`."""

import click

from serving import options
from serving.terminal import emit_json, say


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
    from serving.namespaces import told_to
    from serving.reader import open_reader
    from serving.report import prompt_line
    from serving.researching import NO_PROVIDER, learn, prompts, total

    state = options.state_of(ctx)
    off = state.settings.search_provider is None
    if topic:
        told = learn(state, told_to(state, namespace), " ".join(topic))
        if as_json:
            emit_json(told | {"provider": not off})
            return
        say(f"Noted for namespace {told['namespace']}: to learn about {told['topic']}.")
        say(f"{NO_PROVIDER} It stays active." if off else "Searches follow when nothing else runs.")
        return
    reader = open_reader(state, namespace)
    found = prompts(reader, limit).rows
    if as_json:
        emit_json({"namespace": reader.namespace, "total": total(reader), "prompts": found})
        return
    for one in found:
        say(prompt_line(one))
    if not found:
        say("Nothing was asked for yet: `cairn learn TOPIC`.")
    if off and any(one["status"] == "active" for one in found):
        say(NO_PROVIDER)
