"""`cairn ui`."""

import os
import socket
import sys

import click

from cairn.serving.cli import options


@click.command(
    epilog="""\b
Examples:
  cairn ui
  cairn ui --port 3001

While it is open, the sensor takes in new logs and the nightly schedule runs; while `cairn up` runs,
which does that, it is the UI alone. Ctrl-C ends it."""
)
@click.option(
    "--port", type=click.IntRange(1, 65535), default=3000, show_default=True, help="On 127.0.0.1."
)
@click.pass_context
def command(ctx: click.Context, port: int) -> None:
    """Open Dagster's UI on this state: lineage, runs, metadata, checks."""
    from cairn.resources.home.daemon_lock import AlreadyRuns, daemon_lock
    from cairn.serving.runtime.services import dev_command, note_ui, ui_command

    state = options.state_of(ctx)
    if _taken(port):
        raise click.ClickException(f"port {port} is in use: choose another with --port")
    state.home.dagster_environment()
    note_ui(state.home, port)
    click.echo(f"http://127.0.0.1:{port} shows {state.home.root}; Ctrl-C ends it", err=True)
    sys.stderr.flush()
    # In place of this process, so that Ctrl-C and the exit code are Dagster's own.
    try:
        with daemon_lock(state.home, f"cairn ui --port {port}") as lock:
            os.set_inheritable(lock, True)
            os.execv(sys.executable, dev_command(port))  # noqa: S606  no shell is involved
    except AlreadyRuns as other:
        click.echo(f"{other.holder} takes in new logs: this is the UI alone", err=True)
        sys.stderr.flush()
        os.execv(sys.executable, ui_command(port))  # noqa: S606  no shell is involved


def _taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False
