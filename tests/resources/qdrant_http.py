"""A stand-in for a Qdrant server on loopback: real HTTP before the local mode of qdrant-client.

It has the routes that an index asks for, as the server's OpenAPI names them. What the local mode
does not have, it does not have either: payload indexes, graphs, optimizers, versions of its own.
"""

import logging
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from pydantic import BaseModel, TypeAdapter
from werkzeug import Request, Response

from tests.resources.loopback import Loopback


class QdrantHttp:
    """What it holds, what it was asked, and how it is to fail."""

    def __init__(self, port: int) -> None:
        from qdrant_client import QdrantClient  # half a second, which each worker would spend

        self.url = f"http://127.0.0.1:{port}"
        self.held = QdrantClient(":memory:")
        self.key: str | None = None
        self.version = version("qdrant-client")
        self.asked: list[str] = []
        """`METHOD /path?query`, in order."""
        self.fails: dict[str, list[Response]] = {}
        """Pattern of what is asked → answers that come first."""
        self.delay = 0.0
        self._lock = threading.Lock()

    def answer(self, request: Request) -> Response:
        asked = f"{request.method} {request.full_path}"
        time.sleep(self.delay)
        with self._lock:
            self.asked.append(asked)
            for pattern, responses in self.fails.items():
                if responses and re.match(pattern, asked):
                    return responses.pop(0)
            if request.path == "/":
                return _json({"title": "qdrant", "version": self.version})
            if self.key and request.headers.get("api-key") != self.key:
                return Response("Must provide an API key", 401)
            _, *parts = request.path.split("/")
            name = parts[1] if len(parts) > 1 else ""
            if len(parts) == 2 and request.method == "GET" and name not in self._names():
                return _json({"status": {"error": "Not found"}}, 404)
            if len(parts) > 2 and parts[2] == "points" and name not in self._names():
                return _json({"status": {"error": "Not found"}}, 404)
            result = self._result(request.method, parts, name, request.get_data())
        return _json({"time": 0.0, "status": "ok", "result": result})

    def _names(self) -> set[str]:
        return {each.name for each in self.held.get_collections().collections}

    def _result(self, method: str, parts: list[str], name: str, body: bytes) -> Any:
        from qdrant_client import models

        held = self.held
        match method, *parts:
            case "GET", "collections":
                return held.get_collections()
            case "GET", "aliases":
                return held.get_aliases()
            case "POST", "collections", "aliases":
                changes = models.ChangeAliasesOperation.model_validate_json(body)
                return held.update_collection_aliases(changes.actions)
            case "GET", "collections", _, "exists":
                return {"exists": held.collection_exists(name)}
            case "GET", "collections", _:
                return held.get_collection(name)
            case "PUT", "collections", _:
                new = models.CreateCollection.model_validate_json(body)
                return held.create_collection(
                    name, new.vectors, new.sparse_vectors, metadata=new.metadata
                )
            case "PATCH", "collections", _:
                change = models.UpdateCollection.model_validate_json(body)
                return held.update_collection(name, metadata=change.metadata)
            case "DELETE", "collections", _:
                return held.delete_collection(name)
            case "PUT", "collections", _, "index":
                index = models.CreateFieldIndex.model_validate_json(body)
                return held.create_payload_index(name, index.field_name, index.field_schema)
            case "PUT", "collections", _, "points":
                points = models.PointsList.model_validate_json(body)
                return held.upsert(name, points.points)
            case "POST", "collections", _, "points", "scroll":
                page = models.ScrollRequest.model_validate_json(body)
                found, after = held.scroll(
                    name, limit=page.limit or 10, offset=page.offset, with_payload=page.with_payload
                )  # fmt: skip
                return {"points": found, "next_page_offset": after}
            case "POST", "collections", _, "points":
                wanted = models.PointRequest.model_validate_json(body)
                return held.retrieve(name, wanted.ids, wanted.with_payload, wanted.with_vector)
            case "POST", "collections", _, "points", "query", "batch":
                batch = models.QueryRequestBatch.model_validate_json(body)
                return held.query_batch_points(name, batch.searches)
            case _:
                raise AssertionError(f"{method} {parts}: not a route that an index asks for")


def _json(content: Any, status: int = 200) -> Response:
    if isinstance(content, BaseModel):
        content = content.model_dump(mode="json", exclude_none=True)
    body = TypeAdapter(Any).dump_json(content, exclude_none=True)
    return Response(body, status, content_type="application/json")


@contextmanager
def served() -> Iterator[QdrantHttp]:
    """A server, until the end of the block."""
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    http = Loopback()
    http.start()
    try:
        server = QdrantHttp(http.port)
        http.expect_request(re.compile(".*")).respond_with_handler(server.answer)
        yield server
    finally:
        http.clear()
        http.stop()
