"""Dagster's event log in SQLite, made fast enough for ranges of days."""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from contextvars import ContextVar
from pathlib import Path
from threading import Lock
from typing import Any

import dagster as dg
from dagster._core.storage.event_log import (
    AssetKeyTable,
    SqlEventLogStorage,
    SqliteEventLogStorage,
)
from sqlalchemy import Connection, NullPool, create_engine, text
from sqlalchemy.dialects.sqlite import insert

INDEX = "index"

ASKED_ONCE = (
    "has_dynamic_partition",
    "has_table",
    "has_secondary_index",
    "_has_asset_key_col_on_connection",
)
"""Whether a partition, a table or a column is there: a quarter of all statements of a run."""

_OPENED: ContextVar[str] = ContextVar("_OPENED")

_ENGINE = create_engine(
    "sqlite://",
    poolclass=NullPool,
    creator=lambda: sqlite3.connect(_OPENED.get(), timeout=60, check_same_thread=False),
)
"""Of all files: what SQLAlchemy has made of a statement it keeps with its engine."""


@contextmanager
def kept_open(instance: dg.DagsterInstance, run_id: str) -> Generator[None]:
    """Keeps the two files of the event log open during a run, and waits less for the disk.

    Dagster connects anew for every event, up to four times, and a range of days has thousands of
    them. The last one to close a SQLite file folds its log into it and waits for the disk, too:
    together 10 ms an event. After a power cut the last events of a run may be missing; a run that
    is killed loses none, and tables are not kept here. What it asks for each event, though a run
    does not change it, it is told once; what the run itself has made is not looked up for each
    table that is made of it.
    """
    storage = instance.event_log_storage
    if not isinstance(storage, SqliteEventLogStorage):  # a server keeps the events
        yield
        return
    run_connection = storage.run_connection
    with ExitStack() as stack:
        _begin(storage, run_id)
        run = stack.enter_context(_opened(storage, run_id))
        index = stack.enter_context(_opened(storage, INDEX))
        lock = Lock()  # the watcher of a log is another thread

        @contextmanager
        def reused(connection: Connection) -> Generator[Connection]:
            with lock, connection.begin():
                yield connection

        own = run_id

        def of_run(run_id: str | None = None) -> AbstractContextManager[Connection]:
            return reused(run) if run_id == own else run_connection(run_id)

        # Of this one instance, not of its class.
        vars(storage).update(run_connection=of_run, index_connection=lambda: reused(index))
        replaced = do_less(storage)
        try:
            yield
        finally:
            for name in ("run_connection", "index_connection", *replaced):
                delattr(storage, name)  # what its class has counts again


def do_less(storage: SqlEventLogStorage) -> list[str]:
    """Has a storage do less for each event; returns the names of what it does otherwise."""
    made = MadeByRun(storage)
    replaced = {
        "store_event": made.store_event,
        "get_latest_tags_by_partition": made.get_latest_tags_by_partition,
        "_store_asset_event": stored_at_once(storage),
        **{
            name: told_once(getattr(storage, name)) for name in ASKED_ONCE if hasattr(storage, name)
        },
    }
    for name, method in replaced.items():
        setattr(storage, name, method)
    return list(replaced)


def told_once(ask: Callable[..., bool]) -> Callable[..., bool]:
    """A question whose yes is remembered, whatever connection it is asked by."""
    yes: set[tuple[object, ...]] = set()

    def asked(*given: object, **named: object) -> bool:
        what = tuple(one for one in (*given, *named.values()) if not isinstance(one, Connection))
        if what not in yes and ask(*given, **named):
            yes.add(what)
        return what in yes

    return asked


class MadeByRun:
    """Tags of what a run has made: it alone makes these partitions, so they are the latest.

    Dagster notes beside each table the versions of all that it was made of, and asks for them one
    by one.
    """

    def __init__(self, storage: SqlEventLogStorage) -> None:
        self._store, self._asked = storage.store_event, storage.get_latest_tags_by_partition
        self._tags: dict[dg.AssetKey, dict[str, Mapping[str, str]]] = defaultdict(dict)

    def store_event(self, event: dg.EventLogEntry) -> None:
        """Stores an event, and remembers it."""
        self._store(event)
        made = event.asset_materialization
        if made and made.partition:
            self._tags[made.asset_key][made.partition] = made.tags or {}

    def get_latest_tags_by_partition(
        self,
        asset_key: dg.AssetKey,
        event_type: dg.DagsterEventType,
        tag_keys: Sequence[str],
        asset_partitions: Sequence[str] | None = None,
        **bounds: Any,
    ) -> Mapping[str, Mapping[str, str]]:
        """As the storage tells it."""
        made = self._tags[asset_key]
        if (
            asset_partitions is None
            or bounds
            or event_type != dg.DagsterEventType.ASSET_MATERIALIZATION
            or not made.keys() >= set(asset_partitions)
        ):
            return self._asked(asset_key, event_type, tag_keys, asset_partitions, **bounds)
        return {
            one: {key: made[one][key] for key in tag_keys if key in made[one]}
            for one in asset_partitions
        }


def stored_at_once(
    storage: SqlEventLogStorage,
) -> Callable[[Connection, dg.EventLogEntry, int], None]:
    """Notes the last event of an asset; Dagster tries first whether there is none, and fails."""
    has_index_columns = storage._has_asset_key_index_cols_on_connection  # noqa: SLF001
    values_of = storage._get_asset_entry_values  # noqa: SLF001

    def store(connection: Connection, event: dg.EventLogEntry, event_id: int) -> None:
        key = event.dagster_event and event.dagster_event.asset_key
        values = values_of(event, event_id, has_index_columns(connection))
        if key and values:
            first = insert(AssetKeyTable).values(asset_key=key.to_string(), **values)
            connection.execute(first.on_conflict_do_update(["asset_key"], set_=values))

    return store


def _begin(storage: SqliteEventLogStorage, run_id: str) -> None:
    """Makes the file of a run, with the tables of the index.

    Dagster does so by looking through all its migrations, which takes as long as some stages.
    """
    file = Path(storage.path_for_shard(run_id))
    if file.exists():
        return
    with closing(sqlite3.connect(storage.path_for_shard(INDEX))) as index:
        tables = index.execute("SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
        schema = [sql for (sql,) in tables]
        revisions = index.execute("SELECT version_num FROM alembic_version").fetchall()
    with closing(sqlite3.connect(file, isolation_level=None)) as run:
        run.execute("PRAGMA journal_mode=WAL")
        run.execute("BEGIN")
        for sql in schema:
            run.execute(sql)
        run.executemany("INSERT INTO alembic_version VALUES (?)", revisions)
        run.execute("COMMIT")


@contextmanager
def _opened(storage: SqliteEventLogStorage, name: str) -> Generator[Connection]:
    """A connection by which the operating system writes in its own time; the file stays whole."""
    token = _OPENED.set(storage.path_for_shard(name))
    try:
        opened = _ENGINE.connect()
    finally:
        _OPENED.reset(token)
    with opened as connection:
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL"):
            connection.execute(text(f"PRAGMA {pragma}"))
        connection.commit()
        yield connection
