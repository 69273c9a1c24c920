"""Dagster's event log in SQLite, made fast enough for ranges of days."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from threading import Lock

import dagster as dg
from dagster._core.storage.event_log import SqliteEventLogStorage
from sqlalchemy import Connection, create_engine, text

INDEX = "index"

ASKED_ONCE = (
    "has_dynamic_partition",
    "has_table",
    "has_secondary_index",
    "_has_asset_key_col_on_connection",
)
"""Whether a partition, a table or a column is there: a quarter of all statements of a run."""


@contextmanager
def kept_open(instance: dg.DagsterInstance, run_id: str) -> Generator[None]:
    """Keeps the two files of the event log open during a run, and waits less for the disk.

    Dagster connects anew for every event, up to four times, and a range of days has thousands of
    them. The last one to close a SQLite file folds its log into it and waits for the disk, too:
    together 10 ms an event. After a power cut the last events of a run may be missing; a run that
    is killed loses none, and tables are not kept here. What it asks for each event, though a run
    does not change it, it is told once.
    """
    storage = instance.event_log_storage
    if not isinstance(storage, SqliteEventLogStorage):  # a server keeps the events
        yield
        return
    run_connection, index_connection = storage.run_connection, storage.index_connection
    with ExitStack() as stack:
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

        storage.run_connection = of_run
        storage.index_connection = lambda: reused(index)
        asked_once = [name for name in ASKED_ONCE if hasattr(storage, name)]
        for name in asked_once:
            setattr(storage, name, told_once(getattr(storage, name)))
        try:
            yield
        finally:
            storage.run_connection, storage.index_connection = run_connection, index_connection
            for name in asked_once:
                delattr(storage, name)  # what its class has counts again


def told_once(ask: Callable[..., bool]) -> Callable[..., bool]:
    """A question whose yes is remembered, whatever connection it is asked by."""
    yes: set[tuple[object, ...]] = set()

    def asked(*given: object, **named: object) -> bool:
        what = tuple(one for one in (*given, *named.values()) if not isinstance(one, Connection))
        if what not in yes and ask(*given, **named):
            yes.add(what)
        return what in yes

    return asked


@contextmanager
def _opened(storage: SqliteEventLogStorage, name: str) -> Generator[Connection]:
    """A connection by which the operating system writes in its own time; the file stays whole."""
    with storage.run_connection(name):  # makes the file, if it is not there
        pass
    engine = create_engine(
        storage.conn_string_for_shard(name),
        connect_args={"timeout": 60, "check_same_thread": False},
    )
    try:
        with engine.connect() as connection:
            for pragma in ("journal_mode=WAL", "synchronous=NORMAL"):
                connection.execute(text(f"PRAGMA {pragma}"))
            connection.commit()
            yield connection
    finally:
        engine.dispose()
