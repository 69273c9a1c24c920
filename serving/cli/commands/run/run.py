"""`cairn run`."""

import os
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cairn.serving.cli import options
from cairn.serving.cli.run_output import (
    emit_run,
    finish,
    overviews,
    refused_files,
    say_refused,
    say_unchanged,
)
from cairn.serving.cli.terminal import at_home, console
from cairn.serving.read.display import count, size, span
from cairn.serving.runtime.processor import LITTLE, one_core, one_thread

if TYPE_CHECKING:
    from cairn.pipelines.runner import Plan
    from cairn.resources.context import State
    from cairn.resources.home.damage import Damage
    from cairn.resources.home.nothing_new import NothingNew, Since


@click.command(
    epilog="""\b
Examples:
  cairn run --samples
  cairn run --source ~/.claude/projects --report
  cairn run --source chat.jsonl --namespace home --timezone Europe/Berlin
  cairn run                 (all registered sources)
  cairn run --watch         (and what comes from now on, within seconds; Ctrl-C ends it)

The newest files come first, and what is done is published stretch by stretch. Ctrl-C publishes
what is done and stops; `cairn run` goes on from there."""
)
@click.option(
    "--source", "sources", multiple=True, metavar="PATH", type=options.GivenPath(path_type=Path),
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
@click.option(
    "--remake",
    is_flag=True,
    help="Make anew, by the settings here, what a home that shares made by others.",
)
@click.option("--watch", is_flag=True, help="Stay, and take in what comes as it comes.")
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
    remake: bool,
    watch: bool,
    as_json: bool,
) -> None:
    """Take in logs, make knowledge of them, publish it."""
    if samples and (sources or namespace or timezone):
        raise click.UsageError("--samples goes alone: it has its own namespace", ctx)
    if watch and (as_json or accept_loss or report or remake):
        raise click.UsageError(
            "--watch goes without --json, --report, --accept-loss and --remake", ctx
        )
    if (namespace or timezone) and not sources:
        raise click.UsageError("--namespace and --timezone belong to --source PATH", ctx)
    if watch:
        one_thread()
        state = options.state_of(ctx)
        if samples or sources:
            _register(state, sources, samples=samples, namespace=namespace, timezone=timezone)
        _watch(state)
        return
    since = None if accept_loss or remake else _since_last_run(ctx)
    if since and since.found and not (sources or samples):
        _tell_nothing_new(ctx, since.found, as_json=as_json)
        return
    if little := _is_little(since, sources):
        one_thread()
    from cairn.pipelines.healing import heal_files
    from cairn.resources.home.home import check_writable

    state = options.state_of(ctx)
    check_writable(state.home)
    if remake and state.sharing:
        state.sharing.may_change = True
    if since and (sources or samples):
        since = since._replace(quiet=frozenset())  # of which namespaces they are is not known yet
    is_sound = since is not None and since.is_sound
    mended = [] if is_sound else heal_files(state, since.sound if since else ())
    _register(state, sources, samples=samples, namespace=namespace, timezone=timezone)
    _tell_damage(mended)
    with one_core() if little else nullcontext():
        execute(state, report=report, accept_loss=accept_loss, as_json=as_json, since=since)


def _watch(state: "State") -> None:
    from cairn.resources.home.daemon_lock import AlreadyRuns, watch_lock
    from cairn.resources.home.sources import list_sources
    from cairn.serving.runtime.watch import watch

    def say(text: str) -> None:
        click.echo(f"{datetime.now():%H:%M:%S} {text}", err=True)  # noqa: DTZ005  a clock on the wall

    try:
        with watch_lock(state.home, "cairn run --watch"):
            say(f"watching the logs of {state.home.root}")
            if not list_sources(state.home):
                say("no source is registered yet: use `cairn sources add PATH`")
            watch(state.home.root, say)
    except AlreadyRuns as other:
        raise click.ClickException(str(other)) from None


def _since_last_run(ctx: click.Context) -> "Since | None":
    """What did not change since the last run; neither Dagster nor a table is needed for that."""
    from cairn.resources.home.home import Home, check_room, find_home
    from cairn.resources.home.nothing_new import since_last_run

    named: Path | None = ctx.find_root().obj
    if named is None and "CAIRN_HOME" not in os.environ and Path("cairn.toml").exists():
        return None  # it may name another home
    home = Home(find_home(named))
    if home.root.exists() and home.read_only:
        return None
    since = since_last_run(home)
    if since.found:
        check_room(home)
    return since


def _is_little(since: "Since | None", sources: Sequence[Path]) -> bool:
    """Whether it is known that little is new."""
    if since is None or since.new_bytes is None:
        return False
    from cairn.resources.home.log_files import log_files

    given = sum(file.size for path in sources for file in log_files(path, "default", "UTC"))
    return since.new_bytes + given < LITTLE


def _tell_nothing_new(ctx: click.Context, found: "NothingNew", *, as_json: bool) -> None:
    start = time.monotonic()
    if as_json:
        state = options.state_of(ctx)
        told = overviews(state, whole=True)
        emit_run(
            seconds=time.monotonic() - start,
            planned=found.planned,
            earlier=found.earlier_answers,
            refused=refused_files(state) if found.refused else [],
            found=told,
        )
    else:
        say_refused(refused_files(options.state_of(ctx)) if found.refused else [])
        say_unchanged(found.totals)


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
    since: "Since | None" = None,
    daily: bool = False,
) -> None:
    """Runs the graph over what changed, shows how far it is, and tells what came of it.

    What is sound `since` the last run is not looked for damage. All tables are checked once a day
    where that is said by `daily`.

    Raises:
        click.exceptions.Exit: with 130 after Ctrl-C.
    """
    from cairn.pipelines.healing import heal
    from cairn.pipelines.planning.nothing_new import note_if_done
    from cairn.pipelines.runner import NO_INPUT, RunFailed, plan, run_graph
    from cairn.resources.home.home import check_room
    from cairn.resources.home.run_times import RunTime, note_run
    from cairn.serving.cli.progress import Display

    check_room(state.home)
    mended = (
        []
        if since and since.is_sound
        else heal(state, accept_loss=accept_loss, sound=since.sound if since else ())
    )
    _tell_damage(mended)
    rest = state.without(since.quiet if since and not mended else frozenset())
    planned = plan(rest)
    display = Display()
    start = time.monotonic()
    _announce(planned, asks=state.settings.model is not None)
    try:
        with display.shown():
            outcome = run_graph(
                rest,
                listener=display.listener(),
                on_stretch=display.stretch,
                on_check=display.checking,
                healed=True,
                daily=daily,
                on_interrupt=lambda: display.note(
                    "interrupted: publishing what is done (Ctrl-C again stops at once)"
                ),
            )
    except RunFailed as error:
        raise click.ClickException(f"{error}; what was published before stays") from error
    seconds = time.monotonic() - start
    if planned.files and state.settings.model is None and not outcome.interrupted:
        note_run(state.home, RunTime(planned.lines, seconds))
    told = finish(
        state, display, outcome, planned, seconds, report,
        as_json=as_json, since=since,
    )  # fmt: skip
    if not mended:
        note_if_done(
            rest,
            asdict(NO_INPUT),
            [{name: each[name] for name in ("namespace", "totals")} for each in told.namespaces],
            refused=len(told.refused),
            earlier_answers=told.earlier_answers,
            untouched=since.sound - outcome.namespaces if since else (),
        )


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
            add_source(state.home, path, owner, timezone, default=state.settings.timezone)
        except ValueError as error:
            raise click.ClickException(str(error)) from None
    if not (list_sources(state.home) or namespaces_of_inbox(state.home) or state.home.has_tables):
        raise click.ClickException(
            "no source is registered: use `cairn run --source PATH`, or `cairn run --samples`"
        )


def _announce(planned: "Plan", *, asks: bool) -> None:
    err = console(err=True)
    if not planned.files or planned.oldest is None or planned.newest is None:
        return
    err.print(
        f"{count(planned.files, 'file')}, {size(planned.bytes)},"
        f" about {count(planned.sessions, 'session')},"
        f" last written {_between(f'{planned.oldest:%Y-%m-%d}', f'{planned.newest:%Y-%m-%d}')};"
        f" takes {_between(_about(planned.seconds_least), _about(planned.seconds_most))}"
        + (", and what the language model takes" if asks else ""),
        markup=False,
    )


def _about(seconds: float) -> str:
    """A time as it may be said beforehand: to ten seconds, minutes, hours."""
    return span(max(10.0, round(seconds, -1)) if seconds < 60 else max(seconds, 90.0))


def _between(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"
