"""How much a conversation promises, before anything costly is done with it."""

import polars as pl

from cairn.knowledge.dialogue.turns import CONVERSATION, is_message
from cairn.knowledge.nlp.text import CHARACTERS_PER_TOKEN

TOO_SHORT = "too_short"

KEYWORDS = (
    r"(?i)\b(?:errors?|bugs?|fix(?:e[sd]|ing)?|implement(?:s|ed|ing|ation)?"
    r"|optimi[sz](?:e[sd]?|ing|ation)|patterns?|architectur(?:e|al)|design(?:s|ed|ing)?"
    r"|test(?:s|ed|ing)?)\b"
)

HEURISTICS: dict[str, tuple[str, int, float]] = {
    "code": ("fences", 2, 0.3),
    "tools": ("calls", 3, 0.25),
    "length": ("tokens", 2000, 0.2),
    "keywords": ("keywords", 2, 0.25),
}
"""Reason -> what is counted, the least count, and what it is worth."""


def values(turns: pl.DataFrame) -> pl.DataFrame:
    """The value score of each conversation, with its reasons.

    A message here is a line of the source by a person or an agent, whether it speaks or calls a
    tool. Under 3 messages the value is 0. Else it is the sum of: 2 messages with a code fence
    0.3; 3 with tool calls 0.25; 2000 tokens of readable text 0.2; 2 messages with a word of
    KEYWORDS 0.25; capped at 1.

    Returns:
        namespace, conversation_id, value (0 to 1), reasons (names of HEURISTICS, or too_short).
    """
    line = pl.coalesce("native_id", "record_id")
    said = is_message()
    called = (pl.col("kind") == "tool_call") & (pl.col("origin") == "agent")
    counts = turns.group_by(*CONVERSATION).agg(
        messages=line.filter(said | called).n_unique(),
        fences=line.filter(said & pl.col("text").str.contains("```", literal=True)).n_unique(),
        calls=line.filter(called).n_unique(),
        tokens=(pl.col("text").str.len_chars() + pl.col("tool_input").str.len_chars().fill_null(0))
        .sum()
        .floordiv(CHARACTERS_PER_TOKEN),
        keywords=line.filter(said & pl.col("text").str.contains(KEYWORDS)).n_unique(),
    )
    enough = pl.col("messages") >= 3
    reasons = [
        pl.when(enough & (pl.col(counted) >= least)).then(pl.lit(reason))
        for reason, (counted, least, _) in HEURISTICS.items()
    ]
    worth = [
        pl.when(enough & (pl.col(counted) >= least)).then(weight).otherwise(0.0)
        for counted, least, weight in HEURISTICS.values()
    ]
    short = pl.when(~enough).then(pl.lit(TOO_SHORT))
    return counts.select(
        *CONVERSATION,
        value=pl.sum_horizontal(worth).clip(0.0, 1.0).round(6),
        reasons=pl.concat_list(*reasons, short).list.drop_nulls(),
    ).sort(*CONVERSATION)
