"""What a conversation shows beside what its agents say: text from outside, and names in it."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from cairn.knowledge.dialogue.borne_out import stems_of
from cairn.knowledge.dialogue.tool_calls import shell_command
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.nlp.text import STOP_WORDS

FEWEST_WORDS = 2
FEWEST_OF_TOOL = 4
"""Words of weight that a statement shares with what stood before: in a page, in a tool's output."""

SHARE, SHARE_OF_TOOL = 0.7, 0.8
"""… and the share of its own that these are, close together."""

_FETCHES = re.compile(
    r"(?i)^mcp|fetch|brows|crawl|scrap|https?\b|url|\bweb|web_|playwright|puppeteer|navigate"
)
_FETCHES_BY = re.compile(
    r"\b(?:curl|wget|lynx|w3m|links|httpie|https?|xh|aria2c)\s|\b(?:gh|glab|hub)\s+(?:api|issue|pr|release|gist|run)\b"
    r"|\b(?:npm|pnpm|yarn)\s+(?:view|info|show)\b|https?://"
)
"""Tools and commands whose output others wrote."""


_LONGEST = 20_000
"""Characters of a call or of its output that are looked at."""

_WORD = re.compile(r"[^\W\d_]\w{2,}")
_NAME = re.compile(
    r"`(?P<code>[^`\n]{2,80})`"
    r"|(?<![\w`])(?P<name>[^\W\d]\w*(?:[-./:@]+\w+)+|\w*(?:[a-z\d][A-Z]|_\w|[^\W\d_]\d)\w*|[A-Z]{2,}\w*)"
    r"|(?<=[\w,;)] )(?P<proper>[A-Z][a-z]\w+)"
)
"""Code, what is written as names of code and files are, and capitals inside a sentence."""


@dataclass(frozen=True)
class OutsideText:
    """Text from outside, in lower case; `fetched`: others wrote it, beyond doubt."""

    seq: int
    fetched: bool
    text: str

    @cached_property
    def stems(self) -> list[str]:
        """Stems of its words of weight, in order."""
        return list(stems_of(self.text))


def outside(turns: Sequence[Turn]) -> list[OutsideText]:
    """Text from outside, in order; not what the agent itself wrote into a file."""
    calls = {turn.call_id: turn for turn in turns if turn.kind == "tool_call"}
    found: list[OutsideText] = []
    for turn in turns:
        if turn.origin in ("external", "recalled"):
            found.append(OutsideText(turn.seq, fetched=True, text=turn.text.lower()))
        elif turn.kind == "tool_result" and turn.origin == "tool":
            call = calls.get(turn.call_id) if turn.call_id else None
            fetched = _fetches(turn, call)
            if fetched or call is None or not _writes(call):
                found.append(OutsideText(turn.seq, fetched, turn.text.lower()))
    return [one for one in found if one.text]


def stands(sought: frozenset[str], heard: OutsideText) -> bool:
    """Whether most words of a statement stand close together in a text, its numbers all of them."""
    fewest = FEWEST_WORDS if heard.fetched else FEWEST_OF_TOOL
    if len(sought) < fewest:
        return False
    share = SHARE if heard.fetched else SHARE_OF_TOOL
    wanted = max(fewest, -int(-share * len(sought) // 1))
    # Stems begin like their words, mostly: a quick look spares nearly every text the rest.
    absent = 0
    for one in sought:
        if one[: max(3, len(one) - 2)] not in heard.text:
            absent += 1
            if absent > len(sought) - wanted:
                return False
    numbers = {one for one in sought if any(map(str.isdigit, one))}
    return _densest(sought, numbers, heard.stems) >= wanted


def _densest(sought: frozenset[str], numbers: Collection[str], stems: Sequence[str]) -> int:
    """Most words of a statement within a stretch of a text thrice as long, numbers included."""
    width = 3 * len(sought) + 3
    places = [(at, one) for at, one in enumerate(stems) if one in sought]
    best = first = 0
    counts: dict[str, int] = {}
    for at, one in places:
        counts[one] = counts.get(one, 0) + 1
        while places[first][0] <= at - width:
            gone = places[first][1]
            counts[gone] -= 1
            if not counts[gone]:
                del counts[gone]
            first += 1
        if len(counts) > best and all(number in counts for number in numbers):
            best = len(counts)
    return best


def _writes(call: Turn) -> bool:
    """Whether a call only shows again what the agent itself wrote."""
    inputs = call.input
    return bool(
        {"new_string", "old_string", "content", "file_text", "patch", "edits"} & set(inputs)
    )


def _fetches(result: Turn, call: Turn | None) -> bool:
    name = result.tool_name or (call.tool_name if call else None) or ""
    line = shell_command(call.input) if call else ""
    return bool(_FETCHES.search(name)) or bool(line and _FETCHES_BY.search(line))


def names_of(text: str) -> frozenset[str]:
    """Words of the names in a statement, folded."""
    found = (match[match.lastgroup or 0] for match in _NAME.finditer(text))
    return frozenset(_words(found)) - STOP_WORDS


def shown(turns: Iterable[Turn]) -> frozenset[str]:
    """Words of what tools were given and put out, and of what people said, folded."""
    texts = (
        text[:_LONGEST]
        for turn in turns
        if turn.kind in ("tool_call", "tool_result") or turn.origin == "human"
        for text in (turn.text, turn.tool_input or "")
    )
    return frozenset(_words(texts))


def _words(texts: Iterable[str]) -> Iterator[str]:
    """Words of some texts, folded."""
    distinct: set[str] = set()
    for text in texts:
        distinct.update(_WORD.findall(text))
    return (word.casefold() for word in distinct)
