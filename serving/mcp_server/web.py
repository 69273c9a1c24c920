"""The protocol over HTTP: one request, one answer, no sessions; who may ask, and from where."""

import logging

from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from cairn.resources.home.api_keys import KeyListError, Keyring
from cairn.serving.mcp_server import auth as scopes
from cairn.serving.mcp_server.over_http import PATH
from cairn.serving.mcp_server.server import SCOPE, create_server
from cairn.serving.retrieval.open_memory import Memory

LARGEST_BODY = 1_000_000
"""Bytes."""

BEARER = "bearer "

logger = logging.getLogger(__name__)


class McpGate:
    """Lets in whoever has a key, and gives their scope; anyone, on this machine, without keys."""

    def __init__(
        self, app: ASGIApp, keyring: Keyring, scope: scopes.KeyScope, *, local: bool
    ) -> None:
        self._app = app
        self._keyring = keyring
        self._scope = scope
        self._local = local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "http":
            try:
                found = self._scope_of(Headers(scope=scope).get("authorization", ""))
            except KeyListError:
                logger.exception("no request is answered")
                await _refusal(503, "the list of keys cannot be read")(scope, receive, send)
                return
            if found is None:
                await _refusal(401, "a key is needed: Authorization: Bearer …")(
                    scope, receive, send
                )
                return
            scope[SCOPE] = found
        await self._app(scope, receive, send)

    def _scope_of(self, authorization: str) -> scopes.KeyScope | None:
        """What the sender of such a header may see; None if it is nothing.

        Raises:
            KeyListError: the list of keys cannot be read: then nobody may see anything.
        """
        if self._local and not self._keyring.keys():
            return self._scope
        if not authorization.lower().startswith(BEARER):
            return None
        key = self._keyring.whose(authorization[len(BEARER) :].strip())
        if key is None:
            return None
        bound = self._scope.namespaces
        both = tuple(name for name in key.namespaces if name in (bound or key.namespaces))
        return scopes.KeyScope(both, self._scope.writes and not key.read_only) if both else None


def create_app(memory: Memory, scope: scopes.KeyScope, *, local: bool) -> ASGIApp:
    """The ASGI app that speaks the protocol at `PATH`.

    Args:
        memory: What it answers from.
        scope: What it shows at most; a key may narrow it.
        local: Whether it listens on this machine alone: then it must be asked by this machine's
            own name, since a browser sends requests for whatever page it shows; and it needs no key
            while there is none.
    """
    names = ["127.0.0.1", "localhost", "[::1]"]
    hosts = [f"{name}{port}" for name in names for port in ("", ":*")]
    app = create_server(memory, scope).streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        max_request_body_size=LARGEST_BODY,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=local,
            allowed_hosts=hosts,
            allowed_origins=[f"http://{host}" for host in hosts],
        ),
    )
    return McpGate(app, Keyring(memory.state.home), scope, local=local)


def _refusal(status: int, detail: str) -> JSONResponse:
    headers = {"www-authenticate": "Bearer"} if status == 401 else {}
    return JSONResponse({"detail": detail}, status, headers)
