"""`cairn run`."""

import math
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cairn.serving.cli import options
from cairn.serving.cli.terminal import (
    TerminalColumn,
    advise,
    at_home,
    console,
    emit_json,
    print_table,
    say,
)
from cairn.serving.read.display import count, size, span

if TYPE_CHECKING:
    from cairn.pipelines.runner import Plan
    from cairn.resources.context import State
    from cairn.resources.home.damage import Damage
    from cairn.serving.cli.progress import Display

STAGE_COLUMNS = (
    TerminalColumn("stage"),
    TerminalColumn("rows_in", "rows in"),
    TerminalColumn("done"),
    TerminalColumn("empty"),
    TerminalColumn("rejected"),
    TerminalColumn("failed"),
    TerminalColumn("rows", "rows made", from_width=96),
    TerminalColumn("seconds"),
)


@click.command(
    epilog="""\b
Examples:
  cairn run --samples
  cairn run --source ~/.claude/projects --report
  cairn run --source chat.jsonl --namespace home --timezone Europe/Berlin
  cairn run                 (all registered sources)

The newest files come first, and what is done is published stretch by stretch. Ctrl-C publishes
what is done and stops; `cairn run` goes on from there."""
)
@click.option(
    "--source", "sources", multiple=True, metavar="PATH", type=click.Path(path_type=Path),
    help="File or folder of logs; is registered. Repeatable.",
)  # fmt: skip
@click.option("--samples", is_flag=True, help="The samples that come with Cairn, in `samples`.")
@options.namespace(options.IMPORTS)
@click.option("--timezone", metavar="ZONE", help="Of times without one, e.g. Europe/Berlin. [UTC]")
@click.option(
    "--report/--no-report", default=None, help="What each stage made. [on a terminal]"
)  # fmt: skip
@click.option(
    "--accept-loss",
    is_flag=True,
    help="Go on without damaged records that nothing brings back; `cairn doctor` lists them.",
)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    sources: tuple[Path, ...],
    samples: bool,
    namespace: str | None,
    timezone: str | None,
    report: bool | None,
    accept_loss: bool,
    as_json: bool,
) -> None:
    """Take in logs, make knowledge of them, publish it."""
    if samples and (sources or namespace or timezone):
        raise click.UsageError("--samples goes alone: it has its own namespace", ctx)
    if (namespace or timezone) and not sources:
        raise click.UsageError("--namespace and --timezone belong to --source PATH", ctx)
    from cairn.pipelines.healing import heal_files
    from cairn.resources.home.home import check_writable

    state = options.state_of(ctx)
    check_writable(state.home)
    mended = heal_files(state)
    _register(state, sources, samples=samples, namespace=namespace, timezone=timezone)
    _tell_damage(mended)
    execute(state, report=report, accept_loss=accept_loss, as_json=as_json)


def _tell_damage(found: Sequence["Damage"]) -> None:
    """What was damaged, and what became of it."""
    for each in found:
        rest = "" if each.lost == "nothing" else f"; lost: {each.lost}"
        click.echo(f"cairn: {each.what} was damaged ({each.found}){rest}", err=True)
        if each.kind == "sources" and rest:
            click.echo(f"cairn: {at_home(each.advice)}", err=True)
    if found:
        click.echo("cairn: it is mended, or made again by this run", err=True)


def execute(
    state: "State",
    *,
    report: bool | None = None,
    accept_loss: bool = False,
    as_json: bool = False,
    checked: bool = True,
) -> None:
    """Runs the graph over what changed, shows how far it is, and tells what came of it.

    Raises:
        click.exceptions.Exit: with 130 after Ctrl-C.
    """
    from cairn.pipelines.healing import heal
    from cairn.pipelines.runner import RunFailed, plan, run_graph
    from cairn.resources.home.home import check_room
    from cairn.resources.home.run_times import RunTime, note_run
    from cairn.serving.cli.progress import Display

    check_room(state.home)
    _tell_damage(heal(state, accept_loss=accept_loss))
    planned = plan(state)
    display = Display()
    start = time.monotonic()
    _announce(planned, asks=state.settings.model is not None)
    try:
        with display.shown():
            outcome = run_graph(
                state,
                listener=display.listener(),
                on_stretch=display.stretch,
                on_check=display.checking,
                healed=True,
                checked=checked,
                on_interrupt=lambda: display.note(
                    "interrupted: publishing what is done (Ctrl-C again stops at once)"
                ),
            )
    except RunFailed as error:
        raise click.ClickException(f"{error}; what was published before stays") from error
    seconds = time.monotonic() - start
    if planned.files and state.settings.model is None and not outcome.interrupted:
        note_run(state.home, RunTime(planned.lines, seconds))
    finish(state, display, outcome, planned, seconds, report, as_json=as_json)


def finish(
    state: "State",
    display: "Display",
    outcome: Any,
    planned: "Plan | None",
    seconds: float,
    report: bool | None,
    *,
    as_json: bool,
) -> None:
    """Tells what came of a run."""
    from cairn.serving.query.research import SEARCHES_WAIT
    from cairn.serving.query.research import wait as searches_wait
    from cairn.serving.status.freshness import blocking_reasons, reasons

    found = _overviews(state)
    refused = _refused(state)
    held = blocking_reasons(state)
    paid = _paid(state, seconds)
    earlier = _earlier_answers(state)
    if as_json:
        emit_json(
            {
                "changed": bool(outcome.runs),
                "interrupted": outcome.interrupted,
                "seconds": round(seconds, 3),
                "runs": outcome.runs,
                "input": planned,
                "stages": display.stages.rows(state),
                "model": paid,
                "earlier_answers": earlier,
                "rejected": refused,
                "blocked_by": held,
                "namespaces": found,
            }
        )
    else:
        _tell(state, display, outcome, found, refused, seconds, report, held=bool(held))
        if paid:
            from cairn.serving.cli.report import spent

            advise(f"The language model: {spent(paid)}; see `cairn costs`.")
        if earlier and outcome.runs:
            advise(f"Answers to an earlier prompt or model stand in {count(earlier, 'unit')}:"
                " `cairn stale` tells what it costs to ask again.")  # fmt: skip
        if state.settings.model and state.model_waited < math.inf:
            advise("Not all was asked of the language model: what is left is asked by the next"
                " `cairn run`.", style="yellow")  # fmt: skip
        if not outcome.interrupted and searches_wait(state):
            say(SEARCHES_WAIT)
    for name, why in held.items():
        click.echo(
            at_home(f"cairn: {name} is blocked, readers keep what they had: {reasons(why)}"),
            err=True,
        )
    if outcome.interrupted:
        done = "what was done is published" if found else "nothing was done that could be published"
        told = at_home(f"cairn: interrupted; {done}, `cairn run` goes on from there")
        click.echo(told, err=True)
        raise click.exceptions.Exit(130)
    if held:
        raise click.exceptions.Exit(1)


def _paid(state: "State", seconds: float) -> dict[str, Any] | None:
    """What calls to the language model in the last seconds cost; None if there were none."""
    if state.settings.model is None:
        return None
    import polars as pl

    from cairn.knowledge.llm.costs import costs

    calls = state.answers.ledger()
    began = datetime.now(UTC) - timedelta(seconds=seconds)
    total = costs(calls.filter(pl.col("called_at") >= began)).row(0, named=True)
    return total if total["calls"] else None


def _earlier_answers(state: "State") -> int:
    """Units that were made with answers to an earlier prompt, since no budget is set."""
    import polars as pl

    from cairn.knowledge.engine.work import STALE
    from cairn.knowledge.schema.tables import WORK

    marked = pl.col("fingerprint").str.ends_with(STALE)
    return state.warehouse.read(WORK).filter(marked).select(pl.len()).collect().item()


def _tell(
    state: "State",
    display: "Display",
    outcome: Any,
    found: list[dict[str, Any]],
    refused: list[dict[str, str]],
    seconds: float,
    report: bool | None,
    *,
    held: bool,
) -> None:
    from cairn.serving.cli.report import print_overview, print_totals

    out = console()
    for file in refused[:5]:
        say(f"refused: {file['path']}: {file['reason']}", style="yellow")
    if len(refused) > 5:
        advise(f"… and {len(refused) - 5:,} more: see `cairn dead-letters`", style="yellow")
    if not outcome.runs:
        say(f"Nothing changed: everything is taken in{'' if held else ' and published'}.")
        for each in found:
            print_totals(each)
        return
    if report is None:
        report = out.is_terminal
    if report:
        print_table(display.stages.rows(state), STAGE_COLUMNS)
        out.print()
    for each in found:
        if report:
            print_overview(each)
            out.print()
        else:
            print_totals(each)
    if failed := sum(report.failed for report in display.stages.reports.values()):
        advise(f"{count(failed, 'unit')} failed: see `cairn dead-letters`", style="yellow")
    if not outcome.interrupted:
        if report:
            _brief(state, found)
        advise(f'Done in {span(seconds)}. Next: `cairn search "…"`, `cairn brief`, `cairn status`.')


def _brief(state: "State", found: list[dict[str, Any]]) -> None:
    """What to know of the project that was worked on last, in the first namespace with one."""
    from cairn.serving.cli.report import print_brief
    from cairn.serving.query.briefs import project_brief
    from cairn.serving.read.reader import open_reader

    told = (project_brief(open_reader(state, each["namespace"])) for each in found)
    if brief := next((each for each in told if each["lines"]), None):
        say("What to know before the next session, as `cairn brief` tells it: ")
        print_brief(brief)
        say("")


def _register(
    state: "State",
    sources: tuple[Path, ...],
    *,
    samples: bool,
    namespace: str | None,
    timezone: str | None,
) -> None:
    from cairn.resources.home.home import SAMPLES_FOLDER
    from cairn.resources.home.inbox import namespaces_of_inbox
    from cairn.resources.home.log_files import LOG_SUFFIXES, log_files
    from cairn.resources.home.sources import add_source, list_sources
    from cairn.serving.read.namespaces import SAMPLES

    if samples:
        add_source(state.home, SAMPLES_FOLDER, SAMPLES)
    owner = namespace or state.settings.namespace or "default"
    for path in sources:
        if path.exists() and next(log_files(path, owner, "UTC"), None) is None:
            kinds = ", ".join(sorted(LOG_SUFFIXES))
            raise click.ClickException(f"source {path}: no log files in it ({kinds})")
        try:
            add_source(state.home, path, owner, timezone or state.settings.timezone)
        except ValueError as error:
            raise click.ClickException(str(error)) from None
    if not (list_sources(state.home) or namespaces_of_inbox(state.home) or _was_run(state)):
        raise click.ClickException(
            "no source is registered: use `cairn run --source PATH`, or `cairn run --samples`"
        )


def _was_run(state: "State") -> bool:
    """Whether there is anything from which knowledge could be made again."""
    return any(state.home.warehouse.iterdir())


def _announce(planned: "Plan", *, asks: bool) -> None:
    err = console(err=True)
    if not planned.files or planned.oldest is None or planned.newest is None:
        return
    err.print(
        f"{count(planned.files, 'file')}, {size(planned.bytes)},"
        f" about {count(planned.sessions, 'session')},"
        f" last written {_dates(planned.oldest, planned.newest)};"
        f" takes {_about(planned.seconds_least)} to {_about(planned.seconds_most)}"
        + (", and what the language model takes" if asks else ""),
        markup=False,
    )


def _about(seconds: float) -> str:
    """A time as it may be said beforehand: to ten seconds, minutes, hours."""
    return span(max(10.0, round(seconds, -1)) if seconds < 60 else max(seconds, 90.0))


def _dates(oldest: datetime, newest: datetime) -> str:
    first, last = f"{oldest:%Y-%m-%d}", f"{newest:%Y-%m-%d}"
    return first if first == last else f"{first} to {last}"


def _overviews(state: "State") -> list[dict[str, Any]]:
    """What is published, a person's own namespaces first."""
    from cairn.resources.warehouse.publication import namespaces
    from cairn.serving.read.namespaces import SAMPLES
    from cairn.serving.read.reader import open_reader
    from cairn.serving.status.overview import overview

    names = sorted(namespaces(state.home), key=lambda name: (name == SAMPLES, name))
    return [overview(open_reader(state, name)) for name in names]


def _refused(state: "State") -> list[dict[str, str]]:
    """Files that no adapter knows, or that could not be read."""
    import polars as pl

    from cairn.knowledge.schema.tables import SOURCE_FILES

    files = state.warehouse.read(SOURCE_FILES).collect()
    wrong = files.filter(pl.col("outcome").is_in(["rejected", "failed"])).sort("path")
    return wrong.select("namespace", "path", "reason").to_dicts()
