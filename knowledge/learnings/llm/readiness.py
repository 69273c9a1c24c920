"""Which conversations are finished, so that questions about them may be paid for.

Only a job has a clock, and it decides only when a question is asked; nothing that is written
depends on it.
"""

from datetime import datetime, timedelta

import polars as pl

from cairn.knowledge.dialogue.turns import CONVERSATION

IDLE = timedelta(minutes=30)


def finished(
    conversations: pl.DataFrame,
    touched: pl.DataFrame,
    closed: pl.DataFrame,
    now: datetime,
    idle: timedelta = IDLE,
) -> pl.DataFrame:
    """Conversations that have rested long enough, by clock and file, or that an event ended.

    Args:
        conversations: namespace, conversation_id, ended_at (its last event).
        touched: namespace, conversation_id, touched_at: last change of its files, where known.
        closed: namespace, conversation_id of those that an event ended.
        now: The clock.
        idle: How long is enough.

    Returns:
        namespace, conversation_id, sorted. One that is undated and in no file is finished.
    """
    rested = pl.max_horizontal("ended_at", "touched_at") + idle <= now
    ended = closed.select(CONVERSATION).unique().with_columns(closed=pl.lit(value=True))
    last = touched.group_by(CONVERSATION).agg(pl.col("touched_at").max())
    return (
        conversations.join(last, on=CONVERSATION, how="left")
        .join(ended, on=CONVERSATION, how="left")
        .filter(pl.col("closed").fill_null(rested.fill_null(value=True)))
        .select(CONVERSATION)
        .sort(CONVERSATION)
    )
