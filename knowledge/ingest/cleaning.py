"""What leaves payloads before anything is stored: bytes that are no text, pictures, secrets."""

from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import Protocol

import polars as pl

from cairn.knowledge.ingest.images import may_hold_images, without_images
from cairn.knowledge.ingest.jsonl import Payloads


class Redacts(Protocol):
    """Finds secrets and takes them out."""

    def suspects(self, data: bytes) -> list[tuple[int, int]]:
        """Spans (start, end) of raw bytes that may hold a secret; in one fast pass."""
        ...

    def redact_json(self, payload: bytes) -> tuple[bytes, int]:
        """A JSON payload without its secrets, and how many there were; the same bytes if none."""
        ...


def valid_text(found: Payloads) -> tuple[list[bytes], pl.Series]:
    """Payloads as valid UTF-8, as bytes and as a column: what is not becomes U+FFFD."""
    payloads = list(found.payloads)
    try:
        return payloads, as_text(payloads)
    except pl.exceptions.ComputeError:
        for row, payload in enumerate(payloads):
            try:
                payload.decode()
            except UnicodeDecodeError:
                payloads[row] = payload.decode("utf-8", "replace").encode()
    return payloads, as_text(payloads)


def as_text(payloads: list[bytes]) -> pl.Series:
    """Payloads as a column of text.

    Raises:
        polars.exceptions.ComputeError: one is no valid UTF-8.
    """
    return pl.Series(payloads, dtype=pl.Binary).cast(pl.String)


def drop_images(payloads: list[bytes], column: pl.Series) -> dict[int, int]:
    """Take pictures out of `payloads`; how many, by row."""
    dropped: dict[int, int] = {}
    doubtful = may_hold_images(column)
    for row in doubtful.arg_true() if doubtful.any() else ():
        payloads[row], count = without_images(payloads[row])
        if count:
            dropped[row] = count
    return dropped


def redact(
    found: Payloads, payloads: list[bytes], data: bytes, redactor: Redacts | None
) -> dict[int, int]:
    """Take secrets out of `payloads`; how many, by row. Rows that no prefilter hit stay as is."""
    redacted: dict[int, int] = {}
    if redactor is None:
        return redacted
    offsets = found.offsets
    if not found.as_read:
        data = b"\n".join(payloads)
        offsets = list(accumulate((len(one) + 1 for one in payloads[:-1]), initial=0))
    rows = set(found.mended)
    for start, end in redactor.suspects(data):
        rows.update(range(max(bisect_right(offsets, start) - 1, 0), bisect_left(offsets, end)))
    for row in sorted(rows):
        payloads[row], count = redactor.redact_json(payloads[row])
        if count:
            redacted[row] = count
    return redacted
