"""What every request passes: host, key, kind and size of its body; and what is noted of it."""

import logging
import math
import re
import traceback
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cairn.resources.home.api_keys import KeyListError
from cairn.resources.home.damage import as_damage
from cairn.resources.telemetry.log_file import place_of
from cairn.resources.telemetry.spans import REQUEST, Span, span
from cairn.serving.http.auth import HttpGate
from cairn.serving.http.errors import UNREADABLE, HttpRefused, problem
from cairn.serving.http.metrics import Seen
from cairn.serving.http.pages import login
from cairn.serving.http.pages.login import LOGIN, authorization_of, is_page

PUBLIC = frozenset({"/health", "/health/ready", "/openapi.json", "/docs"}) | login.PUBLIC
"""What is told without a key: it says nothing of what is remembered."""

LOCAL_HOST = re.compile(
    r"(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?", re.IGNORECASE | re.ASCII
)
LARGEST_BODY = 6_000_000
"""Bytes."""
OF_ANY_SIZE = "/v1/hooks/"
"""Begins paths whose bodies have no largest size: their route drops what is too much of one."""
TOO_LARGE = f"the body is larger than {LARGEST_BODY:,} bytes"

HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}

Note = Callable[[Seen], None]
"""What is done with each request that was answered."""

logger = logging.getLogger(__name__)


class Guard:
    """Lets requests in, turns what breaks into a problem, and counts. ASGI middleware.

    A browser sends requests for whatever page it shows. So where no key is asked for, the host
    must be this machine's own name: a page whose name was pointed here (DNS rebinding) has
    another. Its own pages may send no JSON here, since no CORS header says so, and nothing else is
    read (`cairn.serving.http.auth`).
    """

    def __init__(self, app: ASGIApp, gate: HttpGate, notes: Sequence[Note]) -> None:
        self._app = app
        self._gate = gate
        self._notes = notes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request; whatever breaks, a client is told no more than that something did."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with span(REQUEST) as told:
            await self._answer(scope, receive, send, told)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, told: Span) -> None:
        began, status = perf_counter(), 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                given = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    given.setdefault(name, value)
            await send(message)

        read, largest = 0, _largest(scope["path"])

        async def receiving() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > largest:  # sent in pieces, without a length
                raise HTTPException(413)
            return message

        state: dict[str, Any] = scope.setdefault("state", {})
        try:
            self._admit(scope, state)
            await self._app(scope, receiving, sending)
        except (HttpRefused, KeyListError) as error:
            refusal = (
                _refusal(error, scope["path"])
                if isinstance(error, HttpRefused)
                else problem(503, "the list of keys cannot be read: `cairn doctor` says why")
            )
            await refusal(scope, receive, sending)
        except BaseException as error:
            damaged = as_damage(error) is not None
            if not (damaged or isinstance(error, Exception)):
                raise
            told.note(error=type(error).__name__)
            _log(error)
            if not status:
                refusal = (
                    problem(503, UNREADABLE)
                    if damaged
                    else problem(500, "this is a fault of the server")
                )
                await refusal(scope, receive, sending)
        finally:
            seen = Seen.of(scope, status, perf_counter() - began, state)
            told.note(
                seen.namespace, method=seen.method, route=seen.route, status=seen.status,
                outcome=_outcome(status),
            )  # fmt: skip
            for note in self._notes:
                note(seen)

    def _admit(self, scope: Scope, state: dict[str, Any]) -> None:
        """Lets a request in.

        Raises:
            Refused: its host, key or body is not accepted.
            KeyListError: the list of keys cannot be read.
        """
        headers = Headers(scope=scope)
        if self._gate.open and not LOCAL_HOST.fullmatch(headers.get("host", "")):
            raise HttpRefused(421, "ask for localhost or 127.0.0.1: no key is needed there")
        path = scope["path"]
        if path not in PUBLIC:
            given = headers.get("authorization")
            if given is None and is_page(path):
                given = authorization_of(headers)
            state["caller"] = self._gate.caller(given)
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > _largest(scope["path"]):
            raise HttpRefused(413, TOO_LARGE)


def _refusal(error: HttpRefused, path: str) -> Response:
    """What a refused request is told; people, where they show a key."""
    if error.status == 401 and is_page(path):
        return RedirectResponse(LOGIN, 303)
    return problem(error.status, error.detail, error.headers)


def _outcome(status: int) -> str:
    if not 0 < status < 500:
        return "failed"
    return "refused" if status >= 400 else "done"


def _largest(path: str) -> float:
    return math.inf if path.startswith(OF_ANY_SIZE) else LARGEST_BODY


def _log(error: BaseException) -> None:
    """Where something broke: never the message, which may have text of logs in it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    fields = {"error": type(error).__name__, "place": place_of(error)}
    logger.error(
        "%s at %s:%d", type(error).__name__, last.filename, last.lineno, extra={"fields": fields}
    )
