"""The part of a conversation that a reader with a budget is given."""

import polars as pl

from cairn.knowledge.dialogue.turns import CONVERSATION, is_message
from cairn.knowledge.nlp.text import CHARACTERS_PER_TOKEN

BUDGET = 2000
"""Tokens, estimated as a quarter of the characters."""

TELLING = r"(?i)```|error|exception|bug|fix|problem"

FALLBACK_MESSAGES = 5


def spans(turns: pl.DataFrame) -> pl.DataFrame:
    """The records of each conversation that fit the budget, in their order.

    Taken are records with a code fence, tool calls, and text with error, exception, bug, fix or
    problem, up to the first that would exceed about 2000 tokens. Where that leaves none, the first
    five messages are taken. What was only thought is left out, and takes no budget: a model reads
    these; rules cost nothing and read everything.

    Returns:
        namespace, conversation_id, spans (record_ids in order).
    """
    tokens = (
        (pl.col("text").str.len_chars() + pl.col("tool_input").str.len_chars().fill_null(0))
        / CHARACTERS_PER_TOKEN
    ).ceil()
    told = (pl.col("kind") != "thinking") & pl.col("text").str.contains(TELLING)
    telling = (pl.col("kind") == "tool_call") | told
    chosen = (
        turns.filter(telling)
        .with_columns(total=tokens.cum_sum().over(*CONVERSATION))
        .filter(pl.col("total") <= BUDGET)
        .group_by(*CONVERSATION, maintain_order=True)
        .agg(spans="record_id")
    )
    first = (
        turns.filter(is_message())
        .group_by(*CONVERSATION, maintain_order=True)
        .agg(first=pl.col("record_id").head(FALLBACK_MESSAGES))
    )
    return (
        turns.select(CONVERSATION)
        .unique()
        .join(chosen, on=CONVERSATION, how="left")
        .join(first, on=CONVERSATION, how="left")
        .select(
            *CONVERSATION,
            spans=pl.coalesce("spans", "first").fill_null(pl.lit([], dtype=pl.List(pl.String))),
        )
        .sort(*CONVERSATION)
    )
