"""`cairn connect`."""

import difflib
import os
import sys
from dataclasses import asdict
from pathlib import Path
from urllib.parse import urlsplit

import click

from cairn.integrations.agents import (
    AGENTS,
    CLIENT,
    HOOKS_PATH,
    KEY_VARIABLE,
    Agent,
    SettingsError,
    Wiring,
    cairn_command,
)
from cairn.resources.connections import SettingsChange, connect, disconnect, states
from cairn.resources.home.api_keys import list_keys
from cairn.resources.home.home import Home
from cairn.serving.cli import options
from cairn.serving.cli.commands.serve.serve import PORT
from cairn.serving.cli.terminal import TerminalColumn, advise, emit_json, print_table, say

SERVER = f"http://127.0.0.1:{PORT}"
"""Where `cairn up` and `cairn serve` answer, if they are not told otherwise."""


@click.command(
    epilog="""\b
Examples:
  cairn connect                          (which agents are here, and which are connected)
  cairn connect claude-code
  cairn connect codex --project --namespace work
  cairn connect gemini-cli --dry-run     (what would be written)
  cairn connect claude-code --remove
  cairn connect claude-code --http       (prompts and errors ask a running `cairn up`)

Writes hooks and the MCP server into the agent's own settings, and keeps what stands there; a copy
stands beside each file. From then on a session begins with the brief of its project, a prompt
brings what is known about it, a failed command what ended that error before; and when a session
ends, its transcript is taken in. What was logged before: cairn run --source FOLDER."""
)
@click.argument("agent", required=False, type=click.Choice(list(AGENTS)))
@click.option("--user", "scope", flag_value="user", default=True, help="In all projects. [default]")
@click.option("--project", "scope", flag_value="project", help="Only in the one of this folder.")
@options.namespace("Whose knowledge it is told, and whose its sessions are. [default]")
@click.option(
    "--http",
    "server",
    is_flag=False,
    flag_value=SERVER,
    metavar="[URL]",
    help=f"Claude Code asks a running `cairn up` or `cairn serve` there. [{SERVER}]",
)
@click.option(
    "--warn", is_flag=True, help="Also before a command runs that was refused, or failed each time."
)
@click.option("--dry-run", is_flag=True, help="Only show what would be written.")
@click.option(
    "--remove", is_flag=True, help="Take it out again: byte for byte, if nobody changed the file."
)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    agent: str | None,
    scope: str,
    namespace: str | None,
    server: str | None,
    warn: bool,
    dry_run: bool,
    remove: bool,
    as_json: bool,
) -> None:
    """Give a coding agent its memory: hooks and MCP server, in its own settings."""
    state = options.state_of(ctx)
    if agent is None:
        if remove or dry_run or warn or namespace or server:
            raise click.UsageError("name the agent: " + ", ".join(AGENTS), ctx)
        _show(state.home, as_json=as_json)
        return
    chosen, user = AGENTS[agent], scope == "user"
    root = Path.home() if user else _project()
    owner = namespace or state.settings.namespace or "default"
    if server and agent != "claude-code":
        raise click.UsageError(f"{chosen.title} calls no hooks over HTTP: leave --http out", ctx)
    url = hooks_url(ctx, server, owner) if server else None
    try:
        if remove:
            changes = disconnect(state.home, chosen, root, os.environ, user=user, dry_run=dry_run)
        else:
            wiring = wiring_of(state.home, chosen, owner, warn=warn, url=url)
            changes = connect(
                state.home, chosen, root, wiring, os.environ, user=user, dry_run=dry_run
            )
    except (SettingsError, OSError) as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        emit_json(
            {
                "agent": agent,
                "namespace": owner,
                "dry_run": dry_run,
                "files": [
                    {"path": str(one.path), "changed": one.changes, "after": one.after}
                    if dry_run
                    else {"path": str(one.path), "changed": one.changes}
                    for one in changes
                ],
            }
        )
        return
    _tell(changes, chosen, remove=remove, dry_run=dry_run)
    if url and not (remove or dry_run):
        advise(
            f"Its prompts and errors ask {server}: keep `cairn up` running. While it is not, Claude"
            " Code shows an error and goes on; no session is lost."
        )
        if _needs_key(state.home, url):
            advise(
                f"Set {KEY_VARIABLE} to a key (`cairn keys add`) where Claude Code is started: the"
                " settings have the name of the variable alone.",
                style="yellow",
            )


def hooks_url(ctx: click.Context, server: str, namespace: str) -> str:
    """Where hooks of Claude Code are answered.

    Raises:
        BadParameter: the address of the server is none.
    """
    parts = urlsplit(server)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise click.BadParameter(
            f"{server!r} is no address such as {SERVER}", ctx, param_hint="--http"
        )
    return f"{server.rstrip('/')}{HOOKS_PATH}claude-code?namespace={namespace}"


def _needs_key(home: Home, url: str) -> bool:
    """Whether its server asks for a key: ours, where there is one, and each of another machine."""
    local = urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")
    return not local or bool(list_keys(home))


def wiring_of(
    home: Home, agent: Agent, namespace: str, *, warn: bool = False, url: str | None = None
) -> Wiring:
    """The commands that an agent is told, by full paths: `cairn` may not be on its PATH."""
    cairn = cairn_command(home.root)
    hook = [sys.executable, "-I", "-S", str(CLIENT), agent.name, str(home.root), namespace]
    return Wiring(
        hook=[*hook, *(["warn"] if warn else []), "--", *cairn, "intake", "--started"],
        server=[*cairn, "mcp", "--namespace", namespace],
        warn=warn,
        url=url,
        needs_key=url is not None and _needs_key(home, url),
    )


def _project() -> Path:
    """The folder of the project around this one: where its repository begins, else this one."""
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def _show(home: Home, *, as_json: bool) -> None:
    found = states(home, AGENTS, Path.home(), os.environ)
    if as_json:
        emit_json({"agents": [asdict(one) | {"last_event_at": one.heard_at} for one in found]})
        return
    print_table(
        [
            {
                "agent": one.name,
                "here": "yes" if one.is_here else "no",
                "connected": "\n".join(one.connected) or "no",
                "last": f"{one.heard_at:%Y-%m-%d %H:%M}" if one.heard_at else "none yet",
            }
            for one in found
        ],
        (
            TerminalColumn("agent"),
            TerminalColumn("here"),
            TerminalColumn("connected"),
            TerminalColumn("last", "last event (UTC)"),
        ),
    )
    for one in found:
        for file in one.untrusted:
            advise(f"Not trusted yet: {file}. {AGENTS[one.name].then}", style="yellow")
    idle = [one for one in found if one.is_here and not one.connected]
    if idle:
        advise(f"To connect one: `cairn connect {idle[0].name}`.")


def _tell(changes: list[SettingsChange], agent: Agent, *, remove: bool, dry_run: bool) -> None:
    for one in changes:
        if dry_run and one.changes:
            name = str(one.path)
            lines = difflib.unified_diff(
                one.before.splitlines(), one.after.splitlines(), name, name, lineterm=""
            )
            click.echo("\n".join(lines))
        elif not one.changes:
            say(f"as it is: {one.path}")
        else:
            say(f"{'would write' if dry_run else 'restored' if remove else 'wrote'}: {one.path}")
    if dry_run:
        return
    if remove:
        advise(f"{agent.title} is not connected any more.")
        return
    advise(
        f"{agent.title} is connected: its next session begins with what is known of its project."
    )
    if agent.then:
        advise(agent.then, style="yellow")
