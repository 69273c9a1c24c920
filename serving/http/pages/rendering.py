"""How answers become HTML: every text is escaped, whatever it says, and stands in its own run."""

import re
from collections.abc import Sequence
from datetime import datetime
from difflib import SequenceMatcher
from functools import cache, partial
from typing import Any
from urllib.parse import quote, urlencode

from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from cairn.knowledge.extraction.validation import LONGEST_STATEMENT
from cairn.knowledge.ingest.inbox_events.decisions import DECISION_TYPES
from cairn.serving.http.pages.page import GROUPS, MENU
from cairn.serving.read.display import count, size

LONGEST = 20_000
"""Characters of one text on a page; the same address with `.json` has all."""

TITLE, REST = 160, 500
"""Characters of a text that stand as its title in a list, and behind that."""

MOST_COMPARED = 250_000
"""Pairs of words beyond which two texts are shown as they are: to compare them takes too long."""

HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; img-src 'self';"
    " script-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    # With none at all a browser says of no form where it stands.
    "referrer-policy": "same-origin",
}
"""Of a page: nothing but our own files runs on it, and nothing is loaded from elsewhere."""

PLACES = {
    "f_": "facts", "e_": "entities", "l_": "learnings", "r_": "records",
}  # fmt: skip
"""Where a thing has its page, by how its id begins; others are told why they are here."""


KINDS = {"learning": "lesson", "episode": "request"}
"""What people are told of, where the word of tables is another."""


@cache
def environment() -> Environment:
    """The templates, with what they may call."""
    made = Environment(
        loader=PackageLoader("cairn.serving.http.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Any] = {
        "said": said, "when": when, "percent": percent, "size": size, "place": place,
        "address": partial(quote, safe=""), "query": partial(urlencode, doseq=True),
        "beginning": beginning, "in_words": in_words,
    }  # fmt: skip
    called: dict[str, Any] = {
        "count": count, "marked": marked, "curve": curve, "differing": differing,
        "groups": GROUPS, "decisions": DECISION_TYPES, "longest_sentence": LONGEST_STATEMENT,
    }  # fmt: skip
    made.filters.update(filters)
    made.globals.update(called)
    return made


def shown(template: str, title: str, status_code: int = 200, **given: Any) -> HTMLResponse:
    """A page."""
    told = {"namespace": None, "keyed": False, **given, "title": title, "menu": MENU}
    return HTMLResponse(environment().get_template(template).render(told), status_code, HEADERS)


def said(text: object) -> Markup:
    """A text of a log: data in its own direction, without control characters, and not endless."""
    plain = printable(str(text))
    more = "" if len(plain) <= LONGEST else " …"
    return Markup("<bdi>{}</bdi>").format(plain[:LONGEST] + more)


def beginning(text: str) -> tuple[str, str]:
    """The first line of a text, or sentence if that is long, and the rest up to some lines."""
    first, _, rest = text.strip().partition("\n")
    if len(first) > TITLE:
        cut = first.rfind(" ", 0, TITLE)
        cut = TITLE if cut < TITLE // 2 else cut
        first, rest = f"{first[:cut]} …", f"… {first[cut:].strip()}\n{rest}"
    rest = " ".join(rest.split())
    return first, rest if len(rest) <= REST else f"{rest[:REST]} …"


def marked(message: object, quote: object) -> Markup:
    """A message with the words marked that something rests on."""
    whole, words = printable(str(message or "")), printable(str(quote or ""))
    start = whole.find(words) if words else -1
    if start < 0:
        return said(whole)
    before = whole[max(start - LONGEST // 2, 0) : start]
    after = whole[start + len(words) : start + len(words) + LONGEST // 2]
    return Markup("<bdi>{}<mark>{}</mark>{}</bdi>").format(before, words, after)


def differing(texts: Sequence[str]) -> list[Markup]:
    """Two texts with the words marked that the other has not; others as they are."""
    if len(texts) != 2:
        return [said(text) for text in texts]
    left, right = (_WORDS.findall(printable(text)[:LONGEST]) for text in texts)
    if len(left) * len(right) > MOST_COMPARED:
        return [said(text) for text in texts]
    told: list[list[Markup]] = [[], []]
    for kind, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        parts = ("".join(left[a:b]), "".join(right[c:d]))
        for side, part in zip(told, parts, strict=True):
            marks = kind != "equal" and part.strip()
            side.append(Markup("<mark>{}</mark>").format(part) if marks else escape(part))
    return [Markup("<bdi>{}</bdi>").format(Markup("").join(side)) for side in told]


def when(moment: datetime | None) -> Markup:
    """A time for people, with its exact form for machines."""
    if moment is None:
        return Markup('<span class="dim">no time</span>')
    exact = moment.isoformat()
    return Markup('<time datetime="{}">{:%Y-%m-%d %H:%M}</time>').format(exact, moment)


def percent(share: float | None) -> str:
    """A share as a percentage."""
    return "" if share is None else f"{share:.0%}"


def in_words(kind: str) -> str:
    """A kind of thing as pages call it."""
    return KINDS.get(kind, kind).replace("_", " ")


def place(id_: str) -> str:
    """The page of a thing, below its namespace."""
    return f"{PLACES.get(id_[:2], 'why')}/{quote(id_, safe='')}"


def curve(points: Sequence[dict[str, Any]], width: int = 320, height: int = 60) -> Markup:
    """How sure something was over time, as a line: `at` and `confidence`, the earliest first."""
    known = [(_seconds(one["at"]), float(one["confidence"])) for one in points]
    if len(known) < 2 or known[0][0] == known[-1][0]:
        return Markup("")
    first, last = known[0][0], known[-1][0]
    dots = " ".join(
        f"{(at - first) / (last - first) * width:.1f},{height - share * height:.1f}"
        for at, share in known
    )
    told = f"from {known[0][1]:.0%} to {known[-1][1]:.0%}"
    return Markup(
        '<svg class="curve" viewBox="0 0 {w} {h}" role="img" aria-label="Confidence {told}">'
        '<polyline points="{dots}" fill="none" stroke="currentColor" stroke-width="2"/></svg>'
    ).format(w=width, h=height, told=told, dots=dots)


def _seconds(at: datetime | str) -> float:
    return (datetime.fromisoformat(at) if isinstance(at, str) else at).timestamp()


_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
LOST = "\N{REPLACEMENT CHARACTER}"
_KEPT = {"\n": "\n", "\t": "\t", "\r": "", "\N{NO-BREAK SPACE}": " "}


def printable(text: str) -> str:
    """Text without control characters but line ends and tabs, and without marks that turn it."""
    return "".join(_KEPT.get(c, c if c.isprintable() else LOST) for c in text)
