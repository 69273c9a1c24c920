"""Numbers, spans of time and texts as people read them: in one line, of one length."""


def one_line(text: str, width: int = 0) -> str:
    """Text on one line, without control characters; cut to `width` with an ellipsis."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line[: width - 1] + "…" if width and len(line) > width else line


def size(count: float) -> str:
    """Bytes for people."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            break
        count /= 1000
    return f"{count:,.0f} {unit}" if unit in ("B", "kB") else f"{count:,.1f} {unit}"


def span(seconds: float) -> str:
    """A stretch of time for people."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    if seconds < 36 * 3600:
        return f"{seconds / 3600:.0f} h"
    return f"{seconds / 86400:.0f} days"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """`1 fact`, `2 facts`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def times(wins: int, losses: int) -> str:
    """How often something helped: `once`, `3 times`, `2 of 5 times`."""
    if not losses:
        return "once" if wins == 1 else f"{wins:,} times"
    return f"{wins:,} of {wins + losses:,} times"
