"""What a changed rule, adapter, stage or setting would redo, and what is simply new."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

import polars as pl

from cairn.assets import candidates, learning_candidates
from cairn.assets.engine.run_stage import estimate
from cairn.assets.pending import raw_logs
from cairn.assets.pending.candidates import retired as retired_of_candidates
from cairn.assets.pending.in_force import in_force
from cairn.assets.pending.learning_candidates import retired as retired_of_learnings
from cairn.knowledge.assembly.stages import STAGES
from cairn.knowledge.engine.extractors import STAGE_OF, Extractor
from cairn.knowledge.engine.work import STALE
from cairn.knowledge.extraction.documents import STRUCTURING
from cairn.knowledge.extraction.llm_extraction import FULL_MODE
from cairn.knowledge.learnings.llm.extraction import LEARNING_MODEL
from cairn.knowledge.schema.tables import CANDIDATES, EXTRACTORS, LEARNING_CANDIDATES, WORK
from cairn.pipelines.planning.pending import pending_by_day
from cairn.resources.context import State

_ESTIMATES = {
    FULL_MODE.name: candidates.estimate, STRUCTURING.name: candidates.estimate_ingested,
    LEARNING_MODEL.name: learning_candidates.estimate,
}  # fmt: skip
"""What a language model would be asked for units of a stage."""

_ASKING = {stage.name: stage for stage in STAGES if stage.prompts}
"""Stages over whole tables that ask it."""


@dataclass(frozen=True)
class ExtractorChange:
    """An extractor that is not what it was when it last ran, and what that redoes."""

    name: str
    kind: str
    change: str
    """`1 → 2` for a version, else what else differs."""
    days: int = 0
    """Those of each namespace, where it is of several."""
    conversations: int = 0
    rows: int = 0
    """Rows that it gave before, and that are rebuilt."""
    calls: int = 0
    """Calls of a language model that no kept answer spares, as far as can be known beforehand."""
    tokens: int = 0
    """Tokens of these calls, read and written, estimated."""
    dollars: float | None = 0.0
    """What they would cost; None if the price of the model is not known."""


@dataclass(frozen=True)
class Staleness:
    """What a run would do now."""

    changes: list[ExtractorChange] = field(default_factory=list[ExtractorChange])
    stale_days: list[str] = field(default_factory=list[str])
    new_days: list[str] = field(default_factory=list[str])
    """Days with units that are new, have grown, or failed and are tried again."""
    new_conversations: int = 0


def by_namespace(state: State) -> dict[str, Staleness]:
    """What is stale, and what is new, of each namespace."""
    return {own.own: staleness(own) for own in state.each()}


def together(found: Iterable[Staleness]) -> Staleness:
    """What is stale, and what is new, of several namespaces as one."""
    found = list(found)
    changes: dict[str, ExtractorChange] = {}
    for change in (change for each in found for change in each.changes):
        before = changes.get(change.name)
        changes[change.name] = _sum(before, change) if before else change
    return Staleness(
        list(changes.values()),
        sorted({day for each in found for day in each.stale_days}),
        sorted({day for each in found for day in each.new_days}),
        sum(each.new_conversations for each in found),
    )


def in_all(changes: Sequence[ExtractorChange]) -> ExtractorChange:
    """Several changes as one; rows and what is asked are of each of them alone, and add up."""
    return reduce(_sum, changes)


def _sum(one: ExtractorChange, other: ExtractorChange) -> ExtractorChange:
    """Two changes as one; a price that is not known of one is not of both."""
    known = one.dollars is not None and other.dollars is not None
    return replace(
        one,
        change=one.change if other.change in one.change else f"{one.change}; {other.change}",
        days=one.days + other.days,
        conversations=one.conversations + other.conversations,
        rows=one.rows + other.rows,
        calls=one.calls + other.calls,
        tokens=one.tokens + other.tokens,
        dollars=(one.dollars or 0.0) + (other.dollars or 0.0) if known else None,
    )


def staleness(state: State) -> Staleness:
    """Compares what is in force with what made the tables of a namespace."""
    work = state.warehouse.read(WORK).collect()
    units = pending_by_day(state, work)
    whole = _whole(state, work)
    rows = state.warehouse.read(EXTRACTORS).collect().iter_rows(named=True)
    stored = {row["name"]: row for row in rows}
    now = in_force(state.settings) if stored else []
    added = [each.name for each in now if each.name not in stored]
    stale = (pl.col("before") != pl.col("fingerprint")).fill_null(pl.col("stage").is_in(added))
    redone, rest = units.filter(stale), units.filter(~stale)
    changes = [
        _change(state, extractor, stored.get(extractor.name), redone, whole) for extractor in now
    ]
    dropped = _dropped(state)
    return Staleness(
        [change for change in changes if change is not None]
        + [
            ExtractorChange(name, "model", "no model is set", len(days), conversations, rows)
            for name, days, conversations, rows in dropped.iter_rows()
        ],
        sorted({*redone["day"], *dropped["days"].explode().drop_nulls()}),
        sorted(rest["day"].unique()),
        rest.filter(pl.col("stage") != raw_logs.STAGE.name)["unit"].n_unique(),
    )


def _dropped(state: State) -> pl.DataFrame:
    """name, days, conversations, rows of the stages by conversation that are not in force."""
    both = (
        (CANDIDATES, retired_of_candidates(state.settings)),
        (LEARNING_CANDIDATES, retired_of_learnings(state.settings)),
    )
    return pl.concat(
        state.warehouse.read(table)
        .filter(STAGE_OF.is_in(retired))
        .group_by(STAGE_OF.alias("name"))
        .agg(
            pl.col("day").unique().sort().alias("days"),
            pl.struct("namespace", "conversation_id").n_unique().alias("conversations"),
            pl.len().alias("rows"),
        )
        .sort("name")
        for table, retired in both
    ).collect()


def _whole(state: State, work: pl.DataFrame) -> pl.DataFrame:
    """Rows of `work` of stages over whole tables that were made with another fingerprint."""
    model, policy = state.settings.model_in_force, state.policy
    now = {stage.name: stage.in_force(model).fingerprint(policy) for stage in STAGES}
    return work.filter(pl.col("stage").is_in(list(now))).filter(
        pl.col("fingerprint") != pl.col("stage").replace_strict(now, default=None)
    )


def _change(
    state: State,
    extractor: Extractor,
    stored: dict[str, object] | None,
    redone: pl.DataFrame,
    whole: pl.DataFrame,
) -> ExtractorChange | None:
    mine = redone.filter(pl.col("stage") == extractor.name)
    tables = whole.filter(pl.col("stage") == extractor.name)
    same = stored is not None and stored["fingerprint"] == extractor.fingerprint(state.policy)
    if same and mine.is_empty() and tables.is_empty():
        return None
    by_day = extractor.name == raw_logs.STAGE.name
    change = ExtractorChange(
        extractor.name,
        extractor.kind,
        _how(extractor, stored, mine, same=same),
        mine["day"].n_unique(),
        0 if by_day else mine["unit"].n_unique(),
        int(mine["rows"].sum()) + int(tables["rows"].sum()),
    )
    if extractor.name in _ESTIMATES:
        asked = _ESTIMATES[extractor.name](state, mine)
    elif extractor.name in _ASKING and state.settings.model:
        asked = estimate(state, _ASKING[extractor.name])
    else:
        return change
    tokens = asked.tokens_in + asked.tokens_out
    return replace(change, calls=asked.calls, tokens=tokens, dollars=asked.dollars)


def _how(
    extractor: Extractor, stored: dict[str, object] | None, units: pl.DataFrame, *, same: bool
) -> str:
    if stored is None:
        return "new"
    if stored["version"] != extractor.version:
        return f"{stored['version']} → {extractor.version}"
    what = {"prompt": "prompt or model", "model": "prompts or settings"}.get(extractor.kind)
    if same and units.height and units["before"].str.ends_with(STALE).all():
        return "answers to an earlier prompt"
    return "interrupted" if same else f"{extractor.version}, {what or 'settings'} changed"


def held_days(state: State) -> Sequence[str]:
    """Days that hold records, sorted."""
    return sorted(raw_logs.places(state)["day"].unique())
