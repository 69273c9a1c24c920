"""A run without Dagster, and what must hold after it."""

from polars.testing import assert_frame_equal

from cairn.knowledge.assembly.build import build, comparable
from cairn.knowledge.assembly.run import RUN
from cairn.knowledge.assembly.stages import STAGES
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.schema.tables import RECORDS, TABLES
from cairn.pipelines import follow as run
from cairn.pipelines.planning.pending import model_work_pending, pending_days
from cairn.resources.context import State
from cairn.resources.warehouse.publication import blocked_namespaces

UNPUBLISHED = STAGES[-1].name
"""Until there, a run makes all that is known; index and publication are left out."""

PUBLISHED = RUN[-1].name


def follow(state: State, until: str = PUBLISHED) -> list[str]:
    """What a run does, without Dagster, as far as a step; gives the days that had work.

    What lies behind the step is made by a later run that has work by day.
    """
    run.follow(state, until="records")
    owed = pending_days(state) or model_work_pending(state)
    days = run.follow(state, since="raw_logs" if owed else "publication", until=until)
    assert not blocked_namespaces(state.home)
    return days


def assert_as_built(state: State, *names: str) -> None:
    """The stored tables, or these of them, are those that one build of the records gives."""
    records = state.warehouse.read(RECORDS).collect()
    means = StageContext(state.policy, state.embedder, state.language_model)
    # What lies behind the last of these tables need not be made.
    last = [
        step.name for step in RUN if not names or {each.name for each in step.writes} & {*names}
    ]
    for name, frame in comparable(build(records, means, until=last[-1])).items():
        if not names or name in names:
            stored = comparable({name: state.warehouse.read(TABLES[name]).collect()})[name]
            try:
                assert_frame_equal(stored, frame, check_exact=True)
            except AssertionError as error:
                raise AssertionError(f"table {name}: {error}") from error
