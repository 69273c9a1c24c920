"""A flat index: points that are few enough to look at each, in one file that is mapped to memory.

Lists of rows by term serve words and filters alike: a term is a word, or a value of a field.
"""

import json
import mmap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from math import log
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
import polars as pl
import qdrant_edge as edge
from numpy.typing import NDArray
from safetensors.numpy import save_file

from cairn.knowledge.vectors.model import Vectors
from cairn.resources.vector_index.filters import INDEXED, Condition
from cairn.resources.vector_index.fusion import DENSE, DIGITS, SPARSE, Arm, PointId, hits
from cairn.resources.vector_index.protocol import Hit, Prepared

KEYWORDS = [field for field, kind in INDEXED.items() if kind == "keyword" and field != "namespace"]
NUMBERS = [field for field, kind in INDEXED.items() if kind != "keyword"]
ABSENT = ""
"""Stands for the value of a keyword that a point does not have."""

Rows = NDArray[np.int32]
Tell = Callable[[str, Iterable[tuple[str, float]], Iterable[str]], Mapping[int, float]]
_TYPES = {"U8": "u1", "I32": "<i4", "I64": "<i8", "U64": "<u8", "F32": "<f4", "F64": "<f8"}


class FlatPoint(NamedTuple):
    """A point as `fusion.hits` asks for it."""

    payload: dict[str, Any]
    vector: dict[str, Any]


class _Words(NamedTuple):
    indices: list[int]


@dataclass(frozen=True)
class FlatIndex:
    """Points by row, in the order of their ids."""

    marks: NDArray[np.uint8]
    """Id and digest of each, 16 bytes each."""
    vectors: Vectors
    """Of length 1, of those that have one."""
    vector_rows: Rows
    numbers: NDArray[np.float64]
    """A row for each of `NUMBERS`, times as seconds; NaN where a point has none."""
    terms: NDArray[np.uint64]
    """Sorted."""
    ends: NDArray[np.int64]
    """Where the list of each term ends."""
    rows: Rows
    weights: NDArray[np.float32]
    payloads: NDArray[np.uint8]
    """JSON, one after the other."""
    payload_ends: NDArray[np.int64]

    @classmethod
    def load(cls, file: Path) -> "FlatIndex":
        """One from a file that `save` wrote (safetensors); it is read where it is looked at."""
        with file.open("rb") as stream:
            held = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        start = 8 + int.from_bytes(held[:8], "little")
        arrays: dict[str, Any] = {}
        for name, of in json.loads(held[8:start]).items():
            begin, end = of["data_offsets"]
            kind = np.dtype(_TYPES[of["dtype"]])
            flat = np.frombuffer(held, kind, (end - begin) // kind.itemsize, start + begin)
            arrays[name] = flat.reshape(of["shape"])
        return cls(**arrays)

    def save(self, file: Path) -> None:
        """Writes it to a file."""
        save_file({name: np.ascontiguousarray(held) for name, held in vars(self).items()}, file)

    def __len__(self) -> int:
        return len(self.marks)

    def held(self) -> dict[str, str]:
        """Id and digest of each point."""
        ids = (str(UUID(bytes=mark[:16].tobytes())) for mark in self.marks)
        return dict(zip(ids, (mark[16:].tobytes().hex() for mark in self.marks), strict=True))

    def search(
        self,
        words: edge.SparseVector,
        asked: Sequence[float] | None,
        wanted: Sequence[Condition],
        limit: int,
        telling: Sequence[int] | None,
    ) -> list[Hit]:
        """The nearest by vector and the best by BM25, at most `limit` of each, each point once.

        Args:
            words: Those of the query.
            asked: Its vector; None asks BM25 alone.
            wanted: What points must be.
            limit: Most results per arm.
            telling: Words by which is told what a hit covers, where each is to have its vector.
        """
        passing = self.passing(wanted)
        arms = {SPARSE: self.by_words(words, passing, limit)}
        if asked is not None:
            arms[DENSE] = self.nearest(asked, passing, limit)
        return hits(arms, asked, lambda ids, _: self.retrieve(ids, telling or ()), telling)

    def passing(self, wanted: Sequence[Condition]) -> NDArray[np.bool_] | None:
        """Which points are what is wanted of them; None for all."""
        if not wanted:
            return None
        passing = np.ones(len(self), dtype=np.bool_)
        for field, test, value, or_absent in wanted:
            if test == "any":
                these = np.zeros(len(self), dtype=np.bool_)
                for each in (*value, ABSENT) if or_absent else value:
                    these[self._listed(_term(field, each))[0]] = True
            else:
                numbers, bound = self.numbers[NUMBERS.index(field)], _number(value)
                these = _COMPARED[test](numbers, bound)
                if or_absent:
                    these |= np.isnan(numbers)
            passing &= these
        return passing

    def by_words(self, asked: edge.SparseVector, passing: Any, limit: int) -> Arm:
        """The best by BM25: each word weighs what it does in the point, times how rare it is."""
        scores = np.zeros(len(self))
        told = len(self._listed(_WORDED)[0])
        for word, weight in zip(asked.indices, asked.values, strict=True):
            rows, weights = self._listed(word)
            rare = log((told - len(rows) + 0.5) / (len(rows) + 0.5) + 1)
            scores[rows] += weights * (weight * rare)
        found = np.flatnonzero(scores if passing is None else scores * passing)
        return _best(found, scores[found], SPARSE, limit)

    def nearest(self, asked: Sequence[float], passing: Any, limit: int) -> Arm:
        """The nearest by cosine."""
        query = np.array(asked, dtype=np.float32)
        query /= np.linalg.norm(query) or 1.0
        # Row by row: a product of matrices wakes threads of BLAS, which take longer than the work.
        rows, scores = self.vector_rows, np.vecdot(self.vectors, query)
        if passing is not None:
            kept = passing[rows]
            rows, scores = rows[kept], scores[kept]
        return _best(rows, scores, DENSE, limit)

    def retrieve(self, points: Sequence[PointId], words: Sequence[int]) -> list[FlatPoint]:
        """Points with their payloads, vectors, and which of some words they have."""
        rows = np.asarray(points, dtype=np.int32)
        there = [(word, _among(self._listed(word)[0], rows)) for word in words]
        at = np.searchsorted(self.vector_rows, rows)
        dense = _among(self.vector_rows, rows)
        return [
            FlatPoint(
                json.loads(self.payload(row)),
                {
                    DENSE: self.vectors[at[number]] if dense[number] else None,
                    SPARSE: _Words([word for word, among in there if among[number]]),
                },
            )
            for number, row in enumerate(rows.tolist())
        ]

    def _listed(self, term: int) -> tuple[Rows, NDArray[np.float32]]:
        """Rows that have a term, and what it weighs in each."""
        at = int(np.searchsorted(self.terms, np.uint64(term)))
        if at == len(self.terms) or self.terms[at] != term:
            return self.rows[:0], self.weights[:0]
        begin, end = self.ends[at - 1] if at else 0, self.ends[at]
        return self.rows[begin:end], self.weights[begin:end]

    def payload(self, row: int) -> bytes:
        """The payload of a point, as JSON."""
        begin = self.payload_ends[row - 1] if row else 0
        return self.payloads[begin : self.payload_ends[row]].tobytes()


def flat_index(rows: Prepared, dimension: int, tell: Tell, base: FlatIndex | None) -> FlatIndex:
    """The index of these points.

    Args:
        rows: The points.
        dimension: Length of vectors.
        tell: Gives the words of a point.
        base: An index that has some of them already: those are copied.
    """
    row_of = {id_: row for row, id_ in enumerate(sorted(rows.marks))}
    held = base.held() if base else {}
    missing = rows.missing(held)
    ids = [*rows.marks]
    to_rows = np.array([row_of[ids[at]] for at in missing], dtype=np.int32)
    vectors = np.zeros((len(rows), dimension), dtype=np.float32)
    dense = np.zeros(len(rows), dtype=np.bool_)
    numbers = np.full((len(NUMBERS), len(rows)), np.nan)
    payloads = [b""] * len(rows)
    terms, places, weights = list[int](), list[int](), list[float]()
    told = zip(missing, to_rows.tolist(), rows.texts(missing), rows.payloads(missing), strict=True)
    for at, row, texts, payload in told:
        said = tell(*texts)
        if said:
            terms += (*said, _WORDED)
            weights += (*said.values(), 0.0)
            places += [row] * (len(said) + 1)
        payloads[row] = payload
        if (vector := rows.vectors[at]) is not None:
            vectors[row], dense[row] = vector, True
    for place, field in enumerate(NUMBERS):
        if (values := rows.values(field, missing)) is not None:
            numbers[place, to_rows] = _numbers(values)
    fields = [_fields(field, rows.values(field, missing), to_rows) for field in KEYWORDS]
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-30))
    all_terms = np.concatenate([np.array(terms, dtype=np.uint64), *(one[0] for one in fields)])
    all_rows = np.concatenate([np.array(places, np.int32), *(one[1] for one in fields)])
    all_weights = np.zeros(len(all_rows), np.float32)
    all_weights[: len(weights)] = weights
    if base:
        # What stays as it is moves to its new row.
        same = [rows.marks.get(id_) == mark for id_, mark in held.items()]
        to = np.array([row_of[id_] if stays else -1 for id_, stays in zip(held, same, strict=True)])
        numbers[:, to[same]] = base.numbers[:, same]
        for row in np.flatnonzero(same).tolist():
            payloads[to[row]] = base.payload(row)
        stay = to[base.vector_rows] >= 0
        vectors[to[base.vector_rows[stay]]] = base.vectors[stay]
        dense[to[base.vector_rows[stay]]] = True
        stay = to[base.rows] >= 0
        each = np.repeat(base.terms, np.diff(base.ends, prepend=0))
        all_terms = np.concatenate([all_terms, each[stay]])
        all_rows = np.concatenate([all_rows, to[base.rows[stay]].astype(np.int32)])
        all_weights = np.concatenate([all_weights, base.weights[stay]])
    order = np.lexsort((all_rows, all_terms))
    distinct, counts = np.unique(all_terms, return_counts=True)
    marks = "".join(id_.replace("-", "") + rows.marks[id_] for id_ in row_of)
    return FlatIndex(
        marks=np.frombuffer(bytes.fromhex(marks), np.uint8).reshape(-1, 32),
        vectors=vectors[dense],
        vector_rows=np.flatnonzero(dense).astype(np.int32),
        numbers=numbers,
        terms=distinct,
        ends=np.cumsum(counts),
        rows=all_rows[order],
        weights=all_weights[order],
        payloads=np.frombuffer(b"".join(payloads), np.uint8),
        payload_ends=np.cumsum([len(one) for one in payloads], dtype=np.int64),
    )


_COMPARED: dict[str, Callable[[Any, float], Any]] = {
    "gt": np.greater,
    "gte": np.greater_equal,
    "lte": np.less_equal,
}


def _best(rows: NDArray[Any], scores: NDArray[Any], arm: str, limit: int) -> Arm:
    """An arm's best, by score, ties by the id of the point: that is the order of rows."""
    rounded = np.round(scores.astype(np.float64), DIGITS[arm])
    if len(rounded) > limit:
        kept = rounded >= np.partition(rounded, -limit)[-limit]
        rows, rounded = rows[kept], rounded[kept]
    order = np.lexsort((rows, -rounded))[:limit]
    return {int(rows[at]): (float(rounded[at]), rank) for rank, at in enumerate(order, 1)}


def _among(sorted_rows: Rows, rows: Rows) -> NDArray[np.bool_]:
    """Which of some rows are among others."""
    if not len(sorted_rows):
        return np.zeros(len(rows), dtype=np.bool_)
    at = np.searchsorted(sorted_rows, rows)
    return sorted_rows[np.minimum(at, len(sorted_rows) - 1)] == rows


def _fields(
    field: str, values: pl.Series | None, rows: Rows
) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Terms of a keyword and the row of each: one a value, that of `ABSENT` where there is none."""
    if values is None or not len(rows):
        return np.full(len(rows), _term(field, ABSENT), np.uint64), rows
    each = pl.DataFrame({"row": rows, "value": values})
    if isinstance(values.dtype, pl.List):
        each = each.explode("value")
    said = each["value"].fill_null(ABSENT)
    distinct = said.unique().to_list()
    terms = [_term(field, value) for value in distinct]
    found = said.replace_strict(distinct, terms, return_dtype=pl.UInt64())
    return found.to_numpy(), each["row"].to_numpy()


def _numbers(values: pl.Series) -> NDArray[np.float64]:
    """Numbers, or times as seconds; NaN where there is none."""
    if values.dtype == pl.String:
        times = values.unique().to_list()
        seconds = [_number(one) for one in times]
        values = values.replace_strict(times, seconds, return_dtype=pl.Float64())
    return values.cast(pl.Float64).fill_null(np.nan).to_numpy()


@lru_cache(100_000)
def _term(field: str, value: str) -> int:
    """What stands for a value of a field: beyond all words, which are of 32 bits."""
    found = blake2b(f"{field}\0{value}".encode(), digest_size=8).digest()
    return int.from_bytes(found, "little") | 1 << 63


_WORDED = _term("", "")
"""The term of points that have words: how rare a word is, is a share of these."""


def _number(value: float | str | None) -> float:
    """A number, or a time as seconds."""
    if value is None:
        return np.nan
    if not isinstance(value, str):
        return value
    moment = datetime.fromisoformat(value)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
