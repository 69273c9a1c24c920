"""What runs all the time: Dagster's code server, its daemon and its UI, and the HTTP API."""

import json
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from cairn.integrations.agents import cairn_command
from cairn.resources.home.home import CHECKOUT, Home
from cairn.serving.runtime.logging import as_verbose
from cairn.serving.runtime.supervisor import Child

GRAPH = CHECKOUT / "workspace.yaml"
"""There only in a checkout."""
MODULE = "cairn.pipelines.definitions"
LOCATION = "cairn" if GRAPH.is_file() else MODULE
"""Cursors of sensors are kept by it: it is the same for `cairn ui`."""
UI_NOTE = "ui-port"
"""File in Dagster's folder of a home."""


def dev_command(port: int) -> list[str]:
    """Daemon, code server and UI in one."""
    where = ["-w", str(GRAPH)] if GRAPH.is_file() else ["-m", MODULE]
    listens = ["-h", "127.0.0.1", "-p", str(port), "--log-level", "warning"]
    return _dagster("dagster", "dev", *where, *listens)


def ui_command(port: int, workspace: Path = GRAPH) -> list[str]:
    """The UI alone, for this machine."""
    where = ["-w", str(workspace)] if workspace.is_file() else ["-m", MODULE]
    quiet = ["--dagster-log-level", "warning", "--code-server-log-level", "warning"]
    return _dagster("dagster_webserver", "-h", "127.0.0.1", "-p", str(port), *where, *quiet)


def note_ui(home: Home, port: int) -> None:
    """Notes where the UI of a home is to listen, for those who lead to it."""
    (home.dagster / UI_NOTE).write_text(str(port))


def ui_address(home: Home) -> str | None:
    """Where the UI of a home answers now; None if nothing does."""
    with suppress(OSError, ValueError):
        port = int((home.dagster / UI_NOTE).read_text())
        with socket.create_connection(("127.0.0.1", port), timeout=0.2):
            return f"http://127.0.0.1:{port}"
    return None


def make_storage(dagster: Path) -> None:
    """Makes Dagster's own files, where there are none yet: several that do so at once spoil them.

    The environment names that folder (`Home.dagster_environment`).
    """
    if not (dagster / "schedules" / "schedules.db").exists():  # the last one that it makes
        subprocess.run(  # noqa: S603  a program of ours
            _dagster("dagster", "instance", "info"), check=False, stdout=subprocess.DEVNULL
        )


def children(
    home: Path, folder: Path, host: str, port: int, workers: int, ui_port: int | None
) -> list[Child]:
    """All that is kept running.

    Daemon and UI ask one code server: each would start one of its own, and another each minute.

    Args:
        home: Root of the home.
        folder: For the socket of the code server, which only its owner may reach.
        host: Where the API listens.
        port: Likewise.
        workers: Processes that answer.
        ui_port: Where the UI listens; none if there is to be none.
    """
    code_socket, workspace = folder / "code", folder / "workspace.yaml"
    server = {"socket": str(code_socket), "location_name": LOCATION}
    workspace.write_text(json.dumps({"load_from": [{"grpc_server": server}]}))  # which YAML is, too
    source = ["-f", str(GRAPH.parent / "pipelines" / "definitions.py"), "-a", "defs",
              "-d", str(GRAPH.parent)]  # fmt: skip
    if not GRAPH.is_file():
        source = ["-m", MODULE, "--empty-working-directory"]
    code = ["--socket", str(code_socket), "--location-name", LOCATION, "--log-level", "warning"]
    listens = ["--host", host, "--port", str(port), "--workers", str(workers)]
    quiet = ["--log-level", "warning"]
    ours = [*cairn_command(home), *as_verbose()]
    daemon = _dagster("dagster._daemon", "run", "-w", str(workspace), *quiet)
    return [
        Child("api", [*ours, "serve", *listens]),
        Child("intake", [*ours, "run", "--watch"]),
        Child("code", _dagster("dagster", "api", "grpc", *source, *code), opens=code_socket),
        Child("daemon", daemon, needs=code_socket),
        *([Child("ui", ui_command(ui_port, workspace), needs=code_socket)] if ui_port else []),
    ]


def _dagster(module: str, *arguments: str) -> list[str]:
    """A program of Dagster's."""
    return [sys.executable, "-W", "ignore", "-m", module, *arguments]
