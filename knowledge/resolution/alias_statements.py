"""Names that a statement says are one: "Kubernetes, also known as k8s", "Go to Market (GTM)"."""

import re

import polars as pl

from cairn.knowledge.nlp.names import canonical
from cairn.knowledge.nlp.text import STOP_WORDS

_SURELY = (
    r",?\s+(?:(?:is|are|was|were)\s+)?(?:also|better|commonly|formerly|previously)\s+(?:known|called)\s+as\s+"
    r"|,?\s+(?:also|formerly|previously)\s+(?:called|named)\s+"
    r"|,?\s+\(?a\.?k\.?a\.?\s+"
    r"|,?\s+(?:is\s+)?short\s+for\s+"
    r"|\s+stands\s+for\s+"
    r"|\s+is\s+(?:an?|the)\s+(?:alias|abbreviation|acronym|nickname|short\s+form)\s+(?:of|for)\s+"
    r"|\s+is\s+(?:just\s+)?another\s+name\s+for\s+"
)
_PERHAPS = r"\s*\(|\s+=\s+|,?\s+\(?(?:abbreviated|abbreviation|short)(?:\s+(?:as|to))?:?\s+"
_BETWEEN = re.compile(rf"(?P<surely>{_SURELY})|(?P<perhaps>{_PERHAPS})", re.IGNORECASE)
_UNSURE = (
    r"(?i)\?|\b(?:not|never|neither|nor|no longer|if|whether|(?-i:may)|might|maybe|perhaps|could"
    r"|should|would|unlike|except)\b|n['’]t\b"
)
_LONGEST = 8
"""Words of a name."""

STATED = pl.Schema(
    {"namespace": pl.String(), "one": pl.String(), "other": pl.String(), "surely": pl.Boolean()}
)


def stated_names(facts: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    """Pairs of names that a statement puts side by side as one.

    Some wordings say so ("also known as", "short for"); parentheses and `=` only hint at it: what
    stands there may be a place or a value. A question, a denial and a supposition say nothing.

    Args:
        facts: FACTS rows; their `content` is read.
        names: namespace and `name`, canonical as of a topic: names that there are.

    Returns:
        namespace, one, other (canonical names), surely; each pair once.
    """
    said = (
        facts.select("namespace", "content")
        .unique()
        .filter(
            pl.col("content").str.contains(f"(?i){_SURELY}|{_PERHAPS}"),
            ~pl.col("content").str.contains(_UNSURE),
        )
    )
    known: dict[str, set[str]] = {}
    for namespace, name in names.select("namespace", "name").iter_rows():
        known.setdefault(namespace, set()).add(name)
    rows = [
        {"namespace": namespace, "one": min(pair), "other": max(pair), "surely": surely}
        for namespace, content in said.iter_rows()
        for pair, surely in _pairs(content, known.get(namespace, set()))
    ]
    return (
        pl.DataFrame(rows, schema=STATED)
        .group_by("namespace", "one", "other")
        .agg(pl.col("surely").any())
        .sort("namespace", "one", "other")
    )


def _pairs(content: str, known: set[str]) -> list[tuple[tuple[str, str], bool]]:
    found: list[tuple[tuple[str, str], bool]] = []
    for between in _BETWEEN.finditer(content):
        one = _ending(content[: between.start()], known)
        other = _beginning(content[between.end() :], known)
        if one and other and one != other:
            found.append(((one, other), between["surely"] is not None))
    return found


def _ending(text: str, known: set[str]) -> str | None:
    """The longest known name at the end of a text, if nothing before it may belong to it."""
    words = text.split()
    for start in range(max(0, len(words) - _LONGEST), len(words)):
        name = canonical(" ".join(words[start:]), "topic")
        if name in known and _apart(words[start - 1] if start else ""):
            return name
    return None


def _beginning(text: str, known: set[str]) -> str | None:
    """The longest known name at the beginning of a text, if nothing behind it may belong to it."""
    closed = re.split(r"[,;()]|\.(?=\s|$)", text, maxsplit=1)[0]
    words = closed.split()
    for end in range(min(_LONGEST, len(words)), 0, -1):
        name = canonical(" ".join(words[:end]), "topic")
        if name in known and _apart(words[end] if end < len(words) else ""):
            return name
        bare = canonical(" ".join(words[1:end]), "topic")
        if words[0].casefold() in ("the", "our", "a", "an") and bare in known:
            return bare if _apart(words[end] if end < len(words) else "") else None
    return None


def _apart(word: str) -> bool:
    """Whether a word beside a name is no part of it."""
    return not word or word[-1] in ",.;:" or word.casefold() in STOP_WORDS
