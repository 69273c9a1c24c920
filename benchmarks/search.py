"""Search in an embedded index, against the local mode of qdrant-client.

Filtered top 20, whole searches, publishing; and eight clients at once.

Facts are made up (`benchmarks.made_up`) and consolidated by the stages; a query is the content of a
fact without every third word. Both sides hold the same vectors and filter by the same conditions.
"""

import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.made_up import NAMESPACE
from benchmarks.nights import put
from cairn.assets.engine.run_stage import run_stage
from cairn.assets.pending.publication import versions
from cairn.assets.vector_index import STEP, run_vector_index
from cairn.knowledge.consolidation.stages import CONSOLIDATION
from cairn.knowledge.retrieval.points import points
from cairn.knowledge.schema.tables import MEMORY, TABLES
from cairn.resources.context import State, open_state
from cairn.resources.vector_index.bm25 import Words
from cairn.resources.vector_index.fusion import DENSE, SPARSE
from cairn.resources.vector_index.protocol import Filters, PointRow, prepared
from cairn.resources.warehouse.publication import Manifest, publish
from cairn.serving.retrieval.open_memory import Memory
from cairn.serving.retrieval.search import search_memory

TOP = 20
UPLOADED = 2_000
"""Points by which the baseline's writing is timed; its time for all follows from theirs."""
CLIENTS = 8


def measured(home: Path, count: int, asked: int, compared: int) -> dict[str, Any]:
    """Seconds of single steps, of both sides; queries of the baseline are `compared` of `asked`.

    Args:
        home: An empty folder.
        count: About how many facts there are.
        asked: Queries.
        compared: How many of them the baseline is asked.
    """
    state, published = made(home, count)
    memory = Memory(state)
    queries = queries_of(memory, asked)
    vectors = state.embedder.embed(queries)
    own = _points(state)
    ours = _ours(memory, vectors)
    baseline = _baseline(home, own, vectors[:compared])
    exact = _exact(own, vectors)
    searches = _each(lambda query: search_memory(memory.reader(), query), queries)
    return {
        "facts": memory.reader().memory().select(pl.len()).collect().item(),
        "points": own.height,
        "asked": len(queries),
        "compared": min(compared, len(queries)),
        "top": {"ours": _median(ours[0]), "baseline": _median(baseline["top"])},
        "recall": _recall(ours[1], exact),
        "baseline_recall": _recall(baseline["ids"], exact[:compared]),
        "publish": {"ours": published, "baseline": baseline["publish"]},
        "search": {name: float(np.percentile(searches, at)) for name, at in _SHOWN},
        "clients": {str(n): _throughput(memory, queries, n) for n in (1, 2, CLIENTS)},
        "while_publishing": _while_publishing(memory, queries),
    }


_SHOWN = (("p50", 50), ("p95", 95))


def made(home: Path, count: int) -> tuple[State, float]:
    """A home of about so many facts, published; seconds to put them into the index."""
    state = open_state(home)
    put(home, count, before=False)
    for stage in CONSOLIDATION:
        if stage.name != "clusters":
            run_stage(state, stage)
    begin = time.perf_counter()
    run_vector_index(state, rebuild=count >= 100_000)
    published = time.perf_counter() - begin
    put_in_force(state)
    return state, published


def put_in_force(state: State) -> None:
    """The tables and the generation that are there become what readers follow."""
    generation = state.warehouse.read(TABLES["vector_index"]).collect()["generation"][0]
    latest = state.warehouse.read(MEMORY).select(pl.col("last_event_at").max()).collect().item()
    tables = versions(state.of(NAMESPACE))
    publish(state.home, Manifest(NAMESPACE, generation, tables, latest, datetime.now(UTC)))


def _points(state: State) -> pl.DataFrame:
    """What is in the index, as it was put in."""
    return points(
        *(state.warehouse.read(table).collect() for table in STEP.reads), policy=state.policy
    )


def queries_of(memory: Memory, count: int) -> list[str]:
    """The words of some facts, without every third; of fewer, if there are not as many."""
    said = memory.reader().memory().filter(status="active").select("content").collect()
    contents = sorted(set(said["content"]))
    texts = random.Random(0).sample(contents, min(count, len(contents)))
    return [" ".join(word for at, word in enumerate(text.split()) if at % 3 != 2) for text in texts]


def _ours(memory: Memory, vectors: Sequence[Any]) -> tuple[list[float], list[list[str]]]:
    """Seconds and ids of the filtered top 20 by vector."""
    reader, index = memory.reader(), memory.state.index
    generation = reader.manifest.generation or ""
    ids: list[list[str]] = []

    def ask(vector: Any) -> None:
        hits = index.search(
            NAMESPACE, generation, text="", vector=vector, model=memory.state.embedder.model,
            filters=_WANTED, limit=TOP,
        )  # fmt: skip
        ids.append([hit.id for hit in hits])

    asked = [vector.tolist() for vector in vectors]
    _each(ask, asked)  # the first round of a process takes a quarter longer
    ids.clear()
    return _each(ask, asked), ids


_WANTED = Filters(kinds=["fact"], statuses=["active"])


def _baseline(home: Path, own: pl.DataFrame, vectors: Sequence[Any]) -> dict[str, Any]:
    """The same by the local mode of qdrant-client, on disk as ours is, with the same points."""
    from qdrant_client import QdrantClient, models

    client = QdrantClient(path=str(home / "baseline"))
    rows = list(prepared(NAMESPACE, own, len(vectors[0])).rows())
    size = models.VectorParams(size=len(vectors[0]), distance=models.Distance.COSINE)
    weighed = models.SparseVectorParams(modifier=models.Modifier.IDF)
    client.create_collection(
        "points", vectors_config={DENSE: size}, sparse_vectors_config={SPARSE: weighed}
    )
    words = Words()

    def point(row: PointRow) -> models.PointStruct:
        told = words.told(row.text, row.beside, row.names)
        sparse = models.SparseVector(indices=[*told], values=[*told.values()])
        dense = None if row.vector is None else row.vector.tolist()
        both: dict[str, Any] = {DENSE: dense, SPARSE: sparse}
        return models.PointStruct(id=row.uuid, vector=both, payload=row.payload)

    begin = time.perf_counter()
    client.upload_points("points", map(point, rows[:UPLOADED]))
    each = (time.perf_counter() - begin) / min(UPLOADED, own.height)
    client.upload_points("points", map(point, rows[UPLOADED:]))
    match = {"namespace": NAMESPACE, "kind": "fact", "status": "active"}
    wanted = models.Filter(
        must=[
            models.FieldCondition(key=name, match=models.MatchValue(value=value))
            for name, value in match.items()
        ]
    )
    ids: list[list[str]] = []

    def ask(vector: Any) -> None:
        found = client.query_points(
            "points", vector, using=DENSE, query_filter=wanted, limit=TOP
        ).points
        ids.append([(point.payload or {})["id"] for point in found])

    ask(vectors[0])
    ids.clear()
    seconds = _each(ask, list(vectors))
    client.close()
    return {"top": seconds, "ids": ids, "publish": each * own.height}


def _exact(own: pl.DataFrame, vectors: Any) -> list[dict[str, float]]:
    """Cosines of the facts that are as near as the twentieth, for each query."""
    facts = own.filter(kind="fact", status="active").drop_nulls("vector")
    dense = np.array(facts["vector"].to_list(), dtype=np.float32)
    ids = facts["id"].to_list()
    found: list[dict[str, float]] = []
    for vector in vectors:
        cosine = dense @ vector
        least = np.partition(cosine, -TOP)[-TOP] - 1e-6
        found.append({ids[row]: float(cosine[row]) for row in np.flatnonzero(cosine >= least)})
    return found


def _recall(found: Sequence[Sequence[str]], exact: Sequence[dict[str, float]]) -> float:
    """Share of the top 20 that was found; any of those as near as the last counts."""
    hits = [
        len(set(ids) & near.keys()) / min(TOP, len(near))
        for ids, near in zip(found, exact, strict=True)
    ]
    return float(np.mean(np.minimum(hits, 1.0)))


def _throughput(memory: Memory, queries: Sequence[str], clients: int) -> float:
    """Searches a second of so many threads."""
    begin = time.perf_counter()
    with ThreadPoolExecutor(clients) as threads:
        list(threads.map(lambda query: search_memory(memory.reader(), query), queries))
    return len(queries) / (time.perf_counter() - begin)


def publish_less(state: State) -> None:
    """Publishes all but ten facts."""
    kept = state.warehouse.read(MEMORY).collect().tail(-10)
    state.warehouse.write(MEMORY, kept, namespaces=[NAMESPACE])
    run_vector_index(state)
    put_in_force(state)


def _while_publishing(memory: Memory, queries: Sequence[str]) -> dict[str, float]:
    """Searches while a generation is built and published in another thread."""
    state = open_state(memory.state.home.root)
    with ThreadPoolExecutor(1) as thread:
        done = thread.submit(publish_less, state)
        seconds: list[float] = []
        while not done.done():
            query = queries[len(seconds) % len(queries)]
            seconds += _each(lambda text: search_memory(memory.reader(), text), [query])
        done.result()
    if not seconds:
        return {}
    return {name: float(np.percentile(seconds, at)) for name, at in (*_SHOWN, ("most", 100))}


def _each(step: Callable[[Any], object], given: Sequence[Any]) -> list[float]:
    seconds: list[float] = []
    for one in given:
        begin = time.perf_counter()
        step(one)
        seconds.append(time.perf_counter() - begin)
    return seconds


def _median(seconds: Sequence[float]) -> float:
    return float(np.median(seconds))
