"""What is asked of a vector index, whichever engine holds it, and how points are put in."""

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl

from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.tables.table import TEXT, TEXTS, TIME
from cairn.knowledge.vectors.model import Vectors

FORMAT = 8
"""Rises when points or BM25 change: all names change, and all is built anew."""

PAYLOAD: dict[str, pl.DataType] = {
    "namespace": TEXT, "status": TEXT, "strength": pl.Float64(), "lasting_strength": pl.Float64(),
    "confidence": pl.Float64(),
    "valid_from": TIME, "valid_to": TIME, "last_event_at": TIME, "first_day": TEXT,
    "day": TEXT, "sources": TEXTS,
    "conversation_id": TEXT, "entity_id": TEXT, "predicate": TEXT, "category": TEXT,
    "knowledge_type": TEXT, "info_type": TEXT, "tags": TEXTS,
}  # fmt: skip
"""What a point may carry beside its text and vector; null where it does not apply."""

CONTEXT_WEIGHT = 0.5
"""Of a word of what a text is about; a quarter to three quarters find as well (docs/search.md)."""

BESIDE: dict[str, pl.DataType] = {
    "context": TEXT,
    "beside": pl.List(pl.Struct({"text": TEXT, "weight": pl.Float64()})),
    "names": TEXTS,
}
"""What it is found by beside its text: what that is about, whose words weigh CONTEXT_WEIGHT; texts
around it, each with what its words weigh; and who said it."""


class Hit(NamedTuple):
    """One point that a search found."""

    id: str
    kind: str
    dense_score: float | None
    """Cosine to the query; None where either has no vector."""
    sparse_score: float | None
    """BM25 of its words; None if that arm did not find it."""
    dense_rank: int | None
    """From 1; None if that arm did not find it."""
    sparse_rank: int | None
    payload: Mapping[str, Any]
    """What was put in of `PAYLOAD`, times as ISO text; what was null is not there."""
    vector: Vectors | None
    """Of length 1, shape (dimension,)."""
    covered: float | None = None
    """Share of the query's words that it is found by; None where that was not asked for."""


AT_ONCE = 10_000
"""Points that are made at once."""
ISO = "%Y-%m-%dT%H:%M:%S%.6fZ"


class VectorIndexError(Exception):
    """The index cannot be built or asked; the message says why and what to do."""


class MissingGenerationError(VectorIndexError):
    """A generation is not there; the next run makes it again."""

    def __init__(self, namespace: str, name: str) -> None:
        super().__init__(
            f"index of {namespace}: generation {name} is not there: `cairn run` makes it again"
        )


@dataclass(frozen=True)
class Generation:
    """A published state of one namespace's index."""

    namespace: str
    name: str
    """Model, dimension and digest: the same contents have the same name."""
    model: str
    dimension: int
    points: int
    dense: int
    """Points with a dense vector; the others are found by BM25 alone."""
    digest: str
    optimized: bool
    format: int = FORMAT
    anew: bool = True
    """Built of nothing, so that no deleted point weighs in BM25."""


@dataclass(frozen=True)
class Filters:
    """What a result must be; None asks nothing.

    A point without a status, strength or end (an episode, a learning) passes those.
    """

    kinds: Collection[str] | None = None
    statuses: Collection[str] | None = None
    min_strength: float | None = None
    """Of what fades as most facts do."""
    min_lasting_strength: float | None = None
    """Of what fades slowly."""
    holds_after: datetime | None = None
    """A moment by which it has not ended."""
    entity_ids: Collection[str] | None = None
    predicates: Collection[str] | None = None
    categories: Collection[str] | None = None
    knowledge_types: Collection[str] | None = None
    info_types: Collection[str] | None = None
    tags: Collection[str] | None = None
    """At least one of these."""
    sources: Collection[str] | None = None
    """Adapters, at least one of these."""
    from_day: str | None = None
    """Its last event is of this day or later; ISO."""
    to_day: str | None = None
    """Its first event is of this day or earlier; ISO."""


class VectorIndex(Protocol):
    """What stages and readers ask of an index, whichever engine holds it."""

    def publish(
        self,
        namespace: str,
        points: pl.DataFrame,
        *,
        model: str,
        dimension: int,
        rebuild: bool = False,
    ) -> Generation:
        """Makes a generation that holds just these points; the one that has them, if any does.

        Args:
            namespace: Whose points these are.
            points: Columns id, kind, text, vector (List of Float32, or null), and those of `BESIDE`
                and `PAYLOAD` that apply. id is unique within its kind.
            model: Embedding model of the vectors.
            dimension: Length of each vector.
            rebuild: Build anew and optimize, as the night does; it changes no answer but its speed.

        Raises:
            VectorIndexError: columns that are not known, ids that occur twice, vectors of another
                length, or an engine that does not hold what it was given.
        """
        ...

    def generation(self, namespace: str, name: str) -> Generation:
        """A generation by its name.

        Raises:
            MissingGenerationError: it is not there.
        """
        ...

    def search(
        self,
        namespace: str,
        generation: str,
        *,
        text: str,
        vector: Sequence[float] | None = None,
        model: str | None = None,
        filters: Filters | None = None,
        limit: int = 20,
        vectors: bool = False,
    ) -> list[Hit]:
        """The nearest by vector and the best by BM25, at most `limit` of each, each point once.

        Args:
            namespace: Whose points; no filter can reach another's.
            generation: Name of the generation.
            text: The query, for BM25.
            vector: Its vector; None asks BM25 alone.
            model: Model of the vector; needed with one.
            filters: What a result must be.
            limit: Most results per arm.
            vectors: Whether each hit has its vector, else some do; and what it covers of the query.

        Returns:
            Best rank of either arm first, ties by kind and id. dense_score is there for all that
            have a vector.

        Raises:
            VectorIndexError: the generation is not there, or was made with another model.
        """
        ...

    def prune(self, namespace: str, keep: Collection[str]) -> list[str]:
        """Removes all generations but these; those in use by a reader stay readable to it.

        Returns:
            Names of what was removed, sorted.
        """
        ...


class PointRow(NamedTuple):
    """One point, ready to be put in."""

    uuid: str
    """The engine's id, from namespace, kind and id."""
    digest: str
    """Of all that the point holds."""
    text: str
    """What is searched by words."""
    beside: Sequence[tuple[str, float]]
    """Texts whose words it is found by, too, each with what they weigh."""
    names: Sequence[str]
    """Who said it, or whom it is about."""
    vector: Vectors | None
    payload: dict[str, Any]


class Prepared:
    """Points as an engine takes them, sorted by kind and id; each is made when it is asked for.

    Of most points only the digest is needed: they are there already.
    """

    def __init__(
        self,
        marks: dict[str, str],
        points: pl.DataFrame,
        payloads: pl.DataFrame,
        written: pl.Series,
        vectors: Sequence[Vectors | None],
    ) -> None:
        self.marks = marks
        """Id of each point → its digest."""
        self.vectors = vectors
        self._points = points
        self._payloads = payloads
        self._written = written

    def __len__(self) -> int:
        return len(self.marks)

    @property
    def dense(self) -> int:
        """Points with a vector."""
        return sum(vector is not None for vector in self.vectors)

    def missing(self, held: Mapping[str, str]) -> list[int]:
        """Which points are not among those that are held, each by its id with its digest."""
        marks = enumerate(self.marks.items())
        return [at for at, (id_, mark) in marks if held.get(id_) != mark]

    def texts(
        self, wanted: Sequence[int]
    ) -> Iterator[tuple[str, Sequence[tuple[str, float]], Sequence[str]]]:
        """Of some points what a `PointRow` has as `text`, `beside` and `names`."""
        for text, context, beside, names in self._points.select("text", *BESIDE)[wanted].rows():
            around = [(one["text"], one["weight"]) for one in beside]
            yield text, [(context, CONTEXT_WEIGHT), *around], names

    def values(self, field: str, wanted: Sequence[int]) -> pl.Series | None:
        """What some points have of a field of the payload, times as ISO; None if none can."""
        return self._payloads[field][wanted] if field in self._payloads.columns else None

    def payloads(self, wanted: Sequence[int]) -> list[bytes]:
        """Payloads of some points as JSON, without what they do not have."""
        # In a text quotation marks are escaped: only a name of a field stands before a colon so.
        names = "|".join(self._payloads.columns)
        lacking = rf'"(?:{names})":(?:null|\[\]),?'
        written = self._written[wanted].str.replace_all(lacking, "").str.replace(r",\}$", "}")
        return [one.encode() for one in written]

    def rows(self, but: Mapping[str, str] = MappingProxyType({})) -> Iterator[PointRow]:
        """Points other than those that are there with the same digest."""
        ids, missing = [*self.marks], self.missing(but)
        for start in range(0, len(missing), AT_ONCE):
            wanted = missing[start : start + AT_ONCE]
            told = zip(wanted, self.texts(wanted), self.payloads(wanted), strict=True)
            for at, texts, payload in told:
                id_ = ids[at]
                yield PointRow(id_, self.marks[id_], *texts, self.vectors[at], json.loads(payload))


def prepared(namespace: str, points: pl.DataFrame, dimension: int) -> Prepared:
    """Points as an engine takes them.

    Raises:
        VectorIndexError: as `VectorIndex.publish`.
    """
    if unknown := set(points.columns) - {"id", "kind", "text", "vector", *BESIDE, *PAYLOAD}:
        raise VectorIndexError(f"index of {namespace}: unknown columns {sorted(unknown)}")
    if missing := {"id", "kind", "text", "vector"} - set(points.columns):
        raise VectorIndexError(f"index of {namespace}: columns missing: {sorted(missing)}")
    if "namespace" in points.columns and (points["namespace"] != namespace).any():
        raise VectorIndexError(f"index of {namespace}: points of another namespace")
    points = points.sort("kind", "id").with_columns(
        pl.col("text").fill_null(""),
        *(_column(points, name).fill_null("" if name == "context" else []) for name in BESIDE),
    )
    if twice := points.height - points.n_unique(["kind", "id"]):
        raise VectorIndexError(f"index of {namespace}: {twice} points repeat an id")
    vectors = _vectors(namespace, points, dimension)
    fields = [name for name in points.columns if name in PAYLOAD and name != "namespace"]
    payloads = points.select(
        "id",
        "kind",
        pl.lit(namespace).alias("namespace"),
        *(
            pl.col(name).dt.strftime(ISO)
            if PAYLOAD[name] == TIME
            else pl.col(name).cast(PAYLOAD[name])
            for name in sorted(fields)
        ),
    )
    written = payloads.select(pl.struct(pl.all()).struct.json_encode()).to_series()
    around = pl.struct([*BESIDE]).struct.json_encode()
    held = points.select("id", "kind", "text", around.alias("around")).iter_rows()
    marks: dict[str, str] = {}
    for (id_, kind, text, around), payload, vector in zip(held, written, vectors, strict=True):
        content = hashlib.blake2b(f"{payload}\0{text}\0{around}\0".encode(), digest_size=16)
        if vector is not None:
            content.update(vector.tobytes())
        marks[_uuid(namespace, kind, id_)] = content.hexdigest()
    return Prepared(marks, points, payloads, written, vectors)


def _uuid(*parts: str) -> str:
    """Like UUIDs of version 5, of another hash: to make one takes a fifth of the time."""
    found = hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()
    return "-".join((found[:8], found[8:12], found[12:16], found[16:20], found[20:]))


def contents_digest(model: str, dimension: int, points: Iterable[tuple[str, str]]) -> str:
    """Digest of a generation: its model and each point's id and digest, in any order."""
    return digest(
        FORMAT, model, dimension, *(f"{id_} {mark}" for id_, mark in sorted(points)), length=32
    )


def described(
    namespace: str, rows: Prepared, model: str, dimension: int, *, optimized: bool = False
) -> Generation:
    """The generation that these points make, named by what it holds."""
    contents = contents_digest(model, dimension, rows.marks.items())
    slug = re.sub(r"[^A-Za-z0-9.]+", "_", model)[:40].strip("._") or "none"
    return Generation(
        namespace=namespace,
        name=f"{slug}-{dimension}-{contents[:16]}",
        model=model,
        dimension=dimension,
        points=len(rows),
        dense=rows.dense,
        digest=contents,
        optimized=optimized,
    )


def check_query(about: Generation, model: str | None, vector: Sequence[float] | None) -> None:
    """Refuses a vector that cannot be compared with those of a generation.

    Raises:
        VectorIndexError: another model made it, or it has another length.
    """
    # With no vector in it a generation has no dimension to differ in.
    if vector is not None and (
        model != about.model or (about.dense and len(vector) != about.dimension)
    ):
        raise VectorIndexError(
            f"index of {about.namespace} was made with {about.model} ({about.dimension}"
            f" dimensions), the query with {model} ({len(vector)}): use that embedder, or"
            " `cairn run` to embed anew"
        )


def _column(points: pl.DataFrame, name: str) -> pl.Expr:
    return (pl.col(name) if name in points.columns else pl.lit(None)).cast(BESIDE[name]).alias(name)


def _vectors(namespace: str, points: pl.DataFrame, dimension: int) -> list[Vectors | None]:
    """Each point's vector, or None."""
    vectors = points.get_column("vector").cast(pl.List(pl.Float32))
    wrong = points.filter(vectors.list.len() != dimension)
    if wrong.height:
        raise VectorIndexError(
            f"index of {namespace}: the vector of {wrong['kind'][0]} {wrong['id'][0]} has not"
            f" {dimension} numbers"
        )
    matrix = vectors.drop_nulls().explode().to_numpy().reshape(-1, dimension)
    if not np.isfinite(matrix).all():
        raise VectorIndexError(f"index of {namespace}: a vector has a number that is not finite")
    each = iter(matrix)
    return [next(each) if there else None for there in vectors.is_not_null()]
