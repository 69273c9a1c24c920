"""Work as it is told: what it was, how it ended, how long it took. One place for logs and traces.

Where neither is wanted, a span is one that does nothing, and OpenTelemetry is not imported.
"""

import logging
from collections.abc import Callable
from contextvars import ContextVar
from time import perf_counter, time_ns
from types import TracebackType
from typing import Any, ParamSpec, Protocol, Self, TypeVar

from cairn.knowledge.schema.identity import digest

RUN, STAGE, MODEL_CALL, REQUEST, TOOL, PULL, PUSH = (
    "run", "stage", "model call", "request", "tool", "pull", "push"
)  # fmt: skip
"""Kinds of work."""

LABELS = {
    RUN: ("job",),
    STAGE: ("stage",),
    MODEL_CALL: ("prompt",),
    REQUEST: ("method", "route"),
    TOOL: ("tool",),
}
"""Fields that stand in the name of a span, by its kind: each has few values."""

IDLE_SECONDS = 0.01
"""Of a stage that had nothing to do: so short a look is in no trace."""

Field = str | int | float | bool | None

Given = ParamSpec("Given")
Made = TypeVar("Made")

logger = logging.getLogger("cairn.work")


class SpanReceiver(Protocol):
    """Who takes spans beside the log."""

    def begin(self, span: "Span", parent: "Span | None") -> None:
        """A span begins."""
        ...

    def end(self, span: "Span") -> None:
        """A span has ended."""
        ...

    def happened(self, name: str, fields: dict[str, Field], within: "Span | None") -> None:
        """Something happened."""
        ...


_command = ["python"]

receivers: list[SpanReceiver] = []
_CURRENT: ContextVar["Span | None"] = ContextVar("span", default=None)


class Span:
    """Some work from its beginning to its end; a context manager.

    Fields are ids, counts, and names that stand in the code or the settings: nothing else. A
    namespace is told by its digest, but on the terminal of who asked.
    """

    __slots__ = (
        "_before",
        "_is_over",
        "_start",
        "began_ns",
        "exported",
        "fields",
        "kind",
        "namespace",
    )

    def __init__(self, kind: str, namespace: str | None, fields: dict[str, Field]) -> None:
        self.kind = kind
        self.namespace = namespace
        self.fields = fields
        self.exported: Any = None
        """What a receiver has of it."""
        self._before: Span | None = None
        self._is_over = False

    def __enter__(self) -> Self:
        self._stands_within()
        _CURRENT.set(self)
        self.began_ns, self._start = time_ns(), perf_counter()
        if self.kind == RUN and logger.isEnabledFor(logging.INFO):
            _log(logging.INFO, f"{self.name} began", self.namespace, self.fields)
        for receiver in receivers:
            receiver.begin(self, self._before)
        return self

    def note(self, namespace: str | None = None, **fields: Field) -> None:
        """Adds what is known by now."""
        self.namespace = namespace or self.namespace
        self.fields.update(fields)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        _CURRENT.set(self._before)
        if kind is not None and not issubclass(kind, GeneratorExit):
            self.fields.setdefault("error", kind.__name__)
            self.fields["outcome"] = "failed"
        self.close()

    def close(self) -> None:
        """Tells of it: all is done, and what is left of its `with` takes no time."""
        if not self._is_over:
            self._is_over = True
            self.fields["seconds"] = round(perf_counter() - self._start, 6)
            self.fields.setdefault("outcome", "done")
            self._told()

    def ended(self, seconds: float) -> None:
        """Tells of work that took so long, and is over."""
        self._stands_within()
        self.began_ns = time_ns() - int(seconds * 1e9)
        self.fields["seconds"] = round(seconds, 6)
        self.fields.setdefault("outcome", "done")
        for receiver in receivers:
            receiver.begin(self, self._before)
        self._told()

    def _stands_within(self) -> None:
        self._before = _CURRENT.get()
        if self._before and (run_id := self._before.fields.get("run_id")):
            self.fields["run_id"] = run_id

    @property
    def is_heard(self) -> bool:
        """Whether anybody is told of it: what takes time to find out need not be, if nobody is."""
        return True

    @property
    def name(self) -> str:
        """Its kind, and what tells it from others of it."""
        labels = (str(self.fields.get(each) or "") for each in LABELS.get(self.kind, ()))
        return " ".join(filter(None, (self.kind, *labels)))

    @property
    def is_idle(self) -> bool:
        """Whether it was a look that found nothing to do."""
        if "error" in self.fields:
            return False
        if self.kind == STAGE:
            return not (self.fields.get("units") or self.fields.get("failed"))
        return self.kind in (PULL, PUSH) and not self.fields.get("snapshot")

    @property
    def _level(self) -> int:
        """Requests and tools are told of one by one where they fail."""
        if self.kind in (REQUEST, TOOL):
            return logging.DEBUG if self.fields["outcome"] == "done" else logging.INFO
        return logging.DEBUG if self.is_idle else logging.INFO

    def _told(self) -> None:
        level = self._level
        if logger.isEnabledFor(level):
            _log(level, f"{self.name} {self.fields['outcome']}", self.namespace, self.fields)
        for receiver in receivers:
            receiver.end(self)


class _SilentSpan(Span):
    """A span that nobody hears of."""

    def __init__(self) -> None:
        super().__init__("", None, {})

    def __enter__(self) -> Self:
        return self

    @property
    def is_heard(self) -> bool:
        return False

    def note(self, namespace: str | None = None, **fields: Field) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        pass

    def close(self) -> None:
        pass

    def ended(self, seconds: float) -> None:
        pass


_SILENT = _SilentSpan()


def name_command(name: str) -> None:
    """Notes which command this process was started by."""
    _command[:] = [name]


def command_name() -> str:
    """That command; `python`, where Cairn is a library."""
    return _command[0]


def span(kind: str, namespace: str | None = None, **fields: Field) -> Span:
    """Some work, to be used in `with`: it is logged at its end, and is part of what is under way.

    Args:
        kind: One of those above.
        namespace: Whose; told by its digest.
        **fields: What is known of it; `Span.note` adds to them.
    """
    if receivers or logger.isEnabledFor(logging.INFO):
        return Span(kind, namespace, fields)
    return _SILENT


def happened(name: str, namespace: str | None = None, **fields: Field) -> None:
    """Tells of something that takes no time, such as a publication."""
    within = _CURRENT.get()
    if within and (run_id := within.fields.get("run_id")):
        fields["run_id"] = run_id
    if logger.isEnabledFor(logging.INFO):
        _log(logging.INFO, name, namespace, fields)
    for receiver in receivers:
        receiver.happened(name, public(namespace, fields), within)


def carried(act: Callable[Given, Made]) -> Callable[Given, Made]:
    """The same to be called in another thread, as part of the work that is under way in this."""
    under_way = _CURRENT.get()

    def there(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        _CURRENT.set(under_way)
        return act(*args, **kwargs)

    return there if under_way else act


def public(namespace: str | None, fields: dict[str, Field]) -> dict[str, Field]:
    """Fields as they may be written down and sent: without empty ones, a namespace by digest."""
    whose: dict[str, Field] = {"namespace_digest": digest(namespace)} if namespace else {}
    return whose | {name: value for name, value in fields.items() if value is not None}


def _log(level: int, message: str, namespace: str | None, fields: dict[str, Field]) -> None:
    logger.log(level, message, extra={"fields": dict(fields), "namespace": namespace})
