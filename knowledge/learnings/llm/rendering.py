"""Messages of a conversation as a model sees them, and the words it quotes found again."""

import textwrap
from collections.abc import Sequence

from cairn.knowledge.dialogue.tool_calls import shell_command
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.learnings.context_window import BUDGET
from cairn.knowledge.learnings.quotes import QuoteSpan
from cairn.knowledge.llm.prompt_injection import gives_orders
from cairn.knowledge.nlp.spans import place
from cairn.knowledge.nlp.text import CHARACTERS_PER_TOKEN

LONGEST = BUDGET * CHARACTERS_PER_TOKEN
"""Characters of all messages together; spans are within it, the first messages may not be."""


def shown(turns: Sequence[Turn], longest: int | None = None) -> str:
    """Messages with their numbers from 1, each text indented below who speaks.

    No text can pass for another's, since only what begins a line tells who speaks.

    Args:
        turns: Messages, calls and results, in order.
        longest: Characters of each that are shown; without it all share LONGEST.
    """
    texts = [_text(turn) for turn in turns]
    if longest is None and sum(map(len, texts)) > LONGEST:
        longest = LONGEST // len(texts)
    return "\n".join(
        f"[{number}] {_speaker(turn)}\n{textwrap.indent(text[:longest].strip(), '    ')}"
        for number, (turn, text) in enumerate(zip(turns, texts, strict=True), 1)
    )


def found(quote: str, number: int, turns: Sequence[Turn]) -> QuoteSpan | None:
    """Where a quote stands: in the message of that number, else in the first that has it."""
    named = turns[number - 1 : number] if number > 0 else ()
    for turn in [*named, *turns]:
        if span := place(quote, turn.text):
            return QuoteSpan(turn, *span)
    return None


def _text(turn: Turn) -> str:
    return turn.text or shell_command(turn.input) or turn.tool_input or ""


def _speaker(turn: Turn) -> str:
    tool = " ".join((turn.tool_name or "").split())[:60]
    match turn.kind:
        case "tool_call":
            said = f"tool call {tool}".strip()
        case "tool_result":
            said = "tool error" if turn.is_error else "tool result"
        case _:
            said = turn.origin
    orders = gives_orders(turn.text, turn.origin)
    return f"{said}, gives orders to a model" if orders else said
