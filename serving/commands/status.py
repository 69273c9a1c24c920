"""`cairn status`."""

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click
import polars as pl

from serving import options
from serving.terminal import (
    Column,
    console,
    count,
    emit_json,
    print_table,
    say,
    say_value,
    shown,
    span,
)

if TYPE_CHECKING:
    from resources.state import State

SENSOR_SILENCE = 60.0
"""Seconds without a tick after which the sensor counts as not running; it ticks every 5."""

COLUMNS = (
    Column("namespace"),
    Column("conversations", "convs"),
    Column("records"),
    Column("facts"),
    Column("learnings"),
    Column("newest_published", "published to"),
    Column("newest_record", "newest record", from_width=110),
    Column("lag"),
)


@click.command(
    epilog="""\b
Examples:
  cairn status
  cairn status --json"""
)
@options.namespace
@options.as_json
@click.pass_context
def command(ctx: click.Context, namespace: str | None, as_json: bool) -> None:
    """Show what is there, how fresh it is, and what waits."""
    from resources.lock import lock_holder
    from resources.sources import list_sources

    state = options.state_of(ctx)
    state.home.dagster_environment()
    from pipelines.run import plan

    rows = _namespaces(state)
    if namespace is not None:
        rows = [row for row in rows if row["namespace"] == namespace]
        if not rows:
            raise click.ClickException(f"nothing is there for namespace {namespace!r}")
    planned = plan(state)
    sensor = sensor_state(state)
    holder = lock_holder(state.home)
    sources = len(list_sources(state.home))
    if as_json:
        emit_json(
            {
                "home": state.home.root,
                "namespaces": rows,
                "sources": sources,
                "changed_files": planned.files,
                "sensor": sensor,
                "lock": holder,
            }
        )
        return
    if rows:
        told = [
            row | {"lag": "none" if row["lag_seconds"] == 0 else span(row["lag_seconds"] or 0)}
            for row in rows
        ]
        print_table(told, COLUMNS)
    else:
        say("Nothing is there yet: `cairn run --samples`, or `cairn run --source PATH`.")
    days = {day for row in rows for day in row["pending_days"]}
    dead = sum(row["dead_letters"] for row in rows)
    console().print()
    say_value("Home", state.home.root, indent=0)
    say_value("Sources", count(sources, "source"), indent=0)
    waits = f"{count(planned.files, 'changed file')}, {count(len(days), 'day')}"
    idle = "nothing: all is published"
    say_value("Waiting", waits if planned.files or days else idle, indent=0)
    letters_told = f"{dead:,}; see `cairn dead-letters`" if dead else "none"
    say_value("Dead letters", letters_told, indent=0)
    say_value("Sensor", _tell_sensor(sensor), indent=0)
    say_value("Writer", str(holder) if holder else "nobody writes now", indent=0)


def sensor_state(state: "State") -> dict[str, Any]:
    """Whether the sensor runs: `alive`, and its last tick."""
    from pipelines.sensors import alive

    tick = alive(state.home.root)
    return {
        "alive": tick is not None and time.time() - tick < SENSOR_SILENCE,
        "last_tick": None if tick is None else datetime.fromtimestamp(tick, UTC),
    }


def _tell_sensor(sensor: dict[str, Any]) -> str:
    if sensor["alive"]:
        return "alive"
    if sensor["last_tick"] is None:
        return "has never run; `cairn ui` starts it"
    return f"not running since {shown(sensor['last_tick'])} UTC; `cairn ui` starts it"


def _namespaces(state: "State") -> list[dict[str, Any]]:
    """One row per namespace that has records or was published."""
    from knowledge.tables import RECORDS
    from pipelines.stale import owed_units
    from resources.publication import namespaces, published
    from serving.commands.dead_letters import letters
    from serving.reader import open_reader
    from serving.report import totals

    newest = dict(
        state.warehouse.read(RECORDS, columns=["namespace", "occurred_at"])
        .group_by("namespace")
        .agg(pl.col("occurred_at").max())
        .collect()
        .iter_rows()
    )
    owed = owed_units(state)
    dead = letters(state)
    rows: list[dict[str, Any]] = []
    for name in sorted({*newest, *namespaces(state.home)}):
        manifest = published(state.home, name)
        there = totals(open_reader(state, name)) if manifest else {}
        watermark = manifest.watermark if manifest else None
        latest = newest.get(name)
        behind = (latest - watermark).total_seconds() if latest and watermark else None
        rows.append(
            {
                "namespace": name,
                **{key: there.get(key, 0) for key in
                   ("conversations", "records", "entities", "facts", "learnings")},
                "newest_record": latest,
                "newest_published": watermark,
                "lag_seconds": None if behind is None else max(0.0, behind),
                "published_at": manifest.published_at if manifest else None,
                "pending_days": sorted(
                    owed.filter(pl.col("namespace") == name)["day"].drop_nulls().unique()
                ),
                "dead_letters": sum(row["namespace"] == name for row in dead),
            }
        )  # fmt: skip
    return rows
