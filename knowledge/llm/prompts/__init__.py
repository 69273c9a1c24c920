"""What is asked of language models: one file per prompt, with the model of its answer."""

from typing import Any

from knowledge.llm.prompt import Prompt
from knowledge.llm.prompts.commands import COMMANDS
from knowledge.llm.prompts.contradiction_pairs import CONTRADICTION_PAIRS
from knowledge.llm.prompts.entity_facts import ENTITY_FACTS
from knowledge.llm.prompts.generalised_facts import GENERALISED_FACTS
from knowledge.llm.prompts.known_facts import KNOWN_FACTS
from knowledge.llm.prompts.learnings.anti_pattern import LEARNING_ANTI_PATTERN
from knowledge.llm.prompts.learnings.best_practice import LEARNING_BEST_PRACTICE
from knowledge.llm.prompts.learnings.bug_fix import LEARNING_BUG_FIX
from knowledge.llm.prompts.learnings.categories import LEARNING_CATEGORIES
from knowledge.llm.prompts.learnings.decision import LEARNING_DECISION
from knowledge.llm.prompts.learnings.optimization import LEARNING_OPTIMIZATION
from knowledge.llm.prompts.learnings.pattern import LEARNING_PATTERN
from knowledge.llm.prompts.learnings.quotes import LEARNING_QUOTES
from knowledge.llm.prompts.learnings.tool_usage import LEARNING_TOOL_USAGE
from knowledge.llm.prompts.learnings.workflow import LEARNING_WORKFLOW
from knowledge.llm.prompts.merge_pairs import MERGE_PAIRS
from knowledge.llm.prompts.names import NAMES
from knowledge.llm.prompts.search_queries import SEARCH_QUERIES
from knowledge.llm.prompts.structure import STRUCTURE

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
