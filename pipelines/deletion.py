"""Forgetting for good: what would go, what went, and the old versions that still hold it."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import dagster as dg
import polars as pl

from cairn.assets.engine.progress import Listener
from cairn.knowledge.deletion.receipt import receipt
from cairn.knowledge.deletion.tombstones import NAMESPACE
from cairn.knowledge.schema.tables import TABLES
from cairn.pipelines.copies import as_they_are, clear, run_on_copy
from cairn.pipelines.planning.in_flight import UNFINISHED, reconcile
from cairn.pipelines.planning.instance import instance_of
from cairn.pipelines.runner import run_inbox
from cairn.resources.context import State
from cairn.resources.deletion.applying import apply_tombstones
from cairn.resources.deletion.places import NamedPlace, places
from cairn.resources.deletion.tombstones import forgetting, note
from cairn.resources.home.atomic_files import sync_folder
from cairn.resources.home.home import check_room
from cairn.resources.warehouse.publication import (
    blocked_namespaces,
    forget_others,
    generations_in_use,
    namespaces,
    versions_in_use,
)

WHILE_RUNNING = "a run is under way: its history goes with the next --purge of anything"


class Deleted(NamedTuple):
    """What a deletion did, or would do."""

    rows: pl.DataFrame
    """The receipt (knowledge/deletion/receipt.py)."""
    named: Sequence[NamedPlace] = ()
    """Where it is named still."""
    event_id: str | None = None
    """The tombstone's; None of a dry run."""
    not_yet: Sequence["NotYet"] = ()


def dry_run(state: State, event: Mapping[str, Any], pattern: str | None = None) -> Deleted:
    """What a tombstone would do that is not told: of a run on a copy of the tables.

    The copy shares the files, which never change, and is removed. A language model is not asked:
    what it would have to say anew counts as gone. By the `pattern` of its names it is looked where
    these are left.
    """
    namespace = str(event["namespace"])

    def begin(copy: State) -> None:
        note(copy.home, event)
        with copy.writing("forget"):
            apply_tombstones(copy)

    with run_on_copy(state, namespace, "forget --dry-run", begin) as run:
        rows = receipt(run.before, run.after, event["records"])
        return Deleted(rows, places(run.copy, namespace, pattern))


def forget(
    state: State,
    event: Mapping[str, Any],
    pattern: str | None = None,
    *,
    purged: bool = False,
    listener: Listener | None = None,
) -> Deleted:
    """Notes a tombstone, and runs what follows; where it is `purged`, old versions go at once, too.

    Raises:
        RunFailed: the tombstone is noted, and the next run goes on from there.
    """
    check_room(state.home)
    namespace = str(event["namespace"])
    before = as_they_are(state, namespace)
    event_id = note(state.home, event).event_id
    run_inbox(state, listener=listener)
    rows = receipt(before, as_they_are(state, namespace), event["records"])
    named = places(state, namespace, pattern)
    left = [not_yet(state, namespace)]
    if purged:
        left += purge(state)
    elif event["thing"] == NAMESPACE:
        left.append(forget_runs(state))
    return Deleted(rows, named, event_id, [each for each in left if each is not None])


class NotYet(NamedTuple):
    """Why something forgotten can still be read."""

    namespace: str
    reasons: Sequence[str]


def not_yet(state: State, namespace: str) -> NotYet | None:
    """Why readers may still see what was forgotten; None if they do not."""
    if held := blocked_namespaces(state.home).get(namespace):
        return NotYet(namespace, held.reasons)
    if namespace in forgetting(state.home):
        return NotYet(namespace, ["not all that follows from it is made: `cairn run` goes on"])
    return None


def purge(state: State) -> list[NotYet]:
    """Removes every old version of every table, older manifests and generations, and free pages.

    Dagster's history of runs goes, too: errors in it may have words of logs.

    Returns:
        Namespaces that are blocked: their readers need versions that may hold what was forgotten.
        And Dagster, while a run is under way.
    """
    with state.writing("forget --purge"):
        clear(state)
        for namespace in namespaces(state.home):
            forget_others(state.home, namespace)
            state.index.prune(namespace, generations_in_use(state.home, namespace))
        state.answers.purge()
    for own in state.each():
        with own.leased():
            in_use = versions_in_use(state.home, own.own)
            for name, table in TABLES.items():
                with own.writing(f"forget --purge of {name} of {own.own}"):
                    own.warehouse.purge(table, keep=in_use.get(name, ()))
            if state.sharing:
                state.sharing.tidy(own.own, thorough=True)
    sync_folder(state.home.root)
    held = blocked_namespaces(state.home)
    left = [NotYet(namespace, each.reasons) for namespace, each in sorted(held.items())]
    history = forget_runs(state)
    return [*left, history] if history else left


def forget_runs(state: State) -> NotYet | None:
    """Empties Dagster's history of runs and ticks; cursors stay.

    Returns:
        Why it could not be done: a run is under way.
    """
    with instance_of(state.home) as instance:
        reconcile(instance)
        if instance.get_runs(dg.RunsFilter(statuses=UNFINISHED), limit=1):
            return NotYet("dagster", [WHILE_RUNNING])
        instance.wipe()
    for file in sorted(state.home.dagster.rglob("*.db")):
        with closing(sqlite3.connect(file, timeout=60, isolation_level=None)) as database:
            if database.execute("SELECT 1 FROM sqlite_master WHERE name = 'job_ticks'").fetchone():
                database.execute("DELETE FROM job_ticks")
            database.execute("VACUUM")
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return None
