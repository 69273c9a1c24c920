"""What calls to a language model came to nothing, and why: from the ledger, in words."""

from datetime import datetime
from typing import NamedTuple

from cairn.resources.context import State
from cairn.serving.read.display import count


class ModelTrouble(NamedTuple):
    """Calls without an answer, of one model and for one reason."""

    model: str
    reason: str
    """timeout, or the class of the error with its status."""
    calls: int
    last: datetime
    words: str


def troubles(state: State, since: datetime) -> list[ModelTrouble]:
    """Calls without an answer since a time (UTC), the latest last."""
    limit = state.settings.model_timeout
    found: list[ModelTrouble] = []
    for model, reason, calls, last in state.answers.unanswered(since):
        why = f"none within {limit:g} s (timeout)" if reason == "timeout" else reason
        words = f"{count(calls, 'call')} to {model}: {why}"
        found.append(ModelTrouble(model, reason, calls, datetime.fromisoformat(last), words))
    return found
