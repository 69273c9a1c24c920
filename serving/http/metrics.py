"""What is counted, for Prometheus: requests, and what is published of each namespace."""

import os
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.types import Scope

from cairn.knowledge.quality.measures import Measure
from cairn.resources.warehouse.publication import Manifest
from cairn.serving.read.reader import NothingPublished
from cairn.serving.retrieval.open_memory import Memory
from cairn.serving.runtime.workers import COUNTERS
from cairn.serving.status.measures import (
    present_measures,
    published_measures,
    waiting_measures,
)
from cairn.serving.status.totals import totals

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
LABELS = ("namespace", "method", "route")


@dataclass(frozen=True)
class Seen:
    """A request that was answered, by its route: never by its path, which a client may make up."""

    namespace: str
    """Empty where it was about none, or about one that the caller may not know of."""
    method: str
    route: str
    status: int
    seconds: float

    @classmethod
    def of(cls, scope: Scope, status: int, seconds: float, state: dict[str, Any]) -> "Seen":
        """What is noted of a request."""
        method = scope["method"] if scope["method"] in METHODS else "other"
        route = getattr(scope.get("route"), "path", "none")
        return cls(state.get("namespace", ""), method, route, status, seconds)


class Metrics:
    """Counters of a server. Whoever asks sees the namespaces that they may know of."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "cairn_http_requests", "Requests, by their route and how they ended.",
            (*LABELS, "status"), registry=self._registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "cairn_http_request_seconds", "How long answers took.",
            LABELS, registry=self._registry, buckets=BUCKETS,
        )  # fmt: skip
        self._kept: dict[str, tuple[Manifest, dict[str, int], list[Measure]]] = {}

    def saw(self, seen: Seen) -> None:
        """Counts a request."""
        labels = (seen.namespace, seen.method, seen.route)
        self._requests.labels(*labels, str(seen.status)).inc()
        self._seconds.labels(*labels).observe(seen.seconds)

    def text(self, namespaces: Collection[str]) -> bytes:
        """All that is counted of some namespaces, and of requests about none.

        Of one in which nothing is published it is what waits there, and whether it is blocked.
        """
        return generate_latest(_Chosen(list(self._all(namespaces)), {"", *namespaces}))

    def _counted(self) -> Iterable[Metric]:
        """What this process counted; with several workers, what all of them did."""
        if COUNTERS in os.environ:
            return MultiProcessCollector(None).collect()
        return self._registry.collect()

    def _all(self, namespaces: Collection[str]) -> Iterator[Metric]:
        yield from self._counted()
        age = GaugeMetricFamily(
            "cairn_published_age_seconds", "Since the publication in force.", labels=["namespace"]
        )
        watermark = GaugeMetricFamily(
            "cairn_watermark_timestamp_seconds", "Its latest event.", labels=["namespace"]
        )
        rows = GaugeMetricFamily(
            "cairn_rows", "What is published, by kind.", labels=["namespace", "kind"]
        )
        measures: dict[str, GaugeMetricFamily] = {}
        for namespace in sorted(namespaces):
            try:
                reader = self._memory.reader(namespace)
            except NothingPublished:
                _add(measures, namespace, waiting_measures(self._memory.state, namespace))
                continue
            manifest = reader.manifest
            age.add_metric([namespace], time.time() - manifest.published_at.timestamp())
            if manifest.watermark:
                watermark.add_metric([namespace], manifest.watermark.timestamp())
            kept = self._kept.get(namespace)
            if kept is None or not manifest.same_content(kept[0]):
                kept = manifest, totals(reader), published_measures(reader)
                self._kept[namespace] = kept
            for kind, count in kept[1].items():
                rows.add_metric([namespace, kind], count)
            _add(measures, namespace, [*kept[2], *present_measures(reader)])
        yield from (age, watermark, rows, *measures.values())


def _add(
    families: dict[str, GaugeMetricFamily], namespace: str, measures: Iterable[Measure]
) -> None:
    """Adds what was measured of a namespace to the families."""
    for one in measures:
        if one.value is not None:
            family = families.setdefault(one.name, _gauge(one))
            family.add_metric([namespace, *one.labels.values()], one.value)


def _gauge(one: Measure) -> GaugeMetricFamily:
    """The family of a measure: `cairn_` and its name."""
    return GaugeMetricFamily(f"cairn_{one.name}", one.about, labels=["namespace", *one.labels])


class _Chosen:
    """Samples about some namespaces alone, as a registry that can be written out."""

    def __init__(self, metrics: list[Metric], namespaces: set[str]) -> None:
        self._metrics = metrics
        self._namespaces = namespaces

    def collect(self) -> Iterator[Metric]:
        """Each metric with the samples that may be seen."""
        for metric in self._metrics:
            kept = Metric(metric.name, metric.documentation, metric.type, metric.unit)
            kept.samples = [
                sample
                for sample in metric.samples
                if sample.labels.get("namespace", "") in self._namespaces
                and not sample.name.endswith("_created")
            ]
            yield kept
