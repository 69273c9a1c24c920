"""The server of the protocol over HTTP: one process that answers, or one over several that do."""

import socket
from functools import partial

from starlette.types import ASGIApp

from cairn.resources.context import State
from cairn.resources.telemetry.start import start
from cairn.serving.mcp_server.auth import KeyScope
from cairn.serving.runtime.sockets import is_local
from cairn.serving.runtime.workers import run

PATH = "/mcp"


def serve(state: State, scope: KeyScope, listener: socket.socket, workers: int = 1) -> None:
    """Answers until it is interrupted or terminated; then lets requests under way end."""
    start(state.home, state.settings, "mcp")
    run(partial(_app, state, scope, local=is_local(listener)), listener, workers)


def _app(state: State, scope: KeyScope, *, local: bool) -> ASGIApp:
    """The app of one process: one that only starts others loads none."""
    from cairn.serving.mcp_server.web import create_app
    from cairn.serving.retrieval.open_memory import Memory

    start(state.home, state.settings, "mcp")
    return create_app(Memory(state), scope, local=local)
