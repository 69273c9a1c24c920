"""`cairn backfill`."""

import sys
import time
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

import click

from cairn.serving.cli import options
from cairn.serving.cli.commands.run.dead_letters import check_known
from cairn.serving.cli.commands.run.stale import in_words
from cairn.serving.cli.terminal import say
from cairn.serving.read.display import count

if TYPE_CHECKING:
    from cairn.pipelines.planning.stale import ExtractorChange

FIRST_DAY, LAST_DAY = date.min.isoformat(), date.max.isoformat()
"""Of any range, if none is given."""


def _day(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is None:
        return None
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise click.BadParameter(f"{value!r} is no day such as 2026-03-01", ctx, param) from None


def _agree(changes: "Sequence[ExtractorChange]", *, in_batches: bool, as_json: bool) -> None:
    """Has a person agree to what asking a language model again may cost; no budget bounds it.

    Raises:
        click.ClickException: nobody is there to be asked.
        click.Abort: they do not agree.
    """
    if not any(change.calls for change in changes):
        return
    half = " (half of that in batches)" if in_batches else ""
    what = f"asks the language model again: {in_words(changes)}{half}; no budget is set"
    if as_json or not sys.stdin.isatty():
        raise click.ClickException(f"this {what}: say --yes, or set budget_day")
    click.confirm(f"This {what}. Go on?", abort=True, err=True)


@click.command(
    epilog="""\b
Examples:
  cairn backfill --from 2026-02-01 --to 2026-02-28
  cairn backfill --stale
  cairn backfill --stale --yes
  cairn backfill --stale --batch
  cairn backfill --stale --namespace harbor
  cairn backfill --from 2026-02-01 --to 2026-02-28 --stale
  cairn backfill --from 2026-02-01 --to 2026-02-28 --force"""
)
@click.option("--from", "first", metavar="DAY", callback=_day, help="First day.")
@click.option("--to", "last", metavar="DAY", callback=_day, help="Last day.")
@click.option(
    "--stale",
    is_flag=True,
    help="Only days that a changed rule, prompt or setting made stale; of all days, if unset.",
)
@click.option("--force", is_flag=True, help="Do again what is up to date, too.")
@click.option(
    "--batch/--no-batch", "in_batches", default=None,
    help="Ask a language model in batches, at half the price: later runs take up the answers,"
    " within a day. As `batch` says, if unset.",
)  # fmt: skip
@click.option("--yes", is_flag=True, help="Ask a language model again without asking you first.")
@options.namespace(options.EACH_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    first: str | None,
    last: str | None,
    stale: bool,
    force: bool,
    in_batches: bool | None,
    yes: bool,
    namespace: str | None,
    as_json: bool,
) -> None:
    """Rebuild a range of days, and what follows; only what is pending, without --force."""
    if (first is None or last is None) and not stale:
        raise click.UsageError("--from and --to say which days, or --stale", ctx)
    options.check_order(ctx, first, last)
    if stale and force:
        raise click.UsageError("--stale and --force exclude each other", ctx)
    state = options.state_of(ctx)
    if namespace is not None:
        check_known(state, namespace)
    asked = state.of(namespace) if namespace else state
    from cairn.pipelines.checks.rebuild_equal import forget_work
    from cairn.pipelines.planning.stale import by_namespace, held_days, together
    from cairn.pipelines.runner import RunFailed, run_days
    from cairn.resources.home.home import check_room
    from cairn.serving.cli.progress import Display
    from cairn.serving.cli.run_output import finish

    batches = state.settings.batch != "never" if in_batches is None else in_batches
    first, last = first or FIRST_DAY, last or LAST_DAY
    days = [day for day in held_days(asked) if first <= day <= last]
    if not days:
        raise click.ClickException(f"no record is of a day from {first} to {last}")
    if stale:
        found = together(by_namespace(asked).values())
        days = [day for day in days if day in set(found.stale_days)]
        # A stage that is not by day may be stale where no day is.
        if not days and (found.stale_days or not found.changes) and not as_json:
            say("No day of these is stale.")
            return
        if not (yes or state.has_budget or state.asks_again):
            _agree(found.changes, in_batches=batches, as_json=as_json)
    if force:
        forget_work(asked, days)
    check_room(state.home)
    display = Display()
    start = time.monotonic()
    click.echo(f"{count(len(days), 'day')} with records", err=True)
    try:
        with display.shown():
            outcome = run_days(
                state,
                days,
                listener=display.listener(),
                namespace=namespace,
                again=stale,
                in_batches=batches,
                on_check=display.checking,
                on_interrupt=lambda: display.note("interrupted: publishing what is done"),
            )
    except RunFailed as error:
        raise click.ClickException(f"{error}; what was published before stays") from error
    finish(state, display, outcome, None, time.monotonic() - start, report=True, as_json=as_json)
