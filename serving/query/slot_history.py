"""What became of a fact over time: its confidence, and the values that held before and after it."""

from collections.abc import Sequence
from datetime import datetime
from math import exp
from typing import Any

import polars as pl

from cairn.knowledge.schema.calendar import UNDATED
from cairn.serving.read.reader import Reader

POINTS = 48
"""Points of a curve: what fits a narrow terminal."""


def curve(
    history: Sequence[dict[str, Any]], as_of: datetime, decay_per_day: float
) -> list[dict[str, Any]]:
    """Confidence at equal steps from the first event to `as_of`, fading between events if it does.

    What is undated stands where the first dated one does: since it nothing fades.

    Args:
        history: occurred_at and confidence after each event, in their order.
        as_of: Where the curve ends.
        decay_per_day: How fast confidence in it fades.

    Returns:
        `at` and `confidence` of each point; one point where all is of one moment, none of nothing.
    """
    told = [(row["occurred_at"] or UNDATED, row["confidence"]) for row in history]
    if not told:
        return []
    start = min((at for at, _ in told if at > UNDATED), default=as_of)
    events = [(max(at, start), confidence) for at, confidence in told]
    end = max(as_of, events[-1][0])
    steps = POINTS - 1 if end > start else 0
    points: list[dict[str, Any]] = []
    last = 0
    for step in range(steps + 1):
        at = start + (end - start) * step / max(steps, 1)
        while last + 1 < len(events) and events[last + 1][0] <= at:
            last += 1
        days = max((at - events[last][0]).total_seconds(), 0.0) / 86_400
        faded = events[last][1] * exp(-decay_per_day * days)
        points.append({"at": at, "confidence": round(faded, 6)})
    return points


def values_of_slot(reader: Reader, fact_id: str) -> list[dict[str, Any]]:
    """What held in the slot that a fact fills, stretch by stretch, as known at `as_of`.

    Returns:
        Rows of VALID_TIMES with `content`; of a fact without a slot its own; none if it is bound by
        nothing.
    """
    slot = ["entity_id", "slot"]
    mine = reader.stretches(pl.Series([fact_id])).collect()
    if mine.is_empty():  # of nearly all: nothing is looked for
        return []
    filled = mine.select(slot).drop_nulls("slot").unique()
    found = mine.filter(pl.col("slot").is_null())
    if filled.height:
        same = reader.stretches().join(filled.lazy(), on=slot, how="semi").collect()
        found = pl.concat([same, found])
    contents = reader.memory(found["fact_id"].unique()).select("fact_id", "content").collect()
    return (
        found.join(contents, on="fact_id")
        .drop("namespace")
        # A statement is a fact of its subject, and of each topic that it names.
        .sort(pl.col("fact_id") != fact_id, "fact_id", "seq")
        .unique(["content", "known_from"], keep="first", maintain_order=True)
        .sort("known_from", "valid_from", "fact_id", "seq")
        .to_dicts()
    )
