"""Pages of a list, by the place of the last row: what comes or goes elsewhere moves no page."""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import polars as pl

from cairn.knowledge.schema.identity import digest

_MARK = 8
"""Hex digits that say of which list a cursor is."""

LONGEST_CURSOR = 400
"""Characters."""

CURSOR = rf"^Wy[IJ][A-Za-z0-9_-]{{16,{LONGEST_CURSOR - 3}}}$"
"""Cursors, as a regular expression: `["…", …]` in base64, with a few numbers and an id."""

_BEFORE_ALL = -(2**62)
"""Stands for a time that is not known."""


class BadCursor(ValueError):  # noqa: N818  what a caller is told
    """A cursor that no page of this list has given."""


class Key(NamedTuple):
    """One of the columns that a list is sorted by."""

    value: pl.Expr
    descending: bool = False


@dataclass(frozen=True)
class Page:
    """Rows of a list, the cursor of those that follow, if any do, and how many all are."""

    rows: list[dict[str, Any]]
    cursor: str | None
    total: int


def newest(column: str) -> Key:
    """The latest first, what is undated last."""
    return Key(pl.col(column).dt.epoch("us").fill_null(_BEFORE_ALL), descending=True)


def page(
    rows: pl.LazyFrame, keys: Sequence[Key], of: Sequence[object], limit: int, cursor: str | None
) -> Page:
    """The rows behind a cursor, in the order of some keys.

    A cursor holds the keys of the last row and not its number, so it goes on at the same place of
    whatever is published by then.

    Args:
        rows: The whole list.
        keys: Its order: numbers, texts, flags, none of them null; the last is an id.
        of: What the list is of. A cursor of another list is refused.
        limit: Rows of a page, at most.
        cursor: Where the page before ended; the first page if None.

    Raises:
        BadCursor: the cursor is none of this list.
    """
    names = [f"\x1f{number}" for number in range(len(keys))]  # no column of a table
    keyed = rows.with_columns(key.value.alias(name) for key, name in zip(keys, names, strict=True))
    mark = digest(*of, length=_MARK)
    if cursor is not None:
        schema = keyed.select(names).collect_schema()
        last = _read(cursor, mark, [_plain(schema[name]) for name in names])
        keyed = keyed.filter(_behind(names, keys, last))
    down = [key.descending for key in keys]
    behind = keyed.bottom_k(limit + 1, by=names, reverse=down).sort(names, descending=down)
    found, total = pl.collect_all([behind, rows.select(pl.len())])
    here = found.head(limit)
    more = found.height > limit > 0
    following = _written(mark, here.select(names).row(-1)) if more else None
    return Page(here.drop(names).to_dicts(), following, total.item())


def _behind(names: Sequence[str], keys: Sequence[Key], last: Sequence[Any]) -> pl.Expr:
    """Rows that stand behind a place: by the first key that differs."""
    behind = pl.lit(value=False)
    for name, key, value in reversed(list(zip(names, keys, last, strict=True))):
        column = pl.col(name)
        behind = (column < value if key.descending else column > value) | (
            (column == value) & behind
        )
    return behind


def _written(mark: str, place: Sequence[Any]) -> str:
    said = json.dumps([mark, *place], separators=(",", ":"), allow_nan=False)
    return base64.urlsafe_b64encode(said.encode()).decode().rstrip("=")


def _read(cursor: str, mark: str, types: Sequence[type]) -> list[Any]:
    """The place that a cursor holds.

    Raises:
        BadCursor: it holds none, or one of another list.
    """
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        decoded = base64.b64decode(padded, altchars=b"-_", validate=True)
        said = json.loads(decoded, parse_constant=_refused)
        place = [_value(value, kind) for value, kind in zip(said[1:], types, strict=True)]
        if said[0] == mark:
            return place
    except (ValueError, TypeError, LookupError, RecursionError):
        pass
    raise BadCursor("the cursor is none of this list: begin again without one")


def _value(value: Any, kind: type) -> Any:
    """A key as polars can compare it.

    Raises:
        ValueError: it is none.
    """
    if type(value) is not kind or (kind is int and not -(2**63) <= value < 2**63):
        raise ValueError(kind)
    if kind is str:
        value.encode()
    return value


def _refused(constant: str) -> None:
    raise ValueError(constant)


def _plain(dtype: pl.DataType) -> type:
    """The type of JSON that a key has in a cursor."""
    if dtype.is_float():
        return float
    if dtype.is_integer():
        return int
    return bool if dtype == pl.Boolean else str
