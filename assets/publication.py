"""Publication: when the invariants hold, readers get everything at once."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import dagster as dg
import polars as pl

from cairn.assets.engine.progress import StageReport, add_up, timed
from cairn.assets.lookup import make_lookup
from cairn.assets.pending.publication import older_to_drop, versions
from cairn.knowledge.consolidation.verdicts.standing import QUARANTINED, status_at
from cairn.knowledge.engine.diff import Change
from cairn.knowledge.quality.invariants import FEW, fingerprint, is_looked_into, violations
from cairn.knowledge.quality.measures import READS, columns_read, of_knowledge
from cairn.knowledge.quality.retraction_guard import too_many
from cairn.knowledge.schema.calendar import UNDATED, watermark
from cairn.knowledge.schema.tables import (
    CONVERSATIONS,
    MEMORY,
    RECORDS,
    TABLES,
    VECTOR_INDEX,
    Table,
)
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import forgetting, note_forgetting
from cairn.resources.home.usage import forget_use
from cairn.resources.llm.verdict_limits import SuiteVerdicts
from cairn.resources.lookup.file import remove_lookup
from cairn.resources.retraction_guard import bounds, retractions_now
from cairn.resources.telemetry.spans import happened
from cairn.resources.warehouse.publication import (
    BlockedPublication,
    Manifest,
    block,
    blocked_namespaces,
    forget_others,
    generations_in_use,
    publish,
    published,
    read_published,
    unpublish,
)


def run_publication(state: State) -> StageReport:
    """Publishes each namespace whose invariants hold; keeps which ones do not, and why."""
    with state.writing("publication"), timed("publication", state.namespace) as finished:
        report = StageReport("publication")
        for own in state.each():
            report = add_up(report, _published(own))
            drop_older(own)
        state.drop_changes()
        return finished(report)


def _published(state: State) -> StageReport:
    """Publishes a namespace, if there is anything to publish and its invariants hold."""
    namespace = state.own
    before = published(state.home, namespace)
    ends = state.warehouse.read(CONVERSATIONS, columns=["logged_at", "last_input_at"]).collect()
    if ends.is_empty() and before is None:
        block(state.home, namespace, None)
        return StageReport("publication")
    tables = versions(state)
    generations = state.warehouse.read(VECTOR_INDEX, columns=["generation"]).collect()
    manifest = Manifest(
        namespace,
        generations.item() if generations.height else None,
        tables,
        # Without any log what was told is all that there is.
        watermark(
            ends.select(last=pl.coalesce(pl.col("logged_at", "last_input_at").max())), "last"
        ),
        datetime.now(UTC),
        ends.select(pl.col("last_input_at").max()).item(),
        fingerprint(),
        state.policy.embedder,
    )
    wrong = SuiteVerdicts(state.home, namespace).reasons
    changed = wrong or not manifest.same_content(before)
    if changed:
        wrong = wrong or _broken(state, manifest, before) or _struck_out(state, namespace)
    block(
        state.home, namespace, BlockedPublication(wrong, tables, bounds(state)) if wrong else None
    )
    if wrong:
        happened("publication blocked", namespace, reasons=len(wrong))
        return StageReport("publication", 1, failed=1, rows=1)
    if state.sharing:
        state.sharing.check(namespace)
    written = publish(state.home, manifest)
    make_lookup(state, manifest)
    if written:
        happened("publication", namespace, generation=manifest.generation, tables=len(tables))
    if changed:
        state.index.prune(namespace, generations_in_use(state.home, namespace))
    return StageReport("publication", 1, done=1, rows=1, written=int(written))


def drop_older(state: State) -> None:
    """Drops older manifests and generations of namespaces in which something was forgotten.

    After they were published, under the home's write lock; again with each publication until what
    is forgotten is out of all that follows from the days.
    """
    for_good = older_to_drop(state)
    due = forgetting(state.home) - blocked_namespaces(state.home).keys()
    for namespace in sorted(due.intersection(state.namespaces())):
        forget_others(state.home, namespace)
        if not state.of(namespace).warehouse.namespaces(RECORDS):
            unpublish(state.home, namespace)
            forget_use(state.home, namespace)
            remove_lookup(state.home, namespace)
        state.index.prune(namespace, generations_in_use(state.home, namespace))
        state.of(namespace).prune_vectors()
        if namespace in for_good:
            note_forgetting(state.home, namespace, on=False)


def _struck_out(state: State, namespace: str) -> list[str]:
    """Why too much of what readers have would be retracted at once, if it would."""
    struck = retractions_now(state, namespace)
    why = struck and too_many(struck, state.policy)
    return [why] if why else []


def _frames(state: State, tables: Mapping[str, int]) -> dict[str, pl.LazyFrame]:
    return {
        name: state.warehouse.read(TABLES[name], version=version)
        for name, version in tables.items()
        if "namespace" in TABLES[name].columns
    }


def _broken(state: State, manifest: Manifest, before: Manifest | None) -> list[str]:
    """What is broken in the tables that are to be published, where the last ones were not."""
    frames = _frames(state, manifest.tables)
    return violations(frames, _changed(state, manifest, before, frames))


def _changed(
    state: State, manifest: Manifest, before: Manifest | None, frames: Mapping[str, pl.LazyFrame]
) -> dict[str, Change | None] | None:
    """What changed in tables since they passed the same checks; None if they never did."""
    if before is None or before.checked_by != manifest.checked_by:
        return None
    changed: dict[str, Change | None] = {}
    for name in frames:
        since, now = before.tables.get(name), manifest.tables[name]
        if since != now:
            # To look for what changed in a small table takes longer than to check it; in one by
            # day only those days are looked at. What no check looks into, as payload, is not read.
            table = TABLES[name]
            few = not table.by_day and state.warehouse.height(table) <= FEW
            whole = few or not is_looked_into(name)
            changed[name] = None if whole else state.changes(table, since, now, state.own)
    return changed


def publication_shown(state: State, report: StageReport) -> dict[str, Any]:
    """What is published of a namespace; counts, never text."""
    manifest = published(state.home, state.own)
    shown = {
        "namespaces": int(manifest is not None),
        "published_now": report.written,
        "blocked_by": report.failed,
        "seconds": round(report.seconds, 3),
    }
    if manifest is None:
        return shown
    return {
        **shown,
        f"generation/{state.own}": manifest.generation or "",
        f"measures/{state.own}": _measured(state, manifest),
    }


def _measured(state: State, manifest: Manifest) -> dg.TableMetadataValue:
    """What is published of a namespace, measured as `cairn metrics` does; counts, never text."""
    as_of = manifest.watermark or UNDATED
    moment = max(as_of, manifest.last_input_at or as_of)

    def rows(table: Table, columns: Sequence[str]) -> pl.LazyFrame:
        return read_published(state.warehouse, manifest, table, columns=columns)

    memory = (
        rows(MEMORY, list(MEMORY.columns))
        .filter(pl.col("status") != QUARANTINED)
        .select("fact_id", "predicate", "event", status=status_at(as_of, moment, state.policy))
    )
    found = of_knowledge(
        {table.name: rows(table, columns_read(table)).collect() for table in READS},
        memory.collect(),
        as_of,
    )
    records = [
        {
            "measure": one.name,
            "of": ", ".join(one.labels.values()),
            "value": "" if one.value is None else round(one.value, 6),
            "goal": one.goal or "",
        }
        for one in found
    ]
    return dg.MetadataValue.table(
        [dg.TableRecord(record) for record in records],
        dg.TableSchema([dg.TableColumn(name) for name in ("measure", "of", "value", "goal")]),
    )
