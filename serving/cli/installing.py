"""`cairn up --install` and `--uninstall`: the file that starts it, and who is told of it."""

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from cairn.resources.home.atomic_files import replace_file
from cairn.resources.home.home import Home
from cairn.serving.cli.terminal import advise, say
from cairn.serving.runtime.units import MARK, NAME, launchd_agent, systemd_unit

UNIT = f"{NAME}.service"
MACOS = sys.platform == "darwin"


def put_there(home: Home, arguments: Sequence[str], *, dry_run: bool) -> None:
    """Writes the file, and has the service started where somebody can be asked to.

    Raises:
        ClickException: another file stands there, which is not ours.
    """
    place, log = _place(), Path.home() / "Library" / "Logs" / f"{NAME}.log"
    _check_ours(place)
    command = [sys.executable, "-P", "-m", "cairn", *arguments]
    environment = {"CAIRN_HOME": str(home.root)}
    if MACOS:
        text = launchd_agent(command, environment, log)
        steps = [["launchctl", "bootout", _domain(NAME)],
                 ["launchctl", "bootstrap", _domain(), str(place)]]  # fmt: skip
    else:
        try:
            text = systemd_unit(command, environment)
        except ValueError as error:
            raise click.ClickException(str(error)) from None
        steps = [_systemctl("daemon-reload"), _systemctl("enable", UNIT),
                 _systemctl("restart", UNIT)]  # fmt: skip
    if dry_run:
        click.echo(f"would write {place}:\n\n{text}\nwould run:")
        click.echo("\n".join(f"  {shlex.join(step)}" for step in steps))
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    replace_file(place, text.encode(), 0o600)
    say(f"wrote: {place}")
    _tell_variables()
    if _run(steps, "it starts as soon as you run"):
        seen = f"tail -f {log}" if MACOS else f"journalctl --user -u {NAME} -f"
        advise(f"It runs, and starts with your session. What it says: `{seen}`.")
        if not MACOS:
            advise("To have it run while you are logged out: `loginctl enable-linger`.")


def take_away(*, dry_run: bool) -> None:
    """Has the service ended, and removes its file.

    Raises:
        ClickException: a file stands there that is not ours.
    """
    place = _place()
    if not place.exists():
        say(f"not installed: there is no {place}")
        return
    _check_ours(place)
    stop = [["launchctl", "bootout", _domain(NAME)]] if MACOS else [
        _systemctl("disable", "--now", UNIT)]  # fmt: skip
    if dry_run:
        click.echo(f"would run:\n  {shlex.join(stop[0])}\nwould remove {place}")
        return
    _run(stop, "it runs until you end it, or run")
    place.unlink()
    say(f"removed: {place}")
    if not MACOS and _asked():
        _call(_systemctl("daemon-reload"))


def _place() -> Path:
    """Where the file stands."""
    if MACOS:
        return Path.home() / "Library" / "LaunchAgents" / f"{NAME}.plist"
    named = os.environ.get("XDG_CONFIG_HOME", "")
    config = Path(named) if Path(named).is_absolute() else Path.home() / ".config"
    return config / "systemd" / "user" / UNIT


def _check_ours(place: Path) -> None:
    if place.exists() and MARK not in place.read_text(errors="replace"):
        raise click.ClickException(
            f"{place} was not written by `cairn up --install`: move it away first"
        )


def _systemctl(*words: str) -> list[str]:
    return ["systemctl", "--user", *words]


def _domain(name: str = "") -> str:
    return "/".join(filter(None, (f"gui/{os.getuid()}", name)))


def _asked() -> bool:
    """Whether there is anybody to be asked to start it: in a container often there is not."""
    try:
        ask = ["launchctl", "print", _domain()] if MACOS else _systemctl("show-environment")
        return _call(ask).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _call(command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(  # noqa: S603  of the system's own
        command, check=False, capture_output=True, text=True, timeout=90
    )


def _run(steps: Sequence[Sequence[str]], unless: str) -> bool:
    """Runs commands; where none can be run, says which are left to a person."""
    left = "; ".join(shlex.join(step) for step in steps)
    if not _asked():
        program = "launchd" if MACOS else "`systemctl --user`"
        advise(f"{program} does not answer here, so {unless}: {left}", style="yellow")
        return False
    for step in steps:
        done = _call(step)
        if done.returncode and "bootout" not in step:  # what does not run cannot be ended
            why = (done.stderr or done.stdout).strip()
            raise click.ClickException(f"`{shlex.join(step)}` failed: {why}")
    return True


def _tell_variables() -> None:
    """Names settings that the service will not have, since they stand in this environment alone."""
    own = sorted(name for name in os.environ if name.startswith("CAIRN_") and name != "CAIRN_HOME")
    if own:
        advise(
            f"The service has no {', '.join(own)}: put settings into cairn.toml, and keys of models"
            f" where `{'launchd' if MACOS else f'systemctl --user edit {NAME}'}` gives them to it.",
            style="yellow",
        )
