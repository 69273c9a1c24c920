"""How a query is declared: from one declaration follow its route, its tool and its command."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeVar

from cairn.serving.models.bounds import Id
from cairn.serving.models.fields import Model
from cairn.serving.models.parameters import AlsoEvents, At, Paged, Parameters
from cairn.serving.read.id_lookup import UnknownId
from cairn.serving.read.pagination import Page
from cairn.serving.read.reader import Reader
from cairn.serving.status.pending import pending

P = TypeVar("P", bound=Parameters)
Found = Page | dict[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class Query(Generic[P]):
    """A question that every surface answers alike."""

    name: str
    about: str
    """What it does, in one sentence: for the OpenAPI document, agents and `--help`."""
    do: Callable[..., Found]
    """Of a reader, parameters and, if it has an `id`, that; None if nothing has that id."""
    asked: type[P]
    answer: type[Model]
    path: str
    """Of its route, below `/v1`."""
    tag: str
    id: Id | None = None
    note: str = ""
    """What else the OpenAPI document says."""
    tool: str = ""
    """Name of its tool; agents have none if it is empty."""
    title: str = ""
    hint: str = ""
    """What else agents are told."""
    takes: tuple[str, ...] = ()
    """Parameters that agents are offered; all if there are none."""
    waiting: frozenset[str] = frozenset()
    """Verbs of what was said since and waits for the next run; see `status.pending`."""

    def __post_init__(self) -> None:
        self.asked.model_rebuild()

    def answered(self, reader: Reader, wanted: P, *ids: str) -> Model:
        """The answer.

        Raises:
            UnknownId: nothing has that id.
            BadCursor: the cursor is none of this list.
        """
        found = self.do(reader, wanted, *ids)
        if found is None:
            kind = self.id.name.removesuffix("id").rstrip("_") if self.id else ""
            raise UnknownId(f"{f'no {kind}' if kind else 'nothing'} has that id")
        told = of_reader(reader, found)
        if self.waiting:
            told["waiting"] = pending(reader.state, reader.namespace, self.waiting)
        if "provider" in self.answer.model_fields:
            told["provider"] = reader.state.searches
        return self.answer.model_validate(told, from_attributes=True)


def of_reader(reader: Reader, found: Page | dict[str, Any]) -> dict[str, Any]:
    """What was found, with what every answer about memory begins with."""
    rows = {"items": found.rows, "next": found.cursor} if isinstance(found, Page) else found
    return {"namespace": reader.namespace, "as_of": reader.as_of} | rows


def listed(rows: Callable[..., Page], only: type | None = None) -> Callable[[Reader, Any], Page]:
    """A list as a query: its parameters are those of `only`, `limit` and `cursor`."""
    names = [field.name for field in fields(only)] if only else []

    def found(reader: Reader, wanted: Paged) -> Page:
        narrowed = [only(**{name: getattr(wanted, name) for name in names})] if only else []
        return rows(reader, *narrowed, limit=wanted.limit, cursor=wanted.cursor)

    return found


def one(row: Callable[[Reader, str], Found]) -> Callable[[Reader, At, str], Found]:
    """One thing by its id as a query."""
    return lambda reader, _, id_: row(reader, id_)


def one_with_events(row: Callable[..., Found]) -> Callable[[Reader, AlsoEvents, str], Found]:
    """The same of a thing that facts hang on: events among them where they are asked for."""
    return lambda reader, wanted, id_: row(reader, id_, events=wanted.events)
