"""`cairn up`."""

import os
import shlex
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from cairn.serving.cli import options
from cairn.serving.cli.commands.serve.serve import PORT

if TYPE_CHECKING:
    from cairn.resources.home.home import Home
    from cairn.serving.runtime.supervisor import Child

UI_PORT = 3000

ABOUT = {
    "api": "api answers over HTTP",
    "code": "code is the graph",
    "daemon": "daemon goes over everything at 03:30",
    "intake": "intake makes knowledge of what comes within seconds",
    "ui": "ui is Dagster's",
}
"""What runs, as a person reads it in the log."""


@click.command(
    epilog="""\b
Examples:
  cairn up
  cairn up --port 9000 --ui
  cairn up --install --dry-run     (what would be written, and run)
  cairn up --install               (from now on it starts by itself)
  cairn up --uninstall

It is the intake (`cairn run --watch`), which makes knowledge of new logs within seconds, the
daemon, whose schedule goes over all of it each night, and the HTTP API (`cairn serve`). What ends
is started again; Ctrl-C ends it all.
There is one per home; `cairn ui` beside it is the UI alone.

--install writes a systemd user unit (on macOS a launchd agent) with this home and these options,
and has it started, where there is a systemd to ask."""
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address of the API.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0: any free."
)
@options.workers
@click.option("--ui", is_flag=True, help="Dagster's UI too; it takes 150 MB.")
@click.option(
    "--ui-port", type=click.IntRange(1, 65535), default=UI_PORT, show_default=True,
    help="Of the UI, on 127.0.0.1.",
)  # fmt: skip
@click.option("--install", is_flag=True, help="Have it started with your session, from now on.")
@click.option("--uninstall", is_flag=True, help="Have it started no more.")
@click.option("--dry-run", is_flag=True, help="Only show what would be started, or written.")
@click.pass_context
def command(
    ctx: click.Context,
    host: str,
    port: int,
    workers: int,
    ui: bool,
    ui_port: int,
    install: bool,
    uninstall: bool,
    dry_run: bool,
) -> None:
    """Run it all as one service: intake, nightly schedule, HTTP API."""
    if install and uninstall:
        raise click.UsageError("--install or --uninstall?", ctx)
    from cairn.serving.runtime.logging import as_verbose

    if uninstall:
        from cairn.serving.cli.installing import take_away

        take_away(dry_run=dry_run)
        return
    from cairn.serving.runtime.services import children

    home = _home(ctx)
    if install:
        from cairn.serving.cli.installing import put_there

        told = [*as_verbose(), "up", "--host", host, "--port", str(port), "--workers", str(workers)]
        put_there(home, [*told, *(["--ui", "--ui-port", str(ui_port)] if ui else [])],
                  dry_run=dry_run)  # fmt: skip
        return
    port = _free(home, host, port)
    if ui:
        _free(home, "127.0.0.1", ui_port)
    with TemporaryDirectory(prefix="cairn-") as folder:
        started = children(home.root, Path(folder), host, port, workers, ui_port if ui else None)
        if dry_run:
            for child in started:
                click.echo(f"{child.name:<6}  {shlex.join(child.command)}")
            return
        _run(home, started, ui_port if ui else None)


def _home(ctx: click.Context) -> "Home":
    """The home alone: this process starts others, and stays small."""
    from cairn.resources.home.home import OlderHomeError, open_home

    root: Path | None = ctx.find_root().obj
    try:
        return open_home(root)
    except OlderHomeError:
        return options.state_of(ctx).home


def _free(home: "Home", host: str, port: int) -> int:
    """A port that can be listened at, before anything is started that would fail."""
    from cairn.resources.home.api_keys import list_keys
    from cairn.serving.runtime.sockets import CannotListen, listening

    try:
        with listening(host, port, keys=bool(list_keys(home))) as listener:
            return int(listener.getsockname()[1])
    except CannotListen as error:
        raise click.ClickException(str(error)) from None


def _run(home: "Home", started: Sequence["Child"], ui_port: int | None) -> None:
    from cairn.resources.home.daemon_lock import AlreadyRuns, daemon_lock
    from cairn.serving.runtime.services import make_storage, note_ui
    from cairn.serving.runtime.supervisor import keep_running

    def say(text: str) -> None:
        click.echo(text, err=True)

    def ended(name: str, code: int) -> None:
        """Logs it; the settings are not read before, since this process stays small."""
        from cairn.resources.home.settings import ConfigError, load_settings
        from cairn.resources.telemetry.spans import happened
        from cairn.resources.telemetry.start import start

        with suppress(ConfigError):
            start(home, load_settings(), "up")
            happened("process ended", process=name, code=code)

    try:
        with daemon_lock(home, "cairn up") as lock:
            home.dagster_environment()
            os.environ["PYTHONWARNINGS"] = "ignore"  # of Dagster's own processes, too
            about = "; ".join(ABOUT[child.name] for child in started)
            make_storage(home.dagster)
            if ui_port:
                note_ui(home, ui_port)
            say(f"{'up':<6}  over {home.root}: {about}. Ctrl-C ends it")
            keep_running(started, [lock], say, ended)
    except AlreadyRuns as other:
        raise click.ClickException(str(other)) from None
