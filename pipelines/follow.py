"""A run without Dagster: the functions that the assets call, step by step as RUN declares them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from cairn.assets.by_rules import run_by_rules
from cairn.assets.candidates import run_candidates
from cairn.assets.engine.progress import StageReport
from cairn.assets.engine.run_stage import run_stage
from cairn.assets.extractors import run_extractors
from cairn.assets.learning_candidates import run_learning_candidates
from cairn.assets.pending import raw_logs
from cairn.assets.pending.records import changed_files
from cairn.assets.pending.steps import BY_CONVERSATION
from cairn.assets.publication import run_publication
from cairn.assets.raw_logs import run_raw_logs
from cairn.assets.records import intake
from cairn.assets.vector_index import run_vector_index
from cairn.assets.work import noted_at_once
from cairn.knowledge.assembly.run import RUN, RunStep
from cairn.knowledge.assembly.stages import BY_RULES
from cairn.resources.context import State

Make = Callable[[State, Sequence[str]], StageReport]
"""Takes a step; the days count where it is by day."""

MAKERS: Mapping[str, Make] = {
    "extractors": lambda state, _: run_extractors(state),
    "records": lambda state, _: intake(state, changed_files(state)),
    "raw_logs": run_raw_logs,
    "candidates": run_candidates,
    "learning_candidates": run_learning_candidates,
    **{stage.name: partial(run_by_rules, stage) for stage in BY_RULES},
    "vector_index": lambda state, _: run_vector_index(state),
    "publication": lambda state, _: run_publication(state),
}
"""What takes each step that is no stage over whole tables."""

PENDING_DAYS: Mapping[str, Callable[[State], Sequence[str]]] = {
    raw_logs.STAGE.name: raw_logs.pending_days,
    **{step.name: step.pending_days for step in BY_CONVERSATION},
}
"""Days that a step owes, by its name."""


def take(
    state: State, step: RunStep, within: Callable[[str], bool] = lambda _: True
) -> tuple[StageReport, list[str]]:
    """Takes one step as far as it is pending, of the days `within`; gives the days that it made."""
    if step.stage is not None:
        return run_stage(state, step.stage), []
    days = [day for day in PENDING_DAYS[step.name](state) if within(day)] if step.by_day else []
    if step.by_day and not days:
        return StageReport(step.name), []
    return MAKERS[step.name](state, days), days


def follow(state: State, since: str = RUN[0].name, until: str = RUN[-1].name) -> list[str]:
    """Takes the steps of a run from one to another, in each namespace; both by name, both taken.

    Returns:
        The days that had work.
    """
    names = [step.name for step in RUN]
    steps = RUN[names.index(since) : names.index(until) + 1]
    return sorted({day for own in state.each() for day in _follow(own, steps)})


def _follow(own: State, steps: Sequence[RunStep]) -> Iterator[str]:
    """Takes steps in one namespace, as `phase` of the graph does; gives the days that had work."""
    with noted_at_once(own) as note:
        for step in steps:
            if step.name == "publication":
                note()
            yield from take(own, step)[1]
