"""What `cairn doctor` finds of the log file, and of the collector that gets traces."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cairn.serving.cli.finding import Finding
from cairn.serving.read.display import size

if TYPE_CHECKING:
    from cairn.resources.context import State


def telemetry_findings(state: "State") -> Iterator[Finding]:
    """Whether the log can be written, and whether the collector takes what it is sent."""
    yield _log(state)
    if state.settings.telemetry_url is not None:
        yield _collector(state)


def _log(state: "State") -> Finding:
    from cairn.resources.telemetry.start import log_folder

    folder = log_folder(state.home, state.settings)
    if folder is None:
        return Finding("log", "ok", "switched off (log_folder)")
    place = next(each for each in (folder, *folder.parents) if each.exists())
    if state.home.read_only and place == state.home.root:
        return Finding("log", "ok", "none: the home is read-only")
    if not (place.is_dir() and os.access(place, os.W_OK | os.X_OK)):
        return Finding("log", "warning", f"{folder} cannot be written",
                       "mend it, or set `log_folder`; nothing else waits for it")  # fmt: skip
    used = sum(file.stat().st_size for file in folder.glob("*.jsonl"))
    return Finding("log", "ok", f"{folder}, {size(used)}; {state.settings.log_days} days are kept")


def _collector(state: "State") -> Finding:
    from cairn.resources.home.settings import ConfigError
    from cairn.resources.telemetry.start import check_installed

    try:
        check_installed()
    except ConfigError as error:
        return Finding("telemetry", "error", str(error))
    from cairn.resources.telemetry.collector import answer_of

    settings = state.settings
    headers = {name: one.get_secret_value() for name, one in settings.telemetry_headers.items()}
    wrong = answer_of(settings.telemetry_url or "", headers)
    if wrong:
        return Finding("telemetry", "warning", f"{settings.telemetry_url} takes nothing: {wrong}",
                       "start the collector, or mend `telemetry_url` and `telemetry_headers`;"
                       " nothing else waits for it")  # fmt: skip
    return Finding("telemetry", "ok", f"{settings.telemetry_url} takes traces and metrics")
