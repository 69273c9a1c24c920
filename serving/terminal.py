"""What a person sees: tables that fit the terminal; and what a script sees: one JSON document."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text


def console() -> Console:
    """Standard output; plain where it is no terminal."""
    return Console(highlight=False, soft_wrap=False)


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
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def one_line(text: str, width: int = 0) -> str:
    """Text on one line, without control characters; cut to `width` with an ellipsis."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line[: width - 1] + "…" if width and len(line) > width else line


def shown(value: object) -> str:
    """A value as a cell: times to the minute, confidences with two places."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, int):
        return f"{value:,}"
    return one_line(str(value))


def print_table(
    rows: Iterable[Mapping[str, object]],
    columns: Sequence[str],
    *,
    wide: str | None = None,
    title: str | None = None,
) -> None:
    """Rows as a table; the column `wide` takes what room there is."""
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False)
    rows = list(rows)
    for name in columns:
        numeric = all(isinstance(row.get(name), int | float | None) for row in rows) and rows
        table.add_column(
            name.replace("_", " "),
            justify="right" if numeric else "left",
            ratio=1 if name == wide else None,
            no_wrap=name != wide,
            overflow="ellipsis",
        )
    for row in rows:
        table.add_row(*(Text(shown(row.get(name))) for name in columns))
    console().print(table)
