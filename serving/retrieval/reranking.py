"""The best results of a search, put in order once more by a model that reads the question."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from cairn.knowledge.schema.policy import Policy
from cairn.resources.rerankers.protocol import Reranker, RerankerError
from cairn.serving.read.reader import Reader
from cairn.serving.retrieval.ranking import ScoredHit

PASSIVE_SECONDS = 0.08
"""Of the 100 ms that passive recall may add to a turn: the rest is for what comes after."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class RankedHits:
    """What was found, in its last order."""

    near: list[ScoredHit]
    """All that is near enough."""
    reranked: bool | None = None
    """Whether a reranker put it in order; None where there was none to ask, or nothing to order."""
    not_reranked: str | None = None
    """Why it did not."""
    best: list[ScoredHit] = field(default_factory=list[ScoredHit])
    """Of what is near, what says something of its own."""


def ranked(
    reader: Reader,
    question: str | None,
    found: Callable[[int], list[ScoredHit]],
    wanted: int,
    until: float | None = None,
) -> RankedHits:
    """What is found, as the reranker orders it; where that fails, as if there were none.

    Args:
        reader: Whose reranker.
        question: What it is asked; nothing is, if None.
        found: What there is, best first, where so many results are wanted.
        wanted: So many are.
        until: As of `reordered`.
    """
    near = found(wanted)
    if question is None or not near:
        return RankedHits(near)
    policy = reader.state.policy
    try:
        reranker = reader.reranker
        if reranker is None:
            return RankedHits(near)
        wide = found(policy.reranked) if policy.reranked > wanted else near
        return RankedHits(reordered(reranker, question, wide, policy, until), reranked=True)
    except RerankerError as error:
        # What is told unasked has little time, and to lack it is no news.
        logger.log(logging.WARNING if until is None else logging.DEBUG, "not reranked: %s", error)
        return RankedHits(near, reranked=False, not_reranked=str(error))


def reordered(
    reranker: Reranker,
    question: str,
    near: Sequence[ScoredHit],
    policy: Policy,
    until: float | None = None,
) -> list[ScoredHit]:
    """The same hits, best first by similarity of which the reranker has its share.

    It reads the best `policy.reranked`; the others count as if it gave them 0. Which hits there are
    is not its matter: what is too far from the query for the floor was left out before, and what it
    gives 0 stays.

    Args:
        reranker: What scores them.
        question: What is asked.
        near: Hits, best first.
        policy: The weights.
        until: When it is too late, by `time.monotonic`; by the reranker's own time if None.

    Raises:
        RerankerError: there are no scores, or not in time.
    """
    left = reranker.seconds if until is None else until - time.monotonic()
    if left <= 0:
        raise RerankerError("there was no time left for it")
    best = near[: policy.reranked]
    given = reranker.scores(question, [_read(one) for one in best], min(left, reranker.seconds))
    share = policy.weight_similarity * policy.weight_reranker
    found = [one.with_reranker(score, share) for one, score in zip(best, given, strict=True)]
    found += [one.with_reranker(None, share) for one in near[policy.reranked :]]
    return sorted(found, key=lambda one: one.order)


def _read(one: ScoredHit) -> str:
    """What a reranker reads of a hit: its text, by whom it is, or what about if it does not say."""
    its = one.told
    said = f"{its.text} ({its.context})" if its.context else its.text
    about = its.entity if one.hit.kind == "fact" else None
    by = its.speaker or (about if about and about.casefold() not in said.casefold() else None)
    return f"{by}: {said}" if by else said
