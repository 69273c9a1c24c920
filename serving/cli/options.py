"""Options that commands share, and how what they read is opened."""

from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cairn.serving.read.moments import as_moment


class GivenPath(click.Path):
    """A path that is given: an empty one, of a variable that is not set, would mean this folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path.

        Raises:
            BadParameter: it is empty, or not what it must be.
        """
        if not str(value):
            self.fail("the path is empty", param, ctx)
        return super().convert(value, param, ctx)


if TYPE_CHECKING:
    from cairn.resources.context import State

as_json = click.option(
    "--json", "as_json", is_flag=True, help="One JSON document on stdout, nothing else."
)


def limit(default: int | None, shown: str | bool = True) -> Callable[[Any], Any]:
    """`--limit N`; `shown` says what stands for it where it has no default of its own."""
    return click.option(
        "--limit", type=click.IntRange(1, 100_000), default=default, show_default=shown,
        help="Most rows.",
    )  # fmt: skip


def _namespace(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    from cairn.resources.home.home import check_namespace

    try:
        return value if value is None else check_namespace(value)
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from None


def each_namespace(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    """Checks an option that may be given several times."""
    return tuple(name for each in value if (name := _namespace(ctx, param, each)))


def namespace(about: str) -> Callable[[Any], Any]:
    """`--namespace NAME`."""
    return click.option("--namespace", metavar="NAME", callback=_namespace, help=about)


ONE_NAMESPACE = "Whose knowledge; the only one there is besides the samples, if unset."
ANY_NAMESPACE = "Whose knowledge; any, if unset."
EACH_NAMESPACE = "Only this one's."
IMPORTS = "Whose logs these are. [default]"


def share(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Checks a share."""
    if value is not None and not 0 <= value <= 1:  # not a number is in no range
        raise click.BadParameter(f"{value} is not within 0 and 1", ctx, param)
    return value


def confidence(name: str, about: str) -> Callable[[Any], Any]:
    """An option that takes a confidence."""
    return click.option(name, type=float, metavar="0..1", callback=share, help=about)


def moment(ctx: click.Context, param: click.Parameter, value: str | None) -> datetime | None:
    """Reads a time."""
    if value is None:
        return None
    try:
        return as_moment(datetime.fromisoformat(value))
    except ValueError:
        raise click.BadParameter(
            f"{value!r} is no ISO time such as 2026-03-01 or 2026-03-01T12:00", ctx, param
        ) from None


since = click.option(
    "--since", metavar="TIME", callback=moment, help="From then on (ISO, UTC); all if unset."
)


def day(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Checks a day."""
    try:
        return value and date.fromisoformat(value).isoformat()
    except ValueError:
        raise click.BadParameter(
            f"{value!r} is no ISO day such as 2026-03-01", ctx, param
        ) from None


workers = click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Processes that answer, for many clients at once; each holds what is published.",
)


def check_order(ctx: click.Context, first: str | None, last: str | None) -> None:
    """Refuses days of which the last one comes before the first."""
    if first and last and first > last:
        raise click.UsageError(f"--from {first} is after --to {last}", ctx)


def state_of(ctx: click.Context) -> "State":
    """The state folder that the command line, or the settings, name."""
    from cairn.resources.context import open_state

    home: Path | None = ctx.find_root().obj
    return open_state(home)
