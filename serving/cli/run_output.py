"""What a run tells when it is over: for a person, and as JSON."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from cairn.serving.cli.terminal import (
    TerminalColumn,
    advise,
    at_home,
    console,
    emit_json,
    print_table,
    say,
)
from cairn.serving.read.display import count, span

if TYPE_CHECKING:
    from cairn.pipelines.runner import Plan
    from cairn.resources.context import State
    from cairn.resources.home.nothing_new import Since
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


class Told(NamedTuple):
    """What was told of a run, and is so until the next."""

    namespaces: list[dict[str, Any]]
    refused: list[dict[str, str]]
    earlier_answers: int


def finish(
    state: "State",
    display: "Display",
    outcome: Any,
    planned: "Plan | None",
    seconds: float,
    report: bool | None,
    *,
    as_json: bool,
    since: "Since | None" = None,
) -> Told:
    """Tells what came of a run; of a namespace that it was not of, what is known `since` before."""
    from cairn.resources.limits.day import files_held_back
    from cairn.serving.query.research import SEARCHES_WAIT
    from cairn.serving.query.research import wait as searches_wait
    from cairn.serving.status.freshness import blocking_reasons, reasons
    from cairn.serving.status.open_batches import batch_rows, batches_told

    if report is None:
        report = console().is_terminal
    known = since.totals if since else {}
    others = {name: one for name, one in known.items() if name not in outcome.namespaces}
    found = overviews(state, whole=as_json or bool(report and outcome.runs), known=others)
    refused = refused_files(state.without(since.quiet) if since and not since.refused else state)
    held = blocking_reasons(state)
    waits = Counter(file.namespace for file in files_held_back(state))
    paid = _paid(state, seconds)
    earlier = _earlier_answers(state)
    if as_json:
        emit_run(
            seconds=seconds,
            planned=planned,
            earlier=earlier,
            refused=refused,
            found=found,
            runs=outcome.runs,
            interrupted=outcome.interrupted,
            stages=display.stages.rows(state),
            model=paid,
            blocked_by=held,
            held_back=waits,
        )
    else:
        _tell(
            state, display, outcome, found, refused, seconds, report,
            held=bool(held), limited=bool(waits),
        )  # fmt: skip
        if paid:
            from cairn.serving.cli.report import spent

            advise(f"The language model: {spent(paid)}; see `cairn costs`.")
            if paid["unanswered"]:
                advise(_unanswered(state, seconds), style="yellow")
        if earlier and outcome.runs:
            advise(f"Answers to an earlier prompt or model stand in {count(earlier, 'unit')}:"
                " `cairn stale` tells what it costs to ask again.")  # fmt: skip
        if told := batches_told(batch_rows(state)):
            advise(f"The language model has {told}: later runs take up the answers, within a day.")
        elif state.settings.model and state.model_waited < math.inf:
            advise("Not all was asked of the language model: what is left is asked by the next"
                " `cairn run`.", style="yellow")  # fmt: skip
        if not outcome.interrupted and searches_wait(state):
            say(SEARCHES_WAIT)
        for name, files in sorted(waits.items()):
            advise(f"{name}: {count(files, 'file')} to take in after 00:00 UTC, as"
                   f" limits.{name}.log_bytes is reached.", style="yellow")  # fmt: skip
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
    return Told(found, refused, earlier)


def emit_run(
    *,
    seconds: float,
    planned: object,
    earlier: int,
    refused: list[dict[str, str]],
    found: list[dict[str, Any]],
    runs: Sequence[str] = (),
    interrupted: bool = False,
    stages: Sequence[object] = (),
    model: dict[str, Any] | None = None,
    blocked_by: Mapping[str, list[str]] | None = None,
    held_back: Mapping[str, int] | None = None,
) -> None:
    """A run as JSON; one that had nothing to do says the same of itself."""
    emit_json(
        {
            "changed": bool(runs),
            "interrupted": interrupted,
            "seconds": round(seconds, 3),
            "runs": list(runs),
            "input": planned,
            "stages": list(stages),
            "model": model,
            "earlier_answers": earlier,
            "rejected": refused,
            "blocked_by": blocked_by or {},
            "held_back": held_back or {},
            "namespaces": found,
        }
    )


def _paid(state: "State", seconds: float) -> dict[str, Any] | None:
    """What calls to the language model in the last seconds cost; None if there were none."""
    if state.settings.model is None:
        return None
    import polars as pl

    from cairn.knowledge.llm.costs import costs

    calls = state.answers.ledger()
    began = datetime.now(UTC) - timedelta(seconds=seconds)
    total = costs(calls.filter(pl.col("called_at") >= began)).row(0, named=True)
    return total if total["calls"] or total["unanswered"] else None


def _unanswered(state: "State", seconds: float) -> str:
    """Why calls of the last seconds brought nothing, in words."""
    from cairn.serving.query.model_troubles import troubles

    since = datetime.now(UTC) - timedelta(seconds=seconds)
    found = "; ".join(one.words for one in troubles(state, since))
    return f"Not answered: {found}. `cairn doctor --model` asks one small question."


def _earlier_answers(state: "State") -> int:
    """Units that were made with answers to an earlier prompt, since no budget is set."""
    if state.settings.model is None:  # what one made is gone then
        return 0
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
    limited: bool,
) -> None:
    from cairn.serving.cli.report import print_overview

    out = console()
    say_refused(refused)
    if not outcome.runs:
        say_unchanged(found, held=held, limited=limited)
        return
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


def say_refused(refused: list[dict[str, str]]) -> None:
    """Files that were refused, and why."""
    for file in refused[:5]:
        say(f"refused: {file['path']}: {file['reason']}", style="yellow")
    if len(refused) > 5:
        advise(f"… and {len(refused) - 5:,} more: see `cairn dead-letters`", style="yellow")


def print_totals(found: Mapping[str, Any]) -> None:
    """One line of what there is."""
    there = found["totals"]
    parts = [
        count(there["conversations"], "conversation"),
        count(there["records"], "record"),
        count(there["entities"], "entity", "entities"),
        count(there["facts"], "fact")
        + (f" ({there['deprecated_facts']:,} faded)" if there["deprecated_facts"] else ""),
        count(there["learnings"], "learning"),
        count(there["themes"], "theme"),
    ]
    say(f"{found['namespace']}: {', '.join(parts)}", style="bold")


def say_unchanged(
    found: Iterable[Mapping[str, Any]], *, held: bool = False, limited: bool = False
) -> None:
    """What a run says that had nothing to do."""
    what = "all that may be today" if limited else "everything"
    say(f"Nothing changed: {what} is taken in{'' if held else ' and published'}.")
    for each in found:
        print_totals(each)


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


def overviews(
    state: "State", *, whole: bool, known: Mapping[str, Mapping[str, Any]] | None = None
) -> list[dict[str, Any]]:
    """What is published, or no more than how much, a person's own namespaces first.

    How much there is of a namespace that is `known` is not counted again.
    """
    from cairn.resources.warehouse.publication import namespaces
    from cairn.serving.read.namespaces import SAMPLES
    from cairn.serving.read.reader import open_reader
    from cairn.serving.status.overview import overview
    from cairn.serving.status.totals import totals

    names = sorted(namespaces(state.home), key=lambda name: (name == SAMPLES, name))
    if whole:
        return [overview(open_reader(state, name)) for name in names]
    counted = known or {}
    return [
        dict(counted[name])
        if name in counted
        else {"namespace": name, "totals": totals(open_reader(state, name))}
        for name in names
    ]


def refused_files(state: "State") -> list[dict[str, str]]:
    """Files that no adapter knows, or that could not be read."""
    import polars as pl

    from cairn.knowledge.schema.tables import SOURCE_FILES

    files = state.warehouse.read(SOURCE_FILES).collect()
    wrong = files.filter(pl.col("outcome").is_in(["rejected", "failed"])).sort("path")
    return wrong.select("namespace", "path", "reason").to_dicts()
