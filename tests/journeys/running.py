"""A run without Dagster: the same functions that the assets call, in their order."""

from polars.testing import assert_frame_equal

from assets.candidates import run_candidates
from assets.engine.run_stage import run_stage
from assets.extractors import run_extractors
from assets.learning_candidates import run_learning_candidates
from assets.publication import run_publication
from assets.raw_logs import run_raw_logs
from assets.records import changed_files, intake
from assets.vector_index import run_vector_index
from knowledge.assembly.build import build, comparable
from knowledge.assembly.stages import STAGES
from knowledge.engine.stage import Means
from knowledge.schema.tables import RECORDS, TABLES
from pipelines.planning.pending import pending_days, whole_owes_model
from resources.context import State
from resources.warehouse.publication import held_back


def follow(state: State) -> list[str]:
    """What a run does, without Dagster; gives the days that had work."""
    intake(state, changed_files(state))
    days = by_day(state)
    if days or whole_owes_model(state):
        run_extractors(state)
        for stage in STAGES:
            run_stage(state, stage)
        run_vector_index(state)
    run_publication(state)
    assert not held_back(state.home)
    return days


def by_day(state: State) -> list[str]:
    """Makes the days that are pending; gives them."""
    days = pending_days(state)
    if days:
        run_raw_logs(state, days)
        days = sorted({*days, *pending_days(state)})
        run_candidates(state, days)
        run_learning_candidates(state, days)
    return days


def assert_as_built(state: State, *names: str) -> None:
    """The stored tables, or these of them, are those that one build of the records gives."""
    records = state.warehouse.read(RECORDS).collect()
    means = Means(state.policy, state.embedder, state.language_model)
    for name, frame in comparable(build(records, means)).items():
        if not names or name in names:
            stored = comparable({name: state.warehouse.read(TABLES[name]).collect()})[name]
            try:
                assert_frame_equal(stored, frame, check_exact=True)
            except AssertionError as error:
                raise AssertionError(f"table {name}: {error}") from error
