"""What is asked of language models: one file per prompt, with the model of its answer."""

from typing import Any

from knowledge.prompt import Prompt
from knowledge.prompts.commands import COMMANDS
from knowledge.prompts.entity_facts import ENTITY_FACTS
from knowledge.prompts.known_facts import KNOWN_FACTS
from knowledge.prompts.names import NAMES

PROMPTS: dict[str, Prompt[Any]] = {
    prompt.name: prompt for prompt in (NAMES, ENTITY_FACTS, KNOWN_FACTS, COMMANDS)
}
"""Every prompt in force, by name."""

CANARIES: frozenset[str] = frozenset().union(*(prompt.canaries for prompt in PROMPTS.values()))
"""Names that stand in examples only: what has one was copied from a prompt."""
