"""The ledger of calls to language models, copied to where tables are read."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from cairn.assets.engine.progress import StageReport
from cairn.assets.engine.run_stage import multi_asset, result, specs
from cairn.assets.work import MADE
from cairn.knowledge.llm.costs import costs
from cairn.knowledge.schema.tables import MODEL_CALLS
from cairn.resources.context import State
from cairn.resources.home.write_lock import write_lock


def run_model_calls(state: State) -> StageReport:
    """Adds the calls that are new to the ledger; writes nothing if there are none.

    Where the file of answers is another one than before, such as a backup, the table follows it.
    """
    with write_lock(state.home, "model_calls"):
        ledger = state.answers.ledger()
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


@multi_asset(specs=specs([MODEL_CALLS], MADE, "books", checked=False), name="model_calls")
def model_calls(state: dg.ResourceParam[State]) -> Iterator[dg.MaterializeResult[Any]]:
    """One row per call that was paid, with its tokens and dollars."""
    report = run_model_calls(state)
    total = costs(state.warehouse.read(MODEL_CALLS).collect()).row(0, named=True)
    yield result(state, MODEL_CALLS, report, total)
