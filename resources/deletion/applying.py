"""What tombstones name is taken away, once: first from what was kept, then from what is older.

Records go under intake's lock, before anything is read. All that was made of them follows as it
does after any other change, since days and conversations whose records differ are pending again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from cairn.knowledge.deletion.tombstones import (
    NAMESPACE,
    READS,
    STAGE,
    Tombstone,
    forgotten,
)
from cairn.knowledge.engine.diff import Change
from cairn.knowledge.ingest.records import shorter, unplaced
from cairn.knowledge.schema.tables import DEAD_LETTERS, RAW_LOGS, RECORDS, SOURCE_FILES, WORK
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import (
    clear_inbox,
    forgetting,
    key_of,
    note_forgetting,
    tombstones,
)
from cairn.resources.home.home import remove, set_aside
from cairn.resources.web.notifier import forget_told

FINGERPRINT = "forget@1"


@dataclass(frozen=True)
class ForgottenRecords:
    """What no intake may take in."""

    by_namespace: Mapping[str, Sequence[Tombstone]] = field(default_factory=dict)
    key: bytes | None = field(default=None, repr=False)

    def __contains__(self, namespace: str) -> bool:
        """Whether anything of a namespace is forgotten."""
        return namespace in self.by_namespace

    def without(
        self, records: pl.DataFrame, earlier: Mapping[str, Sequence[str]] | None = None
    ) -> pl.DataFrame:
        """Records that no tombstone names, by their keys of today or of when they had no place.

        `earlier` has other threads that documents had, as `SourceRead` tells them.
        """
        parts = [records.clear()]
        for (namespace,), part in records.group_by("namespace", maintain_order=True):
            gone = pl.lit(value=False)
            if own := self.by_namespace.get(str(namespace)):
                for each in (part, *unplaced(part), *shorter(part, earlier or {})):
                    gone |= forgotten(each, own, self.key)
            parts.append(part.filter(~gone))
        return pl.concat(parts)


def apply_tombstones(state: State) -> ForgottenRecords:
    """Takes away what tombstones name that were not applied yet. Under the home's write lock.

    Killed at any place it does the same again: what it did is noted last.
    """
    told = tombstones(state.home, state.namespace)
    every = [one for own in told.values() for one in own]
    known = ForgottenRecords(told, key_of(state.home, every))
    notes: list[dict[str, object]] = []
    for namespace, own in told.items():
        new = unapplied(state, namespace, own)
        gone = 0
        if new:
            note_forgetting(state.home, namespace, on=True)
            _forget_letters(state, namespace, new)
            gone = _forget_records(state, namespace, new, known.key)
        _forget_here(state, namespace, own, new, known.key)
        if new:
            _forget_files(state, namespace, new)
            notes += [_note(namespace, one, gone) for one in new]
    if notes:
        rest = state.warehouse.read(WORK).collect()
        state.warehouse.write(WORK, pl.concat([rest, WORK.frame(notes)]))
    if state.sharing:
        for own in state.each():
            _add_unpushed(own, known, state.sharing.unpushed(own.own))
    return known


def unapplied(state: State, namespace: str, own: Sequence[Tombstone]) -> list[Tombstone]:
    """Tombstones of a namespace that no run has applied yet."""
    work = state.warehouse.read(WORK, namespace=namespace).filter(pl.col("stage") == STAGE)
    applied = set(work.select("unit").collect()["unit"])
    return [one for one in own if one.event_id not in applied]


def unfinished(state: State, namespace: str) -> list[Tombstone]:
    """Tombstones of a namespace of which readers may still see something."""
    own = tombstones(state.home, namespace).get(namespace, [])
    return own if namespace in forgetting(state.home) else unapplied(state, namespace, own)


def _add_unpushed(own: State, known: ForgottenRecords, file: Path) -> None:
    """Adds records that this home took in before it pulled, and that nobody else has."""
    if not file.exists():
        return
    try:
        unpushed = RECORDS.frame(pl.read_parquet(file))
    except (pl.exceptions.PolarsError, OSError):
        set_aside(own.home, file)
        return
    there = own.warehouse.read(RECORDS, columns=["record_key"]).collect()
    new = unpushed.join(there, on="record_key", how="anti")
    own.warehouse.append(RECORDS, known.without(new))
    file.unlink()


def _forget_here(
    state: State, namespace: str, own: Sequence[Tombstone], new: Sequence[Tombstone],
    key: bytes | None,
) -> None:  # fmt: skip
    """Takes it out of what no table has: of a home that shares, each has its own of that."""
    if shared := state.sharing:
        done = shared.forgotten_here(namespace)
        new = [one for one in own if one.event_id not in done]
    if not new:
        return
    remove(state.home.damaged)  # nobody knows what it holds
    _forget_answers(state, namespace, new)
    clear_inbox(state.home, namespace, list(new), key)
    whole = any(one.thing == NAMESPACE for one in new)
    records = {each for one in new for each in one.records}
    forget_told(state.home, namespace, None if whole else records)
    if shared:
        shared.answers_of(namespace).forget()
        shared.note_forgotten(namespace, [one.event_id for one in new])


def _note(namespace: str, one: Tombstone, rows: int) -> dict[str, object]:
    return {
        "namespace": namespace,
        "stage": STAGE,
        "unit": one.event_id,
        "input_hash": one.mark,
        "fingerprint": FINGERPRINT,
        "outcome": "done" if rows else "empty",
        "attempts": 1,
        "rows": rows,
    }


def _forget_answers(state: State, namespace: str, new: Sequence[Tombstone]) -> None:
    if any(one.thing == NAMESPACE for one in new):
        state.answers.delete_all(namespace)
        state.open_batches.forget(namespace)
    else:
        records = {each for one in new for each in one.records}
        state.answers.delete(namespace, records, {key for one in new for key in one.answers})
        asked = {key for batch in state.open_batches.of(namespace) for key in batch.keys}
        state.open_batches.forget(namespace, set(state.answers.read(asked)))


def _forget_letters(state: State, namespace: str, new: Sequence[Tombstone]) -> None:
    """Letters about conversations that are touched go; what fails again writes another."""
    letters = state.warehouse.read(DEAD_LETTERS).collect()
    mine = pl.col("namespace") == namespace
    if not any(one.thing == NAMESPACE for one in new):
        records = pl.Series(sorted({each for one in new for each in one.records}), dtype=pl.String)
        touched = (
            state.warehouse.read(
                RAW_LOGS, namespace=namespace, columns=["record_id", "conversation_id"]
            )
            .filter(pl.col("record_id").is_in(records.implode()))
            .collect()["conversation_id"]
            .unique()
        )
        mine &= pl.col("unit").is_in(touched.implode()).fill_null(value=False)
    if letters.filter(mine).height:
        state.warehouse.write(DEAD_LETTERS, letters.filter(~mine))


def _forget_records(
    state: State, namespace: str, new: Sequence[Tombstone], key: bytes | None
) -> int:
    warehouse = state.warehouse
    heads = warehouse.read(RECORDS, namespace=namespace, columns=list(READS)).collect()
    keys = heads.filter(forgotten(heads, new, key)).select("namespace", "record_key")
    if keys.is_empty():
        return 0
    if keys.height == heads.height:
        warehouse.write(RECORDS, RECORDS.empty(), namespaces=[namespace])
        return keys.height
    letters = warehouse.read(DEAD_LETTERS).collect()
    unread = pl.col("unit").is_in(keys["record_key"].implode()).fill_null(value=False)
    if letters.filter(unread).height:
        warehouse.write(DEAD_LETTERS, letters.filter(~unread))
    stored = warehouse.read(RECORDS, namespace=namespace)
    gone = stored.join(keys.lazy(), on=keys.columns, how="semi").collect()
    warehouse.apply_change(RECORDS, Change(gone.clear(), gone), namespace=namespace)
    return keys.height


def _forget_files(state: State, namespace: str, new: Sequence[Tombstone]) -> None:
    """Paths of files go with all of a namespace, else where neither they nor a line are left.

    What is watched still is read anew, and its lines dropped.
    """
    files = state.warehouse.read(SOURCE_FILES).collect()
    mine = pl.col("namespace") == namespace
    if not any(one.thing == NAMESPACE for one in new):
        records = state.warehouse.read(RECORDS, namespace=namespace, columns=["source_file"])
        held = set(records.unique().collect()["source_file"])
        paths = files.filter(mine)["path"].to_list()
        left = [path for path in paths if path not in held and not Path(path).exists()]
        mine &= pl.col("path").is_in(left)
    if files.filter(mine).height:
        state.warehouse.write(SOURCE_FILES, files.filter(~mine))
