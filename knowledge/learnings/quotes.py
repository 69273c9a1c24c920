"""Two to four quotes for a learning, found in their source by offset."""

from collections.abc import Iterable
from typing import NamedTuple

from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.learnings.draft import Quote

LONGEST = 200
FEWEST, MOST = 2, 4
SUMMARY = 300


class QuoteSpan(NamedTuple):
    """A part of a record that is worth quoting (code points)."""

    turn: Turn
    start: int
    end: int


def quotes(spans: Iterable[QuoteSpan], evidence: Iterable[Turn]) -> list[Quote]:
    """Quotes of the given spans; else the first 200 characters of evidence messages.

    Calls are not quoted, since their text is empty; nor is what was only thought. Where the spans
    give fewer than two, evidence that is not quoted yet is added from its beginning, up to four.
    """
    found: list[Quote] = []
    for span in spans:
        _add(found, span)
    if len(found) < FEWEST:
        quoted = {quote.record_id for quote in found}
        for turn in evidence:
            if turn.record_id not in quoted:
                _add(found, QuoteSpan(turn, 0, len(turn.text)))
    return found[:MOST]


def shorten(text: str, limit: int = SUMMARY) -> str:
    """Text of at most `limit` characters, cut at a word."""
    if len(text) <= limit:
        return text
    return text[: limit - 1].rsplit(None, 1)[0].rstrip(" ,.;:") + "…"


def _add(found: list[Quote], span: QuoteSpan) -> None:
    turn = span.turn
    if turn.kind not in ("message", "tool_result"):
        return
    start, end = span.start, span.end
    while start < end and turn.text[start].isspace():
        start += 1
    end = min(end, start + LONGEST)
    while end > start and turn.text[end - 1].isspace():
        end -= 1
    text = turn.text[start:end]
    if text and all(quote.record_id != turn.record_id or quote.start != start for quote in found):
        found.append(Quote(turn.record_id, text, turn.origin, start))
