"""Routes of whoever runs the server: health, metrics, what there is to ask for."""

from typing import Any

from fastapi import Request, Response
from fastapi.responses import PlainTextResponse

from cairn.resources.warehouse.publication import namespaces as published
from cairn.serving.http.auth import Asked
from cairn.serving.http.errors import HttpRefused
from cairn.serving.http.metrics import CONTENT_TYPE
from cairn.serving.http.routes.router import Routes
from cairn.serving.models.answers import Health, Namespaces
from cairn.serving.models.parameters import Parameters
from cairn.serving.status.freshness import freshness

router = Routes(tags=["operating"])


@router.get("/v1/namespaces", response_model=Namespaces)
def namespaces(asked: Asked) -> dict[str, Any]:
    """List the namespaces that can be asked for, and how fresh each is."""
    here = published(asked.memory.state.home)
    return {"namespaces": [_fresh(asked, name) for name in asked.known() if name in here]}


def _fresh(asked: Asked, namespace: str) -> dict[str, Any]:
    manifest = asked.reader(Parameters(namespace=namespace)).manifest
    fresh = freshness(asked.memory.state, namespace)
    return {
        "namespace": namespace,
        "watermark": manifest.watermark,
        "published_at": manifest.published_at,
        "generation": manifest.generation,
        "changed_files": fresh.changed_files,
        "lag_seconds": fresh.lag_seconds or 0.0,
        "blocked_by": fresh.blocked_by,
        "freshness": fresh.words,
    }


@router.get("/health", response_model=Health)
def health(request: Request) -> dict[str, Any]:
    """Tell that the server lives, and whether it has something to answer from."""
    # What others pushed counts once it is here: until then a reader would find nothing.
    there = published(request.app.state.memory.state.home)
    return {"status": "ok", "ready": bool(there) and not request.app.state.starting()}


@router.get("/health/ready", response_model=Health)
def ready(request: Request) -> dict[str, Any]:
    """Tell whether anything is published, and read: 503 until then."""
    # Nobody else asks a server that is not ready: what was pushed after it began comes by this.
    state = request.app.state.memory.state
    for name in () if published(state.home) else state.readable_namespaces():
        state.follow(name)
    told = health(request)
    if request.app.state.starting():
        raise HttpRefused(503, "it is starting: ask again in a moment")
    if not told["ready"]:
        raise HttpRefused(503, "nothing is published yet: run `cairn run --source PATH`")
    return told


EXAMPLE = """\
# TYPE cairn_http_requests_total counter
cairn_http_requests_total{method="GET",namespace="samples",route="/v1/search",status="200"} 3.0
# TYPE cairn_published_age_seconds gauge
cairn_published_age_seconds{namespace="samples"} 61.5
# TYPE cairn_lag_seconds gauge
cairn_lag_seconds{namespace="samples"} 0.0
"""


@router.get(
    "/metrics",
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/plain": {"example": EXAMPLE}}}},
)
def metrics(asked: Asked, request: Request) -> Response:
    """Count requests, and measure what is published, used and waits, for Prometheus."""
    text = request.app.state.metrics.text(asked.measured())
    return Response(text, media_type=CONTENT_TYPE)
