"""The vector index on a Qdrant server: a generation is a collection, published by an alias."""

import logging
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import islice
from typing import Any

import polars as pl
from qdrant_client import models

from cairn.resources.home.home import check_namespace
from cairn.resources.vector_index.bm25 import Words
from cairn.resources.vector_index.filters import INDEXED, Condition, conditions
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
    Filters,
    Generation,
    Hit,
    MissingGenerationError,
    PointRow,
    Prepared,
    check_query,
    contents_digest,
    described,
    prepared,
)
from cairn.resources.vector_index.server_client import QUICK, SLOW, Server

logger = logging.getLogger(__name__)

BETWEEN = "~"
"""Between the parts of a name: permitted by Qdrant, and in none of the parts."""
MADE_BY: Mapping[str, Any] = {"made_by": "cairn"}
"""In the metadata of each collection of ours, from its first moment."""
OPTIMIZED_WITHIN = 600.0
"""Seconds that the night waits for the server; what is not done by then goes on without it."""
LOOK_EVERY = 1.0
BATCH, NUMBERS = 1_000, 250_000
"""Most points in a request, and most numbers of their vectors: 5 MB, where 32 are permitted."""
PAGE = 10_000
REMEMBERED = 64

_INDEX_TYPES = {
    "keyword": models.PayloadSchemaType.KEYWORD,
    "number": models.PayloadSchemaType.FLOAT,
    "time": models.PayloadSchemaType.DATETIME,
}


class ServerIndex:
    """The engine on a server: `VectorIndex` over qdrant-client.

    A generation is the collection `<prefix>~<namespace>~<generation>`. It is complete once its
    metadata say what it holds, and does not change after that. The alias `<prefix>~<namespace>`
    goes to the one published last; readers ask for the one that their manifest names.
    """

    def __init__(self, server: Server, prefix: str) -> None:
        self._server = server
        self._prefix = prefix
        self._words = Words()
        self._known: dict[str, Generation] = {}

    def publish(
        self,
        namespace: str,
        points: pl.DataFrame,
        *,
        model: str,
        dimension: int,
        rebuild: bool = False,
    ) -> Generation:
        """See `VectorIndex.publish`. Only under the home's write lock.

        A change puts all points in anew: a server copies no collection. What a build that was cut
        short has put in stays, and the rest comes to it.
        """
        rows = prepared(check_namespace(namespace), points, dimension)
        made = described(namespace, rows, model, dimension)
        collection = self._name(namespace, made.name)
        there = self._about(collection)
        if there is None:
            self._build(collection, made, rows)
            there = made
        if rebuild and not there.optimized:
            there = self._optimized(collection, there)
        self._switch(self._name(namespace), collection)
        return there

    def generation(self, namespace: str, name: str) -> Generation:
        """See `VectorIndex.generation`."""
        about = self._about(self._name(check_namespace(namespace), name))
        if about is None:
            raise MissingGenerationError(namespace, name)
        return about

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
        """See `VectorIndex.search`. Two requests: what both arms find, and what it is."""
        collection = self._name(check_namespace(namespace), generation)
        about = self._known.get(collection) or self.generation(namespace, generation)
        if len(self._known) >= REMEMBERED:
            self._known = {}
        self._known[collection] = about
        check_query(about, model, vector)
        wanted = conditions(filters or Filters())
        if wanted is None:
            return []
        only = models.Filter(must=[_tenant(namespace), *(_condition(each) for each in wanted)])

        def nearest(query: Any, arm: str, params: models.SearchParams | None) -> None:
            requests[arm] = models.QueryRequest(
                query=query, using=arm, filter=only, params=params, limit=limit + TIES
            )

        requests: dict[str, models.QueryRequest] = {}
        words = self._words.asked(text)
        if words.indices:
            # The words of all points count: a collection has those of one generation alone.
            nearest(_sparse(words), SPARSE, None)
        asked = vector if about.dense else None
        if asked is not None:
            exact = models.SearchParams(exact=about.points < EXACT_BELOW)
            nearest(list(asked), DENSE, exact)
        if not requests:
            return []

        missing = MissingGenerationError(namespace, generation)
        found = self._server.ask(
            lambda client: client.query_batch_points(
                collection, [*requests.values()], timeout=QUICK
            ),
            missing=missing,
        )
        arms: dict[str, Arm] = {
            arm: ranked(answer.points, arm, limit)
            for arm, answer in zip(requests, found, strict=True)
        }

        def retrieve(ids: list[PointId], with_vector: bool) -> list[models.Record]:
            records = self._server.ask(
                lambda client: client.retrieve(
                    collection, ids, True, [DENSE, SPARSE] if with_vector else False, timeout=QUICK
                ),
                missing=missing,
            )
            # They come in any order.
            by_id = {record.id: record for record in records}
            return [by_id[id_] for id_ in ids]

        return hits(arms, asked, retrieve, self._words.telling(text) if vectors else None)

    def prune(self, namespace: str, keep: Collection[str]) -> list[str]:
        """See `VectorIndex.prune`. A reader of what is removed is told that it is not there.

        What a killed build left behind goes too. A collection that is not ours stays, whatever
        its name.
        """
        first = self._name(check_namespace(namespace), "")
        removed: list[str] = []
        for collection in self._collections():
            name = collection.removeprefix(first)
            if name == collection or name in keep:
                continue
            metadata = self._metadata(collection)
            if metadata is None or not _ours(metadata):
                continue
            self._known.pop(collection, None)
            self._delete(collection)
            if "generation" in metadata:
                removed.append(name)
        return removed

    def overview(self) -> tuple[str, dict[str, int]]:
        """The server's version, and how many collections of our prefix each namespace has.

        Raises:
            VectorIndexError: it cannot be asked.
        """
        parts = [name.split(BETWEEN) for name in self._collections()]
        own = [part for part in parts if len(part) == 3 and part[0] == self._prefix]
        return self._server.version, dict(sorted(Counter(part[1] for part in own).items()))

    def _name(self, *parts: str) -> str:
        """Of a namespace its alias, with a generation its collection.

        At most 161 characters where Qdrant permits 255, each a letter, a digit or one of `._-~`.
        """
        return BETWEEN.join((self._prefix, *parts))

    def _collections(self) -> list[str]:
        found = self._server.ask(lambda client: client.get_collections())
        return sorted(each.name for each in found.collections)

    def _metadata(self, collection: str) -> dict[str, Any] | None:
        """What was noted about a collection; None if there is none."""
        if not self._server.ask(lambda client: client.collection_exists(collection)):
            return None
        info = self._server.ask(lambda client: client.get_collection(collection))
        return info.config.metadata or {}

    def _about(self, collection: str) -> Generation | None:
        """The generation that a collection holds; None if it is not there, or not complete."""
        metadata = self._metadata(collection) or {}
        return Generation(**metadata["generation"]) if "generation" in metadata else None

    def _build(self, collection: str, made: Generation, rows: Prepared) -> None:
        """Fills a collection with these rows, and proves that it holds them."""
        metadata = self._metadata(collection)
        if metadata is None:
            self._create(collection, made.dimension)
        elif not _ours(metadata):
            raise self._server.trouble(
                f"has a collection {collection} that Cairn did not make: choose another"
                " qdrant_prefix"
            )
        self._index_fields(collection)
        todo = map(self._point, rows.rows(dict(self._contents(collection))))
        size = max(1, min(BATCH, NUMBERS // made.dimension))
        batch = list(islice(todo, size))
        while batch:
            # They are taken in one after the other: what waits for the last waits for all.
            rest = list(islice(todo, size))
            self._server.ask(
                lambda client, batch=batch, last=not rest: client.upsert(
                    collection, batch, wait=last, timeout=SLOW
                )
            )
            batch = rest
        if contents_digest(made.model, made.dimension, self._contents(collection)) != made.digest:
            self._delete(collection)
            raise self._server.trouble(
                f"does not hold what it was given of {made.namespace}: try again"
            )
        self._note(collection, made)

    def _create(self, collection: str, dimension: int) -> None:
        dense = models.VectorParams(size=dimension, distance=models.Distance.COSINE)
        sparse = models.SparseVectorParams(modifier=models.Modifier.IDF)
        optimizers = models.OptimizersConfigDiff(indexing_threshold=indexing_threshold(dimension))
        self._server.ask(
            lambda client: client.create_collection(
                collection,
                vectors_config={DENSE: dense},
                sparse_vectors_config={SPARSE: sparse},
                optimizers_config=optimizers,
                shard_number=1,  # how rare a word is, each shard counts for itself
                metadata=dict(MADE_BY),
                timeout=SLOW,
            ),
            again=False,
        )

    def _index_fields(self, collection: str) -> None:
        """Has the server index what is filtered by; those that are there already stay."""
        tenant = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)
        for field, kind in INDEXED.items():
            index = tenant if field == "namespace" else _INDEX_TYPES[kind]
            self._server.ask(
                lambda client, field=field, index=index: client.create_payload_index(
                    collection, field, index, timeout=SLOW
                )
            )

    def _point(self, row: PointRow) -> models.PointStruct:
        vectors: dict[str, Any] = {} if row.vector is None else {DENSE: row.vector.tolist()}
        if words := self._words.told(row.text, row.beside, row.names):
            vectors[SPARSE] = models.SparseVector(indices=[*words], values=[*words.values()])
        return models.PointStruct(
            id=row.uuid, vector=vectors, payload=row.payload | {"digest": row.digest}
        )

    def _contents(self, collection: str) -> Iterator[tuple[str, str]]:
        """Id and digest of each point of a collection."""
        offset = None
        while True:
            points, offset = self._server.ask(
                lambda client, offset=offset: client.scroll(
                    collection, limit=PAGE, offset=offset, with_payload=["digest"], timeout=SLOW
                )
            )
            for point in points:
                yield str(point.id), (point.payload or {}).get("digest", "")
            if offset is None:
                return

    def _note(self, collection: str, about: Generation) -> None:
        """Writes down what a collection holds; from then on it is complete."""
        metadata = {**MADE_BY, "generation": asdict(about)}
        self._server.ask(lambda client: client.update_collection(
            collection, metadata=metadata, timeout=SLOW
        ))  # fmt: skip
        self._known.pop(collection, None)

    def _optimized(self, collection: str, about: Generation) -> Generation:
        """Waits until the server has built what it builds by itself."""
        until = time.monotonic() + OPTIMIZED_WITHIN
        while True:
            status = self._server.ask(lambda client: client.get_collection(collection)).status
            if status == models.CollectionStatus.GREEN:
                done = replace(about, optimized=True)
                self._note(collection, done)
                return done
            if status == models.CollectionStatus.RED:
                raise self._server.trouble(
                    f"says that {collection} is red, its log why: delete it and run again"
                )
            if status != models.CollectionStatus.YELLOW or time.monotonic() > until:
                logger.info("%s is %s: not optimized yet", collection, status)
                return about
            time.sleep(LOOK_EVERY)

    def _switch(self, alias: str, collection: str) -> None:
        """Lets the alias of a namespace go to a collection, at once."""
        aliases = self._server.ask(lambda client: client.get_aliases()).aliases
        if (alias, collection) in [(each.alias_name, each.collection_name) for each in aliases]:
            return
        go = models.CreateAlias(alias_name=alias, collection_name=collection)
        changes: list[models.AliasOperations] = [
            models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=alias)),
            models.CreateAliasOperation(create_alias=go),
        ]
        self._server.ask(lambda client: client.update_collection_aliases(changes, timeout=SLOW))

    def _delete(self, collection: str) -> None:
        self._server.ask(lambda client: client.delete_collection(collection, timeout=SLOW))


def _ours(metadata: Mapping[str, Any]) -> bool:
    return MADE_BY.items() <= metadata.items()


def _sparse(words: Any) -> models.SparseVector:
    return models.SparseVector(indices=words.indices, values=words.values)


def _tenant(namespace: str) -> models.FieldCondition:
    return models.FieldCondition(key="namespace", match=models.MatchValue(value=namespace))


def _condition(wanted: Condition) -> models.FieldCondition | models.Filter:
    """As the server takes it."""
    field, values = wanted.field, wanted.value
    match INDEXED[field]:
        case "keyword":
            condition = models.FieldCondition(key=field, match=models.MatchAny(any=values))
        case "number":
            condition = models.FieldCondition(
                key=field, range=models.Range(**{wanted.test: values})
            )
        case _:  # time
            bounds = models.DatetimeRange(**{wanted.test: values})
            condition = models.FieldCondition(key=field, range=bounds)
    if not wanted.or_absent:
        return condition
    absent = models.IsEmptyCondition(is_empty=models.PayloadField(key=field))
    return models.Filter(should=[condition, absent])
