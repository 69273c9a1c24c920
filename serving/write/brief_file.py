"""A brief that is kept in a file for agents without hooks: AGENTS.md, CLAUDE.md, GEMINI.md.

It stands between two marks; whatever else the file holds stays byte for byte, and what `written`
adds `without` takes away again.
"""

from pathlib import Path

from cairn.resources.home.atomic_files import read_regular, replace_file

BEGIN = "<!-- cairn brief: begin; `cairn brief --write` puts what stands here anew -->"
END = "<!-- cairn brief: end -->"

_BEGIN, _END = b"<!-- cairn brief: begin", END.encode()
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class UnwritableFile(ValueError):  # noqa: N818  what a person is told
    """A file cannot hold a brief, or is damaged; the message says why. It was not changed."""


def keep_brief(path: Path, text: str) -> bool:
    """Puts a brief between the marks of a file, which is made where it is missing.

    Args:
        path: Of the file; what a link leads to is written, the link stays.
        text: The brief in its fence; an empty one takes out what stands there.

    Returns:
        Whether the file is another one now.

    Raises:
        UnwritableFile: its marks are damaged, it is no text, or its folder is not there.
        OSError: it cannot be read or written.
    """
    place = path.resolve()
    before = read_regular(place) if place.exists() else None
    try:
        after = written(before or b"", text) if text else without(before or b"")
    except UnwritableFile as error:
        raise UnwritableFile(f"{path} {error}; it was not changed") from None
    if after == (before or b""):
        return False
    if not place.parent.is_dir():
        raise UnwritableFile(f"{path}: there is no folder {place.parent}")
    if after or path.is_symlink():
        mode = place.stat().st_mode & 0o777 if before is not None else None
        replace_file(place, after, mode)
    else:  # made for the brief alone
        place.unlink()
    return True


def written(before: bytes, text: str) -> bytes:
    """A file with a brief: in the place of the one that it has, else at its end.

    Raises:
        UnwritableFile: its marks are damaged, or it is no text.
    """
    start, end = _place(before)
    line = _line_end(before)
    # No comment of the brief's own, from a log, may be taken for a mark.
    lines = [BEGIN, *text.replace("<!--", "‹!--").splitlines(), END]
    block = line.join(each.encode() for each in lines)
    if start < end:
        return before[:start] + block + before[end:]
    if before in (b"", _BYTE_ORDER_MARK):
        return before + block + line
    # One that ends with no line keeps to that, so that `without` knows what it was.
    return before + (line + block + line if before.endswith(b"\n") else line + line + block)


def without(before: bytes) -> bytes:
    """A file without its brief, and without the lines that were made for it.

    Raises:
        UnwritableFile: its marks are damaged, or it is no text.
    """
    start, end = _place(before)
    if start == end:
        return before
    line = _line_end(before)
    head, tail = before[:start].removesuffix(line), before[end:]
    return head + tail.removeprefix(line) if tail else head.removesuffix(line)


def _line_end(text: bytes) -> bytes:
    """How the lines of a text end."""
    return b"\r\n" if text.partition(b"\n")[0].endswith(b"\r") else b"\n"


def _place(text: bytes) -> tuple[int, int]:
    """Where the brief begins and ends, its marks included; where it is to come if there is none.

    Raises:
        UnwritableFile: there is one mark of the two, or one is there twice, or it is no text.
    """
    try:
        text.decode()
    except UnicodeDecodeError:
        raise UnwritableFile("is not in UTF-8") from None
    begins, ends = text.count(_BEGIN), text.count(_END)
    if not (begins or ends):
        return len(text), len(text)
    start, end = text.find(_BEGIN), text.find(_END)
    if (begins, ends) != (1, 1) or end < start:
        raise UnwritableFile(
            f"has the mark of a brief's begin {begins} times, that of its end {ends} times, and"
            " each should stand there once, in this order: put them right, or take them out"
        )
    return start, end + len(_END)
