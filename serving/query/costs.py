"""What calls to the language model of a namespace cost."""

from datetime import datetime
from typing import Any

import polars as pl

from cairn.knowledge.llm.costs import costs as summed
from cairn.serving.read.reader import Reader


def costs(
    reader: Reader, by: list[str], since: datetime | None = None, limit: int = 20
) -> dict[str, Any]:
    """Calls of the ledger as it stands now, added up.

    Returns:
        total, and items: a row for each group of `by`, as of `cairn.knowledge.llm.costs.costs`;
        groups, how many there are.
    """
    calls = reader.state.answers.ledger().filter(namespace=reader.namespace)
    if since is not None:
        calls = calls.filter(pl.col("called_at") >= since)
    rows = summed(calls, by)
    return {
        "total": summed(calls).row(0, named=True),
        "groups": rows.height,
        "items": rows.head(limit).to_dicts(),
    }
