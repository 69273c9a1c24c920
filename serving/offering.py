"""What memory offers for a turn: what is known of its message, what bears on those before it."""

from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.fence import fenced
from serving.budget import BUDGET, Context, build_context
from serving.known import Known, known
from serving.passive import Streamed, next_context
from serving.reader import Reader
from serving.search import Found


@dataclass(frozen=True)
class Offer:
    """Memories for a prompt, and why they are offered."""

    known: Known | None
    """Of the message; None if none was given."""
    streamed: Streamed
    """Of the turns before it."""
    context: Context
    """What fits the budget; its `text` is for the prompt, its `memories` are that without turns."""


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
    context = build_context(
        recent, tool_results, memories, system, budget,
        namespace=reader.namespace, generation=reader.manifest.generation,
    )  # fmt: skip
    return Offer(about, streamed, context)


def as_text(reader: Reader, results: Sequence[Found]) -> str:
    """Results of a search as text for a prompt, in the fence; empty if there are none."""
    lines = [
        f"- {' '.join(one.text.split())} ({one.kind} {one.id}, confidence {one.confidence:.2f})"
        for one in results
    ]
    return fenced("\n".join(lines), reader.namespace, reader.manifest.generation)
