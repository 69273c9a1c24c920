"""`cairn serve`."""

import click

from cairn.serving.cli import options
from cairn.serving.read.display import count
from cairn.serving.runtime.processor import one_thread

PORT = 8723


@click.command(
    epilog="""\b
Examples:
  cairn serve
  cairn serve --port 9000 --json
  cairn serve --workers 4
  cairn keys add --namespace work --read-only && cairn serve --host 0.0.0.0

Without keys it listens on this machine alone, and answers whoever asks there, about every
namespace. With keys it answers whoever has one. It follows what is published; Ctrl-C ends it.

One process uses one core, which is enough for a person and some agents. Each of several --workers
holds all that is published once more: about 200 MB and two seconds to start at 10,000 facts."""
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0: any free."
)
@options.workers
@click.option(
    "--json", "as_json", is_flag=True, help="A line of JSON on stdout for each request; no text."
)
@click.pass_context
def command(ctx: click.Context, host: str, port: int, workers: int, as_json: bool) -> None:
    """Answer over HTTP: search, context, facts, lineage, events; see docs/http.md."""
    one_thread()
    state = options.state_of(ctx)
    from cairn.resources.home.api_keys import list_keys
    from cairn.serving.http.server import serve
    from cairn.serving.runtime.sockets import CannotListen, address_of, listening

    keys = list_keys(state.home)
    try:
        listener = listening(host, port, keys=bool(keys))
    except CannotListen as error:
        raise click.ClickException(str(error)) from None
    with listener:
        address = address_of(listener)
        if as_json:
            click.echo(f'{{"listening": "{address}", "docs": "{address}/docs"}}')
        else:
            who = f"whoever has one of {count(len(keys), 'key')}" if keys else "this machine"
            click.echo(
                f"{address}/v1 answers {who} from {state.home.root}\n"
                f"{address}/ shows what is known, {address}/docs what can be asked; Ctrl-C ends it",
                err=True,
            )
            if not state.readable_namespaces():
                click.echo("Nothing is published yet: run `cairn run --source PATH`", err=True)
        serve(state, listener, as_json=as_json, workers=workers)
