"""What the published tables have of what the index found."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import polars as pl

from cairn.knowledge.consolidation.embeddings import learning_text
from cairn.knowledge.retrieval.points import episode_of
from cairn.knowledge.schema.tables import EPISODES, LEARNINGS, MEMORY_ENTITIES
from cairn.resources.vector_index.protocol import Hit
from cairn.serving.read.reader import Reader
from cairn.serving.retrieval.ranking import PublishedHit


def published_hits(reader: Reader, hits: Sequence[Hit]) -> dict[str, dict[str, PublishedHit]]:
    """Kind → id → what the published tables have of it."""
    ids: dict[str, list[str]] = {}
    times: dict[str, datetime | None] = {}
    for hit in hits:
        ids.setdefault(hit.kind, []).append(hit.id)
        times[hit.id] = time_of(hit)
    sure = {hit.id: hit.payload.get("confidence") for hit in hits}
    return {
        kind: {
            id_: told
            if kind == "fact"
            else replace(told, last_event_at=times[id_], confidence=sure[id_] or told.confidence)
            for id_, told in _READ[kind](reader, pl.Series(some)).items()
        }
        for kind, some in ids.items()
    }


def _facts(reader: Reader, ids: pl.Series) -> dict[str, PublishedHit]:
    columns = ["fact_id", "content", "entity", "effective", "status", "last_event_at"]
    rows = reader.memory(ids).select(columns).collect()
    return {row[0]: PublishedHit(*row[1:]) for row in rows.iter_rows()}


def _episodes(reader: Reader, ids: pl.Series) -> dict[str, PublishedHit]:
    """Of episodes, and of passages of them: what is shown is the passage that is found."""
    places = {id_: episode_of(id_) for id_ in ids}
    episodes = pl.Series(sorted({episode_id for episode_id, _ in places.values()}), dtype=pl.String)
    columns = ["episode_id", "text", "passages", "project", "speaker"]
    rows = reader.rows(EPISODES, "episode_id", episodes, columns).iter_rows()
    texts = {row[0]: ([row[1], *(row[2] or ())], *row[3:]) for row in rows}
    found: dict[str, PublishedHit] = {}
    for id_, (of, place) in places.items():
        parts, project, speaker = texts.get(of, ((), None, None))
        if place < len(parts):
            found[id_] = PublishedHit(parts[place], project, speaker=speaker)
    return found


def _learnings(reader: Reader, ids: pl.Series) -> dict[str, PublishedHit]:
    columns = ["learning_id", "title", "content", "tags"]
    rows = reader.rows(LEARNINGS, "learning_id", ids, columns)
    rows = rows.select("learning_id", learning_text(), pl.col("tags").list.join(" ").fill_null(""))
    return {row[0]: PublishedHit(row[1], context=row[2]) for row in rows.iter_rows()}


def _entities(reader: Reader, ids: pl.Series) -> dict[str, PublishedHit]:
    columns = ["entity_id", "display_name", "aliases"]
    rows = reader.rows(MEMORY_ENTITIES, "entity_id", ids, columns)
    return {
        row[0]: PublishedHit(row[1], row[1], context=" ".join(row[2] or ()))
        for row in rows.iter_rows()
    }


_READ: Mapping[str, Callable[[Reader, pl.Series], dict[str, PublishedHit]]] = {
    "fact": _facts,
    "episode": _episodes,
    "learning": _learnings,
    "entity": _entities,
}


def time_of(hit: Hit) -> datetime | None:
    """Its last event."""
    at = hit.payload.get("last_event_at")
    return datetime.fromisoformat(at) if at else None
