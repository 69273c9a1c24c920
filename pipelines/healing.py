"""Healing: what is damaged is taken away or mended, so that the run that follows makes it again.

Only under the home's write lock. What can be made again counts as absent, and `work` says no more
that it was made; what cannot is kept as far as it can be read.
"""

import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import polars as pl

from cairn.assets.pending import raw_logs
from cairn.assets.pending.steps import BY_CONVERSATION
from cairn.knowledge.assembly.run import STEPS
from cairn.knowledge.assembly.stages import STAGES
from cairn.knowledge.deletion.tombstones import STAGE as FORGET
from cairn.knowledge.schema.tables import DEAD_LETTERS, RECORDS, SOURCE_FILES, TABLES, WORK, Table
from cairn.resources.context import State
from cairn.resources.deletion.applying import ForgottenRecords
from cairn.resources.deletion.tombstones import FORGETTING, key_of, tombstones
from cairn.resources.home.atomic_files import replace_file
from cairn.resources.home.damage import Damage, Damaged
from cairn.resources.home.home import FOLDERS, open_home, remove, set_aside
from cairn.resources.home.seals import SEALS
from cairn.resources.home.sources import keep_sources
from cairn.resources.llm.answer_cache import Answers
from cairn.resources.llm.verdict_limits import CHECKS
from cairn.resources.repair.home_damage import home_damage, manifests_in_force, usable_mode
from cairn.resources.repair.lost_records import lost_records, rebuild
from cairn.resources.repair.lost_sources import damaged_lists
from cairn.resources.warehouse.publication import publish
from cairn.resources.warehouse.table_files import LOG, reseal, table_damage

LOOKS = 4
"""Times that is looked: what is wrong with a folder hides what is wrong in it."""


def heal(
    state: State,
    *,
    deep: bool = False,
    accept_loss: bool = False,
    timeout: float | None = None,
    sound: Collection[str] = (),
) -> list[Damage]:
    """Mends what is damaged, as far as that is not done by making it again.

    Args:
        state: Whose home.
        deep: Read all of it; else what was not written since it was sealed is taken for sound.
        accept_loss: Go on without what nothing brings back.
        timeout: Seconds to wait for another writer, if there is anything to do.
        sound: Namespaces whose tables and index are as they were when they were sound.

    Returns:
        What was damaged.

    Raises:
        Damaged: something is lost for good, or what was forgotten would come back; the message
            says what to do. Nothing was changed then.
        HomeError: the home can only be read.
        LockTimeout: another writer held the lock for all that time.
    """
    found = home_damage(state, deep=deep, sound=sound)
    if not (_mendable(found, accept_loss) or _says_untrue(state, sound) or _unsealed(state)):
        return [one for one in found if one.kind]
    with state.writing("healing", timeout=timeout):
        mended: dict[Damage, None] = {}
        for _ in range(LOOKS):
            found = home_damage(state, deep=deep)
            # What is gone by a later look was taken away by us.
            named = [one for one in found if one.kind in MENDS or (one.kind and not mended)]
            mended |= dict.fromkeys(named)
            to_do = _mendable(found, accept_loss)
            # What hides others goes first.
            to_do = [one for one in to_do if one.kind in BEFORE_OTHERS] or to_do
            for each in to_do:
                MENDS[each.kind](state, each)
            state.let_all_go()
            if not to_do:
                break
        for own in state.each():
            _make_true(own)
            for table in TABLES.values():
                reseal(own.warehouse.folder(table))
    return list(mended)


def heal_files(state: State, sound: Collection[str] = ()) -> list[Damage]:
    """Mends what must be sound before all else: folders, modes and the list of sources.

    Of namespaces that are `sound` no file is looked at.
    """
    found = [one for one in home_damage(state, first=True, sound=sound) if one.kind in MENDS]
    if not found:
        keep_sources(state.home)  # a home from before there was a copy has none
        return []
    with state.writing("healing"):
        for each in found:
            if each.kind == "sources" or each.where.is_symlink() or each.where.exists():
                MENDS[each.kind](state, each)
    state.let_all_go()
    return found


def _mendable(found: Sequence[Damage], accept_loss: bool) -> list[Damage]:
    """Damage that a run mends, in the order in which it does.

    Raises:
        Damaged: as `heal`.
    """
    stops = [one for one in found if one.stops and not (accept_loss and one.kind)]
    if stops:
        raise Damaged("; ".join(map(str, stops)))
    return sorted((one for one in found if one.kind in MENDS), key=lambda one: ORDER[one.kind])


def _unsealed(state: State) -> bool:
    """Whether a home is from before its files were sealed."""
    folders = [own.warehouse.folder(RECORDS) for own in state.each()]
    return any((one / LOG).is_dir() and not (one / SEALS).exists() for one in folders)


def _usable(state: State, each: Damage) -> None:
    del state
    with suppress(FileNotFoundError):
        each.where.chmod(usable_mode(each.where))


def _set_aside(state: State, each: Damage) -> None:
    set_aside(state.home, each.where)
    if each.where.parent == state.home.root and each.where.name in FOLDERS:
        each.where.mkdir(mode=0o700)


def _remove(state: State, each: Damage) -> None:
    del state
    remove(each.where)


def _mend_sources(state: State, each: Damage) -> None:
    """The list and its copy are made of one another; what cannot be read is kept aside."""
    for path in damaged_lists(state.home):
        set_aside(state.home, path)
    keep_sources(state.home)
    del each


def _mend_forgetting(state: State, each: Damage) -> None:
    """Of all that ever forgot something it is then looked whether older things hold it."""
    remove(each.where)
    every = "\n".join(sorted(tombstones(state.home)))
    if every:
        replace_file(state.home.root / FORGETTING, every.encode())


def _mend_dagster(state: State, each: Damage) -> None:
    """The history of runs is no knowledge: Dagster begins anew."""
    del each
    for entry in list(state.home.dagster.iterdir()):
        if entry.name != "dagster.yaml" or not entry.is_file():
            remove(entry)
    open_home(state.home.root)  # writes its settings


def _mend_answers(state: State, each: Damage) -> None:
    """A new file with what can be read of the old one, which is set aside."""
    state.close_answers()
    aside = None
    for name in ("-wal", "-shm", ""):
        path = state.home.answers.with_name(state.home.answers.name + name)
        if path.is_symlink() or path.exists():
            aside = set_aside(state.home, path)
    fresh = Answers(state.home.answers)
    if aside is not None and aside.is_file():
        salvage(aside, fresh)
    fresh.close()
    del each


def _mend_table(state: State, each: Damage) -> None:
    remove(each.where)
    del state


def _mend_records(state: State, each: Damage) -> None:
    """What can be read stays, without what is forgotten; what sources still hold is read again."""
    state = state.of(each.where.parent.name)
    wrong = table_damage(each.where, deep=False)
    lost = lost_records(state.home, state.warehouse, wrong)
    told = tombstones(state.home, state.own)
    known = ForgottenRecords(
        told, key_of(state.home, [one for own in told.values() for one in own])
    )
    rebuild(state.home, state.warehouse, wrong, known.without)
    again = pl.DataFrame(list(lost.again), schema=["namespace", "path"], orient="row")
    if lost.by_file and again.height:
        read = state.warehouse.read(SOURCE_FILES).collect()
        state.warehouse.write(SOURCE_FILES, read.join(again, on=again.columns, how="anti"))
    # Written anew, it has other versions: readers go on with what is left.
    now = state.warehouse.version(RECORDS)
    if now is None:
        return
    for one in manifests_in_force(state.home):
        if one.namespace == state.own and RECORDS.name in one.tables:
            publish(state.home, replace(one, tables={**one.tables, RECORDS.name: now}))


def _mend_tombstones(state: State, each: Damage) -> None:
    """It was said that they may be lost: `work` knows no more that they were applied."""
    del each
    told = {(name, one.event_id) for name, own in tombstones(state.home).items() for one in own}
    work = state.warehouse.read(WORK).collect()
    applied = pl.Series(
        [place in told for place in work.select("namespace", "unit").iter_rows()], dtype=pl.Boolean
    )
    state.warehouse.write(WORK, work.filter((pl.col("stage") != FORGET) | applied))
    if not told:
        set_aside(state.home, state.home.forget_key)


MENDS: dict[str, Callable[[State, Damage], None]] = {
    "permission": _usable,
    "folder": _set_aside,
    "sources": _mend_sources,
    "note": _remove,
    "forgetting": _mend_forgetting,
    "dagster": _mend_dagster,
    "answers": _mend_answers,
    "tombstones": _mend_tombstones,
    "table": _mend_table,
    "index": _remove,
    "records": _mend_records,
}
"""What is done about each kind of damage; what has no kind is left to a person."""

ORDER = {kind: place for place, kind in enumerate(MENDS)}
BEFORE_OTHERS = ("permission", "folder")


class _Untrue(NamedTuple):
    """What `work` and `source_files` are without what they say of tables that are not there."""

    work: pl.DataFrame | None
    """None if all of it holds."""
    files: pl.DataFrame | None


def _untrue(state: State) -> _Untrue:
    """What a namespace's tables say that is not so."""
    absent = {name for name, table in TABLES.items() if state.warehouse.version(table) is None}
    letters = DEAD_LETTERS.name in absent
    work = state.warehouse.read(WORK).collect()
    untrue = pl.col("stage").is_in(_stages_of(state, absent))
    if absent:  # one that is made again begins with the same versions
        noted = rf"(^| )({'|'.join(sorted(absent))})@\d"
        untrue |= pl.col("input_hash").str.contains(noted).fill_null(value=False)
    if letters:  # they are written as things fail
        untrue |= pl.col("outcome") == "failed"
    holds = work.filter(~untrue)
    files = state.warehouse.read(SOURCE_FILES).collect()
    again = [letters and Path(path).exists() for path in files["path"]]
    return _Untrue(
        holds if holds.height < work.height else None,
        files.filter(~pl.Series(again, dtype=pl.Boolean)) if any(again) else None,
    )


def _says_untrue(state: State, sound: Collection[str]) -> bool:
    others = (own for own in state.each() if own.own not in sound)
    return any(holds is not None for own in others for holds in _untrue(own))


def _stages_of(state: State, absent: AbstractSet[str]) -> list[str]:
    """Stages that made tables which are not there."""
    found: list[str] = []
    if not absent.isdisjoint([*_names(STEPS[raw_logs.STAGE.name].writes), DEAD_LETTERS.name]):
        found.append(raw_logs.STAGE.name)
    for step in BY_CONVERSATION:
        if not absent.isdisjoint(_names(STEPS[step.name].writes)):
            found += [each.name for each in step.extractors(state.settings)]
    for stage in STAGES:
        if not absent.isdisjoint(_names(stage.writes)):
            found.append(stage.name)
    return found


def _names(tables: Sequence[Table]) -> set[str]:
    return {table.name for table in tables}


def _make_true(state: State) -> None:
    untrue = _untrue(state)
    for table, holds in ((WORK, untrue.work), (SOURCE_FILES, untrue.files)):
        if holds is not None:
            state.warehouse.write(table, holds)
    # A suite that passed for a version of a table did so for the one that is no more.
    remove(state.home.root / CHECKS / f"{state.own}.json")


def salvage(damaged: Path, fresh: Answers) -> None:
    """Copies what can be read of a damaged file of answers.

    An answer goes with the records that it saw, by which it is forgotten: without all of those,
    none is kept.
    """
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"file:{quote(str(damaged))}?mode=ro", uri=True)) as old,
    ):
        fresh.take("calls", _readable_rows(old, "calls"))
        seen = old.execute("SELECT * FROM answer_records").fetchall()
        fresh.take("answers", _readable_rows(old, "answers"))
        fresh.take("answer_records", seen)


def _readable_rows(old: sqlite3.Connection, table: str) -> Iterator[tuple[Any, ...]]:
    """Rows up to the first that cannot be read: from the beginning, and then from the end."""
    seen: set[object] = set()
    for order in ("", " DESC"):
        with suppress(sqlite3.Error):
            for row in old.execute(f"SELECT * FROM {table} ORDER BY rowid{order}"):  # noqa: S608
                if row[0] in seen:
                    break
                seen.add(row[0])
                yield row
