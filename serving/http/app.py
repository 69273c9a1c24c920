"""The app: routes, what each request passes on its way to them, and the document of them all."""

from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import version

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.telemetry import TelemetryConfig

from cairn.resources.home.api_keys import Keyring
from cairn.serving.http.auth import HttpGate
from cairn.serving.http.errors import install
from cairn.serving.http.guard import Guard, Note
from cairn.serving.http.metrics import Metrics
from cairn.serving.http.openapi import Json, document, page
from cairn.serving.http.pages import actions, files, login
from cairn.serving.http.pages import routes as pages
from cairn.serving.http.routes import hooks, knowledge, operations, research, write
from cairn.serving.http.routes.queries import routes
from cairn.serving.retrieval.open_memory import Memory

ABOUT = "Knowledge that lasts, as a pure function of your logs: search it, and follow it back."

NO_TELEMETRY: TelemetryConfig = {
    "tracing": False, "metrics": False, "logs": False, "operation_spans": False,
    "auto_configure": False,
}  # fmt: skip
"""FastAPI would give spans, with queries in them, to whatever provider an environment names."""

POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"


def create_app(
    memory: Memory,
    *,
    local: bool = True,
    notes: Sequence[Note] = (),
    starting: Callable[[], bool] = lambda: False,
) -> FastAPI:
    """The HTTP API of a home.

    Args:
        memory: What it answers from.
        local: Whether it listens on this machine alone: then it needs no key while there is none.
        notes: What is done with each request that was answered, besides counting it.
        starting: Whether what answers need is still being read, so that others had better be asked.
    """
    app = bare()
    gate = HttpGate(Keyring(memory.state.home), local)
    app.state.memory = memory
    app.state.gate = gate
    app.state.starting = starting
    app.state.metrics = Metrics(memory)
    app.state.layers = knowledge.Layers()
    install(app, pages.refused)
    app.add_middleware(Guard, gate=gate, notes=(app.state.metrics.saw, *notes))
    app.state.document = api_document

    @app.get("/openapi.json", include_in_schema=False)
    def openapi() -> JSONResponse:
        return JSONResponse(api_document(needs_key=not gate.open))

    @app.get("/docs", include_in_schema=False)
    def docs() -> HTMLResponse:
        told = page(api_document(needs_key=not gate.open))
        return HTMLResponse(told, headers={"content-security-policy": POLICY})

    return app


@cache
def api_document(*, needs_key: bool) -> Json:
    """The OpenAPI document: of any home the same, and made when it is asked for, as it takes long.

    Args:
        needs_key: Whether whoever asks must have a key.
    """
    return document(bare(), needs_key=needs_key)


def bare() -> FastAPI:
    """The routes alone, of no home: enough for their document."""
    app = FastAPI(
        title="Cairn",
        version=version("cairn-logs"),
        description=ABOUT,
        telemetry=NO_TELEMETRY,
        openapi_url=None,  # ours stand above; FastAPI's page loads its script from elsewhere
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    for router in (
        pages.router, actions.router, files.router, login.router,
        routes("asking"), knowledge.router, routes("browsing"), routes("tracing"), write.router,
        routes("researching"), research.router, hooks.router,
        routes("operating"), operations.router,
    ):  # fmt: skip
        app.include_router(router)
    return app
