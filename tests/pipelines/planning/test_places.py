"""Where records belong is worked out once for each state of their table."""

import shutil
from pathlib import Path

import polars as pl

from cairn.assets.pending.raw_logs import places
from cairn.knowledge.schema.tables import RECORDS
from cairn.resources.context import State
from tests.pipelines.house import House


def test_a_table_that_was_made_again_is_not_taken_for_the_one_before(house: House) -> None:
    """Its versions begin anew, so that a number is no name."""
    state = house.state.of("default")
    every = state.warehouse.read(RECORDS).collect()
    folder = state.warehouse.folder(RECORDS)
    _made_again(State(state.home, state.settings), every, folder)
    before = places(state)
    assert places(state) is before
    _made_again(State(state.home, state.settings), every.head(3), folder)
    assert places(state).height == 3 < before.height


def _made_again(another: State, rows: pl.DataFrame, folder: Path) -> None:
    shutil.rmtree(folder)
    another.warehouse.write(RECORDS, rows)
