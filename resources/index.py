"""The embedded vector index: Qdrant Edge, generations in folders that do not change."""

import json
import os
import re
import shutil
import threading
import uuid
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import qdrant_edge as edge

from resources.bm25 import Words
from resources.files import replace_file
from resources.home import check_namespace
from resources.vector_index import (
    FORMAT,
    PAYLOAD,
    Filters,
    Generation,
    Hit,
    MissingGenerationError,
    PointRow,
    Prepared,
    VectorIndex,
    VectorIndexError,
    contents_digest,
    prepared,
)

__all__ = [
    "PAYLOAD",
    "EdgeIndex",
    "Filters",
    "Generation",
    "Hit",
    "VectorIndex",
    "VectorIndexError",
]

FRESH_BELOW = 20_000
"""Fewer points than this are built anew: copying a generation takes as long."""
EXACT_BELOW = 100_000
"""Fewer points than this are compared exactly: 9 ms at 60,000, and the same answer whatever the
build. From there on the night builds a graph (HNSW)."""
BATCH = 1_000
OPEN_SHARDS = 8
TIES = 32
"""Asked beyond the limit, so that points of one score at the cut are chosen by id."""
BLOCK = 1 << 16
DENSE, SPARSE = "dense", "bm25"

PointId = int | uuid.UUID | str
Arm = dict[PointId, tuple[float, int]]
"""Point → its score and rank among the best."""

_INDEXED = {
    "namespace": edge.KeywordIndexParams(is_tenant=True),
    "strength": edge.PayloadSchemaType.Float,
    "first_day": edge.PayloadSchemaType.Datetime,
    "day": edge.PayloadSchemaType.Datetime,
    "valid_to": edge.PayloadSchemaType.Datetime,
    **dict.fromkeys(
        ("kind", "status", "entity_id", "predicate", "category", "knowledge_type", "info_type",
         "tags", "sources"),
        edge.PayloadSchemaType.Keyword,
    ),
}  # fmt: skip


class EdgeIndex:
    """The embedded engine: `VectorIndex` over a folder.

    `<folder>/<namespace>/<generation>/<build>/` has `generation.json` and the engine's `shard/`.
    A build is complete once it stands under its number, and the highest number counts: the night
    adds an optimized build of the same contents. The engine touches files when it loads a shard,
    but not what they hold; several processes may load one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._words = Words()
        self._shards: dict[Path, tuple[int, tuple[Generation, edge.EdgeShard]]] = {}
        self._lock = threading.Lock()

    def publish(
        self,
        namespace: str,
        points: pl.DataFrame,
        *,
        model: str,
        dimension: int,
        rebuild: bool = False,
    ) -> Generation:
        """See `VectorIndex.publish`. Only under the home's write lock."""
        rows = prepared(check_namespace(namespace), points, dimension)
        contents = contents_digest(model, dimension, rows.marks.items())
        slug = re.sub(r"[^A-Za-z0-9.]+", "_", model)[:40].strip("._") or "none"
        made = Generation(
            namespace=namespace,
            name=f"{slug}-{dimension}-{contents[:16]}",
            model=model,
            dimension=dimension,
            points=len(rows),
            dense=rows.dense,
            digest=contents,
            optimized=rebuild,
        )
        folder = self._folder / namespace / made.name
        build = _latest(folder)
        if build and ((there := _about(build)).optimized or not rebuild):
            return there
        partial = self._folder / namespace / f"{uuid.uuid4()}.partial"
        base = None if rebuild or made.points < FRESH_BELOW else self._newest_like(made)
        made = replace(made, anew=base is None)
        try:
            self._build(made, rows, partial / "shard", base)
            replace_file(partial / "generation.json", json.dumps(asdict(made)).encode())
            folder.mkdir(mode=0o700, exist_ok=True)
            partial.rename(folder / str(int(build.name) + 1 if build else 0))
        finally:
            shutil.rmtree(partial, ignore_errors=True)
        if build:
            shutil.rmtree(build)
        return made

    def generation(self, namespace: str, name: str) -> Generation:
        """See `VectorIndex.generation`."""
        return _about(self._build_of(namespace, name))

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
        """See `VectorIndex.search`."""
        about, shard = self._opened(namespace, generation)
        conditions = _conditions(filters or Filters())
        # With no vector in it a generation has no dimension to differ in.
        if vector is not None and (
            model != about.model or (about.dense and len(vector) != about.dimension)
        ):
            raise VectorIndexError(
                f"index of {namespace} was made with {about.model} ({about.dimension} dimensions),"
                f" the query with {model} ({len(vector)}): use that embedder, or `cairn run` to"
                " embed anew"
            )
        if conditions is None:
            return []
        words = self._words.asked(text)
        arms: dict[str, Arm] = {SPARSE: {}, DENSE: {}}
        if words.indices:
            # By itself the engine counts deleted points too, and scores would depend on how a
            # generation came about; to count those of the namespace takes longer.
            own = None if about.anew else edge.IdfParams(edge.Filter(must=[_tenant(namespace)]))
            query, params = edge.Query.Nearest(words, using=SPARSE), edge.SearchParams(idf=own)
            arms[SPARSE] = _ranked(shard, query, conditions, params, limit, 4)
        if vector is not None and about.dense:
            query = edge.Query.Nearest(list(vector), using=DENSE)
            params = edge.SearchParams(exact=about.points < EXACT_BELOW)
            arms[DENSE] = _ranked(shard, query, conditions, params, limit, 6)
        return _hits(shard, arms, vector if about.dense else None, vectors=vectors)

    def prune(self, namespace: str, keep: Collection[str]) -> list[str]:
        """See `VectorIndex.prune`. What a killed build left behind goes too."""
        folder = self._folder / check_namespace(namespace)
        if not folder.is_dir():
            return []
        gone = sorted(path for path in folder.iterdir() if path.name not in keep)
        for path in gone:
            shutil.rmtree(path)
        return [path.name for path in gone if path.suffix != ".partial"]

    def _build(self, made: Generation, rows: Prepared, folder: Path, base: Path | None) -> None:
        """Fills a folder with a shard of these rows, and proves that it holds them."""
        if base:
            copy_sparse(base / "shard", folder)
            shard = edge.EdgeShard.load(str(folder))
            held = dict(_held(shard))
        else:
            folder.mkdir(mode=0o700, parents=True)
            shard = _new_shard(folder, made.dimension)
            held = {}
        if gone := held.keys() - rows.marks.keys():
            shard.update(edge.UpdateOperation.delete_points(sorted(gone)))
        todo = map(self._point, rows.rows(held))
        # The engine takes in a batch while the next one is made.
        with ThreadPoolExecutor(1) as engine:
            taken = engine.submit(lambda: None)
            while batch := list(islice(todo, BATCH)):
                taken.result()
                taken = engine.submit(shard.update, edge.UpdateOperation.upsert_points(batch))
            taken.result()
        if made.optimized:
            shard.optimize()
        shard.flush()
        if contents_digest(made.model, made.dimension, _held(shard)) != made.digest:
            raise VectorIndexError(
                f"index of {made.namespace}: the engine does not hold what it was given: try again"
            )
        shard.close()

    def _point(self, row: PointRow) -> edge.Point:
        vectors: dict[str, Any] = {} if row.vector is None else {DENSE: row.vector}
        words = self._words.told(row.text, row.context)
        if words.indices:
            vectors[SPARSE] = words
        return edge.Point(row.uuid, vectors, row.payload | {"digest": row.digest})

    def _newest_like(self, made: Generation) -> Path | None:
        """The build of the newest generation that can be copied."""
        builds = [
            build
            for folder in (self._folder / made.namespace).glob("*")
            if (build := _latest(folder))
            and (there := _about(build)).model == made.model
            and there.dimension == made.dimension
            and there.format == FORMAT
        ]
        return max(builds, key=lambda build: build.stat().st_mtime_ns, default=None)

    def _build_of(self, namespace: str, name: str) -> Path:
        build = _latest(self._folder / check_namespace(namespace) / name)
        if build is None:
            raise MissingGenerationError(namespace, name)
        return build

    def _opened(self, namespace: str, name: str) -> tuple[Generation, edge.EdgeShard]:
        """A loaded shard; the longest open gives way. Loading takes 50 ms, so they are kept."""
        folder = self._folder / check_namespace(namespace) / name
        with self._lock:
            changed = _changed(folder)
            if (known := self._shards.get(folder)) and known[0] == changed:
                return known[1]
            while len(self._shards) >= OPEN_SHARDS:
                del self._shards[next(iter(self._shards))]
            build = self._build_of(namespace, name)
            try:
                shard = edge.EdgeShard.load(str(build / "shard"))
            except Exception:  # the engine has no exceptions of its own
                if build.exists():
                    raise
                build = self._build_of(namespace, name)  # the night has just replaced it
                shard = edge.EdgeShard.load(str(build / "shard"))
            self._shards[folder] = changed, (_about(build), shard)
            return self._shards[folder][1]


def _new_shard(folder: Path, dimension: int) -> edge.EdgeShard:
    config = edge.EdgeConfig(
        vectors={DENSE: edge.EdgeVectorParams(dimension, edge.Distance.Cosine)},
        sparse_vectors={SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
        optimizers=edge.EdgeOptimizersConfig(indexing_threshold=EXACT_BELOW * dimension // 256),
        wal_enabled=False,  # it can be made again, and several readers may load it
    )
    shard = edge.EdgeShard.create(str(folder), config)
    for name, kind in _INDEXED.items():
        shard.update(edge.UpdateOperation.create_field_index(name, kind))
    return shard


def _held(shard: edge.EdgeShard) -> Iterator[tuple[str, str]]:
    """Id and digest of each point of a shard."""
    offset = None
    while True:
        points, offset = shard.scroll(
            edge.ScrollRequest(offset=offset, limit=10 * BATCH, with_payload=["digest"])
        )
        for point in points:
            yield str(point.id), (point.payload or {}).get("digest", "")
        if offset is None:
            return


def _latest(folder: Path) -> Path | None:
    """The build of a generation that counts, if it has one."""
    if not folder.is_dir():
        return None
    builds = [path for path in folder.iterdir() if path.name.isdecimal()]
    return max(builds, key=lambda path: int(path.name), default=None)


def _changed(folder: Path) -> int:
    """When a build last came to a generation or left it; a look takes a tenth of listing them."""
    try:
        return folder.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def _about(build: Path) -> Generation:
    return Generation(**json.loads((build / "generation.json").read_bytes()))


def copy_sparse(source: Path, target: Path) -> None:
    """Copies a folder, leaving holes where there are only zeros: the engine reserves much space."""

    def copy(source: str, target: str) -> None:
        with Path(source).open("rb") as reader, Path(target).open("wb") as writer:
            while block := reader.read(BLOCK):
                if block.count(0) == len(block):
                    writer.seek(len(block), os.SEEK_CUR)
                else:
                    writer.write(block)
            writer.truncate()

    shutil.copytree(source, target, copy_function=copy)


def _tenant(namespace: str) -> edge.FieldCondition:
    return edge.FieldCondition("namespace", match=edge.MatchValue(namespace))


def _conditions(filters: Filters) -> list[Any] | None:
    """All that must hold; None if nothing can. A shard has points of one namespace alone."""
    conditions: list[Any] = []
    wanted = {
        "kind": filters.kinds,
        "entity_id": filters.entity_ids,
        "predicate": filters.predicates,
        "category": filters.categories,
        "knowledge_type": filters.knowledge_types,
        "info_type": filters.info_types,
        "tags": filters.tags,
        "sources": filters.sources,
    }
    for name, values in wanted.items():
        if values is not None:
            if not values:
                return None
            conditions.append(_any_of(name, values))
    if filters.statuses is not None:
        conditions.append(_or_absent("status", _any_of("status", filters.statuses)))
    if filters.min_strength is not None:
        least = edge.FieldCondition("strength", range=edge.RangeFloat(gte=filters.min_strength))
        conditions.append(_or_absent("strength", least))
    if filters.holds_after is not None:
        later = edge.RangeDateTime(gt=filters.holds_after.isoformat())
        conditions.append(_or_absent("valid_to", edge.FieldCondition("valid_to", range=later)))
    if filters.from_day:
        conditions.append(
            edge.FieldCondition("day", range=edge.RangeDateTime(gte=filters.from_day))
        )
    if filters.to_day:
        conditions.append(
            edge.FieldCondition("first_day", range=edge.RangeDateTime(lte=filters.to_day))
        )
    return conditions


def _any_of(name: str, values: Collection[str]) -> edge.FieldCondition:
    match = edge.MatchValue(*values) if len(values) == 1 else edge.MatchAny(sorted(values))
    return edge.FieldCondition(name, match=match)


def _or_absent(name: str, condition: edge.FieldCondition) -> edge.Filter:
    return edge.Filter(should=[condition, edge.IsEmptyCondition(name)])


def _ranked(
    shard: edge.EdgeShard,
    query: edge.Query,
    conditions: list[Any],
    params: edge.SearchParams,
    limit: int,
    digits: int,
) -> Arm:
    """An arm's best, by score, ties by the id of the point.

    The engine adds up in float32: what is beyond its precision is rounded away.
    """
    found = shard.query(
        edge.QueryRequest(
            limit + TIES,
            query=query,
            filter=edge.Filter(must=conditions) if conditions else None,
            params=params,
        )
    )
    scores = [-round(point.score, digits) for point in found]
    cut = sorted(scores)[:limit][-1:] or [0.0]
    # An id takes longer to read than a score: only those are read that may be among the best.
    best = sorted(
        (score, point.id) for score, point in zip(scores, found, strict=True) if score <= cut[0]
    )
    return {point: (-score, rank) for rank, (score, point) in enumerate(best[:limit], 1)}


def _hits(
    shard: edge.EdgeShard,
    arms: dict[str, Arm],
    asked: Sequence[float] | None,
    *,
    vectors: bool,
) -> list[Hit]:
    """What both arms found, with the payloads of all, and the cosines of those with a vector."""
    query = None if asked is None else np.asarray(asked, dtype=np.float32)
    if query is not None:
        query /= np.linalg.norm(query) or 1.0
    hits: list[Hit] = []
    points = [*dict.fromkeys(id_ for arm in arms.values() for id_ in arm)]
    # Vectors take as long as all else, and the nearest have their cosines already.
    needed = vectors or (query is not None and arms[SPARSE].keys() - arms[DENSE].keys())
    # Records come in the order of the ids.
    found = shard.retrieve(points, True, [DENSE] if needed else False)
    for id_, point in zip(points, found, strict=True):
        payload = point.payload or {}
        nearness, near = arms[DENSE].get(id_, (None, None))
        weight, rank = arms[SPARSE].get(id_, (None, None))
        stored = point.vector if needed else None
        stored = stored.get(DENSE) if isinstance(stored, dict) else None
        vector = None if stored is None else np.asarray(stored, dtype=np.float32)
        if nearness is None and query is not None and vector is not None:
            nearness = round(float(query @ vector), 6)
        hits.append(
            Hit(payload["id"], payload["kind"], nearness, weight, near, rank, payload, vector)
        )
    none = len(hits) + 1
    return sorted(
        hits,
        key=lambda hit: (min(hit.dense_rank or none, hit.sparse_rank or none), hit.kind, hit.id),
    )
