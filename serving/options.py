"""Options that commands share, and how what they read is opened."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from resources.state import State

as_json = click.option(
    "--json", "as_json", is_flag=True, help="One JSON document on stdout, nothing else."
)


def limit(default: int) -> Callable[[Any], Any]:
    """`--limit N`."""
    return click.option(
        "--limit", type=click.IntRange(1, 100_000), default=default, show_default=True,
        help="Most rows.",
    )  # fmt: skip


namespace = click.option(
    "--namespace", metavar="NAME", help="Whose knowledge; the only one there is, if unset."
)


def _moment(ctx: click.Context, param: click.Parameter, value: str | None) -> datetime | None:
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(
            f"{value!r} is no ISO time such as 2026-03-01 or 2026-03-01T12:00", ctx, param
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


as_of = click.option(
    "--as-of",
    metavar="TIME",
    callback=_moment,
    help="As it stood then (ISO, UTC); the latest event if unset.",
)


def state_of(ctx: click.Context) -> "State":
    """The state folder that the command line, or the settings, name."""
    from resources.state import open_state

    home: Path | None = ctx.find_root().obj
    return open_state(home)
