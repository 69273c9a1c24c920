"""Traces and metrics to an OpenTelemetry collector, over OTLP/HTTP: the one place that imports it.

Its providers are of this module alone: none is the one that libraries find, whose spans may hold
texts. One that is down or hangs is not waited for, and what it does not take is dropped.
"""

import atexit
import logging
from collections.abc import Mapping
from functools import cached_property
from importlib.metadata import version
from threading import Event, Thread
from typing import Any
from uuid import uuid4

import requests
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import SpanKind, StatusCode, set_span_in_context

from cairn.resources.telemetry.spans import (
    IDLE_SECONDS,
    MODEL_CALL,
    REQUEST,
    RUN,
    STAGE,
    Field,
    Span,
    public,
)

SEND_SECONDS = 3.0
"""That one post may take; all are made by threads that nothing waits for."""
SPANS_EVERY, METRICS_EVERY = 2.0, 30.0
"""Seconds between two posts."""
END_SECONDS, END_IF_DOWN = 1.0, 0.1
"""That the end of a process waits for what was not sent yet; the less where nothing was taken."""

KINDS = {REQUEST: SpanKind.SERVER, MODEL_CALL: SpanKind.CLIENT}
ATTRIBUTES = {
    "method": "http.request.method",
    "route": "http.route",
    "status": "http.response.status_code",
    "model": "gen_ai.request.model",
    "tokens_in": "gen_ai.usage.input_tokens",
    "tokens_out": "gen_ai.usage.output_tokens",
    "error": "error.type",
}
"""Fields that OpenTelemetry has a name for; the others are `cairn.` and their own."""
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0, 600.0)

_SENT_ON = ("content-type", "content-encoding", "user-agent")
_NOISY = (
    "opentelemetry.exporter.otlp.proto.http",
    "opentelemetry.sdk._shared_internal",
    "opentelemetry.sdk.metrics",
)
"""What tells of each post that failed, again and again."""

_NOT_SENT = (requests.RequestException, ValueError)
"""The latter of headers that cannot be written."""

logger = logging.getLogger(__name__)


class _OtlpSession(requests.Session):
    """Posts once, with the headers of the settings alone: those of OTEL_* are for another."""

    def __init__(self, own: Mapping[str, str]) -> None:
        super().__init__()
        self._own = dict(own)
        self.is_down = False

    def request(self, *args: Any, **kwargs: Any) -> requests.Response:
        """A post; what does not come to an answer is not tried again."""
        given: Mapping[str, str] = kwargs.pop("headers", None) or {}
        kept = {name: value for name, value in given.items() if name.lower() in _SENT_ON}
        try:
            # Another place is not given the key, nor taken for one that took what was posted.
            kwargs["allow_redirects"] = False
            response = super().request(*args, headers={**kept, **self._own}, **kwargs)
        except _NOT_SENT as error:
            self._note(type(error).__name__)
            raise _NotSentError from None
        self._note(_refusal(response))
        return response

    def _note(self, wrong: str | None) -> None:
        if wrong and not self.is_down:
            logger.warning("the collector of telemetry_url takes nothing: %s", wrong,
                           extra={"fields": {"reason": wrong}})  # fmt: skip
        self.is_down = wrong is not None


def answer_of(url: str, headers: Mapping[str, str]) -> str | None:
    """Why a collector takes no traces, found out by sending none; None if it takes them."""
    found: list[str | None] = []
    asking = Thread(target=lambda: found.append(_asked(url, headers)), daemon=True)
    asking.start()
    asking.join(SEND_SECONDS)  # an answer that comes bit by bit has no other end
    return found[0] if found else f"no answer in {SEND_SECONDS:g} s"


def _asked(url: str, headers: Mapping[str, str]) -> str | None:
    try:
        with requests.Session() as session:
            given = {"content-type": "application/x-protobuf", **headers}
            where = f"{url.rstrip('/')}/v1/traces"
            response = session.post(where, b"", headers=given, timeout=60, allow_redirects=False)
    except _NOT_SENT as error:
        return type(error).__name__
    return _refusal(response)


def _refusal(response: requests.Response) -> str | None:
    return None if response.status_code < 300 else f"status {response.status_code}"


class _NotSentError(Exception):
    """No error of a connection, which the exporter would wait for and try again."""


class Collector:
    """Sends spans and metrics, in batches, from threads of its own.

    Args:
        url: Base address, such as `http://127.0.0.1:4318`.
        headers: Sent with each post, such as a key.
        command: What this process does.
    """

    def __init__(self, url: str, headers: Mapping[str, str], command: str) -> None:
        self._url = url.rstrip("/")
        self._poster = _OtlpSession(headers)
        self._command = command
        self._ends = Event()
        for name in _NOISY:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)

    @cached_property
    def _resource(self) -> Resource:
        return Resource(
            {
                "service.name": "cairn",
                "service.version": version("cairn-logs"),
                "service.instance.id": str(uuid4()),
                "cairn.command": self._command,
            }
        )

    @cached_property
    def _providers(self) -> "_OtlpProviders":
        """What sends, from the first span on: a process that does nothing has no thread for it."""
        providers = _OtlpProviders(self._url, self._poster, self._resource, self._ends)
        atexit.register(self.stop)
        return providers

    def begin(self, span: Span, parent: Span | None) -> None:
        """A span begins, within that one, or by itself."""
        above = parent and parent.exported
        span.exported = self._providers.tracer.start_span(
            span.name,
            # Never the context that a library has set: what it traces is no business of ours.
            context=set_span_in_context(above, Context()) if above else Context(),
            kind=KINDS.get(span.kind, SpanKind.INTERNAL),
            start_time=span.began_ns,
            record_exception=False,
        )

    def end(self, span: Span) -> None:
        """A span has ended; a look that found nothing to do is dropped."""
        seconds = float(span.fields["seconds"] or 0)
        self._providers.measure(span, seconds)
        if span.is_idle and seconds < IDLE_SECONDS:
            return
        exported = span.exported
        if exported is None:  # it began before this did
            return
        exported.update_name(span.name.removeprefix(f"{REQUEST} "))
        exported.set_attributes(_attributes(public(span.namespace, span.fields)))
        if span.fields["outcome"] not in ("done", "refused"):
            exported.set_status(StatusCode.ERROR)
        exported.end(span.began_ns + int(seconds * 1e9))

    def happened(self, name: str, fields: dict[str, Field], within: Span | None) -> None:
        """Something happened, in a span that is under way or by itself."""
        if within is not None and within.exported is not None:
            within.exported.add_event(name, _attributes(fields))
            return
        alone = self._providers.tracer.start_span(name, context=Context())
        alone.set_attributes(_attributes(fields))
        alone.end()

    def stop(self) -> None:
        """Sends what waits, as far as that does not take long."""
        providers = self.__dict__.get("_providers")
        if providers is None or self._ends.is_set():
            return
        atexit.unregister(self.stop)
        self._ends.set()
        providers.closer.join(END_IF_DOWN if self._poster.is_down else END_SECONDS)
        if providers.closer.is_alive() and not self._poster.is_down:
            self._poster.is_down = True
            logger.warning("the collector of telemetry_url did not answer in %g s", END_SECONDS)


class _OtlpProviders:
    """Providers of their own, with their threads."""

    def __init__(self, url: str, poster: _OtlpSession, resource: Resource, ends: Event) -> None:
        def posting(path: str) -> dict[str, Any]:
            return {
                "endpoint": f"{url}/v1/{path}", "timeout": SEND_SECONDS, "session": poster,
                "compression": Compression.Gzip,
            }  # fmt: skip

        self._traces = TracerProvider(ALWAYS_ON, resource, shutdown_on_exit=False)
        batches = BatchSpanProcessor(
            OTLPSpanExporter(**posting("traces")),
            max_queue_size=4096,
            schedule_delay_millis=SPANS_EVERY * 1000,
            max_export_batch_size=512,
        )
        self._traces.add_span_processor(batches)
        reader = PeriodicExportingMetricReader(
            OTLPMetricExporter(**posting("metrics")),
            export_interval_millis=METRICS_EVERY * 1000,
            export_timeout_millis=SEND_SECONDS * 1000,
        )
        self._meters = MeterProvider([reader], resource, shutdown_on_exit=False)
        self._ends = ends
        self.tracer = self._traces.get_tracer("cairn")
        meter = self._meters.get_meter("cairn")

        def seconds(name: str, about: str) -> Any:
            return meter.create_histogram(
                name, "s", about, explicit_bucket_boundaries_advisory=SECONDS
            )

        self._seconds = {
            RUN: seconds("cairn.run.duration", "How long runs of a job took."),
            STAGE: seconds("cairn.stage.duration", "How long stages took."),
            MODEL_CALL: seconds("gen_ai.client.operation.duration", "How long calls took."),
            REQUEST: seconds("http.server.request.duration", "How long answers took."),
        }
        self._rows = meter.create_counter("cairn.stage.rows", "{row}", "Rows that stages made.")
        self._tokens = meter.create_counter("cairn.model.tokens", "{token}", "Tokens, by kind.")
        self._dollars = meter.create_counter("cairn.model.cost", "USD", "What calls cost.")
        # Begun now: in Python 3.12 no thread can be, once the interpreter ends.
        self.closer = Thread(target=self._close, name="telemetry", daemon=True)
        self.closer.start()

    def measure(self, span: Span, seconds: float) -> None:
        """Counts a span that has ended; namespaces are not told apart."""
        histogram = self._seconds.get(span.kind)
        if histogram is None:
            return
        fields = span.fields
        names = (*_COUNTED_BY[span.kind], "outcome")
        by = _attributes({name: fields[name] for name in names if fields.get(name) is not None})
        if not span.is_idle:
            histogram.record(seconds, by)
        if span.kind == STAGE and fields.get("written"):
            self._rows.add(int(fields.get("rows") or 0), by)
        if span.kind == MODEL_CALL:
            for kind in ("in", "out"):
                if tokens := fields.get(f"tokens_{kind}"):
                    self._tokens.add(int(tokens), {**by, "cairn.tokens": kind})
            if cost := fields.get("cost"):
                self._dollars.add(float(cost), by)

    def _close(self) -> None:
        self._ends.wait()
        self._traces.shutdown()
        self._meters.shutdown(SEND_SECONDS * 1000)


_COUNTED_BY = {
    RUN: ("job",),
    STAGE: ("stage",),
    MODEL_CALL: ("model", "prompt"),
    REQUEST: ("method", "route", "status"),
}
"""Fields by which each kind is counted."""


def _attributes(fields: Mapping[str, Field]) -> dict[str, str | int | float | bool]:
    return {
        ATTRIBUTES.get(name, f"cairn.{name}"): value
        for name, value in fields.items()
        if value is not None
    }
