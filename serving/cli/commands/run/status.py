"""`cairn status`."""

import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import click
import polars as pl

from cairn.serving.cli import options
from cairn.serving.cli.terminal import (
    TerminalColumn,
    advise,
    at_home,
    console,
    emit_json,
    print_table,
    say_value,
    shown,
)
from cairn.serving.read.display import count, span

if TYPE_CHECKING:
    from cairn.resources.context import State
    from cairn.serving.query.model_troubles import ModelTrouble

SENSOR_SILENCE = 60.0
"""Seconds without a tick after which the sensor counts as not running; it ticks every 5."""

MOST_FILES = 3
"""Files with undated records that are named."""

COLUMNS = (
    TerminalColumn("namespace"),
    TerminalColumn("conversations", "convs"),
    TerminalColumn("records"),
    TerminalColumn("facts"),
    TerminalColumn("learnings"),
    TerminalColumn("newest_published", "latest event", from_width=90),
    TerminalColumn("published_at", "published", from_width=110),
    TerminalColumn("lag"),
)


@click.command(
    epilog="""\b
Examples:
  cairn status
  cairn status --json"""
)
@options.namespace(options.EACH_NAMESPACE)
@options.as_json
@click.pass_context
def command(ctx: click.Context, namespace: str | None, as_json: bool) -> None:
    """Show what is there, how fresh it is, and what waits."""
    from cairn.pipelines.planning.pending import changed_files
    from cairn.resources.home.sources import list_sources
    from cairn.resources.home.write_lock import lock_holder
    from cairn.resources.limits.day import DayUse
    from cairn.serving.status.freshness import reasons
    from cairn.serving.status.open_batches import batch_rows, batches_told
    from cairn.serving.status.pending import as_rows, pending

    state = options.state_of(ctx)
    rows = _namespaces(state, namespace)
    if namespace is not None and not rows:
        raise click.ClickException(f"nothing is there for namespace {namespace!r}")
    changed = len(changed_files(state))
    unpublished = any(row["unpublished"] for row in rows)
    sensor = sensor_state(state)
    holder = lock_holder(state.home)
    pairs = _undecided_pairs(state, namespace) if state.settings.model else 0
    names = _undecided_names(state, namespace) if state.settings.model else 0
    sources = list_sources(state.home)
    gone = sum(source.is_gone for source in sources)
    batches = batch_rows(state, namespace)
    said = [one for row in rows for one in pending(state, row["namespace"])]
    shared = _sharing(state)
    if as_json:
        emit_json(
            {
                "home": state.home.root,
                "namespaces": rows,
                "sources": len(sources),
                "sources_gone": gone,
                "changed_files": changed,
                "unpublished": unpublished or any(row["blocked_by"] for row in rows),
                "undecided_pairs": pairs,
                "undecided_entities": names,
                "language_model": {
                    "model": state.settings.model,
                    "waits": state.settings.model is not None and state.model_waited < math.inf,
                    "unanswered": [one._asdict() for one in _troubles(state)],
                    "batches": batches,
                },
                "waiting": as_rows(said),
                "sharing": shared,
                "sensor": sensor,
                "lock": holder,
            }
        )
        return
    if rows:
        told = [row | {"lag": _tell_lag(row["lag_seconds"])} for row in rows]
        print_table(told, COLUMNS)
    else:
        advise("Nothing is there yet: `cairn run --samples`, or `cairn run --source PATH`.")
    days = {day for row in rows for day in row["pending_days"]}
    dead = sum(row["dead_letters"] for row in rows)
    console().print()
    say_value("Home", state.home.root, indent=0)
    missing = f", {gone} gone: see `cairn sources`" if gone else ""
    say_value("Sources", count(len(sources), "source") + missing, indent=0)
    if shared:
        left = ", ".join(shared["not_pushed"])
        told_of = f"not pushed yet: {left}" if left else "all is pushed"
        say_value("Shared", f"{shared['address']}: {told_of}", indent=0)
    troubles = _troubles(state)
    # Where all that is waited for is in batches, nobody failed.
    waited = state.model_waited if state.settings.model and (troubles or not batches) else math.inf
    in_batches = batches_told(batches)
    held = [row for row in rows if row["blocked_by"]]
    held_back = sum(row["held_back"] for row in rows)
    waits = [
        *([count(changed, "changed file")] if changed else []),
        *([f"{count(held_back, 'file')} for 00:00 UTC"] if held_back else []),
        *([f"{count(len(days), 'day')} to make"] if days else []),
        *(["publication of what was made"] if unpublished else []),
        *([f"publication of {row['namespace']}, which is blocked" for row in held]),
        *(
            [f"the language model, which could not be had {span(waited)} ago{_why(troubles)}"]
            if waited < math.inf
            else []
        ),
        *([f"answers of the language model: {in_batches}"] if in_batches else []),
        *([f"{count(pairs, 'pair')} of facts that rules cannot decide"] if pairs else []),
        *([f"{count(names, 'pair')} of names that rules cannot decide"] if names else []),
    ]
    say_value("Waiting", ", ".join(waits) or "nothing: all is published", indent=0)
    for row in held:
        say_value("Blocked", f"{row['namespace']}: {reasons(row['blocked_by'])}", indent=0)
    for use in (DayUse(**each) for row in rows for each in row["limits"]):
        if use.reached:
            say_value("Limit", f"{use.words}; it goes on at 00:00 UTC", indent=0)
    letters_told = f"{dead:,}; see `cairn dead-letters`" if dead else "none"
    say_value("Dead letters", at_home(letters_told), indent=0)
    undated = [each for row in rows for each in row["undated"]]
    say_value("Undated", _tell_undated(undated), indent=0)
    if sensor["watched_by"]:
        say_value("Intake", f"at once by {sensor['watched_by']}", indent=0)
    say_value("Sensor", at_home(_tell_sensor(sensor)), indent=0)
    say_value("Writer", str(holder) if holder else "nobody writes now", indent=0)
    if said:
        from cairn.serving.cli.report import say_pending

        say_pending(said)


def _sharing(state: "State") -> dict[str, Any] | None:
    """What homes share, and of which namespaces this one has more; the store is not asked."""
    shared = state.sharing
    if shared is None:
        return None
    names = [name for name in state.namespaces() if shared.of(name).has_unpushed("")]
    return {"address": shared.address, "not_pushed": names}


def _troubles(state: "State") -> "list[ModelTrouble]":
    """Calls to the language model of the last day that were not answered."""
    from cairn.serving.query.model_troubles import troubles

    return troubles(state, datetime.now(UTC) - timedelta(days=1)) if state.settings.model else []


def _why(found: "list[ModelTrouble]") -> str:
    return f" ({found[-1].words})" if found else ""


def _undecided_pairs(state: "State", namespace: str | None) -> int:
    from cairn.serving.query.pending_pairs import waiting_pairs

    return waiting_pairs(partial(state.warehouse.read, namespace=namespace), state.policy).height


def _undecided_names(state: "State", namespace: str | None) -> int:
    """Pairs of entities that may be one and of which a language model has said nothing yet."""
    from cairn.serving.query.review.entities import entity_pairs

    return entity_pairs(state, namespace)["model_verdict"].null_count()


def sensor_state(state: "State") -> dict[str, Any]:
    """Whether the sensor runs: `alive`, its last tick, who runs it; and who watches the logs."""
    from cairn.resources.home.daemon_lock import daemon_holder, watch_holder

    holder, watches = daemon_holder(state.home), watch_holder(state.home)
    mark = state.home.sensor_mark
    tick = mark.stat().st_mtime if mark.exists() else None
    return {
        "alive": tick is not None and time.time() - tick < SENSOR_SILENCE,
        "last_tick": None if tick is None else datetime.fromtimestamp(tick, UTC),
        "run_by": None if holder is None else str(holder),
        "watched_by": None if watches is None else str(watches),
    }


def _tell_lag(seconds: float | None) -> str:
    if seconds is None:
        return "nothing published yet"
    return span(seconds) if seconds >= 1 else "none"


def _tell_sensor(sensor: dict[str, Any]) -> str:
    if sensor["alive"]:
        return f"alive: {sensor['run_by']}" if sensor["run_by"] else "alive"
    if sensor["run_by"]:
        return f"no tick yet: {sensor['run_by']}"
    if sensor["last_tick"] is None:
        return "has never run; `cairn up` starts it"
    return f"not running since {shown(sensor['last_tick'])} UTC; `cairn up` starts it"


def _tell_undated(files: Sequence[Mapping[str, Any]]) -> str:
    if not files:
        return "none"
    records = sum(file["records"] for file in files)
    late = sum(file["late"] for file in files)
    named = ", ".join(str(file["source_file"]) for file in files[:MOST_FILES])
    more = len(files) - MOST_FILES
    others = f" and {count(more, 'more file')}" if more > 0 else ""
    absurd = f", {late:,} of them with a time that is absurdly late," if late else ""
    return f"{count(records, 'record')}{absurd} in {named}{others}"


def _namespaces(state: "State", only: str | None) -> list[dict[str, Any]]:
    """One row per namespace of which something is there, or of one."""
    from cairn.pipelines.planning.dates import dates
    from cairn.pipelines.planning.pending import owed_work
    from cairn.resources.home.nothing_new import since_last_run
    from cairn.resources.limits.day import day_uses
    from cairn.serving.query.dead_letters import letters
    from cairn.serving.read.reader import open_reader
    from cairn.serving.status.freshness import all_namespaces, freshness
    from cairn.serving.status.totals import totals

    names = all_namespaces(state)
    state = state if only is None else state.of(only)
    times = dates(state)
    newest = dict(times.newest.iter_rows())
    dead = Counter(row["namespace"] for row in letters(state))
    known = since_last_run(state.home).totals
    rows: list[dict[str, Any]] = []
    for name in names if only is None else {*names} & {only}:
        own = state.of(name)
        fresh, owed = freshness(state, name), owed_work(own)
        there = dict(known.get(name, {}).get("totals", {}))
        if fresh.published_at and not there:
            there = totals(open_reader(state, name))
        rows.append(
            {
                "namespace": name,
                **{key: there.get(key, 0) for key in
                   ("conversations", "records", "entities", "facts", "learnings")},
                "newest_record": newest.get(name),
                "newest_published": fresh.latest_event,
                "lag_seconds": fresh.lag_seconds,
                "changed_files": fresh.changed_files,
                "held_back": fresh.held_back,
                "limits": [use._asdict() for use in day_uses(state, name)],
                "blocked_by": fresh.blocked_by,
                "freshness": fresh.words,
                "published_at": fresh.published_at,
                "pending_days": owed.days,
                "unpublished": owed.unpublished,
                "dead_letters": dead[name],
                "undated": times.undated.filter(pl.col("namespace") == name)
                .drop("namespace")
                .to_dicts(),
            }
        )  # fmt: skip
    return rows
