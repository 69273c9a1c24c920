"""Points of a toy model in three dimensions, and how tests put them in and look at hits."""

from datetime import UTC, datetime
from typing import Any

import polars as pl

from cairn.resources.vector_index.protocol import PAYLOAD, Hit, VectorIndex

NOON = datetime(2026, 2, 3, 12, tzinfo=UTC)
NORTH, EAST, UP = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]


def points_of(*rows: dict[str, Any]) -> pl.DataFrame:
    """Points with all that they may carry; what a row does not say is null."""
    fields = {name: kind for name, kind in PAYLOAD.items() if name != "namespace"}
    texts = dict.fromkeys(("id", "kind", "text", "context"), pl.String())
    return pl.DataFrame(rows, schema=texts | {"vector": pl.List(pl.Float32)} | fields)


POINTS = points_of(
    {"id": "f1", "kind": "fact", "text": "The server runs Debian", "vector": NORTH,
     "status": "active", "strength": 100.0, "predicate": "states", "tags": ["os", "server"],
     "last_event_at": NOON, "first_day": "2026-02-03", "day": "2026-02-03",
     "sources": ["chat", "codex"]},
    {"id": "f2", "kind": "fact", "text": "Backups go to the nas", "vector": EAST,
     "status": "merged_into", "strength": 200.0, "predicate": "solves",
     "first_day": "2026-02-05", "day": "2026-02-05", "sources": ["codex"]},
    {"id": "f3", "kind": "fact", "text": "Backups failed twice", "status": "pending_embed",
     "strength": 150.0},
    {"id": "e1", "kind": "episode", "text": "It works now", "context": "nginx would not start",
     "vector": UP, "first_day": "2026-02-04", "day": "2026-02-07"},
)  # fmt: skip


def publish(index: VectorIndex, points: pl.DataFrame = POINTS, **more: Any) -> str:
    return index.publish("me", points, model="toy", dimension=3, **more).name


def ids_of(found: list[Hit]) -> list[str]:
    return sorted(hit.id for hit in found)


def shown(found: list[Hit]) -> list[tuple[Any, ...]]:
    """All but the vectors, which are no values to compare."""
    return [hit[:-1] for hit in found]
