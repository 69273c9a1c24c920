"""Categories of learnings: the one list of them, and what follows from a category."""

from typing import Literal, get_args

Category = Literal[
    "pattern", "best_practice", "anti_pattern", "bug_fix", "optimization", "tool_usage",
    "workflow", "decision",
]  # fmt: skip

CATEGORIES: tuple[Category, ...] = get_args(Category)

ON_EQUAL_SCORES: tuple[Category, ...] = (
    "bug_fix", "decision", "tool_usage", "anti_pattern", "best_practice", "optimization",
    "pattern", "workflow",
)  # fmt: skip
"""The order in which categories of equal scores are taken: what was done before what is thought."""

STRICT: frozenset[Category] = frozenset({"best_practice", "anti_pattern"})
"""Advice: anybody can give it, so its bar is `min_advice_confidence`."""

NOTED: frozenset[Category] = frozenset({"decision", "pattern"})
"""What is good to know; any other is a way to do something."""
