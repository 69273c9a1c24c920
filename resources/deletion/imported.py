"""Records that were imported of another home, as the files hold them that intake reads."""

from collections.abc import Iterator

import polars as pl

from cairn.knowledge.ingest.exported import ExportedLines, read_lines
from cairn.knowledge.schema.calendar import UNDATED
from cairn.resources.home.home import Home
from cairn.resources.home.inbox import imports
from cairn.resources.home.log_files import windows

WINDOW = 32 * 1024 * 1024
"""Bytes of imported records that are looked through at once."""


def imported_lines(data: bytes, namespace: str) -> ExportedLines:
    """Records of lines that this home keeps: they were redacted when they came."""
    return read_lines(data, namespace=namespace, seen_at=UNDATED, redactor=None)


def imported_records(home: Home, namespace: str) -> Iterator[pl.DataFrame]:
    """Rows of RECORDS that a namespace imported, whether or not a run took them in."""
    for file in imports(home, namespace):
        for window in windows(file, size=WINDOW):
            yield imported_lines(window.data, namespace).records
