"""What is to be done next: pending work is an anti-join, never a queue."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import polars as pl

from cairn.assets.pending import by_conversation, publication, raw_logs
from cairn.assets.pending.records import changed_files
from cairn.assets.pending.settled import is_settled, note_settled, stands
from cairn.assets.pending.stages import is_read
from cairn.assets.pending.steps import BY_CONVERSATION
from cairn.knowledge.assembly.stages import STAGES
from cairn.knowledge.engine.work import UNIT, day_units, pending_units
from cairn.knowledge.extraction.documents import STRUCTURING
from cairn.knowledge.extraction.llm_extraction import FULL_MODE
from cairn.knowledge.learnings.llm.extraction import LEARNING_MODEL
from cairn.knowledge.schema.tables import CONVERSATIONS, WORK
from cairn.resources.context import State
from cairn.resources.home.log_files import LogFile
from cairn.resources.home.usage import midnight


def pending_days(state: State) -> list[str]:
    """Days with work to do: new or moved records, changed adapters and rules, lost runs."""
    parts = (raw_logs, *BY_CONVERSATION)
    return sorted({day for part in parts for day in part.pending_days(state)})


def pending_by_day(state: State, work: pl.DataFrame | None = None) -> pl.DataFrame:
    """Pending units by day, with `before`: the fingerprint that they were last done with."""
    work = state.warehouse.read(WORK).collect() if work is None else work
    days = day_units(
        raw_logs.places(state), raw_logs.STAGE.name, raw_logs.fingerprint(state.policy)
    )
    columns = [*UNIT, "input_hash", "fingerprint", "day"]
    in_force = [step.extractors(state.settings) for step in BY_CONVERSATION]
    # Only what a model said can rest on earlier answers.
    asking = [extractors for extractors in in_force if any(e.asks for e in extractors)]
    units = pl.concat(
        frame.select(columns)
        for frame in (
            pending_units(days, work),
            *(step.pending(state) for step in BY_CONVERSATION),
            *(by_conversation.stale(state, extractors) for extractors in asking),
        )
    )
    before = work.select(*UNIT, pl.col("fingerprint").alias("before"), "rows")
    return units.join(before, on=UNIT, how="left").sort(UNIT)


class OwedWork(NamedTuple):
    """What a namespace owes of what was taken in."""

    days: tuple[str, ...] = ()
    """Days to make."""
    unpublished: bool = False
    """Whether nothing but to publish what was made."""


def owed_work(state: State) -> OwedWork:
    """What a namespace owes; one that stands as it did when nothing was pending is not read."""
    if is_settled(state, stands(state)):
        return OwedWork()
    days = pending_days(state)
    return OwedWork(tuple(days), not days and is_unpublished(state))


WHOLE = "*"
"""What follows from all days, among the days that were tried."""


def left_to_model(state: State) -> set[str]:
    """Days that owe nothing but what a language model says, and WHOLE if it owes that."""
    if state.settings.model is None:
        return set()
    units = pl.concat(step.pending(state) for step in BY_CONVERSATION)
    by_model = pl.col("stage").is_in([STRUCTURING.name, FULL_MODE.name, LEARNING_MODEL.name])
    days = set(units.filter(by_model)["day"]) - set(units.filter(~by_model)["day"])
    return days | ({WHOLE} if model_work_pending(state) else set())


def model_work_pending(state: State) -> bool:
    """Whether a stage over whole tables could not have all answers of the language model.

    What is asked once a night waits for that, and makes no run.
    """
    return bool(_pending_by_model(state, nightly=False))


def night_model_work_pending(state: State) -> bool:
    """Whether something waits that the language model is asked once a night, and today was not."""
    today = midnight(datetime.now(UTC))
    return any(
        not state.answers.called(namespace, stage, today)
        for namespace, stage in _pending_by_model(state, nightly=True)
    )


def _pending_by_model(state: State, *, nightly: bool) -> list[tuple[str, str]]:
    """Namespaces and stages over whole tables that are pending, of those that ask."""
    if state.settings.model is None:
        return []
    asking = {stage.name: stage for stage in STAGES if stage.prompts and stage.nightly == nightly}
    held = state.warehouse.read(CONVERSATIONS, columns=["namespace"]).unique()
    units = held.join(pl.LazyFrame({"stage": list(asking)}), how="cross")
    work = state.warehouse.read(WORK, columns=["namespace", "stage"])
    left = units.join(work, on=["namespace", "stage"], how="anti").sort(pl.all()).collect()
    # A namespace may hold nothing that a stage reads: of searches alone there are no episodes.
    return [
        (namespace, stage)
        for namespace, stage in left.iter_rows()
        if is_read(state.of(namespace), asking[stage])
    ]


def is_pending(
    state: State, files: Sequence[LogFile] | None = None, tried: Collection[str] = ()
) -> bool:
    """Whether a run has anything to do: files to take in, days to make, something to publish.

    Days that were `tried`, and WHOLE, are left: what they still owe waits for a language model.
    """
    if changed_files(state) if files is None else files:
        return True
    return any(_is_pending(own, tried) for own in state.each())


def owes(state: State) -> bool:
    """Whether a home that shares has not pushed all of a namespace."""
    return state.sharing is not None and state.sharing.owes(state.own)


def _is_pending(state: State, tried: Collection[str]) -> bool:
    """Whether a namespace has days to make, or something to publish, or to add after a pull."""
    if state.sharing and state.sharing.has_kept(state.own):
        return True
    standing = stands(state)
    if is_settled(state, standing):
        return False
    found = set(pending_days(state)) - set(tried) or is_unpublished(state, tried)
    if not found and not tried:
        note_settled(state, standing)
    return bool(found)


def is_unpublished(state: State, tried: Collection[str] = ()) -> bool:
    """Whether there is anything to make and publish of the days as they stand."""
    return publication.is_stale(state) or (WHOLE not in tried and model_work_pending(state))
