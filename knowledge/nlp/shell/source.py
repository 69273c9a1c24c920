"""What of a script the grammar is given: no data, and no more than it can read in bounded time.

On text that is no shell, the grammar's recovery takes time by the square of the length (10 s for
the worst 50,000 characters found, 0.04 s for 3,000). So a long script is read in pieces, up to a
fixed length, and what makes real ones long, quoted text and heredocs, is shortened before that.
"""

import re
from collections.abc import Iterator, Sequence

LONGEST = 16_000
"""Characters that are read of a script; half of it for each level of nesting."""

PIECE = 3_000
"""Characters that are read at once."""

LONGEST_DATA = 1_500
"""Characters kept of a quotation or a heredoc in a script of more than one piece."""

_DATA = re.compile(
    r"""(?<!\S)\#[^\n]* | \\. | '[^']*' | "(?:[^"\\]|\\.)*"
      | (?P<patch>^\*\*\*\ Begin\ Patch\b.*?(?:^\*\*\*\ End\ Patch[^\n]*|\Z))
      | (?P<heredoc><<[^\n]*)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_HEREDOC = re.compile(
    r"(?<![<\w(])[0-9]?<<(?P<tabs>-?)[ \t]*"
    r"(?:'(?P<single>[^'\n]+)'|\"(?P<double>[^\"\n]+)\"|\\?(?P<bare>[A-Za-z_][\w.-]*))"
)
"""Not `<<<`, nor `1 << 20`, which shifts."""
_END_OF_DATA = re.compile(r"^end_of_(?P<name>\w+)[ \t]*$", re.MULTILINE)


def readable(text: str, places: Sequence[int], level: int) -> tuple[str, Sequence[int]]:
    """A script as the grammar is to read it, and the place of each of its characters.

    Args:
        text: The script.
        places: Where each of its characters stands in the outermost source.
        level: How many scripts it stands in.
    """
    if "<<" in text or "*** Begin Patch" in text:
        text, places = _joined(text, places, _without_lost_data(text))
    if "end_of_" in text:
        text, places = _joined(text, places, _without_data(text))
    if len(text) > PIECE:
        text, places = _joined(text, places, _without_long_data(text, LONGEST >> level))
    return text.replace("\0", " "), places


def piece_end(text: str, start: int) -> int:
    """Where a piece that begins at `start` ends: before a line outside of quotations, if it can."""
    limit = start + PIECE
    if limit >= len(text):
        return len(text)
    best, at = -1, start + 1
    for first, end, _ in [*_data(text, start, limit), (limit, limit, False)]:
        best = max(best, text.rfind("\n", at, min(first, limit)))
        at = end
    best = best if best > 0 else text.rfind(" ", start + 1, limit)
    return best if best > 0 else limit


def _joined(
    text: str, places: Sequence[int], kept: Iterator[tuple[int, int]]
) -> tuple[str, Sequence[int]]:
    spans = list(kept)
    if spans == [(0, len(text))]:
        return text, places
    return (
        "".join(text[start:end] for start, end in spans),
        [place for start, end in spans for place in places[start:end]],
    )


def _without_data(text: str) -> Iterator[tuple[int, int]]:
    """What is left without the lines between `edit 3:5` and `end_of_edit`.

    So SWE-agent's shell ends the input of its own commands; it is code, and no command.
    """
    at = 0
    for end in _END_OF_DATA.finditer(text):
        begin = f"\n{text}".rfind(f"\n{end['name']}", at, end.start())
        first = text.find("\n", begin) + 1 if begin >= 0 else 0
        if 0 < first <= end.start():
            yield at, first
            at = end.end()
    yield at, len(text)


def _without_long_data(text: str, longest: int) -> Iterator[tuple[int, int]]:
    """What is left, up to some length, when the ends of long quotations and heredocs go."""
    at = 0
    for start, end, quoted in _data(text, 0, len(text)):
        if start >= at + longest:
            break
        if end - start > LONGEST_DATA:
            yield at, start + LONGEST_DATA
            longest -= start + LONGEST_DATA - at
            at = end - quoted  # a quotation keeps its mark
    yield at, min(len(text), at + max(longest, 0))


def _without_lost_data(text: str) -> Iterator[tuple[int, int]]:
    """What is left without patches that nothing quotes, and heredocs that the grammar would miss.

    Of a heredoc without its last line the shell reads all the rest; the grammar would read that as
    commands. It knows but one heredoc a line, too. With the body goes what announces it.
    """
    at = scanned = 0
    while data := _DATA.search(text, scanned):
        scanned = data.end()
        if data["patch"]:
            yield at, data.start()
            at = scanned
        elif data["heredoc"]:
            marks = list(_HEREDOC.finditer(text, data.start(), data.end()))
            if not marks:
                scanned = data.start() + 3
                continue
            end = _end_of_heredocs(text, data.end(), marks)
            if len(marks) > 1 or end is None:
                for mark in marks:
                    yield at, mark.start()
                    at = mark.end()
                yield at, data.end()
                at = len(text) if end is None else end
            scanned = len(text) if end is None else end
    yield at, len(text)


def _end_of_heredocs(text: str, start: int, marks: Sequence[re.Match[str]]) -> int | None:
    """Where the last line of heredocs ends whose bodies follow each other; None if it is missing.

    Args:
        text: The script.
        start: The end of the line that announces them.
        marks: Matches of `_HEREDOC` in that line.
    """
    for mark in marks:
        name = mark["single"] or mark["double"] or mark["bare"]
        indent = r"\t*" if mark["tabs"] else ""
        found = re.compile(rf"^{indent}{re.escape(name)}$", re.MULTILINE).search(text, start + 1)
        if found is None:
            return None
        start = found.end()
    return start


def _data(text: str, start: int, stop: int) -> Iterator[tuple[int, int, bool]]:
    """Where quotations, comments (True) and the bodies of heredocs (False) begin and end."""
    while start < stop and (data := _DATA.search(text, start)):
        first, start = data.span()
        if data["heredoc"]:
            marks = list(_HEREDOC.finditer(text, first, start))
            if not marks:
                start = first + 3
                continue
            # Its last line stays outside.
            end = _end_of_heredocs(text, start, marks)
            first, start = start, max(text.rfind("\n", start, end), start) if end else start
        yield first, start, not data["heredoc"]
