"""The log file: lines of JSON, one file for each day (UTC), that any process of a home adds to.

Of a warning it has the words that stand in the code, with numbers and classes of errors: whatever
else was put into them, such as a path or a name, may be of a log.
"""

import json
import logging
import os
import re
import traceback
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cairn.resources.telemetry.spans import public

SUFFIX = ".jsonl"
MOST_BYTES = 64_000_000
"""Of one day; what goes round in circles must not fill a disk."""
WAIT = timedelta(seconds=60)
"""Until it is tried again where it could not be written."""
PACKAGE = Path(__file__).parents[2]

_PLACE = re.compile(r"%(?:\.\d+)?[a-z]")


class DailyLog(logging.Handler):
    """Writes to a folder; each line by one call, at the end of whatever others have written.

    Where it cannot be written nothing else fails.
    """

    def __init__(self, folder: Path, days: int, command: str) -> None:
        super().__init__(logging.INFO)
        self.folder, self.days, self.command = folder, days, command
        self._file = -1
        self._day = ""
        self._torn = False
        self._again = datetime.min.replace(tzinfo=UTC)

    def emit(self, record: logging.LogRecord) -> None:
        """Adds a line."""
        moment = datetime.fromtimestamp(record.created, UTC)
        if moment < self._again:
            return
        try:
            self._write(moment, _line(record, moment, self.command))
        except (OSError, ValueError, TypeError):
            self._again = moment + WAIT
            self._let_go()

    def close(self) -> None:
        """Closes the file; who logs after that opens it anew."""
        self.acquire()
        try:
            self._let_go()
        finally:
            self.release()
        super().close()

    def _let_go(self) -> None:
        if self._file >= 0:
            with suppress(OSError):
                os.close(self._file)
        self._file = -1

    def _write(self, moment: datetime, line: bytes) -> None:
        day = f"{moment:%Y-%m-%d}"
        if day != self._day or self._file < 0 or not os.fstat(self._file).st_nlink:
            self._open(day, moment)
        if os.fstat(self._file).st_size > MOST_BYTES:
            return
        whole = b"\n" + line if self._torn else line
        self._torn = os.write(self._file, whole) < len(whole)  # the disk is full

    def _open(self, day: str, moment: datetime) -> None:
        self._let_go()
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self.folder / f"{day}{SUFFIX}"
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self._file = os.open(path, flags | os.O_NONBLOCK, 0o600)  # a pipe would be waited for
        self._day = day
        oldest = f"{moment - timedelta(days=self.days - 1):%Y-%m-%d}"
        for old in self.folder.glob(f"????-??-??{SUFFIX}"):
            if old.stem < oldest:
                with suppress(OSError):
                    old.unlink()


def _line(record: logging.LogRecord, moment: datetime, command: str) -> bytes:
    fields: dict[str, Any] = getattr(record, "fields", {})
    told: dict[str, Any] = {
        "time": moment.isoformat(timespec="milliseconds"),
        "level": record.levelname.lower(),
        "logger": record.name,
        "message": _words(record),
        "pid": record.process,
        "command": command,
        **public(getattr(record, "namespace", None), fields),
    }
    if record.levelno >= logging.WARNING:
        told.setdefault("place", place(record.pathname, record.lineno))
    if error := _error(record):
        told.setdefault("error", type(error).__name__)
        if found := place_of(error):
            told["place"] = found
    return json.dumps(told, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def place_of(error: BaseException) -> str | None:
    """Where in our code an error came up; in whose, if in none of ours."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [each for each in frames if Path(each.filename).is_relative_to(PACKAGE)]
    return next((place(one.filename, one.lineno or 0) for one in reversed(own or frames)), None)


def place(filename: str, line: int) -> str:
    """A line of code: below the package; of a library by the name of its module alone."""
    path = Path(filename)
    own = path.is_relative_to(PACKAGE)
    return f"{path.relative_to(PACKAGE).as_posix() if own else path.name}:{line}"


def _error(record: logging.LogRecord) -> BaseException | None:
    if record.exc_info and record.exc_info[1]:
        return record.exc_info[1]
    given = record.args if isinstance(record.args, tuple) else ()
    return next((each for each in given if isinstance(each, BaseException)), None)


def _words(record: logging.LogRecord) -> str:
    """A message by what stands in the code; of what was put in, numbers and classes of errors."""
    words = str(record.msg)
    given = iter(record.args if isinstance(record.args, tuple) else ())
    return _PLACE.sub(lambda _: _shown(next(given, None)), words)


def _shown(value: object) -> str:
    if isinstance(value, BaseException):
        return type(value).__name__
    return f"{value:g}" if isinstance(value, int | float) else "…"
