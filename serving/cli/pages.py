"""Lists of the commands that show them in their own way: the same as of HTTP and agents."""

from typing import TYPE_CHECKING, Any

import click

from cairn.serving.read.reader import Reader
from cairn.serving.status.pending import Pending, as_rows

if TYPE_CHECKING:
    from cairn.serving.models.answers import Listed


def page(name: str, reader: Reader, limit: int, **narrowed: object) -> "Listed[Any]":
    """The first rows of a declared list, as many as a person wants.

    That may be more than a page of HTTP. A parameter that is None is none.
    """
    from pydantic import ValidationError

    from cairn.serving.models.queries import BY_NAME
    from cairn.serving.read.bounds import LENIENT

    query = BY_NAME[name]
    given = {key: value for key, value in narrowed.items() if value is not None}
    try:
        wanted = query.asked.model_validate(given, context=LENIENT)
    except ValidationError as error:
        wrong = error.errors()[0]
        raise click.UsageError(f"{wrong['loc'][0]}: {wrong['msg']}") from None
    found: Any = query.answered(reader, wanted.model_copy(update={"limit": limit}))
    return found


def plain(page: "Listed[Any] | None", namespace: str, waiting: list[Pending]) -> dict[str, Any]:
    """A list as JSON; of a namespace with no more than an inbox, what waits there."""
    if page:
        return page.model_dump(mode="json")
    nothing = {"as_of": None, "items": [], "next": None, "total": 0}
    return {"namespace": namespace} | nothing | {"waiting": as_rows(waiting)}


def rows(page: "Listed[Any] | None") -> list[dict[str, Any]]:
    """Its rows, to be shown."""
    return [row.model_dump() for row in page.items] if page else []
