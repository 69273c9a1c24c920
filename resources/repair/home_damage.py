"""What is wrong with a home: each thing in it looked at by itself, so that none hides another.

Everything but `records` and the inbox can be made again, so what cannot be read counts as absent,
and a run makes it. What is dear, or would let forgotten things come back, is told of.
"""

import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import polars as pl

from cairn.knowledge.assembly.run import STEPS
from cairn.knowledge.assembly.stages import STAGES
from cairn.knowledge.deletion.tombstones import STAGE as FORGET
from cairn.knowledge.llm.client import UNANSWERED
from cairn.knowledge.schema.tables import (
    MODEL_CALLS,
    RAW_LOGS,
    RECORDS,
    SOURCE_FILES,
    TABLES,
    WORK,
    Table,
)
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import FORGETTING, forgetting, key_of, tombstones
from cairn.resources.home.advice import command
from cairn.resources.home.api_keys import KeyListError, OpenToOthers, list_keys
from cairn.resources.home.atomic_files import read_regular
from cairn.resources.home.damage import RUN, Damage, Damaged, first_line, is_panic
from cairn.resources.home.home import FOLDERS, Home, HomeError
from cairn.resources.home.notes import NoteError
from cairn.resources.home.sources import copied_sources
from cairn.resources.llm.verdict_limits import CHECKS, kept_verdicts
from cairn.resources.repair.lost_records import lost_records
from cairn.resources.repair.lost_sources import damaged_lists, register_again
from cairn.resources.repair.sqlite_files import sqlite_damage, sqlite_header
from cairn.resources.warehouse.publication import (
    BLOCKED,
    Manifest,
    manifests,
    namespaces,
    published,
    read_blocked,
)
from cairn.resources.warehouse.table_files import (
    TableDamage,
    data_files,
    has_version,
    table_damage,
)

NOTHING = "nothing"
BACKUP = "put it there from a backup, then `cairn run`"
LOSS = "or `cairn run --accept-loss` goes on without it"

_MARKS = ("model_waits", "model_goes_on", "search_waits", "sensor_alive")
_HISTORY = "the history of runs"


class DamageScope(NamedTuple):
    """What is looked at."""

    deep: bool
    """All tables and the index are read whole."""
    sound: Collection[str]
    """Namespaces whose tables and index are known to be sound."""


def home_damage(
    state: State, *, deep: bool = False, first: bool = False, sound: Collection[str] = ()
) -> list[Damage]:
    """All that is wrong with a home.

    Args:
        state: Which.
        deep: Read all tables and the index whole. Else files that were not written since they were
            sealed are taken for sound.
        first: Only what must be sound before all else: modes, folders, the list of sources.
        sound: Namespaces whose tables and index are as they were when they were sound.
    """
    found: list[Damage] = []
    for look in _FIRST if first else _LOOKS:
        try:
            found += look(state, DamageScope(deep, sound))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            if not is_panic(error) and not isinstance(error, Exception):
                raise
            what = look.__name__.strip("_").replace("_", " ")
            found.append(
                Damage("", what, state.home.root, f"cannot be looked at: {first_line(error)}", "")
            )
    return found


def _permissions(state: State, asked: DamageScope) -> Iterator[Damage]:
    """What its owner may not use, as a copy made by another may be; not of a read-only home."""
    home = state.home
    if home.read_only:
        return
    by_namespace = (home.warehouse, home.index, home.inbox)
    for folder, inner, names in os.walk(home.root):
        needed = dict.fromkeys(names, os.R_OK | os.W_OK)
        needed |= dict.fromkeys(inner, os.R_OK | os.W_OK | os.X_OK)
        for name, mode in needed.items():
            if os.access(f"{folder}/{name}", mode) or (path := Path(folder, name)).is_symlink():
                if name in asked.sound and name in inner and Path(folder) in by_namespace:
                    inner.remove(name)
                continue
            with suppress(OSError):
                own = path.stat().st_uid == os.geteuid()
                take = command("sudo", "chown", "-R", os.geteuid(), home.root)
                advice = RUN if own else f"{take}, then `cairn run`"
                yield Damage(
                    "permission", path.name, path, "may not be read or written", NOTHING,
                    advice.replace("makes it again", "sets its mode right"), stops=not own,
                )  # fmt: skip


def usable_mode(path: Path) -> int:
    """The mode of a thing of a home, so that its owner may use it."""
    return stat.S_IMODE(path.stat().st_mode) | (0o700 if path.is_dir() else 0o600)


def _folders(state: State, _: DamageScope) -> Iterator[Damage]:
    for name in FOLDERS:
        path = state.home.root / name
        if (path.is_symlink() or path.exists()) and not path.is_dir():
            lost = "what no run had taken in" if name == "inbox" else NOTHING
            yield Damage("folder", f"folder {name}", path, "is no folder", lost)


def _small_files(state: State, _: DamageScope) -> Iterator[Damage]:
    """Marks and notes of runs: what cannot be read goes."""
    root = state.home.root
    for name in _MARKS:
        if not _can(root / name, _text):
            yield Damage("note", f"mark {name}", root / name, "cannot be read", NOTHING)
    notes: dict[Path, Callable[[Path], object]] = {
        root / BLOCKED: lambda _: read_blocked(state.home)
    }
    notes |= dict.fromkeys((root / CHECKS).glob("*.json"), kept_verdicts)
    for file, read in notes.items():
        if not _can(file, read):
            name = file.relative_to(root)
            yield Damage("note", f"note {name}", file, "cannot be read", NOTHING)
    try:
        forgetting(state.home)
    except Damaged:
        yield Damage(
            "forgetting", f"note {FORGETTING}", root / FORGETTING, "cannot be read", NOTHING
        )
    for file in (root / "notifications").glob("*.jsonl"):
        if not _can(file, read_regular):
            yield Damage("note", "file of what you were told", file, "cannot be read",
                         "the copy in this file: the inbox says what was told")  # fmt: skip


def _can(path: Path, read: Callable[[Path], object]) -> bool:
    if not path.is_symlink() and not path.exists():
        return True
    try:
        read(path)
    except (OSError, ValueError, NoteError):
        return False
    return True


def _text(path: Path) -> str:
    return read_regular(path).decode()


def _sources(state: State, _: DamageScope) -> Iterator[Damage]:
    home, what = state.home, "list of sources"
    damaged = damaged_lists(home)
    copied = copied_sources(home) is not None
    if home.sources_copy in damaged:
        yield Damage("sources", f"copy of the {what}", home.sources_copy, "cannot be read", NOTHING)
    if home.sources in damaged or not home.sources.exists():
        found = damaged.get(home.sources, "is gone")
        if copied:
            yield Damage("sources", what, home.sources, found, NOTHING)
        elif (read := _were_read(state)) or home.sources in damaged:
            yield Damage(
                "sources" if home.sources in damaged else "", what, home.sources, found,
                "which folders are watched; what was read of them stays",
                register_again(home, read),
            )  # fmt: skip


def _were_read(state: State) -> list[tuple[str, str]]:
    """Namespace and path of each file that was read and is not of the inbox.

    Where homes share, other ones may have read them, and this one watches nothing.
    """
    if state.settings.warehouse or not _has_rows(state, SOURCE_FILES.name):
        return []
    read = _read(state.each(), SOURCE_FILES).select("namespace", "path").collect()
    own = state.home.root
    return [(name, path) for name, path in read.iter_rows() if not Path(path).is_relative_to(own)]


def _keys(state: State, _: DamageScope) -> Iterator[Damage]:
    keys = state.home.keys
    try:
        list_keys(state.home)
    except OpenToOthers:
        yield Damage("", "keys of the HTTP API", keys, "others can read it", NOTHING,
                     command("chmod", "600", keys))  # fmt: skip
    except KeyListError:
        yield Damage("", "keys of the HTTP API", keys, "cannot be read", "all keys",
                     f"put it there from a backup; or {command('rm', '-r', keys)}, then make keys"
                     " anew with `cairn keys add --namespace NAME`")  # fmt: skip


def _dagster(state: State, _: DamageScope) -> Iterator[Damage]:
    """Dagster's own files. Runs that are over are only looked at from outside."""
    folder = state.home.dagster
    if not folder.is_dir():
        return
    settings = folder / "dagster.yaml"
    if not _can(settings, _text):
        yield Damage("dagster", "Dagster's settings", settings, "cannot be read", NOTHING)
    history = folder / "history"
    main = (history / "runs.db", history / "runs" / "index.db", folder / "schedules/schedules.db")
    for name in ("history", "history/runs", "schedules"):
        path = folder / name
        if (path.is_symlink() or path.exists()) and not path.is_dir():
            yield Damage("dagster", "Dagster's database", path, "is no folder", _HISTORY)
            return
    there = [path for path in main if path.is_symlink() or path.exists()]
    for path in main:
        if path not in there:
            if there:
                yield Damage("dagster", "Dagster's database", path, "is gone", _HISTORY)
        elif wrong := sqlite_damage(path):
            yield Damage("dagster", "Dagster's database", path, wrong, _HISTORY)
    for path in set((history / "runs").glob("*.db")) - set(main):
        if not _can(path, sqlite_header):
            yield Damage("note", "log of a run", path, "cannot be read", "what that run logged")


def _answers(state: State, _: DamageScope) -> Iterator[Damage]:
    path = state.home.answers
    if not path.is_symlink() and not path.exists():
        if _has_rows(state, MODEL_CALLS.name):
            yield Damage("answers", "answers of language models", path, "is gone", _dear(state),
                         f"{BACKUP}; or `cairn run` goes on, and asks again")  # fmt: skip
        return
    wrong = sqlite_damage(path)
    if wrong == "is empty" and not _has_rows(state, MODEL_CALLS.name):
        return
    if wrong:
        yield Damage("answers", "answers of language models", path, wrong, _dear(state),
                     f"{BACKUP}; or `cairn run` keeps what can be read, and asks the rest again",
                     )  # fmt: skip


def _dear(state: State) -> str:
    """What the answers cost."""
    if not _has_rows(state, MODEL_CALLS.name):
        return "answers that were paid: they are asked, and paid, again"
    calls = (
        _read(state.each(), MODEL_CALLS)
        .filter(pl.col("outcome") != UNANSWERED)
        .select("cost")
        .collect()
    )
    dollars = calls["cost"].sum()
    return f"up to {calls.height:,} answers, for {dollars:.2f} dollars: they are asked again"


def _manifests(state: State, asked: DamageScope) -> Iterator[Damage]:
    folder = state.home.publication
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        what = f"manifest of {path.stem}"
        try:
            in_force = next(iter(manifests(state.home, path.stem)), None)
        except (Damaged, ValueError):
            yield Damage("note", what, path, "cannot be read", NOTHING)
            continue
        if path.stem in asked.sound:
            continue
        if in_force and (absent := _absent_versions(state, in_force)):
            more = f" and {len(absent) - 3} more" if len(absent) > 3 else ""
            found = f"names versions that are not there, of {', '.join(absent[:3])}{more}"
            yield Damage("note", what, path, found, NOTHING)


def _absent_versions(state: State, manifest: Manifest) -> list[str]:
    """Tables that are there, but not as a manifest names them."""
    own = state.of(manifest.namespace)
    absent = sorted(
        name
        for name in manifest.tables.keys() & TABLES.keys()
        if not has_version(own.warehouse.folder(TABLES[name]), manifest.tables[name])
    )
    # Records that are older than what was made of them are told of by themselves.
    if absent == [RECORDS.name] and any(
        _records(own, own.warehouse.folder(RECORDS), None, gone=False)
    ):
        return []
    return absent


def manifests_in_force(home: Home) -> list[Manifest]:
    """The manifests that readers follow, of those that can be read."""
    found: list[Manifest] = []
    for namespace in namespaces(home) if home.publication.is_dir() else ():
        with suppress(Damaged, ValueError):
            found += [one for one in [published(home, namespace)] if one is not None]
    return found


def _index(state: State, asked: DamageScope) -> Iterator[Damage]:
    if state.settings.qdrant_url is not None:
        return
    from cairn.resources.vector_index.edge import EdgeIndex

    index = state.index
    if not isinstance(index, EdgeIndex) or not state.home.index.is_dir():
        return
    # One that no manifest names is taken for what it says of itself, when its like is to be made.
    for place in sorted(state.home.index.iterdir()):
        if place.name in asked.sound:  # the engine touches files that it loads
            continue
        if place.is_symlink() or not place.is_dir():
            yield Damage("note", f"index of {place.name}", place, "is no folder", NOTHING)
            continue
        for where in sorted(place.iterdir()):
            if where.suffix != ".partial" and (
                wrong := index.damage(place.name, where.name, deep=True)
            ):
                yield Damage("index", f"index of {place.name}", where, wrong, NOTHING)
    for one in manifests_in_force(state.home):
        where = state.home.index / one.namespace / (one.generation or "")
        if one.generation and not where.is_symlink() and not where.exists():
            yield Damage("gone", f"index of {one.namespace}", where, "is gone", NOTHING)


def _tables(state: State, asked: DamageScope) -> Iterator[Damage]:
    """Tables that cannot be read, and those that were there and are gone."""
    in_force = {one.namespace: one for one in manifests_in_force(state.home)}
    for own in state.each():
        if own.own in asked.sound:
            continue
        manifest = in_force.get(own.own)
        claimed = _claimed(own) | {*(manifest.tables if manifest else ())}
        for table in TABLES.values():
            folder = own.warehouse.folder(table)
            what = f"table {table.name} of {own.own}"
            wrong = table_damage(folder, deep=asked.deep)
            gone = wrong is None and not any((folder / "_delta_log").glob("*.json"))
            if table is RECORDS:
                yield from _records(own, folder, wrong, gone=gone and table.name in claimed)
            elif wrong:
                yield Damage("table", what, folder, wrong.found, NOTHING)
            elif gone and table.name in claimed:
                yield Damage("gone", what, folder, "is gone", NOTHING)


def _claimed(state: State) -> set[str]:
    """Tables that were made: work says of their stages that they are done."""
    found = {RECORDS.name} if _has_rows(state, SOURCE_FILES.name) else set[str]()
    if _has_rows(state, WORK.name):
        done = set(state.warehouse.read(WORK, columns=["stage"]).collect()["stage"])
        found |= {table.name for one in STAGES if one.name in done for table in one.writes}
        found |= {table.name for table in STEPS["raw_logs"].writes if "raw_logs" in done}
    return found


def _has_rows(state: State, table: str) -> bool:
    """Whether a table of any namespace can be read, and holds anything."""
    return any(
        _has_files(own, table)
        and _can_be_read(own, table)
        and bool(own.warehouse.namespaces(TABLES[table]))
        for own in state.each()
    )


def _has_files(state: State, table: str) -> bool:
    """Whether a table of a namespace may have rows: looking takes less than opening it."""
    return bool(data_files(state.warehouse.folder(TABLES[table])))


def _can_be_read(state: State, table: str) -> bool:
    """Whether a table of a namespace is sound, as far as its seals tell."""
    return table_damage(state.warehouse.folder(TABLES[table]), deep=False) is None


def _read(owns: Iterable[State], table: Table) -> pl.LazyFrame:
    """Rows of a table, of those namespaces where it can be read."""
    sound = [own.warehouse.read(table) for own in owns if _can_be_read(own, table.name)]
    return pl.concat([table.empty().lazy(), *sound])


def _records(
    state: State, folder: Path, wrong: TableDamage | None, *, gone: bool
) -> Iterator[Damage]:
    """Damage of the one table that cannot be made again: which days, and what brings them back."""
    back = wrong is None and not gone and _has_gone_back(state)
    if not (wrong or gone or back):
        return
    lost = lost_records(state.home, state.warehouse, wrong)
    if back and lost.lines.is_empty():
        return
    found = wrong.found if wrong else "is gone" if gone else "is older than what was made of it"
    advice = "`cairn run` keeps what can be read, and reads the rest again from its sources"
    if lost.for_good:
        advice = ", ".join(
            [
                command("cairn", "run", "--source", path, "--namespace", name)
                for name, path in lost.unregistered
            ]
            or [f"put {folder} there from a backup, then `cairn run`; {LOSS}"]
        )
    yield Damage("records", f"table records of {state.own}", folder, found, str(lost), advice,
                 stops=lost.for_good)  # fmt: skip


def _has_gone_back(state: State) -> bool:
    """Whether `records` is of an older version than was published, as an older backup is."""
    version = state.warehouse.version(RECORDS)
    told = [
        one.tables.get(RECORDS.name, -1)
        for one in manifests_in_force(state.home)
        if one.namespace == state.own
    ]
    return version is not None and version < max(told, default=-1)


def _tombstones(state: State, asked: DamageScope) -> Iterator[Damage]:
    """What was forgotten must not come back because the word of it is lost."""
    home = state.home
    every = [(name, one) for name, own in tombstones(home).items() for one in own]
    told = {(name, one.event_id): one.mark for name, one in every}
    try:
        key_of(home, [one for _, one in every])
    except HomeError:
        yield Damage("", "key of tombstones", home.forget_key, "is gone, or holds no key",
                     "without it what was forgotten would come back", BACKUP,
                     stops=True)  # fmt: skip
    gone: set[tuple[str, str]] = set()
    looked_at = [own for own in state.each() if own.own not in asked.sound]
    applied = _read(looked_at, WORK).filter(pl.col("stage") == FORGET).collect()
    for name, unit, noted in applied.select("namespace", "unit", "input_hash").iter_rows():
        if (name, unit) not in told or noted not in (unit, told[name, unit]):
            gone.add((name, unit))
    for name in sorted({name for name, _ in gone}):
        ids = sorted(unit for other, unit in gone if other == name)
        yield Damage("tombstones", f"tombstones of {name}", home.inbox / name,
                     f"{len(ids)} are gone or changed ({', '.join(ids[:3])})",
                     "what they forgot would come back", f"{BACKUP}; {LOSS}, and what was forgotten"
                     " may come back from its sources", stops=True)  # fmt: skip
    if told or not home.forget_key.exists() or _has_rows(state, WORK.name):
        return
    if any(_has_rows(state, table.name) for table in (RAW_LOGS, RECORDS)):
        yield Damage("tombstones", "tombstones", home.inbox, "are gone, all of them",
                     "what was forgotten would come back", f"{BACKUP}; {LOSS}, and what was"
                     " forgotten may come back from its sources", stops=True)  # fmt: skip


_FIRST = (_permissions, _folders, _sources)
_LOOKS = (
    *_FIRST, _small_files, _keys, _manifests, _tombstones, _tables,
    _index, _answers, _dagster,
)  # fmt: skip
