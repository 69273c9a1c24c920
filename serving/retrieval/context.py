"""What memory offers for a turn: what is known of its message, what bears on those before it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from cairn.knowledge.llm.fence import fenced
from cairn.knowledge.nlp.text import beginning
from cairn.resources.home.usage import CONTEXT, note_use
from cairn.resources.limits.day import check_limit
from cairn.serving.query.briefs import practices_for
from cairn.serving.read.reader import Reader
from cairn.serving.retrieval.context_stream import StreamedContext, next_context
from cairn.serving.retrieval.entity_context import KnownEntities, known
from cairn.serving.retrieval.personalization import personalization_of
from cairn.serving.retrieval.reranking import PASSIVE_SECONDS
from cairn.serving.retrieval.search import KINDS, SearchAnswer, SearchResult, answer
from cairn.serving.retrieval.token_budget import BUDGET, Context, build_context

LONGEST = {"episode": 240, "learning": 480}
"""Characters of a memory of which several are to fit: its beginning, where it says what it is."""


@dataclass(frozen=True)
class Offer:
    """Memories for a prompt, and why they are offered."""

    known: KnownEntities | None
    """Of the message; None if none was given."""
    streamed: StreamedContext
    """Of the turns before it."""
    found: tuple[SearchResult, ...]
    """By a search for the message, the best first; none if no message was given."""
    context: Context
    """What fits the budget; its `text` is for the prompt, its `memories` are that without turns."""
    reranked: bool | None = None
    not_reranked: str | None = None
    """Both as of the search."""


def offer(
    reader: Reader,
    message: str | None = None,
    turns: Sequence[str] = (),
    tool_results: Sequence[str] = (),
    system: str = "",
    budget: int = BUDGET,
) -> Offer:
    """Memories for the next turn, with the turns themselves, within a budget of tokens.

    How the tasks that the message names are done comes first, then what is known of it, then what a
    search for it finds, then what bears on the last turns; each once. `turns` and `tool_results`
    have the latest last; `system` is whatever else is to fill the rest.

    Raises:
        ValueError: the budget is too small to hold anything.
        LimitReached: its namespace is answered no more today.
    """
    asked = message if message and message.strip() else None
    check_limit(reader.state, reader.namespace, "searches")
    began = time.monotonic()
    about = known(reader, asked) if asked else None
    streamed = next_context(reader, turns)
    left = began + PASSIVE_SECONDS - time.monotonic()
    search = found_for(reader, asked, left) if asked else SearchAnswer([])
    found = tuple(search.results)
    told = [fact["text"] for entity in about.entities for fact in entity.facts] if about else []
    practices = [line.text for line in practices_for(reader, asked)] if asked else []
    memories = {
        **({"practices": practices} if practices else {}),
        "facts": [*told, *_texts("fact", (*found, *streamed.facts))],
        "episodes": _texts("episode", (*found, *streamed.episodes)),
        "learnings": _texts("learning", found),
    }
    recent = [*turns, asked] if asked else list(turns)
    context = build_context(
        recent,
        tool_results,
        {kind: list(dict.fromkeys(texts)) for kind, texts in memories.items()},
        system,
        budget,
        namespace=reader.namespace,
        generation=reader.manifest.generation,
    )
    given = sum(map(len, context.streamed.values()))
    note_use(reader.state.home, reader.namespace, CONTEXT, given)
    return Offer(about, streamed, found, context, search.reranked, search.not_reranked)


def found_for(reader: Reader, message: str, seconds: float = PASSIVE_SECONDS) -> SearchAnswer:
    """What a search for a message finds that may be told unasked, best first.

    At most `policy.streamed` of each kind: facts, episodes and learnings, as near to the message as
    a fact must be to answer it. What the person dislikes or muted is only there where the message
    names it. A reranker orders it where it has scores within some seconds.

    Raises:
        ValueError: the message is empty.
    """
    policy = reader.state.policy
    cares = personalization_of(reader).but(message)
    most, least = 3 * policy.streamed, policy.passive_above
    left: dict[str, int] = dict.fromkeys(KINDS["all"], policy.streamed)
    found: list[SearchResult] = []
    every = answer(reader, message, "all", most, least, personalization=cares, seconds=seconds)
    for one in every.results:
        near = one.similarity >= policy.sufficient_similarity and one.confidence > least
        if near and left[one.kind]:
            left[one.kind] -= 1
            found.append(one)
    return replace(every, results=found)


def brief(kind: str, text: str) -> str:
    """A memory as it stands among several; of a long one its beginning."""
    longest = LONGEST.get(kind, len(text))
    return text if len(text) <= longest else f"{beginning(text, longest)} …"


def _texts(kind: str, found: Sequence[SearchResult]) -> list[str]:
    return [brief(kind, one.text) for one in found if one.kind == kind]


def as_text(reader: Reader, results: Sequence[SearchResult]) -> str:
    """Results of a search as text for a prompt, in the fence; empty if there are none."""
    lines = [
        f"- {' '.join(one.text.split())} ({one.kind} {one.id}, confidence {one.confidence:.2f})"
        for one in results
    ]
    return fenced("\n".join(lines), reader.namespace, reader.manifest.generation)
