"""`cairn mcp`."""

import sys

import click

from serving import options


@click.command(
    "mcp",
    epilog="""\b
Examples:
  claude mcp add cairn -- cairn mcp
  cairn mcp --namespace work --allow-writes

Agents start it themselves and speak to it over stdin and stdout. It follows what is published.
Without --allow-writes (or mcp_allow_writes) it only reads.""",
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
@click.pass_context
def command(
    ctx: click.Context,
    namespaces: tuple[str, ...],
    allow_writes: bool,
) -> None:
    """Give agents memory as tools (Model Context Protocol)."""
    state = options.state_of(ctx)
    from serving.mcp_server.scope import Scope
    from serving.memory import Memory

    writes = allow_writes or state.settings.mcp_allow_writes
    scope = Scope(tuple(dict.fromkeys(namespaces)), writes)
    memory = Memory(state)
    from serving.mcp_server.server import create_server, serve_stdio

    if sys.stdin.isatty():
        click.echo("Agents start this: claude mcp add cairn -- cairn mcp; Ctrl-C ends it", err=True)
    serve_stdio(create_server(memory, scope))
