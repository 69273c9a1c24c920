"""How what is noted in `work` counts."""

import polars as pl

from cairn.knowledge.engine.work import without_marks
from cairn.resources.context import State


def counting(state: State, work: pl.DataFrame) -> pl.DataFrame:
    """`work` as it counts: what rests on earlier answers is pending if a model is asked again."""
    return work if state.asks_again else without_marks(work)
