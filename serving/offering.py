"""What memory offers for a turn: what is known of its message, what bears on those before it."""

from collections.abc import Sequence
from dataclasses import dataclass

from serving.budget import BUDGET, Context, build_context
from serving.known import Known, known
from serving.passive import Streamed, next_context
from serving.reader import Reader


@dataclass(frozen=True)
class Offer:
    """Memories for a prompt, and why they are offered."""

    known: Known | None
    """Of the message; None if none was given."""
    streamed: Streamed
    """Of the turns before it."""
    context: Context
    """What fits the budget; its `text` is for the prompt."""


def offer(
    reader: Reader,
    message: str | None = None,
    turns: Sequence[str] = (),
    tool_results: Sequence[str] = (),
    system: str = "",
    budget: int = BUDGET,
) -> Offer:
    """Memories for the next turn, with the turns themselves, within a budget of tokens.

    What is known of the message comes first, then facts that bear on the last turns; each once.

    Args:
        reader: Whose memory.
        message: What is to be answered.
        turns: What was said before it, the latest last.
        tool_results: What tools gave, the latest last.
        system: Instructions, profile, whatever else is to fill the rest.
        budget: Tokens.

    Raises:
        ValueError: the budget is too small to hold anything.
    """
    asked = message if message and message.strip() else None
    about = known(reader, asked) if asked else None
    streamed = next_context(reader, turns)
    told = [fact["text"] for entity in about.entities for fact in entity.facts] if about else []
    facts = dict.fromkeys([*told, *(one.text for one in streamed.facts)])
    episodes = dict.fromkeys(one.text for one in streamed.episodes)
    recent = [*turns, asked] if asked else list(turns)
    memories = {"facts": list(facts), "episodes": list(episodes)}
    return Offer(about, streamed, build_context(recent, tool_results, memories, system, budget))
