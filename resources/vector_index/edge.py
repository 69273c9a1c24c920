"""The embedded vector index, generations in folders that do not change.

Few points are in a flat index, many in a shard of Qdrant Edge.
"""

import json
import os
import shutil
import tempfile
import threading
import uuid
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import qdrant_edge as edge

from cairn.resources.home.atomic_files import replace_file
from cairn.resources.home.damage import first_line, is_panic
from cairn.resources.home.home import check_namespace
from cairn.resources.home.notes import NoteError, read_note
from cairn.resources.home.seals import SEALS, blocks, has_size, is_as_sealed, seal, seals
from cairn.resources.vector_index.bm25 import Words
from cairn.resources.vector_index.filters import INDEXED, Condition, conditions
from cairn.resources.vector_index.flat import FlatIndex, flat_index
from cairn.resources.vector_index.fusion import (
    DENSE,
    EXACT_BELOW,
    SPARSE,
    TIES,
    Arm,
    PointId,
    hits,
    indexing_threshold,
    ranked,
)
from cairn.resources.vector_index.protocol import (
    FORMAT,
    Filters,
    Generation,
    Hit,
    MissingGenerationError,
    PointRow,
    Prepared,
    VectorIndexError,
    check_query,
    contents_digest,
    described,
    prepared,
)

FLAT_BELOW = EXACT_BELOW
"""Fewer points than this are compared exactly in any case, and are in a flat index: a shard of the
engine takes 70 MB and 30 ms to load, however few points it has (docs/decisions/0055)."""
BATCH = 1_000
OPEN_BYTES = 512 << 20
"""Of files of generations that stay open, those asked for last; what one has is mapped to memory.
One that is larger is open alone."""

FLAT, SHARD = "flat", "shard"
"""Names of an index in a build."""

_INDEX_TYPES = {
    "keyword": edge.PayloadSchemaType.Keyword,
    "number": edge.PayloadSchemaType.Float,
    "time": edge.PayloadSchemaType.Datetime,
}


class EdgeIndex:
    """The embedded index: `VectorIndex` over a folder.

    `<folder>/<namespace>/<generation>/<build>/` has `generation.json`, and a `flat` index or the
    engine's `shard/`.
    A build is complete once it stands under its number, and the highest number counts: the night
    adds an optimized build of the same contents. The engine touches files when it loads a shard,
    but not what they hold; several processes may load one. What they hold is sealed, since the
    engine would not notice a file that was cut. A build that cannot be read counts as none.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._words = Words()
        self._open: dict[Path, _OpenIndex] = {}
        """By the folder of the generation, the one asked for last at the end."""
        self._lock = threading.Lock()
        self._copies: list[tempfile.TemporaryDirectory[str]] = []

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
        flat = len(rows) < FLAT_BELOW
        made = described(namespace, rows, model, dimension, optimized=rebuild or flat)
        folder = self._folder / namespace / made.name
        build = _latest(folder)
        there = _about(build) if build and _damage(build, deep=False) is None else None
        if there and (there.optimized or not rebuild):
            return there
        partial = self._folder / namespace / f"{uuid.uuid4()}.partial"
        base = None if rebuild else self._newest_like(made, FLAT if flat else SHARD)
        made = replace(made, anew=flat or base is None)
        try:
            partial.mkdir(mode=0o700, parents=True)
            if flat:
                before = FlatIndex.load(base) if base else None
                flat_index(rows, dimension, self._words.told, before).save(partial / FLAT)
            else:
                self._build(made, rows, partial / SHARD, base)
            replace_file(partial / "generation.json", json.dumps(asdict(made)).encode())
            seal(partial, _files(partial))
            folder.mkdir(mode=0o700, exist_ok=True)
            partial.rename(folder / str(int(build.name) + 1 if build else 0))
        finally:
            shutil.rmtree(partial, ignore_errors=True)
        if build:
            shutil.rmtree(build)
        return made

    def generation(self, namespace: str, name: str) -> Generation:
        """See `VectorIndex.generation`."""
        about = _about(self._build_of(namespace, name))
        if about is None:
            raise MissingGenerationError(namespace, name)
        return about

    def damage(self, namespace: str, name: str, *, deep: bool) -> str | None:
        """What is wrong with the files of a generation; None if nothing is, or it is not there.

        `deep` looks at what the files hold, too; else at their sizes.
        """
        folder = self._folder / check_namespace(namespace) / name
        if not folder.is_symlink() and not folder.exists():
            return None
        build = _latest(folder)
        return "it is not whole" if build is None else _damage(build, deep=deep)

    def drop(self, namespace: str, name: str) -> None:
        """Removes a generation, whatever stands in its place."""
        folder = self._folder / check_namespace(namespace) / name
        if folder.is_dir() and not folder.is_symlink():
            shutil.rmtree(folder)
        else:
            folder.unlink(missing_ok=True)

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
        about, index = self._opened(namespace, generation)
        check_query(about, model, vector)
        wanted = conditions(filters or Filters())
        if wanted is None:
            return []
        asked = vector if about.dense else None
        words, telling = self._words.asked(text), self._words.telling(text) if vectors else None
        if isinstance(index, FlatIndex):
            return index.search(words, asked, wanted, limit, telling)
        return _ask(about, index, words, asked, wanted, limit, telling)

    def prune(self, namespace: str, keep: Collection[str]) -> list[str]:
        """See `VectorIndex.prune`. What a killed build left behind goes too."""
        folder = self._folder / check_namespace(namespace)
        if not folder.is_dir():
            return []
        gone = sorted(path for path in folder.iterdir() if path.name not in keep)
        for path in gone:
            self.drop(namespace, path.name)
        return [path.name for path in gone if path.suffix != ".partial"]

    def _build(self, made: Generation, rows: Prepared, folder: Path, base: Path | None) -> None:
        """Fills a folder with a shard of these rows, and proves that it holds them."""
        if base:
            copy_sparse(base, folder)
            shard = edge.EdgeShard.load(str(folder))
            held = dict(_held(shard))
        else:
            folder.mkdir(mode=0o700)
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
        # At its first loading the engine removes what it needed to build, and is then at rest.
        edge.EdgeShard.load(str(folder)).close()

    def _point(self, row: PointRow) -> edge.Point:
        vectors: dict[str, Any] = {} if row.vector is None else {DENSE: row.vector.tolist()}
        if words := self._words.told(row.text, row.beside, row.names):
            vectors[SPARSE] = edge.SparseVector([*words], [*words.values()])
        return edge.Point(row.uuid, vectors, row.payload | {"digest": row.digest})

    def _newest_like(self, made: Generation, kind: str) -> Path | None:
        """The newest index of a kind that can be copied, and has most of these points.

        To copy it takes a third of the time of putting all points in.
        """
        builds = [
            build
            for folder in (self._folder / made.namespace).glob("*")
            if (build := _latest(folder))
            and (there := _about(build))
            and there.model == made.model
            and there.dimension == made.dimension
            and there.format == FORMAT
            and (build / kind).exists()
            and made.points < 2 * there.points
            and _damage(build, deep=True) is None
        ]
        newest = max(builds, key=lambda build: build.stat().st_mtime_ns, default=None)
        return newest and newest / kind

    def _build_of(self, namespace: str, name: str) -> Path:
        build = _latest(self._folder / check_namespace(namespace) / name)
        if build is None:
            raise MissingGenerationError(namespace, name)
        return build

    def _opened(self, namespace: str, name: str) -> tuple[Generation, FlatIndex | edge.EdgeShard]:
        """An open generation; of many those that nobody asked for the longest give way."""
        folder = self._folder / check_namespace(namespace) / name
        with self._lock:
            changed = _changed(folder)
            known = self._open.pop(folder, None)
            if known is None or known.changed != changed:
                build = self._build_of(namespace, name)
                try:
                    opened = self._load(build)
                except VectorIndexError:
                    if build.exists():
                        raise
                    build = self._build_of(namespace, name)  # the night just replaced it
                    opened = self._load(build)
                size = sum(noted.size for noted in seals(build).values())
                known = _OpenIndex(changed, size, *opened)
            self._open[folder] = known
            self._close_longest_idle()
            return known.about, known.held

    def _close_longest_idle(self) -> None:
        size = sum(one.size for one in self._open.values())
        for folder, one in list(self._open.items())[:-1]:
            if size <= OPEN_BYTES:
                return
            size -= one.size
            del self._open[folder]

    def _load(self, build: Path) -> tuple[Generation, FlatIndex | edge.EdgeShard]:
        """A build, from a copy of it where the engine may not touch its files.

        Raises:
            VectorIndexError: it cannot be loaded.
        """
        about, wrong = _about(build), _damage(build, deep=False)
        try:
            if about is not None and wrong is None:
                if (build / FLAT).exists():
                    return about, FlatIndex.load(build / FLAT)
                return about, edge.EdgeShard.load(str(self._touchable(build / SHARD)))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # the engine has no exceptions of its own
            if not is_panic(error) and not isinstance(error, Exception):
                raise
            wrong = first_line(error)
        raise VectorIndexError(
            f"index of {build.parents[1].name}: it is damaged ({wrong or 'it is not whole'}):"
            " `cairn run` makes it again"
        )

    def _touchable(self, shard: Path) -> Path:
        if os.access(shard, os.W_OK):
            return shard
        copy = tempfile.TemporaryDirectory(prefix="cairn-index-")
        self._copies.append(copy)  # removed with the index
        copy_sparse(shard, Path(copy.name) / SHARD)
        for path in Path(copy.name).rglob("*"):
            path.chmod(0o700 if path.is_dir() else 0o600)
        return Path(copy.name) / SHARD


class _OpenIndex(NamedTuple):
    """An open generation, when its folder had last changed, and the size of its files."""

    changed: int
    size: int
    about: Generation
    held: FlatIndex | edge.EdgeShard


def _ask(
    about: Generation,
    shard: edge.EdgeShard,
    words: edge.SparseVector,
    asked: Sequence[float] | None,
    wanted: Sequence[Condition],
    limit: int,
    telling: Sequence[int] | None,
) -> list[Hit]:
    """A search in a shard of the engine."""
    only = edge.Filter(must=[_condition(each) for each in wanted]) if wanted else None

    def nearest(query: Any, arm: str, params: edge.SearchParams) -> Arm:
        nearest = edge.Query.Nearest(query, using=arm)
        request = edge.QueryRequest(limit + TIES, query=nearest, filter=only, params=params)
        return ranked(shard.query(request), arm, limit)

    def retrieve(points: list[PointId], with_vector: bool) -> list[edge.Record]:
        return shard.retrieve(points, True, [DENSE, SPARSE] if with_vector else False)

    arms: dict[str, Arm] = {}
    if words.indices:
        # By itself the engine counts deleted points too, and scores would depend on how a
        # generation came about; to count those of the namespace takes longer.
        own = None if about.anew else edge.IdfParams(edge.Filter(must=[_tenant(about.namespace)]))
        arms[SPARSE] = nearest(words, SPARSE, edge.SearchParams(idf=own))
    if asked is not None:
        params = edge.SearchParams(exact=about.points < EXACT_BELOW)
        arms[DENSE] = nearest(list(asked), DENSE, params)
    return hits(arms, asked, retrieve, telling)


def _new_shard(folder: Path, dimension: int) -> edge.EdgeShard:
    config = edge.EdgeConfig(
        vectors={DENSE: edge.EdgeVectorParams(dimension, edge.Distance.Cosine)},
        sparse_vectors={SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
        optimizers=edge.EdgeOptimizersConfig(indexing_threshold=indexing_threshold(dimension)),
        wal_enabled=False,  # it can be made again, and several readers may load it
    )
    shard = edge.EdgeShard.create(str(folder), config)
    tenant = edge.KeywordIndexParams(is_tenant=True)
    for field, kind in INDEXED.items():
        index = tenant if field == "namespace" else _INDEX_TYPES[kind]
        shard.update(edge.UpdateOperation.create_field_index(field, index))
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
    except OSError:
        return 0


def _about(build: Path) -> Generation | None:
    """What a build says of itself; None if that cannot be read."""
    try:
        return read_note(build / "generation.json", Generation)
    except (FileNotFoundError, NoteError):
        return None


def _files(build: Path) -> dict[str, Path]:
    """Files of a build by their path in it."""
    return {
        file.relative_to(build).as_posix(): file
        for file in build.rglob("*")
        if file.is_file() and file.name != SEALS
    }


def _damage(build: Path, *, deep: bool) -> str | None:
    """What is wrong with the files of a build; nothing can be known of one that was not sealed."""
    if _about(build) is None:
        return "what it says of itself cannot be read"
    for name, noted in seals(build).items():
        file = build / name
        if not (is_as_sealed(file, noted, deep=True) if deep else has_size(file, noted.size)):
            return f"{name} is not as it was written"
    there = (build / FLAT).is_file() or (build / SHARD).is_dir()
    return None if there else "its files are gone"


def copy_sparse(source: Path, target: Path) -> None:
    """Copies a folder, leaving holes where there are only zeros: the engine reserves much space."""

    def copy(source: str, target: str) -> None:
        with Path(source).open("rb", buffering=0) as reader, Path(target).open("wb") as writer:
            for place, block in blocks(reader):
                writer.seek(place)
                writer.write(block)
            writer.truncate(os.fstat(reader.fileno()).st_size)

    shutil.copytree(source, target, copy_function=copy)


def _tenant(namespace: str) -> edge.FieldCondition:
    return edge.FieldCondition("namespace", match=edge.MatchValue(namespace))


def _condition(wanted: Condition) -> edge.FieldCondition | edge.Filter:
    """As the engine takes it. A shard has points of one namespace alone."""
    field, value = wanted.field, wanted.value
    match INDEXED[field]:
        case "keyword":
            match = edge.MatchValue(*value) if len(value) == 1 else edge.MatchAny(value)
            condition = edge.FieldCondition(field, match=match)
        case "number":
            condition = edge.FieldCondition(field, range=edge.RangeFloat(**{wanted.test: value}))
        case _:  # time
            bounds = edge.RangeDateTime(**{wanted.test: value})
            condition = edge.FieldCondition(field, range=bounds)
    if not wanted.or_absent:
        return condition
    return edge.Filter(should=[condition, edge.IsEmptyCondition(field)])
