"""Routes whose answers are written as JSON by the thread that makes them."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from fastapi import APIRouter, Response
from pydantic import TypeAdapter


class Routes(APIRouter):
    """FastAPI checks what a function answers in a second thread; here a request waits for one."""

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **told: Any) -> None:
        """Adds a route, as FastAPI does; its `response_model` writes the answer."""
        if model := told.get("response_model"):
            endpoint = _written(endpoint, TypeAdapter(model), told.get("status_code") or 200)
        super().add_api_route(path, endpoint, **told)


def _written(
    endpoint: Callable[..., Any], model: TypeAdapter[Any], status: int
) -> Callable[..., Response]:
    @wraps(endpoint)
    def written(**asked: Any) -> Response:
        answer = model.validate_python(endpoint(**asked), from_attributes=True)
        return Response(model.dump_json(answer), status, media_type="application/json")

    return written
