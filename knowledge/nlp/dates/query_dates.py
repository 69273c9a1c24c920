"""The days of which a question asks: "since Monday", "in May", "what did we do last spring?".

English, by a grammar of its own. A wrong filter hides the answer, so what is unclear stays among
the words that are searched for, and gives no days: words that may be no time ("May said", "in 2024
lines"), times that may lie ahead ("what is due on Monday"), two times in one question. Quotations,
code, paths and options are not read.
"""

import re
import string
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import NamedTuple

from cairn.knowledge.nlp.dates.date_expressions import TIME_WORD, Point, Worded, mentions, worded
from cairn.knowledge.nlp.dates.intervals import ORDINAL
from cairn.knowledge.nlp.text import STOP_WORDS
from cairn.knowledge.nlp.vocabulary import NUMBERS, PASTS
from cairn.knowledge.schema.calendar import UNDATED


class AskedTime(NamedTuple):
    """The days of which a question asks, and the question without them."""

    first: date | None
    """First day; None if it is open."""
    last: date | None
    """Last day, inclusive; None if it is open."""
    rest: str
    """The question without the words that were read; all of it if they are all that there is."""
    said: str | None
    """The words that were read; None if there are none."""


class _Days(NamedTuple):
    """Days that the words of a text from `start` to `end` give."""

    first: date | None
    last: date | None
    start: int
    end: int


_DAY = timedelta(days=1)
_NEAR, _SENTENCE = 80, 400
"""Characters before and behind a time that are looked at, and of its sentence."""
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_WORDS = re.compile(r"\w+")
_KEYWORDS = 7
"""Words that one may search for without a verb; more make a sentence."""
_UNREAD = re.compile(
    r"""```.*?(?:```|$) | `[^`]*`? | "[^"]*"? | “[^”]*”? | «[^»]*»?
      | (?<!\S)[\[(]*['‘][^'’]*['’](?=[\s.,;:!?)\]]|$)
      | (?<!\S)--?\w[\w-]*(?:[\s=]+\S+)?                             # an option and its value
      | (?<!\S)\S*(?:[/\\_=@\#<>{}|$~^\[\]]|\w[.:]\w)\S*            # paths, code, versions
    """,
    re.VERBOSE | re.DOTALL,
)
_SENTENCE_END = re.compile(r"[.?!;](?=[\s*\0])(?!\s*\d)|\n")

# What leads to a time, and what joins two.
_BOUNDS = frozenset(("since", "after", "before", "until"))
_SAME = {"prior to": "before", "till": "until", "up to": "until", "up until": "until"}
_LEAD = re.compile(
    r"(?<![\w'’.-])(?:ever\s+|back\s+|some\s?time\s+)?(?P<lead>since|after|before|prior\s+to|till"
    r"|(?:up\s+)?until|up\s+to|in|on|during|throughout|over|within|from|of|for)\s+$"
)
_OPENED = re.compile(r"(?<![\w'’.-])(?P<lead>between|from|since)\s+$")
_CLOSED = re.compile(r"\s*(?:\b(?P<word>and|to|until|till|through)\s+|[-–—]\s*)")

# What shows that a time is more or less than its own words say, or none at all.
_ANOTHER = rf"(?:{TIME_WORD}|\d+\w*|one|{'|'.join(NUMBERS)})"
_OR = r"(?:\b(?:and|or|nor|to|till|until|through|thru)\b|[-–—&+])"
_JOINED_BEFORE = re.compile(
    rf"(?<!\w){_ANOTHER}[\s,]*{_OR}[\s(]*(?:(?:in|on|of|the|not)\s+)*$|(?<!\w){TIME_WORD}[\s,]+$"
)
_JOINED_AFTER = re.compile(
    rf"[\s,(]*{_OR}\s*(?:(?:in|on|of|the|early|mid|late|last|past|this|next|not)[\s-]+)*"
    rf"(?:{_ANOTHER}|now|later|earlier|before|after|more|less|longer|newer|older)\b"
    rf"|[\s,(]+(?:{TIME_WORD}\b|\d|on\b(?!\s+\w)|onwards?\b)|\s+of\b"
)
_NOT_THIS = re.compile(
    r"(?:\b(?:not|never|except|excluding|besides|than|unlike|as|by|later|next|every|each|last|due"
    r"|or|to|with|because|since|before|after|until|from|least|most|half|under|nearly|almost|per)"
    r"|n['’]t)\s+$"
)
_ARTICLE = re.compile(r"\b(?:the|an?|my|our|your|his|her|its|their)\s+$")
_NUMBERED = re.compile(
    r"(?:\b(?:versions?|releases?|api|tags?|builds?|models?|schema|snapshot|nightly|spec|draft"
    r"|revision|edition|protocol|commit|files?|branch|toolchain|image)|\d\w*|\0)[\s:]+$"
)
"""Before a date that is a name: "API version 2025-05-03"."""
_PART_OF = re.compile(
    r"(?:\b(?:hours?|days?|weeks?|weekend|months?|quarter|half|out|instead|ahead|because|short|first"
    rf"|second|third|fourth)|\d{ORDINAL})\s+$"
)
_COUNTED_FROM = re.compile(
    r"\b(?:hours?|days?|weeks?|months?|years?|shortly|right|just|immediately|soon|long|well)\s+$"
)
_OWNER = re.compile(r"['’]s?(?=[\s.,;:!?)]|$)")
_OF_INTERFACES = re.compile(
    r"\s+(?:view|tab|button|filter|column|field|page|widget|option|label|calendar|menu|section|mode"
    r"|picker|preset|shortcut|parameter|argument|setting|function|method|flag|keyword|command)s?\b"
)
_END = re.compile(r"\s*(?:$|[.,;:!?)…]|[-–—]\s)")
_NEXT_WORD = re.compile(r"\s+([^\W\d_][\w'’]*)")
_FUNCTION_WORDS = STOP_WORDS - {"be", "been", "of", "one", "ones", "per", "like", "may", "say"}
_MAY = re.compile(r"\b(?:last|this|this\s+past)\s+may$")
_AFTER_MAY = re.compile(r"\s*(?:$|[.?!;:)])|\s+(?:i|we|you|he|she|they)\b")
_VERB = re.compile(r"\s+(?:is|was|were|will|would|has|had|can|could|should|might|must)\b")
_COMPARED = re.compile(r"\b(?:compar\w+|versus|vs|differ(?:s|ed|en\w+)?)\b")
_DENIED = re.compile(r"\b(?:not|never|no|nothing|nobody|none|cannot|unused|untouched)\b|n['’]t\b")
_HOW_LONG = re.compile(r"\bhow\s+(?:long|(?:many|much)\s+(?:hours|days|weeks|months|years|time))\b")
_CHANGED = re.compile(
    r"\b(?:(?:move|change|shift|postpone|reschedule|delay|extend|push|bump|upgrade|update|migrate"
    r"|switch|increase|decrease|raise|convert|rename)(?:d|s|ed|es)?|go|goes|going|went|rise|rose)\b"
)
"""What goes from one value to another, which a time may be."""
_BETWEEN_OTHERS = re.compile(
    r"\b(?:relation|relationship|conversation|talk|chat|call|argument|deal|agreement|gap|connection"
    r"|link|choice|ports?|values?|numbers?|range|ids?|lines?|sizes?|width|height|bytes)\s+$"
)
"""Before "between" that tells people or numbers: "the talk between April and June"."""

# What shows whether a sentence looks back; "can you tell me" and the like show nothing.
_REQUEST = re.compile(
    r"\b(?:(?:can|could|will|would)\s+(?:you|i|we)(?:\s+please)?(?=\s+(?:tell|show|give|find|get"
    r"|list|look|search|remind|recall|remember|summari[sz]e|explain|help|check|see|pull)\b)"
    r"|do\s+you(?:\s+still)?\s+(?:remember|recall|know)"
    r"|(?:would\s+)?(?:want|need|like|love)\s+to\s+(?:know|see|find|remember)|let['’]?s\s+see)\b"
)
_AHEAD = re.compile(
    r"\b(?:will|shall|should|would|must|tomorrow|tonight|upcoming|gonna|going\s+to|let['’]?s|next"
    r"|(?:(?:need|want|plan|hope|intend|ought|suppose|expect)(?:s|d|ed|ing)?|planned|planning|have"
    r"|has)\s+to"
    r"|remind\s+(?:me|us)(?=\s*$|\s+(?:to|on|in|at|this)\b))|['’](?:ll|d\s+(?:like|love|prefer))\b"
    r"|\bwon['’]t\b"
)
_PAST = re.compile(rf"\b(?:\w+ed|{'|'.join(sorted(PASTS))})\b")
_BACK = re.compile(
    r"\b(?:did|was|were|had)(?:n['’]t)?\b"
    r"|(?:\bha(?:s|ve)(?:n['’]t)?|['’]ve)\s+(?:(?:i|we|you|he|she|it|they|been)\b|\w+ed\b)"
    r"|(?<!\bare\s)(?<!\bam\s)\b(?:i|we|you|he|she)\s+(?:(?:also|both|just|already|\w+ly)\s+)?"
    rf"{_PAST.pattern}"
)
"""The past of the verb that counts: not "is it used", "do we have"."""
_NOW = re.compile(
    r"\b(?:(?:is|are|do|does)(?:n['’]t)?|am|can|may|might|due|plans?|planned|planning|schedule[ds]?"
    r"|appointments?|deadlines?|agenda|reminders?|birthdays?|todos?|to-dos?)\b|['’](?:m|re)\b"
    r"|\b(?:it|that|what|who|where|when|there|how|he|she)['’]s\b"
)


def asked_time(query: str, as_of: datetime) -> AskedTime:
    """The days of which a question asks, as seen from a moment, and what it asks of them.

    "Since" and "until" include the days that they name, "before" and "after" do not. "A few days
    ago" is two to seven of them; counted units but days have a margin of half of one, or a tenth of
    all. Days that lie ahead are not read, nor those before 2015, of which no record can be.

    Args:
        query: A question, or words to search for.
        as_of: The moment from which "yesterday" and "last May" count; days are those of its zone.
    """
    nothing = AskedTime(None, None, query, None)
    text = query.translate(_LOWER)
    if not mentions(text) or (days := _days(_readable(text), as_of)) is None:
        return nothing
    first, last, start, end = days
    rest = _without(query, start, end)
    if not _WORDS.search(rest):
        rest = query
    elif _days(_readable(rest.translate(_LOWER)), as_of):
        return nothing  # two times
    return AskedTime(first, last, rest, query[start:end])


def _readable(text: str) -> str:
    """A text of the same length in which what is no prose matches nothing."""
    return _UNREAD.sub(lambda match: "\0" * len(match[0]), text)


def _without(query: str, start: int, end: int) -> str:
    """A question without some of its words, and the marks that only they needed."""
    before = query[:start].rstrip()
    after = _OWNER.sub("", query[end:], count=1) if _OWNER.match(query[end:]) else query[end:]
    after = after.lstrip()
    if before.endswith("(") and after.startswith(")"):
        before, after = before[:-1].rstrip(), after[1:].lstrip()
    if not before or before[-1] in ".?!;:\n":
        after = after.lstrip(" ,;:–—-")
    if not after or after[0] in ".,;:?!":
        return before.rstrip(" ,;:–—-") + after
    return f"{before} {after}".strip()


def _days(text: str, as_of: datetime) -> _Days | None:
    """The days that a text gives; None if it gives none, or several times."""
    points = worded(text)
    spans = (_of_two(text, one, other, as_of) for one, other in pairwise(points))
    found = [days for days in spans if days] or [
        days for words in points if (days := _of_one(text, words, as_of))
    ]
    return found[0] if len(found) == 1 else None


def _point(words: Worded, as_of: datetime) -> Point | None:
    """The point that words name, if there can be records of it."""
    try:
        point = words.point(as_of)
    except (ValueError, OverflowError):
        return None
    possible = point and point.first <= as_of.date() and point.last >= UNDATED.date()
    return point if possible else None


def _of_one(text: str, words: Worded, as_of: datetime) -> _Days | None:
    """The days of one point and what leads to it."""
    before = text[max(0, words.start - _NEAR) : words.start]
    match = _LEAD.search(before)
    lead = " ".join(match["lead"].split()) if match else ""
    lead = _SAME.get(lead, lead)
    point = _point(words, as_of)
    if point is None:
        return None
    bound = lead in _BOUNDS and (lead == "since" or not point.rough)
    if not (bound or (lead in point.leads if lead else point.alone)):
        return None
    start = words.start - (len(before) - match.start() if match else 0)
    if not _stands(text, start, words.end, point, lead):
        return None
    first, last = point.first, point.last
    if lead == "after":
        first, last = last + _DAY, None
    elif lead == "since":
        last = None
    elif lead == "before":
        first, last = None, first - _DAY
    elif lead == "until":
        first = None
    if (first and first > as_of.date()) or (last and last < UNDATED.date()):
        return None
    if _OWNER.match(text, words.end):
        start = words.start  # what leads to the thing stays: "of last week's work"
    return _Days(first, last, start, words.end)


def _of_two(text: str, one: Worded, other: Worded, as_of: datetime) -> _Days | None:
    """The days from one point to another: "between May and July 2025"."""
    before = text[max(0, one.start - _NEAR) : one.start]
    opened, closed = _OPENED.search(before), _CLOSED.fullmatch(text[one.end : other.start])
    end = _point(other, as_of)
    if opened is None or closed is None or end is None or end.rough:
        return None
    lead, start = opened["lead"], one.start - len(before) + opened.start()
    if closed["word"] and (lead == "between") != (closed["word"] == "and"):
        return None
    first = _point(one, as_of)
    if first and first.latest:
        first = _point(one, datetime.combine(end.last, time()))
    elif end.latest:
        return None  # from Monday a week ago to which Wednesday?
    if first is None or first.rough or first.first > end.first:
        return None
    around = _around(text, start, other.end)
    if (lead == "from" and _CHANGED.search(around)) or _BETWEEN_OTHERS.search(
        text[:start][-_NEAR:]
    ):
        return None
    if not _stands(text, start, other.end, end, lead):
        return None
    return _Days(first.first, end.last, start, other.end)


def _around(text: str, start: int, end: int) -> str:
    """The sentence of some words without them."""
    before, after = text[max(0, start - _SENTENCE) : start], text[end : end + _SENTENCE]
    *_, before = _SENTENCE_END.split(before)
    return f"{before} {_SENTENCE_END.split(after, maxsplit=1)[0]}"


def _stands(text: str, start: int, end: int, point: Point, lead: str) -> bool:
    """Whether words that may name a time, with what leads to them, stand where they do."""
    before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    around = _around(text, start, end)
    owner = _OWNER.match(after)
    refused = (
        _NOT_THIS.search(before)
        or _JOINED_BEFORE.search(before)
        or _JOINED_AFTER.match(after)
        or _COMPARED.search(around)
        or (not lead and _ARTICLE.search(before))
        or (not lead and not point.by_nouns and _NUMBERED.search(before))
        or (lead == "of" and _PART_OF.search(before))
        or (lead in _BOUNDS and (owner or _COUNTED_FROM.search(before) or _HOW_LONG.search(around)))
        or ((lead in {"since", "until"} or point.running) and _DENIED.search(around))
        or (lead == "since" and _VERB.match(after))
    )
    if refused or not _fits(text[start:end], after, point):
        return False
    if point.over or lead == "since":
        return True
    sentence = _REQUEST.sub("", around)
    if _AHEAD.search(sentence):
        return False
    if owner or _NOW.search(sentence):
        return bool(_BACK.search(sentence))
    return bool(_PAST.search(sentence)) or len(_WORDS.findall(sentence)) <= _KEYWORDS


def _fits(words: str, after: str, point: Point) -> bool:
    """Whether what follows a time can follow it, and does not make it part of a name."""
    if owner := _OWNER.match(after):
        return point.by_nouns and not _OF_INTERFACES.match(after, owner.end())
    if point.by_nouns:
        return not _OF_INTERFACES.match(after)
    if _MAY.search(words):
        return bool(_AFTER_MAY.match(after))
    word = _NEXT_WORD.match(after)
    return bool(_END.match(after) or (word and word[1].replace("’", "'") in _FUNCTION_WORDS))
