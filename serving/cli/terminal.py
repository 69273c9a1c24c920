"""What a person sees: tables that fit the terminal; and what a script sees: one JSON document."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from cairn.resources.home.advice import for_home
from cairn.serving.read.display import one_line

UNBOUND = 10_000
"""Width where no terminal is: nothing is cut or wrapped, so that lines can be searched."""

SPARKS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class TerminalColumn:
    """A column of a table. Only the one that is `wide` gives way: it wraps to what is left."""

    name: str
    header: str | None = None
    wide: bool = False
    most: int | None = None
    """Most characters on a terminal; the rest is an ellipsis. Ids have none: they stay whole."""
    from_width: int = 0
    """Narrower terminals do without it."""


class _Console(Console):
    """A console that leaves a closed pipe to `main`: rich would exit with 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console(*, err: bool = False) -> Console:
    """Standard output, or error; unbounded and plain where it is no terminal."""
    found = _Console(highlight=False, stderr=err)
    return found if found.is_terminal else _Console(highlight=False, stderr=err, width=UNBOUND)


def emit_json(value: object) -> None:
    """One JSON document on stdout."""
    click.echo(json.dumps(value, default=_plain, ensure_ascii=False, indent=2))


def _plain(value: object) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, (set, frozenset, tuple)):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def shown(value: object) -> str:
    """A value as a cell: times to the minute, confidences with two places."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list):
        return ", ".join(shown(each) for each in value)
    return one_line(str(value))


def sparkline(values: Sequence[float]) -> str:
    """Values between 0 and 1 as a row of bars."""
    top = len(SPARKS) - 1
    return "".join(SPARKS[min(top, max(0, round(value * top)))] for value in values)


def bar(value: float, width: int) -> str:
    """A value between 0 and 1 as a bar of so many cells."""
    eighths = round(min(max(value, 0.0), 1.0) * width * 8)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def print_table(
    rows: Iterable[Mapping[str, object]], columns: Sequence[TerminalColumn], *, indent: int = 0
) -> None:
    """Rows as a table that fits the terminal; cells are never markup."""
    out = console()
    terminal = out.is_terminal
    kept = [column for column in columns if not terminal or out.width >= column.from_width]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, expand=terminal)
    rows = list(rows)
    for column in kept:
        values = [row.get(column.name) for row in rows]
        header = column.header if column.header is not None else column.name.replace("_", " ")
        longest = max([len(header), *(len(shown(value)) for value in values)])
        width = longest if column.most is None or not terminal else min(longest, column.most)
        numeric = bool(rows) and all(isinstance(v, int | float | None) for v in values)
        free = column.wide and terminal
        table.add_column(
            header,
            justify="right" if numeric else "left",
            ratio=1 if free else None,
            width=None if free else width,
            min_width=20 if free else width,
            no_wrap=not free,
            overflow="fold" if free else "ellipsis",
        )
    if terminal and not any(column.wide for column in kept):
        table.expand = False
    for row in rows:
        table.add_row(*(Text(shown(row.get(column.name))) for column in kept))
    out.print(Padding(table, (0, 0, 0, indent), expand=False))


def say(text: str, *, style: str = "", indent: int = 0) -> None:
    """Text for a person, wrapped to the terminal under its indent; never markup."""
    console().print(Padding(Text(text, style=style), (0, 0, 0, indent), expand=False))


def advise(text: str, *, style: str = "", indent: int = 0) -> None:
    """As `say`, of words with commands of ours: they name the home that the command line named."""
    say(at_home(text), style=style, indent=indent)


def at_home(text: str) -> str:
    """Words with commands of ours, which name the home that the command line named."""
    context = click.get_current_context(silent=True)
    return for_home(text, context.find_root().obj if context else None)


def say_value(label: str, value: object, *, indent: int = 2, width: int = 14) -> None:
    """A label and its value, which wraps beside it; nothing if there is no value."""
    if value in (None, "", []):
        return
    grid = Table.grid(padding=0)
    grid.add_column(width=width, no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text(label), Text(shown(value)))
    console().print(Padding(grid, (0, 0, 0, indent), expand=False))
