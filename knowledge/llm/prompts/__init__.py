"""What is asked of language models: one file per prompt, with the model of its answer."""

from typing import Any

from cairn.knowledge.llm.prompt import Prompt
from cairn.knowledge.llm.prompts.commands import COMMANDS
from cairn.knowledge.llm.prompts.contradiction_pairs import CONTRADICTION_PAIRS
from cairn.knowledge.llm.prompts.entity_facts import ENTITY_FACTS
from cairn.knowledge.llm.prompts.entity_pairs import ENTITY_PAIRS
from cairn.knowledge.llm.prompts.generalised_facts import GENERALISED_FACTS
from cairn.knowledge.llm.prompts.known_facts import KNOWN_FACTS
from cairn.knowledge.llm.prompts.learnings.categories import LEARNING_CATEGORIES
from cairn.knowledge.llm.prompts.learnings.lessons import LESSON_PROMPTS
from cairn.knowledge.llm.prompts.learnings.quotes import LEARNING_QUOTES
from cairn.knowledge.llm.prompts.merge_pairs import MERGE_PAIRS
from cairn.knowledge.llm.prompts.names import NAMES
from cairn.knowledge.llm.prompts.rerank import RERANK
from cairn.knowledge.llm.prompts.search_queries import SEARCH_QUERIES
from cairn.knowledge.llm.prompts.structure import STRUCTURE

PROMPTS: dict[str, Prompt[Any]] = {
    prompt.name: prompt
    for prompt in (
        NAMES, ENTITY_FACTS, KNOWN_FACTS, COMMANDS, GENERALISED_FACTS, LEARNING_CATEGORIES,
        *LESSON_PROMPTS.values(), LEARNING_QUOTES, CONTRADICTION_PAIRS, MERGE_PAIRS, ENTITY_PAIRS,
        STRUCTURE, SEARCH_QUERIES, RERANK,
    )
}  # fmt: skip
"""Every prompt in force, by name."""

CANARIES: frozenset[str] = frozenset().union(*(prompt.canaries for prompt in PROMPTS.values()))
"""Names that stand in examples only: what has one was copied from a prompt."""
