"""Nights through the tables: what a night writes is what is made of everything."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from cairn.assets.engine.run_stage import run_stage
from cairn.knowledge.consolidation.stages import EVIDENCE_STAGE
from cairn.knowledge.engine.stage import Frames, StageContext, StageResult
from cairn.knowledge.schema.tables import TABLES
from cairn.resources.context import State, open_state
from tests.knowledge.consolidation.test_incremental import GROWING, night, world


def put(state: State, tables: Frames) -> None:
    for name, frame in tables.items():
        state.warehouse.write(TABLES[name], frame, namespaces=["n"])


def refused(reads: Frames, means: StageContext) -> StageResult:
    raise AssertionError("all is made anew")


@pytest.mark.parametrize("seed", range(2))
def test_some_nights_one_after_the_other_give_what_one_gives(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    known = world(dice)
    for number in range(3):
        state = open_state(tmp_path)
        put(state, known)
        for stage in GROWING:
            run_stage(state, stage if number == 0 else replace(stage, run=refused))
        tables = dict(known)
        means = StageContext(state.policy, state.embedder)
        for stage in GROWING:
            made = stage.run({table.name: tables[table.name] for table in stage.reads}, means)
            tables |= made.tables
            for table in stage.writes:
                stored = state.warehouse.read(table).collect().sort(table.key)
                assert_frame_equal(stored, tables[table.name], check_exact=True)
        known = night(known, dice)


def test_a_night_that_was_killed_between_its_tables_is_made_anew(tmp_path: Path) -> None:
    dice = random.Random(5)
    state, known = open_state(tmp_path), world(dice)
    put(state, known)
    for stage in GROWING:
        run_stage(state, stage)
    table = TABLES["evidence"]
    good = state.warehouse.read(table).collect()
    state.warehouse.write(table, good.head(1), namespaces=["n"])  # and `work` was not told
    run_stage(state, EVIDENCE_STAGE)
    now = state.warehouse.read(table).collect()
    assert_frame_equal(now.sort(table.key), good.sort(table.key), check_exact=True)
