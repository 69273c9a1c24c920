"""What a suite is: expectations over small frames, made from what it reads.

Frames hold keys and numbers as they are, and for what takes other tables or the text itself
(references, quotes, secrets) whether it holds, row by row. No text of logs is in them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import polars as pl

DAYS_AT_ONCE = 32
"""Days whose text is held at once: what bounds the memory of reading it all."""


class ReadTable(Protocol):
    """What suites read by."""

    def __call__(
        self, table: str, *columns: str, days: Sequence[str] | None = None
    ) -> pl.LazyFrame:
        """Columns of a table by name, all if none is named, in the version that is checked."""
        ...


class Expectation(NamedTuple):
    """One rule in words, the class in great_expectations that decides it, and its arguments."""

    rule: str
    kind: str
    given: dict[str, Any]


class Batch(NamedTuple):
    """Rows, and what is expected of them."""

    frame: pl.DataFrame
    expectations: Sequence[Expectation]


@dataclass(frozen=True)
class Suite:
    """What must hold of one table in one respect.

    `reads` names the tables that it looks at; `content` is what it is made of, so that a changed
    suite runs again where an old one passed. One that does not block only warns.
    """

    table: str
    name: str
    about: str
    reads: tuple[str, ...]
    content: str
    batches: Callable[[ReadTable], Iterable[Batch]]
    blocking: bool = True


def stretches(read: ReadTable, table: str) -> Iterator[list[str]]:
    """Days of a table, DAYS_AT_ONCE together, in their order."""
    days = read(table, "day").unique().collect()["day"].sort().to_list()
    yield from (days[at : at + DAYS_AT_ONCE] for at in range(0, len(days), DAYS_AT_ONCE))


def holds(frame: pl.DataFrame) -> Batch:
    """A batch of columns that say, row by row, whether the rule in their name holds."""
    kind = "ExpectColumnValuesToBeInSet"
    return Batch(
        frame, [expect(rule, kind, column=rule, value_set=[True]) for rule in frame.columns]
    )


def expect(rule: str, kind: str, **given: Any) -> Expectation:
    """An expectation, its arguments by name."""
    return Expectation(rule, kind, given)
