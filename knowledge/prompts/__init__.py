"""What is asked of language models: one file per prompt, with the model of its answer."""

from typing import Any

from knowledge.prompt import Prompt
from knowledge.prompts.commands import COMMANDS
from knowledge.prompts.contradiction_pairs import CONTRADICTION_PAIRS
from knowledge.prompts.entity_facts import ENTITY_FACTS
from knowledge.prompts.generalised_facts import GENERALISED_FACTS
from knowledge.prompts.known_facts import KNOWN_FACTS
from knowledge.prompts.learning_anti_pattern import LEARNING_ANTI_PATTERN
from knowledge.prompts.learning_best_practice import LEARNING_BEST_PRACTICE
from knowledge.prompts.learning_bug_fix import LEARNING_BUG_FIX
from knowledge.prompts.learning_categories import LEARNING_CATEGORIES
from knowledge.prompts.learning_decision import LEARNING_DECISION
from knowledge.prompts.learning_optimization import LEARNING_OPTIMIZATION
from knowledge.prompts.learning_pattern import LEARNING_PATTERN
from knowledge.prompts.learning_quotes import LEARNING_QUOTES
from knowledge.prompts.learning_tool_usage import LEARNING_TOOL_USAGE
from knowledge.prompts.learning_workflow import LEARNING_WORKFLOW
from knowledge.prompts.merge_pairs import MERGE_PAIRS
from knowledge.prompts.names import NAMES
from knowledge.prompts.search_queries import SEARCH_QUERIES
from knowledge.prompts.structure import STRUCTURE

LESSON_PROMPTS: dict[str, Prompt[Any]] = {
    prompt.name.removeprefix("learning_"): prompt
    for prompt in (
        LEARNING_BUG_FIX, LEARNING_DECISION, LEARNING_TOOL_USAGE, LEARNING_ANTI_PATTERN,
        LEARNING_BEST_PRACTICE, LEARNING_OPTIMIZATION, LEARNING_PATTERN, LEARNING_WORKFLOW,
    )
}  # fmt: skip
"""The prompt for lessons of each category."""

PROMPTS: dict[str, Prompt[Any]] = {
    prompt.name: prompt
    for prompt in (
        NAMES, ENTITY_FACTS, KNOWN_FACTS, COMMANDS, GENERALISED_FACTS, LEARNING_CATEGORIES,
        *LESSON_PROMPTS.values(), LEARNING_QUOTES, CONTRADICTION_PAIRS, MERGE_PAIRS, STRUCTURE,
        SEARCH_QUERIES,
    )
}  # fmt: skip
"""Every prompt in force, by name."""

CANARIES: frozenset[str] = frozenset().union(*(prompt.canaries for prompt in PROMPTS.values()))
"""Names that stand in examples only: what has one was copied from a prompt."""
