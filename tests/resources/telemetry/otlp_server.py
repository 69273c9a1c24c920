"""A collector on loopback: takes what is posted over OTLP/HTTP, and reads it."""

import gzip
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import sleep
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span


@dataclass
class Received:
    """What came, and how."""

    address: str = ""
    posts: list[tuple[str, Mapping[str, str], bytes]] = field(
        default_factory=list[tuple[str, Mapping[str, str], bytes]]
    )
    status: int = 200
    location: str = ""
    """Where it sends who posts, with a status of 300 and more."""
    drips: bool = False
    """Whether its answer comes bit by bit, and never to an end."""
    goes_on: threading.Event = field(default_factory=threading.Event)
    """Until it is set, nothing is answered."""

    def bodies(self, path: str) -> list[bytes]:
        """Bodies that were posted to a path."""
        return [body for at, _, body in self.posts if at == path]

    @property
    def spans(self) -> list[Span]:
        """All spans, as they came."""
        return [
            span
            for body in self.bodies("/v1/traces")
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    @property
    def metrics(self) -> dict[str, Any]:
        """Metrics by name, the latest of each."""
        return {
            metric.name: metric
            for body in self.bodies("/v1/metrics")
            for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }


def attributes(span: Any) -> dict[str, Any]:
    """Attributes of a span, or of a point."""
    return {
        each.key: getattr(each.value, each.value.WhichOneof("value") or "string_value")
        for each in span.attributes
    }


@contextmanager
def collecting(*, answers: bool = True) -> Generator[Received]:
    """A collector; one that hangs unless it `answers`."""
    received = Received()
    if answers:
        received.goes_on.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            received.goes_on.wait(60)
            received.posts.append((self.path, dict(self.headers), body))
            while received.drips:
                with suppress(OSError):
                    self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                sleep(0.2)
            self.send_response(received.status)
            if received.location:
                self.send_header("location", received.location)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        received.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield received
        finally:
            received.drips = False
            received.goes_on.set()
            server.shutdown()
            thread.join()
