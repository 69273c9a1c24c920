"""Messages that no answer of a language model could be had about."""

import polars as pl

FAILURE_SCHEMA = pl.Schema(
    {
        "namespace": pl.String(),
        "day": pl.String(),
        "conversation_id": pl.String(),
        "record_id": pl.String(),
        "prompt": pl.String(),
        "reason": pl.String(),
        "answer": pl.String(),
    }
)
"""A message that is lost to a prompt, which of knowledge.llm.client.FAILURES is why, and the key
of the answer that is none."""
