"""A run without Dagster: the functions that the assets call, step by step as RUN declares them."""

from collections.abc import Callable, Mapping, Sequence
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
from cairn.knowledge.assembly.run import RUN
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


def follow(state: State, since: str = RUN[0].name, until: str = RUN[-1].name) -> list[str]:
    """Takes the steps of a run from one to another, both by name and both taken.

    Returns:
        The days that had work.
    """
    names = [step.name for step in RUN]
    days: set[str] = set()
    for step in RUN[names.index(since) : names.index(until) + 1]:
        if step.by_day:
            days.update(PENDING_DAYS[step.name](state))
        if step.stage is not None:
            run_stage(state, step.stage)
        elif days or not step.by_day:
            MAKERS[step.name](state, sorted(days))
    return sorted(days)
