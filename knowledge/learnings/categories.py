"""Which kinds of learning a conversation holds, by the signals found in it."""

from collections.abc import Iterable
from typing import NamedTuple

from cairn.knowledge.schema.learning_categories import ON_EQUAL_SCORES
from cairn.knowledge.schema.policy import Policy

MOST = 2

WEIGHTS: dict[str, float] = {
    "error_ended": 0.6,
    "command_corrected": 0.5,
    "decision_with_reason": 0.6,
    "decision_with_alternative": 0.5,
    "question_answered": 0.5,
    "question_settled": 0.3,
    "gain_in_numbers": 0.6,
    "pattern_with_reason": 0.5,
}
"""What one occurrence of a signal is worth for its category."""


class Signal(NamedTuple):
    """Something that speaks for a category."""

    category: str
    name: str


def categories(signals: Iterable[Signal], policy: Policy) -> list[tuple[str, float]]:
    """At most two categories with their scores, the strongest first.

    Signals count as independent hints, so a score is 1 - Π(1 - weight): two weak ones may do what
    one strong one does. Equal scores keep the order of ON_EQUAL_SCORES.
    """
    left: dict[str, float] = dict.fromkeys(ON_EQUAL_SCORES, 1.0)
    for signal in signals:
        left[signal.category] *= 1.0 - WEIGHTS[signal.name]
    scores = [(category, round(1.0 - rest, 6)) for category, rest in left.items()]
    passed = [pair for pair in scores if pair[1] >= policy.min_category_score]
    return sorted(passed, key=lambda pair: -pair[1])[:MOST]
