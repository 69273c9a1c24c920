"""The server of the HTTP API: one process that answers, or one over several that do."""

import socket
from functools import partial

from starlette.types import ASGIApp

from cairn.resources.context import State
from cairn.resources.telemetry.start import start
from cairn.serving.runtime.sockets import is_local
from cairn.serving.runtime.workers import run


def serve(state: State, listener: socket.socket, *, as_json: bool, workers: int = 1) -> None:
    """Answers until it is interrupted or terminated; then lets requests under way end."""
    start(state.home, state.settings, "serve")
    run(partial(_app, state, local=is_local(listener), as_json=as_json), listener, workers)


def _app(state: State, *, local: bool, as_json: bool) -> ASGIApp:
    """The app of one process: one that only starts others loads none."""
    from cairn.serving.http.process import app_of

    return app_of(state, local=local, as_json=as_json)
