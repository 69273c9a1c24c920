"""Dead letters of messages that no answer of a language model could be had about."""

import polars as pl

from cairn.knowledge.schema.tables import DEAD_LETTERS, RAW_LOGS
from cairn.resources.context import State


def note_lost(state: State, stage: str, asked: pl.DataFrame, failures: pl.DataFrame) -> None:
    """Notes the messages that are lost to a prompt, in place of what was noted of them before.

    Args:
        state: Where.
        stage: Name of the stage that asked.
        asked: What it asked about, of which no older letter stays: columns namespace and unit (a
            conversation), or the namespace alone.
        failures: Rows of cairn.knowledge.schema.failures.FAILURE_SCHEMA.
    """
    old = state.warehouse.read(DEAD_LETTERS).collect()
    mine = old.filter(pl.col("stage") == stage).join(asked.unique(), on=asked.columns, how="semi")
    if mine.is_empty() and failures.is_empty():
        return
    columns = ["namespace", "record_id", "source_file", "source_line"]
    days = sorted(set(failures["day"]))
    places = state.warehouse.read(RAW_LOGS, days=days, columns=columns).collect()
    rows = failures.join(places, on=["namespace", "record_id"], how="left").select(
        "namespace",
        dead_letter_id=pl.concat_str(pl.lit(stage), "record_id", "prompt", separator="/"),
        stage=pl.lit(stage),
        source_file="source_file",
        source_line="source_line",
        source_offset=pl.lit(0, pl.Int64),
        unit="conversation_id",
        reason=pl.concat_str("prompt", pl.lit(": "), "reason"),
        answer="answer",
        replay=pl.lit("cairn dead-letters --retry"),
    )
    stays = old.join(mine, on=["namespace", "dead_letter_id"], how="anti")
    # A long message is asked about in parts, of which several may fail.
    once = rows.sort(pl.all()).unique(["namespace", "dead_letter_id"], keep="first")
    letters = DEAD_LETTERS.frame(once)
    state.warehouse.write(DEAD_LETTERS, pl.concat([stays, letters]))
