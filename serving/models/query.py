"""How a query is declared: from one declaration follow its route, its tool and its command."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from cairn.serving.models.fields import Model
from cairn.serving.models.parameters import AlsoEvents, At, Paged, Parameters
from cairn.serving.read.bounds import Id
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
    body: type[BaseModel] | None = None
    """What a POST may say instead of the address: no log of a proxy has it."""
    in_address: bool = True
    """Whether a GET asks it; else only a POST does."""
    note: str = ""
    """What else the OpenAPI document says."""
    tool: str = ""
    """Name of its tool; agents have none if it is empty."""
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
        rows = paged(found) if isinstance(found, Page) else found
        told = {"namespace": reader.namespace, "as_of": reader.as_of, **rows}
        if self.waiting:
            told["waiting"] = pending(reader.state, reader.namespace, self.waiting)
        if "provider" in self.answer.model_fields:
            told["provider"] = reader.state.searches
        return self.answer.model_validate(told, from_attributes=True)


def paged(page: Page) -> dict[str, Any]:
    """A page as answers have it."""
    return {"items": page.rows, "next": page.cursor, "total": page.total}


def listed(rows: Callable[..., Page]) -> Callable[[Reader, Paged], Page]:
    """A list as a query."""
    return lambda reader, wanted: rows(reader, limit=wanted.limit, cursor=wanted.cursor)


def narrowed(rows: Callable[..., Page]) -> Callable[[Reader, Paged], Page]:
    """A list as a query, whose parameters are its filter, too."""
    return lambda reader, wanted: rows(reader, wanted, limit=wanted.limit, cursor=wanted.cursor)


def one(row: Callable[[Reader, str], Found]) -> Callable[[Reader, At, str], Found]:
    """One thing by its id as a query."""
    return lambda reader, _, id_: row(reader, id_)


def one_with_events(row: Callable[..., Found]) -> Callable[[Reader, AlsoEvents, str], Found]:
    """The same of a thing that facts hang on: events among them where they are asked for."""
    return lambda reader, wanted, id_: row(reader, id_, events=wanted.events)
