"""`cairn verify`."""

import time

import click

from cairn.serving.cli import options
from cairn.serving.cli.terminal import emit_json, say
from cairn.serving.read.display import count, span


@click.command(
    epilog="""\b
Examples:
  cairn verify
  cairn verify --namespace work
  cairn verify --night            (from cron, where no `cairn up` runs)

A run checks the invariants of what it publishes. This makes all that follows change by change anew
to compare, and asks every suite. What is broken is held back, and readers keep what they had."""
)
@click.option(
    "--namespace", "names", multiple=True, metavar="NAME", callback=options.each_namespace,
    help="Only this one; repeatable. [all that there are]",
)  # fmt: skip
@click.option(
    "--night", is_flag=True,
    help="As the night does: great_expectations judges too, and old versions are tidied away.",
)  # fmt: skip
@options.as_json
@click.pass_context
def command(ctx: click.Context, names: tuple[str, ...], night: bool, as_json: bool) -> None:
    """Make all anew to compare, and check all tables; exits with 1 if anything is broken."""
    state = options.state_of(ctx)
    from cairn.knowledge.schema.tables import RECORDS
    from cairn.pipelines.runner import RunFailed, run_checks
    from cairn.resources.home.home import check_room, check_writable
    from cairn.resources.llm.verdict_limits import SuiteVerdicts
    from cairn.serving.cli.progress import Display

    check_writable(state.home)
    check_room(state.home)
    there = sorted(state.warehouse.namespaces(RECORDS))
    if unknown := sorted({*names}.difference(there)):
        told = f"no namespace {', '.join(unknown)}: there are {', '.join(there)}"
        raise click.ClickException(told if there else "nothing was taken in yet: `cairn run`")
    asked = names or there
    display = Display()
    start = time.monotonic()
    failed: str | None = None
    try:
        with display.shown():
            outcome = run_checks(
                state, asked, night=night, listener=display.listener(),
                on_interrupt=lambda: display.note("interrupted"),
            )  # fmt: skip
    except RunFailed as error:
        failed = str(error)
    else:
        if outcome.interrupted:
            raise click.exceptions.Exit(130)
    found = {name: SuiteVerdicts(state.home, name) for name in asked}
    if as_json:
        emit_json({
            "seconds": round(time.monotonic() - start, 3),
            "failed": failed,
            "namespaces": [
                {"namespace": name, "held": each.held, "broken": each.reasons}
                for name, each in found.items()
            ],
        })  # fmt: skip
    else:
        for name, each in found.items():
            wrong = each.reasons
            say(f"{name}: {'; '.join(wrong)}" if wrong
                else f"{name}: {count(each.held, 'suite')} hold")  # fmt: skip
        say(f"Checked in {span(time.monotonic() - start)}.")
    if failed:
        raise click.ClickException(failed)
