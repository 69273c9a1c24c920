"""Dagster's event log in SQLite, made fast enough for ranges of days."""

from collections.abc import Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from threading import Lock

import dagster as dg
from dagster._core.storage.event_log import SqliteEventLogStorage
from sqlalchemy import Connection, create_engine, text

INDEX = "index"


@contextmanager
def kept_open(instance: dg.DagsterInstance, run_id: str) -> Generator[None]:
    """Keeps the two files of the event log open during a run, and waits less for the disk.

    Dagster connects anew for every event, up to four times, and a range of days has thousands of
    them. The last one to close a SQLite file folds its log into it and waits for the disk, too:
    together 10 ms an event. After a power cut the last events of a run may be missing; a run that
    is killed loses none, and tables are not kept here. It also asks twice for each event whether
    its partition is known, and none becomes unknown during a run of it: that is asked once.
    """
    storage = instance.event_log_storage
    if not isinstance(storage, SqliteEventLogStorage):  # a server keeps the events
        yield
        return
    run_connection, index_connection = storage.run_connection, storage.index_connection
    has_partition = storage.has_dynamic_partition
    known: set[tuple[str, str]] = set()

    def has_dynamic_partition(partitions_def_name: str, partition_key: str) -> bool:
        asked = (partitions_def_name, partition_key)
        if asked not in known and has_partition(*asked):
            known.add(asked)
        return asked in known

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
        storage.has_dynamic_partition = has_dynamic_partition
        try:
            yield
        finally:
            storage.run_connection, storage.index_connection = run_connection, index_connection
            storage.has_dynamic_partition = has_partition


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
