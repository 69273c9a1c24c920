"""Questions that share a call: which of them, and what is kept of the answer for each."""

from collections.abc import Iterator, Mapping

from pydantic import BaseModel

from cairn.resources.llm.answer_cache import ATTEMPTS, CachedAnswer

SHRINKS = 6
"""By how much fewer questions share a call for each time that they failed in one: 40, 6, 1."""


def final(kept: CachedAnswer) -> bool:
    """Whether a question that shares its call is not asked again."""
    return kept.outcome == "done" or kept.attempts >= ATTEMPTS


def chosen(failed: Mapping[str, int], most: int) -> list[str]:
    """Questions that share the next call: the new ones first, then what failed, in given order.

    So one that no model can answer takes no other with it: the third time it is asked alone.

    Args:
        failed: Key of a question, and the calls in which it got no answer.
        most: New questions in a call.
    """
    batch: list[str] = []
    for key in sorted(failed, key=lambda key: failed[key]):
        if len(batch) < max(1, most // SHRINKS ** failed[key]):
            batch.append(key)
    return batch


def parted(
    call: CachedAnswer, parts: Mapping[str, BaseModel | None], failed: Mapping[str, int]
) -> Iterator[CachedAnswer]:
    """What is kept of a call for each question. Its cost stands in the ledger, and once."""
    for key, part in parts.items():
        yield call._replace(
            key=key,
            outcome="failed" if part is None else "done",
            reason=(call.reason or "wrong_shape") if part is None else None,
            text=None if part is None else part.model_dump_json(),
            tokens_in=None,
            tokens_out=None,
            tokens_cached=None,
            cost=None,
            seconds=0.0,
            attempts=failed[key] + 1,
        )
