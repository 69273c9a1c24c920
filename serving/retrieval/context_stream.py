"""What is streamed into the next turn unasked: found between turns, so that none waits for it."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
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


class NextContext:
    """The next turn's context, made ready by a thread of its own.

    `turned` says that a turn is over, and comes back at once; `take` gives what was found by then.
    Of turns that come while one is looked for, only the latest is looked for. Where that fails
    nothing is streamed, and `error` says why.

    Args:
        find: From the turns so far to what bears on them.
    """

    def __init__(self, find: Callable[[Sequence[str]], StreamedContext]) -> None:
        self._find = find
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="next-context")
        self._latest: Future[StreamedContext] | None = None

    def turned(self, turns: Sequence[str]) -> None:
        """A turn is over: what bears on the last ones is looked for."""
        if self._latest:
            self._latest.cancel()
        self._latest = self._thread.submit(self._find, tuple(turns))

    def take(self) -> StreamedContext:
        """What was found after the last turn; nothing if it is still looked for. Never waits."""
        found = self._latest
        if found is None or not found.done() or found.cancelled() or found.exception():
            return NOTHING
        return found.result()

    @property
    def error(self) -> BaseException | None:
        """Why nothing was found after the last turn, if looking for it failed."""
        found = self._latest
        return found.exception() if found and found.done() and not found.cancelled() else None

    def close(self) -> None:
        """Lets the thread go; what it has not begun is given up."""
        self._thread.shutdown(wait=False, cancel_futures=True)
