"""Batches of questions that a provider of language models has, in words and as rows."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from cairn.serving.read.display import count, span

if TYPE_CHECKING:
    from cairn.resources.context import State

ANSWERED_WITHIN = timedelta(hours=26)
"""What providers promise, and a little: an older one is told of."""


def batch_rows(state: "State", namespace: str | None = None) -> list[dict[str, Any]]:
    """Open batches, the oldest first; without an `id` it is not known whether one was submitted."""
    return [
        {
            "namespace": one.namespace, "model": one.model, "id": one.remote,
            "questions": len(one.keys), "dollars_at_most": one.held, "since": one.opened_at,
        }
        for one in state.open_batches.of(namespace)
    ]  # fmt: skip


def batches_told(rows: list[dict[str, Any]]) -> str | None:
    """The same in a phrase; None if there is none."""
    if not rows:
        return None
    questions = sum(row["questions"] for row in rows)
    oldest = span(_age(rows[0]).total_seconds())
    return f"{count(len(rows), 'batch', 'batches')} of {count(questions, 'question')}, for {oldest}"


def is_late(rows: list[dict[str, Any]]) -> bool:
    """Whether one should have been answered by now."""
    return bool(rows) and _age(rows[0]) > ANSWERED_WITHIN


def _age(row: dict[str, Any]) -> timedelta:
    return datetime.now(UTC) - datetime.fromisoformat(row["since"])
