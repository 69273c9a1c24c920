"""The ledger of calls to language models, copied to where tables are read."""

from typing import Any

import polars as pl

from cairn.assets.engine.progress import StageReport
from cairn.knowledge.llm.costs import costs
from cairn.knowledge.schema.tables import MODEL_CALLS
from cairn.resources.context import State


def run_model_calls(state: State) -> StageReport:
    """Adds the calls that are new to the ledger; writes nothing if there are none.

    Where the file of answers is another one than before, such as a backup, the table follows it.
    """
    with state.writing("model_calls"):
        if state.namespace is not None and state.language_model is not None:
            state.language_model.take_up(state.namespace)
        ledger = state.answers.ledger()
        if state.namespace is not None:
            ledger = ledger.filter(pl.col("namespace") == state.namespace)
        if state.sharing:  # each home has another order of what all of them paid
            ledger = ledger.sort("called_at", "asset", "prompt", "call_id").with_columns(
                call_id=pl.int_range(1, pl.len() + 1, dtype=pl.Int64)
            )
        same = ["namespace", "call_id", "called_at"]
        stored = state.warehouse.read(MODEL_CALLS, columns=same).collect()
        new = ledger.join(stored, on=same, how="anti")
        if new.height + stored.height == ledger.height:
            written = state.warehouse.append(MODEL_CALLS, new)
        else:
            written = state.warehouse.write(MODEL_CALLS, ledger)
        return StageReport(
            "model_calls", units=new.height, done=new.height, rows=ledger.height,
            written=int(written.changed),
        )  # fmt: skip


def costs_shown(state: State) -> dict[str, Any]:
    """What the calls cost in all."""
    return costs(state.warehouse.read(MODEL_CALLS).collect()).row(0, named=True)
