"""Chunks: what of an episode is shown to a model at once, as numbered messages.

A chunk holds whole messages of one episode. Where a long episode is cut does not depend on what
comes before or after, so a conversation that grows keeps its chunks, and with them their answers.
"""

import textwrap
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import accumulate, groupby
from typing import NamedTuple

import polars as pl

from cairn.knowledge.llm.prompt_injection import gives_orders
from cairn.knowledge.nlp.text import CHARACTERS_PER_TOKEN, ERROR_LINE, estimated_tokens, sentences
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.policy import Policy

ENRICHMENT = "enrichment"
"""Trigger of what the system looked up by itself."""

MOST_ERROR_LINES = 5
LONGEST_ERROR_LINE = 300

_OWN_LOOKUP = pl.col("trigger").fill_null("") == ENRICHMENT
_SAID = pl.col("kind").is_in(["message", "note"]) & pl.col("origin").is_in(["human", "agent"])
SEARCH_RESULT = (
    (pl.col("kind") == "tool_result")
    & (pl.col("origin") == "external")
    & (pl.col("tool_name") == "search")
)
"""What a search brought, whoever made it: in the logs of searches, and of Cairn's own."""

_SEARCHED = ((pl.col("kind") == "search") & (pl.col("origin") == "human")) | SEARCH_RESULT
_FAILED = (pl.col("kind") == "tool_result") & (pl.col("origin") == "tool") & pl.col("is_error")

READ_IN_FULL = (_SAID | _SEARCHED | _FAILED) & ((pl.col("origin") == "human") | ~_OWN_LOOKUP)
"""What people and agents said, what people searched for and what it brought, error lines."""

LOOKED_UP = (
    _OWN_LOOKUP
    & (_SAID | pl.col("kind").is_in(["search", "tool_result"]))
    & pl.col("origin").is_in(["external", "agent", "tool"])
)
"""What the system's own searches brought."""


class Line(NamedTuple):
    """A message, a part of a long one, or an error line, with its number in the chunk.

    `offset` is where `text` begins in the text of its record (code points).
    """

    namespace: str
    day: str
    conversation_id: str
    episode_id: str | None
    chunk_id: str
    number: int
    record_id: str
    offset: int
    seq: int
    kind: str
    origin: str
    trigger: str | None
    name: str | None
    project: str | None
    occurred_at: datetime | None
    text: str


Lines = tuple[Line, ...]

LINE_SCHEMA = pl.Schema(
    {
        "namespace": pl.String(),
        "day": pl.String(),
        "conversation_id": pl.String(),
        "episode_id": pl.String(),
        "chunk_id": pl.String(),
        "number": pl.Int64(),
        "record_id": pl.String(),
        "offset": pl.Int64(),
        "seq": pl.Int64(),
        "kind": pl.String(),
        "origin": pl.String(),
        "trigger": pl.String(),
        "name": pl.String(),
        "project": pl.String(),
        "occurred_at": pl.Datetime("us", "UTC"),
        "text": pl.String(),
    }
)


def chunks(
    raw_logs: pl.DataFrame, reads: pl.Expr, policy: Policy, within: str = "episode_id"
) -> pl.DataFrame:
    """Raw logs as chunks of at most `policy.chunk_tokens`.

    Args:
        raw_logs: Rows of RAW_LOGS, whole conversations, in any order.
        reads: READ_IN_FULL, LOOKED_UP or SEARCH_RESULT.
        policy: chunk_tokens.
        within: What no chunk crosses: `episode_id`, or `record_id` for each record by itself.

    Returns:
        One row per line, of LINE_SCHEMA, chunk by chunk in the order of their conversation.
        `chunk_id` is a digest of the records and texts that the chunk holds.
    """
    rows = (
        raw_logs.filter(reads.fill_null(value=False))
        .sort("namespace", "conversation_id", "seq", "record_id")
        .with_columns(chunk_id=pl.lit(""), number=pl.lit(0), offset=pl.lit(0))
        .select(LINE_SCHEMA.names())
        .cast(LINE_SCHEMA)
    )
    longest = policy.chunk_tokens * CHARACTERS_PER_TOKEN
    lines = [line for row in rows.iter_rows() for line in _lines(Line(*row), longest)]
    apart = "record_id" if within == "record_id" else "episode_id"
    place = Line._fields.index(apart)

    def stretch(line: Line) -> tuple[object, ...]:
        return line.namespace, line.conversation_id, line[place]

    cut = [
        line
        for own in _stretches(lines, stretch)
        for chunk in _cut(own, policy.chunk_tokens)
        for line in _numbered(chunk)
    ]
    return pl.DataFrame(cut, schema=LINE_SCHEMA, orient="row")


def pieces(lines: pl.DataFrame) -> list[Lines]:
    """Rows of `chunks` as one tuple of lines per chunk, in their order."""
    every = (Line(*row) for row in lines.select(LINE_SCHEMA.names()).iter_rows())
    return [tuple(own) for _, own in groupby(every, key=_chunk)]


def shown(lines: Sequence[Line]) -> str:
    """Lines as a model sees them: number, speaker and time, then the text, indented.

    No text can pass for another's: only what begins a line tells who speaks.
    """
    return "\n".join(
        f"[{line.number}] {_speaker(line)}, {_time(line)}\n{textwrap.indent(line.text, '    ')}"
        for line in lines
    )


def boundaries(sizes: Sequence[int], keys: Sequence[str], most: int) -> list[int]:
    """Where a sequence is cut into pieces of at most `most`, as the first index of each piece.

    What is too large is cut before its interior element with the smallest key, and so on; a single
    element is never cut. So an element that is added at the end, or that grows, moves only the
    piece that it is in; one that is put in between, only pieces within `most` of it. (The cuts are
    those of a treap, cut off where a subtree is small: Seidel and Aragon, Algorithmica 16, 1996.)
    """
    upto = [0, *accumulate(sizes)]
    found: list[int] = []
    stack = [(0, len(sizes))] if sizes else []
    while stack:
        first, end = stack.pop()
        if end - first == 1 or upto[end] - upto[first] <= most:
            found.append(first)
            continue
        cut = min(range(first + 1, end), key=keys.__getitem__)
        stack += [(cut, end), (first, cut)]
    return found


def parts(text: str, longest: int) -> list[tuple[int, int]]:
    """Spans of a text of at most `longest` code points, cut at the end of a paragraph or sentence.

    A sentence that is too long itself is cut at white space, or anywhere if it has none.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > longest:
        end = start + _end(text[start : start + longest])
        spans.append((start, end))
        start = end
    return [*spans, (start, len(text))]


def _end(window: str) -> int:
    """Where to end a part that begins like this."""
    paragraph = window.rfind("\n\n") + 2
    if paragraph > len(window) // 4:
        return paragraph
    whole = sentences(window)[:-1]
    if whole and whole[-1][1] > len(window) // 4:
        return whole[-1][1]
    at = max(window.rfind(space) for space in (" ", "\n", "\t")) + 1
    return at if at > len(window) // 4 else len(window)


def _lines(line: Line, longest: int) -> Iterator[Line]:
    """A record as lines: whole, in parts, or only what it says of an error."""
    spans = _errors(line.text) if line.origin == "tool" else parts(line.text, longest)
    for start, end in spans:
        text = line.text[start:end]
        if text.strip():
            yield line._replace(offset=start, text=text)


def _errors(text: str) -> list[tuple[int, int]]:
    found = pl.Series([text]).str.extract_all(rf"(?m)^.*{ERROR_LINE}.*$").to_list()[0]
    spans: list[tuple[int, int]] = []
    at = 0
    for line in found[:MOST_ERROR_LINES]:
        start = text.index(line, at)
        at = start + len(line)
        spans.append((start, min(at, start + LONGEST_ERROR_LINE)))
    return spans


def _stretches(
    lines: Sequence[Line], stretch: Callable[[Line], tuple[object, ...]]
) -> Iterator[list[Line]]:
    """Lines that belong together, in the order of their first; a sub-agent's may come between."""
    together: dict[tuple[object, ...], list[Line]] = {}
    for line in lines:
        together.setdefault(stretch(line), []).append(line)
    yield from together.values()


def _cut(lines: Sequence[Line], tokens: int) -> Iterator[Sequence[Line]]:
    sizes = [estimated_tokens(line.text) for line in lines]
    keys = [digest(line.record_id, line.offset) for line in lines]
    starts = boundaries(sizes, keys, tokens)
    for first, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield lines[first:end]


def _numbered(lines: Sequence[Line]) -> Iterator[Line]:
    held = [part for line in lines for part in (line.record_id, line.offset, line.text)]
    chunk = "c_" + digest(lines[0].namespace, *held)
    for number, line in enumerate(lines, 1):
        yield line._replace(chunk_id=chunk, number=number)


def _chunk(line: Line) -> tuple[str, str]:
    return line.namespace, line.chunk_id


def _speaker(line: Line) -> str:
    who = " ".join((line.name or "").split())[:60]
    match line.origin:
        case "human":
            said = f"human {who}".strip() + (" searched" if line.kind == "search" else "")
        case "external":
            said = "search result"
        case "tool":
            said = "tool error"
        case _:
            said = line.origin
    return f"{said}, gives orders to a model" if gives_orders(line.text, line.origin) else said


def _time(line: Line) -> str:
    return "undated" if line.occurred_at is None else f"{line.occurred_at:%Y-%m-%d %H:%M}"
