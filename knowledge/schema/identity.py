"""Ids: digests of where a thing stands, never of text that redaction or a merge may change."""

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

SEPARATOR = "\x1f"


def digest(*parts: object, length: int = 16) -> str:
    """Hex digest (BLAKE2b) of parts joined unambiguously; `length` characters, at most 64."""
    joined = SEPARATOR.join("" if part is None else str(part) for part in parts)
    return hashlib.blake2b(joined.encode(), digest_size=32).hexdigest()[:length]


def digest_column(*columns: "str | pl.Expr", prefix: str = "") -> "pl.Expr":
    """`digest` of several columns, row by row, as one text column with `prefix` before it.

    Nulls count as empty, numbers as their decimal form.
    """
    import polars as pl  # whoever looks whether anything is new needs no tables

    parts = [
        (pl.col(column) if isinstance(column, str) else column).cast(pl.String).fill_null("")
        for column in columns
    ]

    def digests(joined: pl.Series) -> pl.Series:
        blake2b = hashlib.blake2b  # `digest` itself takes twice as long
        found = [
            prefix + blake2b(text.encode(), digest_size=32).hexdigest()[:16]
            for text in joined.to_list()
        ]
        return pl.Series(joined.name, found, dtype=pl.String)

    return pl.concat_str(parts, separator=SEPARATOR).map_batches(digests, return_dtype=pl.String)


def digests_of_beginnings(lines: Iterable[str], between: str) -> set[str]:
    """`digest` of the first line, of the first two, …, of all; joined by what is `between`."""
    found: set[str] = set()
    state = hashlib.blake2b(digest_size=32)
    for number, line in enumerate(lines):
        state.update(f"{between if number else ''}{line}".encode())
        found.add(state.hexdigest()[:16])
    return found


def record_id(namespace: str, uuid: object) -> str:
    """Id of what has a UUID of its own, such as an event of the inbox; of its first block.

    What knowledge/ingest/events.py makes of it when it is read.
    """
    return "r_" + digest(namespace, "", uuid, 0)


def fact_id(namespace: str, entity: str, predicate: str, canonical_object: str) -> str:
    """Id of a statement about an entity."""
    return "f_" + digest(namespace, entity, predicate, canonical_object)


def entity_id(namespace: str, type_: str, canonical_name: str) -> str:
    """Id of an entity, by its type and canonical name."""
    return "e_" + digest(namespace, type_, canonical_name)
