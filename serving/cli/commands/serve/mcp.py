"""`cairn mcp`."""

import sys

import click

from cairn.serving.cli import options
from cairn.serving.runtime.processor import one_thread

PORT = 8724


@click.command(
    "mcp",
    epilog="""\b
Examples:
  claude mcp add cairn -- cairn mcp
  cairn mcp --namespace work --allow-writes
  cairn mcp --http --port 9000
  cairn keys add --namespace work && cairn mcp --http --host 0.0.0.0

Agents start it themselves and speak to it over stdin and stdout. It follows what is published.
Without --allow-writes (or mcp_allow_writes) it only reads. Over HTTP, without keys it listens on
this machine alone, and answers whoever asks there; with keys, whoever has one of them.""",
)
@click.option(
    "--namespace",
    "namespaces",
    multiple=True,
    metavar="NAME",
    callback=options.each_namespace,
    help="Bound to it; the only one there is, if unset. Of several, each call names one.",
)
@click.option("--allow-writes", is_flag=True, help="Also feedback, notes, and what to forget.")
@click.option("--http", is_flag=True, help="Over HTTP instead of stdin and stdout.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0: any free."
)
@options.workers
@click.pass_context
def command(
    ctx: click.Context,
    namespaces: tuple[str, ...],
    allow_writes: bool,
    http: bool,
    host: str,
    port: int,
    workers: int,
) -> None:
    """Give agents memory as tools (Model Context Protocol)."""
    given = [ctx.get_parameter_source(name) for name in ("host", "port", "workers")]
    if not http and any(source is click.core.ParameterSource.COMMANDLINE for source in given):
        raise click.UsageError("--host, --port and --workers are for --http")
    one_thread()
    state = options.state_of(ctx)
    from cairn.serving.mcp_server.auth import KeyScope

    writes = allow_writes or state.settings.mcp_allow_writes
    scope = KeyScope(tuple(dict.fromkeys(namespaces)), writes)
    if not http:
        from cairn.resources.telemetry.start import start
        from cairn.serving.mcp_server.server import create_server
        from cairn.serving.mcp_server.stdio import serve_stdio
        from cairn.serving.retrieval.open_memory import Memory

        if sys.stdin.isatty():
            click.echo(
                "Agents start this: claude mcp add cairn -- cairn mcp; Ctrl-C ends it", err=True
            )
        start(state.home, state.settings, "mcp")
        serve_stdio(create_server(Memory(state), scope))
        return
    from cairn.resources.home.api_keys import list_keys
    from cairn.serving.mcp_server.over_http import PATH, serve
    from cairn.serving.runtime.sockets import CannotListen, address_of, listening

    keys = list_keys(state.home)
    try:
        listener = listening(host, port, keys=bool(keys))
    except CannotListen as error:
        raise click.ClickException(str(error)) from None
    with listener:
        who = "whoever has a key" if keys else "this machine"
        click.echo(f"{address_of(listener)}{PATH} answers {who}; Ctrl-C ends it", err=True)
        serve(state, scope, listener, workers)
