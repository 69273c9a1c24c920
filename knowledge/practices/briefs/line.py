"""One line of a brief: what it says, shortly, and what bears it out."""

from datetime import datetime
from typing import NamedTuple

from cairn.knowledge.nlp.text import beginning

PRACTICE, DIRECTIVE, PLACE, ERROR = "practice", "directive", "place", "error"

LONGEST = 160
"""Characters of a line."""

_LOOSE = " ,;:([{–—-"


class BriefLine(NamedTuple):
    """One line: what it says, and what bears it out."""

    id: str
    kind: str
    text: str
    support: int
    """Runs, statements, commits, or times that a fix ended an error."""
    conversations: int
    last_seen: datetime | None


def short(text: str, most: int = LONGEST) -> str:
    """A text of at most so many characters; cut at the end of a word."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    return f"{beginning(text, most - 1).rstrip(_LOOSE)}…"
