"""Has a process write the log of a home, and send traces, as the settings of that home say."""

import logging
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from cairn.resources.home.home import Home
from cairn.resources.home.settings import ConfigError, Settings
from cairn.resources.telemetry import spans
from cairn.resources.telemetry.log_file import DailyLog

OFF = "off"
"""The folder that is none."""
FOLDER = "logs"

_OURS = logging.getLogger("cairn")


class _TelemetrySettings(NamedTuple):
    """By what it was begun."""

    folder: Path | None
    days: int
    command: str
    url: str | None
    headers: tuple[tuple[str, str], ...]


@dataclass
class _RunningTelemetry:
    """What this process has begun, to be ended."""

    wanted: _TelemetrySettings
    ends: ExitStack


_begun: list[_RunningTelemetry] = []


def start(home: Home, settings: Settings, command: str | None = None) -> None:
    """Begins the log, and the traces if `telemetry_url` is set; once for the same settings.

    Called by what runs and what serves. Nothing is opened before there is something to write.

    Args:
        home: Whose.
        settings: Those in force.
        command: What this process does; the command that it was started by, if None.

    Raises:
        ConfigError: traces are to be sent, and OpenTelemetry is not installed.
    """
    headers = {name: each.get_secret_value() for name, each in settings.telemetry_headers.items()}
    folder = log_folder(home, settings)
    name = command or spans.command_name()
    wanted = _TelemetrySettings(
        folder, settings.log_days, name, settings.telemetry_url, tuple(headers.items())
    )
    if _begun and _begun[0].wanted == wanted:
        if folder is not None:
            _listen()
        return
    stop()
    ends = ExitStack()
    if wanted.url is not None:
        check_installed()
        from cairn.resources.telemetry.collector import Collector

        collector = Collector(wanted.url, headers, name)
        spans.receivers.append(collector)
        ends.callback(collector.stop)
        ends.callback(spans.receivers.remove, collector)
    if folder is not None:
        _begin_log(DailyLog(folder, settings.log_days, name), ends)
    _begun.append(_RunningTelemetry(wanted, ends))


def _begin_log(log: DailyLog, ends: ExitStack) -> None:
    root = logging.getLogger()
    if not root.handlers and logging.lastResort:
        # Else a warning, which now has a handler, is not seen any more.
        root.addHandler(logging.lastResort)
        ends.callback(root.removeHandler, logging.lastResort)
    ends.callback(log.close)
    _OURS.addHandler(log)
    ends.callback(_OURS.removeHandler, log)
    ends.callback(_OURS.setLevel, _OURS.level)
    _listen()


def _listen() -> None:
    """Has our loggers tell what is done, unless they tell more already."""
    if _OURS.getEffectiveLevel() > logging.INFO:
        _OURS.setLevel(logging.INFO)


def stop() -> None:
    """Ends what was begun: what waits is sent, as far as that takes no time worth telling."""
    while _begun:
        _begun.pop().ends.close()


def log_folder(home: Home, settings: Settings) -> Path | None:
    """Where the log of a home is; None if there is to be none.

    Raises:
        ConfigError: among what the home keeps, where it would be taken for a change.
    """
    given = settings.log_folder
    if given is None:
        return home.root / FOLDER
    if str(given) == OFF:
        return None
    folder = home.root / given.expanduser()
    if folder.resolve().is_relative_to(home.root.resolve()) and folder != home.root / FOLDER:
        raise ConfigError(
            f"log_folder: {folder} is in the home: leave the setting out, or name a folder outside"
        )
    return folder


def check_installed() -> None:
    """Refuses to send traces without what sends them.

    Raises:
        ConfigError: OpenTelemetry is not installed.
    """
    for module in ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"):
        try:
            found = find_spec(module)
        except ImportError:
            found = None
        if found is None:
            raise ConfigError(
                "telemetry_url is set, and OpenTelemetry is not installed:"
                " `pip install 'cairn-logs[telemetry]'`, or take the setting away"
            )
