"""What of memory goes into a prompt, within a budget of tokens."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from cairn.knowledge.llm.fence import CLOSING, fenced, harmless, opening

BUDGET = 1500
"""Tokens of a context. Shares below are of this many, and grow or shrink with the budget."""

RECENT, TOOL_RESULTS, STREAMED = 500, 400, 200
"""At most for recent turns, for tool results, and for each kind of streamed memories."""

FEWEST_TURNS, MOST_TURNS = 3, 5
LEAST = 8
"""Tokens below which nothing is cut: so few say nothing."""

SMALLEST_BRIEF, LARGEST_BRIEF = 100, 4_000
"""Tokens of the brief of a project."""

SMALLEST = 120
"""Tokens of the smallest budget: three turns of `LEAST`, and as much for the rest."""

SEPARATOR = "\n\n"
"""Stands after each text, and is counted with it."""

_OMITTED = " … "
_LONGEST_TOKEN = 16

Count = Callable[[str], int]
"""Tokens of a text; of a few characters, a few."""


@dataclass(frozen=True)
class Context:
    """What goes into a prompt, each part in the order in which it was given."""

    system: str = ""
    streamed: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    recent: tuple[str, ...] = ()
    tool_results: tuple[str, ...] = ()
    tokens: Mapping[str, int] = field(default_factory=dict[str, int])
    """Tokens of system, streamed with its fence, recent and tool_results, separators included."""
    namespace: str | None = None
    generation: str | None = None
    """Of the memories: their fence names them."""

    @property
    def total(self) -> int:
        """Tokens of all parts."""
        return sum(self.tokens.values())

    @property
    def text(self) -> str:
        """All of it: what changes least stands first, so that prompt caches hit."""
        memories = SEPARATOR.join(text for texts in self.streamed.values() for text in texts)
        told = fenced(memories, self.namespace, self.generation)
        parts = [self.system, told, *self.recent, *self.tool_results]
        return SEPARATOR.join(part for part in parts if part)

    @property
    def memories(self) -> str:
        """The memories alone, each in a line under its kind, in their fence; empty without any."""
        lines: list[str] = []
        for kind, texts in self.streamed.items():
            if texts:
                lines.append(f"{kind.capitalize()}:")
                lines += [f"- {' '.join(text.split())}" for text in texts]
        return fenced("\n".join(lines), self.namespace, self.generation)


def build_context(
    recent: Sequence[str],
    tool_results: Sequence[str] = (),
    streamed: Mapping[str, Sequence[str]] | Sequence[str] = (),
    system: str = "",
    budget: int = BUDGET,
    count: Count | None = None,
    *,
    namespace: str | None = None,
    generation: str | None = None,
) -> Context:
    """Recent turns always, tool results next, memories while they fit, system text in the rest.

    - Recent: the newest 5 turns; fewer where they do not fit their third of the budget, but never
      fewer than 3. If those are still too long, the longest are cut in the middle.
    - Tool results: all of them, within a share of their own; the longest are cut in the middle.
    - Memories: in the given order, whole, up to the first that does not fit; nothing after it.
      Of several kinds, each has a share, and stops by itself. Their fence is no part of a share.
    - System text: what is left; cut in the middle if it is longer.

    Args:
        recent: Turns, the newest last.
        tool_results: What tools gave, the newest last.
        streamed: Memories, the best first; by kind (`facts`, `episodes`) if there are several.
        system: Instructions, profile, whatever else.
        budget: Tokens, at most, of all of it together, separators included.
        count: Counts tokens; `count_tokens` if None.
        namespace: Whose memories they are, for their fence.
        generation: Generation of vectors that they were found in, for the same.

    Raises:
        ValueError: the budget is below 120 tokens.
    """
    if budget < SMALLEST:
        raise ValueError(f"a budget of {budget} tokens holds nothing; at least {SMALLEST}")
    room = _Room(count or count_tokens, budget)
    turns = [turn for turn in recent if turn.strip()][-MOST_TURNS:]
    third = room.share(RECENT)
    while len(turns) > FEWEST_TURNS and sum(room.size(turn, third) for turn in turns) > third:
        del turns[0]
    turns = room.fitted(turns, third)
    results = room.fitted([one for one in tool_results if one.strip()], room.share(TOOL_RESULTS))
    left = budget - sum(map(room.cost, [*turns, *results]))
    if not isinstance(streamed, Mapping):
        streams, share = {"memories": streamed}, 2 * room.share(STREAMED)
    else:
        streams, share = dict(streamed), room.share(STREAMED)
    taken: dict[str, tuple[str, ...]] = {}
    fence = room.cost(f"{opening(namespace, generation)}\n{CLOSING}")
    left -= fence
    for kind, memories in streams.items():
        taken[kind] = room.stream(map(harmless, memories), min(share, left))
        left -= sum(map(room.cost, taken[kind]))
    if not any(taken.values()):
        left, fence = left + fence, 0
    rest = room.fitted([system] if system.strip() else [], left)
    parts = {
        "system": rest,
        "streamed": [text for texts in taken.values() for text in texts],
        "recent": turns,
        "tool_results": results,
    }
    return Context(
        system="".join(rest),
        streamed=taken,
        recent=tuple(turns),
        tool_results=tuple(results),
        tokens={
            name: sum(map(room.cost, texts)) + (fence if name == "streamed" else 0)
            for name, texts in parts.items()
        },
        namespace=namespace,
        generation=generation,
    )


class _Room:
    """Counts and cuts for one context."""

    def __init__(self, count: Count, budget: int) -> None:
        self._count = count
        self._budget = budget

    def share(self, of_default: int) -> int:
        return of_default * self._budget // BUDGET

    def cost(self, text: str) -> int:
        return self._count(text + SEPARATOR)

    def stream(self, memories: Iterable[str], room: int) -> tuple[str, ...]:
        """Memories up to the first that does not fit."""
        taken: list[str] = []
        for memory in filter(str.strip, memories):
            room -= self.cost(memory)
            if room < 0:
                break
            taken.append(memory)
        return tuple(taken)

    def fitted(self, texts: Sequence[str], room: int) -> list[str]:
        """Texts within a room: short ones whole, the others cut to equal parts of what is left.

        Where there are more than the room can hold with a few words of each, the newest.
        """
        kept = list(texts)[-(room // LEAST) :] if room >= LEAST else []
        sizes = [self.size(text, room) for text in kept]
        found = dict(enumerate(kept))
        for done, row in enumerate(sorted(found, key=lambda row: (sizes[row], row))):
            found[row] = self._cut(kept[row], room // (len(kept) - done))
            room -= self.cost(found[row])
        return list(found.values())

    def size(self, text: str, room: int) -> int:
        """Tokens of a text; of one that is far too long, some number that is too much."""
        return self.cost(text) if len(text) <= room * _LONGEST_TOKEN else len(text)

    def _cut(self, text: str, room: int) -> str:
        """A text within a room: its beginning and, half as long, its end."""
        if len(text) <= room * _LONGEST_TOKEN and self.cost(text) <= room:
            return text
        few, many = 0, min(len(text), room * _LONGEST_TOKEN)
        while few + 1 < many:
            half = (few + many) // 2
            few, many = (half, many) if self.cost(_middle_out(text, half)) <= room else (few, half)
        return _middle_out(text, few)


def _middle_out(text: str, kept: int) -> str:
    """So many characters of a text: two thirds from its beginning, the rest from its end."""
    end = kept // 3
    return text[: kept - end].rstrip() + _OMITTED + text[len(text) - end :].lstrip()


def count_tokens(text: str) -> int:
    """Tokens of a text, counted offline by the vocabulary that the embedder comes with.

    It has a fifth more tokens than those of most models, so a budget is kept rather than broken.
    """
    from cairn.resources.embedders.vocabulary import tokenizer

    encoded = tokenizer().encode(text.encode(errors="replace").decode(), add_special_tokens=False)
    return len(encoded.ids)
