"""Dagster's event log in SQLite, made fast enough for ranges of days."""

import sqlite3
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import dagster as dg
from sqlalchemy import Engine, event


@contextmanager
def kept_open(instance: dg.DagsterInstance, run_id: str) -> Generator[None]:
    """Keeps the files of the event log open during a run, and waits less for the disk.

    Dagster connects anew for every event, and a range of days has thousands of them. The last one
    to close a SQLite file folds its log into it and waits for the disk: 10 ms an event, which is
    put off while we have it open too. After a power cut the last events of a run may be missing;
    a run that is killed loses none, and tables are not kept here.
    """
    folder = Path(instance.root_directory, "history", "runs")
    if not folder.is_dir():  # a server keeps the events
        yield
        return
    event.listen(Engine, "connect", _trusting)
    try:
        with ExitStack() as stack:
            for name in ("index", run_id):
                log = stack.enter_context(closing(sqlite3.connect(folder / f"{name}.db")))
                log.execute("PRAGMA journal_mode=WAL")
                log.execute("SELECT 1 FROM sqlite_master").fetchone()
            yield
    finally:
        event.remove(Engine, "connect", _trusting)


def _trusting(connection: object, _record: object) -> None:
    """Lets the operating system write in its own time; the file stays whole either way."""
    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA synchronous=NORMAL")
