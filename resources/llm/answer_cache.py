"""Answers of language models, and the ledger of the calls that they cost: one SQLite file.

Part of the backup set: answers cost money, and asked again they may be others.
"""

import json
import os
import sqlite3
import threading
from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import polars as pl
from pydantic import ValidationError

from cairn.knowledge.llm.client import UNANSWERED, Answer, Ask
from cairn.knowledge.schema.tables import MODEL_CALLS
from cairn.resources.telemetry.spans import MODEL_CALL, span

ATTEMPTS = 3
"""Times that a question is asked whose answer is none; then it waits for `clear_failed`."""

VERSION = 1
_SECONDS = 30.0
_SCHEMA = f"""
BEGIN;
CREATE TABLE answers (
    key TEXT PRIMARY KEY, namespace TEXT NOT NULL, asset TEXT NOT NULL, prompt TEXT NOT NULL,
    fingerprint TEXT NOT NULL, model TEXT NOT NULL, outcome TEXT NOT NULL, reason TEXT, text TEXT,
    tokens_in INTEGER, tokens_out INTEGER, tokens_cached INTEGER, cost REAL,
    seconds REAL NOT NULL, attempts INTEGER NOT NULL, made_at TEXT NOT NULL
) STRICT;
CREATE TABLE answer_records (
    record_id TEXT NOT NULL, key TEXT NOT NULL REFERENCES answers ON DELETE CASCADE,
    PRIMARY KEY (record_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX answer_records_by_key ON answer_records (key);
CREATE TABLE calls (
    call_id INTEGER PRIMARY KEY, namespace TEXT NOT NULL, asset TEXT NOT NULL,
    prompt TEXT NOT NULL, fingerprint TEXT NOT NULL, model TEXT NOT NULL, outcome TEXT NOT NULL,
    reason TEXT, tokens_in INTEGER, tokens_out INTEGER, tokens_cached INTEGER, cost REAL,
    seconds REAL NOT NULL, called_at TEXT NOT NULL
) STRICT;
CREATE INDEX calls_by_time ON calls (called_at);
PRAGMA user_version = {VERSION};
COMMIT;
"""
_FORMS = """
CREATE TABLE IF NOT EXISTS forms (
    model TEXT NOT NULL, base TEXT NOT NULL, form TEXT NOT NULL, PRIMARY KEY (model, base)
) STRICT
"""
"""Came later, and is made where it is first written: a Cairn without it reads all else."""
_THEIRS = """
CREATE TABLE IF NOT EXISTS their_calls (
    home TEXT NOT NULL, call_id INTEGER NOT NULL, here INTEGER NOT NULL,
    PRIMARY KEY (home, call_id)
) STRICT, WITHOUT ROWID
"""
"""Calls of homes that share with this one: their number there, and in this ledger."""


class AnswersError(Exception):
    """The file of answers cannot be used; the message says why and what to do."""


class CachedAnswer(NamedTuple):
    """One answer as it is kept."""

    key: str
    namespace: str
    asset: str
    """The table that asked first."""
    prompt: str
    """The prompt's name."""
    fingerprint: str
    """The prompt's, with the model that was asked."""
    model: str
    """The model that answered: the one asked, or a fallback."""
    outcome: str
    """done, failed, or pending: asked in vain while the provider was down."""
    reason: str | None
    text: str | None
    """The answer's JSON if it is done, else what the model said; redacted."""
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None
    cost: float | None
    """Dollars of its calls; null if a price or a number of tokens is not known."""
    seconds: float
    attempts: int
    """Runs that asked."""
    made_at: str
    """ISO time, UTC."""

    def replaces(self, here: "CachedAnswer | None") -> bool:
        """Whether it is kept where another stands: one that was asked in vain."""
        return here is None or (self.outcome == "done" and here.outcome != "done")


def replayed(ask: Ask, kept: CachedAnswer) -> Answer:
    """A kept answer to a question."""
    if kept.outcome == "pending":
        return Answer("pending", reason=kept.reason)
    if kept.outcome != "done":
        return Answer("failed", reason=kept.reason, key=kept.key)
    try:
        return Answer("done", ask.prompt.output.model_validate_json(kept.text or ""))
    except ValidationError:  # its checks changed, and its fingerprint did not
        return Answer("failed", reason="wrong_shape", key=kept.key)


class Call(NamedTuple):
    """One call, answered or not. Holds nothing of what was asked or said."""

    namespace: str
    asset: str
    prompt: str
    fingerprint: str
    model: str
    outcome: str
    """done, failed or UNANSWERED."""
    reason: str | None
    """Why it failed; of one without an answer `timeout`, or the class of the error."""
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None
    cost: float | None
    seconds: float
    called_at: str


class PaidCall(NamedTuple):
    """A call with its number in the ledger of the home that paid it."""

    call_id: int
    call: Call


_PUT = (
    f"INSERT INTO answers VALUES ({', '.join('?' * len(CachedAnswer._fields))}) "  # noqa: S608
    "ON CONFLICT (key) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in CachedAnswer._fields[1:])
)
_PAY = f"INSERT INTO calls VALUES (NULL, {', '.join('?' * len(Call._fields))})"  # noqa: S608


class Answers:
    """The file of answers at a path, made when the first one is kept. Threads may share it."""

    def __init__(self, path: Path, *, timeout: float = _SECONDS) -> None:
        self._path = path
        self._timeout = timeout
        self._lock = threading.Lock()
        self._opened: sqlite3.Connection | None = None

    def read(self, keys: Iterable[str]) -> dict[str, CachedAnswer]:
        """The answers kept under these keys, whatever became of them."""
        query = "SELECT * FROM answers WHERE key IN (SELECT value FROM json_each(?))"
        return {row[0]: CachedAnswer(*row) for row in self._rows(query, json.dumps(list(keys)))}

    def put(self, kept: CachedAnswer, record_ids: Iterable[str]) -> None:
        """Keeps an answer in place of the one under its key, with the records that it saw.

        Records that the one before it saw stay: they asked the same.
        """
        with self._writing() as database:
            database.execute(_PUT, kept)
            _add_records(database, ((kept.key, record_id) for record_id in record_ids))

    def see(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Notes that kept answers stand for more records: pairs of key and record_id.

        A key without an answer is passed over.
        """
        query = (
            "SELECT a.key, pair.value ->> 1 FROM json_each(?) AS pair "
            "JOIN answers AS a ON a.key = pair.value ->> 0 "
            "LEFT JOIN answer_records AS r ON r.key = a.key AND r.record_id = pair.value ->> 1 "
            "WHERE r.key IS NULL"
        )
        if missing := self._rows(query, json.dumps(list(pairs))):
            with self._writing() as database:
                _add_records(database, missing)

    def of_namespace(self, namespace: str) -> list[CachedAnswer]:
        """Every answer of a namespace, by key."""
        query = "SELECT * FROM answers WHERE namespace = ? ORDER BY key"
        return [CachedAnswer(*row) for row in self._rows(query, namespace)]

    def delete(self, namespace: str, record_ids: Iterable[str], keys: Iterable[str] = ()) -> int:
        """Deletes every answer that saw one of these records, or has such a key; with its bytes.

        Returns:
            How many there were. Their calls stay in the ledger.
        """
        seen = (
            "DELETE FROM answers WHERE namespace = ? AND (key IN (SELECT value FROM json_each(?)) "
            "OR key IN (SELECT key FROM answer_records "
            "WHERE record_id IN (SELECT value FROM json_each(?))))"
        )
        given = [json.dumps(list(each)) for each in (keys, record_ids)]
        return self._delete(seen, [namespace, *given])

    def delete_all(self, namespace: str) -> int:
        """Deletes every answer of a namespace, as `delete`."""
        return self._delete("DELETE FROM answers WHERE namespace = ?", [namespace])

    def purge(self) -> None:
        """Gives up the pages that deleted answers left; their bytes were overwritten before."""
        if self._path.exists():
            with self._guarded():
                self._connection().execute("VACUUM")
                self._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def about(
        self, namespace: str, prompts: Iterable[str], record_ids: Iterable[str]
    ) -> list[CachedAnswer]:
        """Answers to some prompts, of any version, that saw one of these records; by key."""
        query = (
            "SELECT * FROM answers WHERE outcome = 'done' AND namespace = ? "
            "AND prompt IN (SELECT value FROM json_each(?)) AND key IN (SELECT key FROM "
            "answer_records WHERE record_id IN (SELECT value FROM json_each(?))) ORDER BY key"
        )
        given = [json.dumps(list(each)) for each in (prompts, record_ids)]
        return [CachedAnswer(*row) for row in self._rows(query, namespace, *given)]

    def clear_failed(
        self, namespace: str | None = None, record_ids: Iterable[str] | None = None
    ) -> int:
        """Deletes the answers that failed, so that the next run asks again; returns how many.

        With `record_ids`, only those that saw one of these records.
        """
        failed = "DELETE FROM answers WHERE outcome = 'failed' AND ?1 IN (namespace, '')"
        if record_ids is None:
            return self._delete(failed, [namespace or ""])
        seen = (
            " AND key IN (SELECT key FROM answer_records "
            "WHERE record_id IN (SELECT value FROM json_each(?2)))"
        )
        return self._delete(failed + seen, [namespace or "", json.dumps(list(record_ids))])

    def failed(self, namespace: str | None = None) -> list[CachedAnswer]:
        """The answers that failed, by key."""
        query = (
            "SELECT * FROM answers WHERE outcome = 'failed' AND ?1 IN (namespace, '') ORDER BY key"
        )
        return [CachedAnswer(*row) for row in self._rows(query, namespace or "")]

    def records(self, keys: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """The records that each of these answers saw, sorted."""
        query = (
            "SELECT key, record_id FROM answer_records "
            "WHERE key IN (SELECT value FROM json_each(?)) ORDER BY key, record_id"
        )
        return _by_first(self._rows(query, json.dumps(list(keys))))

    def versions(self) -> dict[str, tuple[str, ...]]:
        """Fingerprints of each prompt by which there are answers, the newest first."""
        query = (
            "SELECT prompt, fingerprint FROM answers WHERE outcome = 'done' "
            "GROUP BY prompt, fingerprint ORDER BY prompt, max(made_at) DESC, fingerprint"
        )
        return _by_first(self._rows(query))

    def pay(self, call: Call) -> None:
        """Adds a call to the ledger, and tells of it."""
        with self._writing() as database:
            database.execute(_PAY, call)
        span(
            MODEL_CALL, call.namespace, model=call.model, prompt=call.prompt, asset=call.asset,
            outcome=call.outcome, reason=call.reason, tokens_in=call.tokens_in,
            tokens_out=call.tokens_out, tokens_cached=call.tokens_cached, cost=call.cost,
        ).ended(call.seconds)  # fmt: skip

    def paid(self, since: datetime, namespace: str | None = None) -> float:
        """Dollars of calls since a time (UTC), of a namespace or of all.

        Those of unknown price count nothing.
        """
        query = "SELECT COALESCE(SUM(cost), 0.0) FROM calls WHERE called_at >= ?"
        rows = self._rows(*_within(query, since, namespace))
        return float(sum(cost for (cost,) in rows))

    def form(self, model: str, base: str) -> str | None:
        """The form of answers that a model at an address takes, if it was found out."""
        if self._rows("SELECT 1 FROM sqlite_master WHERE name = 'forms'"):
            query = "SELECT form FROM forms WHERE model = ? AND base = ?"
            return next((form for (form,) in self._rows(query, model, base)), None)
        return None

    def keep_form(self, model: str, base: str, form: str) -> None:
        """Keeps the form of answers that a model at an address takes."""
        with self._writing() as database:
            database.execute(_FORMS)
            database.execute("INSERT OR REPLACE INTO forms VALUES (?, ?, ?)", (model, base, form))

    def forget_form(self, model: str, base: str) -> None:
        """Forgets that form, so that the next call finds it out anew."""
        if self.form(model, base):
            with self._writing() as database:
                database.execute("DELETE FROM forms WHERE model = ? AND base = ?", (model, base))

    def called(self, namespace: str, asset: str, since: datetime) -> bool:
        """Whether a call for an asset was answered since a time (UTC)."""
        query = (
            "SELECT 1 FROM calls WHERE called_at >= ? AND namespace = ? AND asset = ? "
            "AND outcome <> ? LIMIT 1"
        )
        return bool(self._rows(query, since.isoformat(), namespace, asset, UNANSWERED))

    def unanswered(
        self, since: datetime, namespace: str | None = None
    ) -> list[tuple[str, str, int, str]]:
        """Model, reason, number and time of the last of calls without an answer since a time.

        Of a namespace, or of all.
        """
        query, *given = _within(
            "SELECT model, reason, count(*), max(called_at) FROM calls WHERE called_at >= ?",
            since,
            namespace,
        )
        query += " AND outcome = ? GROUP BY model, reason ORDER BY max(called_at)"
        return self._rows(query, *given, UNANSWERED)

    def ledger(self) -> pl.DataFrame:
        """All calls, as the table model_calls."""
        columns = ["call_id", *Call._fields]
        rows = self._rows("SELECT * FROM calls")
        types = {**MODEL_CALLS.schema, "called_at": pl.String()}
        frame = pl.DataFrame(rows, {name: types[name] for name in columns}, orient="row")
        at = pl.col("called_at").str.to_datetime("%+", time_unit="us", time_zone="UTC")
        return MODEL_CALLS.frame(frame.with_columns(at, day=pl.col("called_at").str.slice(0, 10)))

    def kept(self, namespace: str) -> list[tuple[CachedAnswer, tuple[str, ...]]]:
        """Answers of a namespace that are no longer waited for, by key, with their records."""
        found = [one for one in self.of_namespace(namespace) if one.outcome != "pending"]
        records = self.records(one.key for one in found)
        return [(one, records.get(one.key, ())) for one in found]

    def own_calls(self, namespace: str) -> list[PaidCall]:
        """Calls of a namespace that this home paid, in their order."""
        theirs = "call_id NOT IN (SELECT here FROM their_calls) AND " if self._has_theirs() else ""
        query = f"SELECT * FROM calls WHERE {theirs}namespace = ? ORDER BY call_id"  # noqa: S608
        return [PaidCall(row[0], Call(*row[1:])) for row in self._rows(query, namespace)]

    def take_over(
        self,
        home: str,
        answers: Collection[tuple[CachedAnswer, Sequence[str]]],
        calls: Collection[PaidCall],
    ) -> None:
        """Takes over what another home was answered and paid.

        What is here already stays, unless it was asked in vain here, and not there.
        """
        known = self.read([one.key for one, _ in answers])
        taken = set[int]()
        if self._has_theirs():
            query = "SELECT call_id FROM their_calls WHERE home = ?"
            taken = {number for (number,) in self._rows(query, home)}
        new = [(one, records) for one, records in answers if one.replaces(known.get(one.key))]
        paid = [one for one in calls if one.call_id not in taken]
        if not (new or paid):
            return
        with self._writing() as database:
            database.execute(_THEIRS)
            for one, records in new:
                database.execute(_PUT, one)
                _add_records(database, ((one.key, record_id) for record_id in records))
            for one in paid:
                here = database.execute(_PAY, one.call).lastrowid
                row = (home, one.call_id, here)
                database.execute("INSERT INTO their_calls VALUES (?, ?, ?)", row)

    def _has_theirs(self) -> bool:
        return bool(self._rows("SELECT 1 FROM sqlite_master WHERE name = 'their_calls'"))

    def take(self, table: str, rows: Iterable[Sequence[object]]) -> int:
        """Takes over rows of one of the tables of another such file; gives how many."""
        count = 0
        with self._writing() as database:
            for row in rows:
                places = ", ".join("?" * len(row))
                statement = f"INSERT OR IGNORE INTO {table} VALUES ({places})"  # noqa: S608
                with suppress(sqlite3.IntegrityError):  # of an answer that is lost
                    count += database.execute(statement, row).rowcount
        return count

    def close(self) -> None:
        """Closes the file; the next use opens it again."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def _delete(self, statement: str, values: Sequence[str]) -> int:
        if not self._path.exists():
            return 0
        with self._writing() as database:
            count = database.execute(statement, values).rowcount
        # What was deleted also stands in the write-ahead log until that is emptied; also where
        # whoever deleted it was killed before.
        with self._guarded():
            self._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return count

    def _rows(self, query: str, *given: str) -> list[Any]:
        """What a query finds; nothing if nothing was ever kept: reading makes no file."""
        with self._guarded():
            if self._opened or self._path.exists():
                return self._connection().execute(query, given).fetchall()
        return []

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        """One transaction."""
        with self._guarded(), self._connection() as database:
            database.execute("BEGIN IMMEDIATE")
            yield database

    @contextmanager
    def _guarded(self) -> Generator[None]:
        """One thread at a time, and errors that say what to do."""
        with self._lock:
            try:
                yield
            except sqlite3.OperationalError as error:
                if error.sqlite_errorname.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                    raise AnswersError(
                        f"answers {self._path}: another process has kept it locked for "
                        f"{self._timeout:g} s: end that process, or try again"
                    ) from None
                raise AnswersError(f"answers {self._path}: {error}") from None
            except sqlite3.DatabaseError as error:
                raise AnswersError(
                    f"answers {self._path} is damaged ({error}): put a backup in its place, or "
                    "move it away, and questions are asked and paid again"
                ) from None

    def _connection(self) -> sqlite3.Connection:
        if self._opened is None:
            self._opened = self._open()
        return self._opened

    def _open(self) -> sqlite3.Connection:
        if not os.access(self._path.parent, os.W_OK):
            return self._open_read_only()
        try:
            # SQLite gives the files beside it the mode of this one.
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        except OSError as error:
            raise AnswersError(f"answers {self._path}: {error.strerror}") from None
        database = sqlite3.connect(
            self._path, timeout=self._timeout, isolation_level=None, check_same_thread=False
        )
        try:
            for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
                database.execute(f"PRAGMA {pragma}")
            database.execute("PRAGMA secure_delete = ON")
            self._migrate(database)
        except BaseException:
            database.close()
            raise
        return database

    def _open_read_only(self) -> sqlite3.Connection:
        """Of a home that can only be read: nobody writes there, and no file is made beside it."""
        where = f"file:{quote(str(self._path))}?mode=ro&immutable=1"
        return sqlite3.connect(where, uri=True, isolation_level=None, check_same_thread=False)

    def _migrate(self, database: sqlite3.Connection) -> None:
        found = database.execute("PRAGMA user_version").fetchone()[0]
        if found == 0:
            try:
                database.executescript(_SCHEMA)
            except sqlite3.OperationalError:
                # Another process may have made the tables in between.
                if database.in_transaction:
                    database.execute("ROLLBACK")
                found = database.execute("PRAGMA user_version").fetchone()[0]
                if found == 0:
                    raise
        if found > VERSION:
            raise AnswersError(
                f"answers {self._path} were written by a newer Cairn (version {found}, this one "
                f"knows {VERSION}): update with `git pull && make setup`"
            )


def _within(query: str, since: datetime, namespace: str | None) -> tuple[str, ...]:
    """A query for calls since a time, of a namespace or of all, and what it is given."""
    if namespace is None:
        return query, since.isoformat()
    return f"{query} AND namespace = ?", since.isoformat(), namespace


def _by_first(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for first, second in pairs:
        found[first] = (*found.get(first, ()), second)
    return found


def _add_records(database: sqlite3.Connection, pairs: Iterable[tuple[str, str]]) -> None:
    statement = "INSERT OR IGNORE INTO answer_records (key, record_id) VALUES (?, ?)"
    database.executemany(statement, pairs)
