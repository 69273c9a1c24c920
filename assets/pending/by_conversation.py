"""Work done conversation by conversation: which of it is pending."""

from collections.abc import Sequence

import polars as pl

from cairn.assets.pending.work import counting
from cairn.knowledge.engine.extractors import STAGE_OF, Extractor
from cairn.knowledge.engine.work import UNIT, conversation_units, pending_units, without_marks
from cairn.knowledge.schema.tables import CONVERSATIONS, WORK, Table
from cairn.resources.context import State


def pending(state: State, extractors: Sequence[Extractor]) -> pl.DataFrame:
    """Pending units (namespace, stage, unit, input_hash, fingerprint, day), of all days."""
    work = state.warehouse.read(WORK).collect()
    return pending_units(units_of(state, extractors, None), counting(state, work))


def stale(state: State, extractors: Sequence[Extractor]) -> pl.DataFrame:
    """As `pending`: what rests on answers to an earlier prompt, until a model is asked again."""
    work, units = state.warehouse.read(WORK).collect(), units_of(state, extractors, None)
    return pending_units(units, work).join(
        pending_units(units, without_marks(work)), on=UNIT, how="anti"
    )


def pending_days(
    state: State,
    tables: Sequence[Table],
    extractors: Sequence[Extractor],
    retired: Sequence[str] = (),
) -> list[str]:
    """Days with a unit that is pending, or with what is left of one gone, elsewhere or retired."""
    days = stray_days(state, tables, extractors, retired)
    return sorted({*pending(state, extractors)["day"], *days})


def stray_days(
    state: State,
    tables: Sequence[Table],
    extractors: Sequence[Extractor],
    retired: Sequence[str] = (),
) -> set[str]:
    """Days with rows of conversations that are gone or elsewhere, or of retired stages.

    So too with units of work of what is gone or retired: those that gave no row.
    """
    place = ["namespace", "conversation_id", "day"]
    own = [*(extractor.name for extractor in extractors), *retired]
    work = state.warehouse.read(WORK).filter(pl.col("stage").is_in(own)).collect()
    if work.is_empty() and not any(map(state.warehouse.height, tables)):
        return set()
    noted = work.lazy()
    conversations = state.warehouse.read(CONVERSATIONS, columns=place)
    unit, talk = ["namespace", "unit"], ["namespace", "conversation_id"]
    left = [
        noted.join(conversations, left_on=unit, right_on=talk, how="anti").select("day"),
        noted.filter(pl.col("stage").is_in(retired)).select("day"),
    ]
    for table in tables:
        rows = state.warehouse.read(table, columns=[*place, "extractor"])
        left += [
            rows.join(conversations, on=place, how="anti").select("day"),
            rows.filter(STAGE_OF.is_in(retired)).select("day"),
        ]
    return set(pl.concat(left).unique().collect()["day"].drop_nulls())


def units_of(
    state: State, extractors: Sequence[Extractor], days: Sequence[str] | None
) -> pl.DataFrame:
    """All units of some days, or of all: one per conversation and extractor."""
    fingerprints = {e.name: e.fingerprint(state.policy) for e in extractors}
    columns = ["namespace", "conversation_id", "content_hash", "day"]
    conversations = state.warehouse.read(CONVERSATIONS, days=days, columns=columns).collect()
    return conversation_units(conversations, fingerprints)
