"""What is streamed into the next turn unasked: what bears on the last ones."""

from collections.abc import Sequence
from dataclasses import dataclass

from cairn.serving.read.reader import Reader
from cairn.serving.retrieval.personalization import personalization_of
from cairn.serving.retrieval.search import SearchResult, nearest

TURNS = 2
"""Turns that the next context is found by; the current input is never among them."""
LONGEST_TURN = 2000
"""Characters of a turn that are looked at: its end, where it says what comes next."""


@dataclass(frozen=True)
class StreamedContext:
    """Facts above `policy.passive_above`, and episodes, that bear on the last turns."""

    facts: tuple[SearchResult, ...] = ()
    episodes: tuple[SearchResult, ...] = ()


NOTHING = StreamedContext()


def next_context(reader: Reader, turns: Sequence[str]) -> StreamedContext:
    """What bears on the last two turns, at most `policy.streamed` of each kind.

    Nothing that is about what the person dislikes or muted, or that names it. Of what is equally
    relevant, what they care about more comes first. `turns` are those so far, the latest last,
    without the input that is being answered.
    """
    policy = reader.state.policy
    query = "\n".join(turn[-LONGEST_TURN:] for turn in turns[-TURNS:])
    if not query.strip():
        return NOTHING
    cares = personalization_of(reader)
    sure = nearest(
        reader, query, "facts", policy.streamed, policy.passive_above, personalization=cares
    )
    least = policy.search_min_confidence
    return StreamedContext(
        tuple(one for one in sure if one.confidence > policy.passive_above),
        tuple(nearest(reader, query, "episodes", policy.streamed, least, personalization=cares)),
    )
