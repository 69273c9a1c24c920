"""Small shared functions on text: sentences, words, stop words, estimated tokens."""

import re
import unicodedata
from collections.abc import Collection
from difflib import get_close_matches
from itertools import pairwise

_BOUNDARY = re.compile(
    r"""(?P<stop>(?<![.!?…])[.!?…]++   # a mark, the first of its run (else long runs take minutes),
          ["'”’)\]*`]*+(?=\s))            # with what closes after it, then a gap
      | [。！？]+                              # marks that need no gap
      | \n                                     # logs wrap few lines and list many things
    """,
    re.VERBOSE,
)
_WORD = re.compile(r"[^\W_]+(?:['’._-][^\W_]+)*")
WORD = r"[\p{L}\p{N}]+(?:['’._-][\p{L}\p{N}]+)*"
"""What `words` finds, as a regular expression of polars."""

_LAST_WORD = re.compile(r"\S+$")
_ABBREVIATION_LIST = (
    "e.g. i.e. etc. vs. cf. ca. approx. al. fig. no. nr. dr. mr. mrs. ms. prof. st. jr. sr. "
    "inc. ltd. co. resp. incl. excl. min. max. jan. feb. mar. apr. jun. jul. aug. sep. sept. "
    "oct. nov. dec. a.m. p.m. u.s."
)
_ABBREVIATIONS = frozenset(_ABBREVIATION_LIST.split())
_OPENING = "\"'“‘([*_`"

_STOP_WORD_LIST = """
a about above after again against ago all almost along already also although always am among an
and another any anyone anything anyway are aren't around as at away back be became because become
been before being below between both but by came can can't cannot come comes could couldn't did
didn't do does doesn't doing don't done down during each either else enough etc even ever every
everything few first for from further get gets getting give given go goes going gone got had
hadn't has hasn't have haven't having he her here here's hers herself hey hi him himself his how
however i i'd i'll i'm i've if in indeed instead into is isn't it it's its itself just keep kind
know last least less let let's like likely lot made make makes making many may maybe me might mine
more most much must my myself need needs neither never new next no nobody none nor not nothing now
of off often oh ok okay on once one ones only onto or other others our ours ourselves out over own
per perhaps please put quite rather really right same say see seem seems several shall she should
shouldn't since so some somebody someone something sometimes soon still such sure take than thank
thanks that that's the their theirs them themselves then there there's therefore these they they'd
they'll they're they've thing things this those though through thus to together too toward try
trying two under until up upon us use used uses using very via want wants was wasn't way we we'd
we'll we're we've well went were weren't what what's whatever when where whether which while who
whom whose why will with within without won't would wouldn't yeah yes yet you you'd you'll you're
you've your yours yourself yourselves
"""
STOP_WORDS = frozenset(_STOP_WORD_LIST.split())
"""English function words, and words of conversation that name nothing. Casefolded."""


def sentences(text: str) -> list[tuple[int, int]]:
    """Spans (start, end) of the sentences of a text, in code points, outer white space left out.

    A line is a boundary; so is a closing mark before white space, unless the word is a known
    abbreviation, an initial, or the number of a list item, or the next word is in lower case.
    """
    spans: list[tuple[int, int]] = []
    start = 0

    def close(end: int) -> None:
        piece = text[start:end]
        if stripped := piece.strip():
            left = start + len(piece) - len(piece.lstrip())
            spans.append((left, left + len(stripped)))

    for boundary in _BOUNDARY.finditer(text):
        if boundary["stop"] and not _ends(text, start, boundary):
            continue
        close(boundary.end())
        start = boundary.end()
    close(len(text))
    return spans


def _ends(text: str, start: int, boundary: re.Match[str]) -> bool:
    """Whether a mark in the text ends the sentence that began at `start`."""
    if boundary["stop"][0] != ".":
        return True
    following = text[boundary.end() : boundary.end() + 40].lstrip().lstrip(_OPENING)
    if following[:1].islower():
        return False
    last = _LAST_WORD.search(text, max(start, boundary.start() - 40), boundary.start() + 1)
    word = last[0].lstrip(_OPENING).casefold() if last else ""
    initial = len(word) == 2 and word[0].isalpha() and word != "i."
    listed = word[:-1].isdigit() and not text[start : boundary.start()].strip()[:-1].strip(
        "0123456789"
    )
    return not (word in _ABBREVIATIONS or initial or listed)


UNSEEN = (
    "[\u00ad\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
"""Characters that nobody sees, as a regular expression."""
_UNSEEN = re.compile(UNSEEN)
_TAGS = {0xE0000 + code: chr(code) for code in range(0x20, 0x7F)}


def undisguised(text: str) -> str:
    """A text as a reader takes it: no invisible characters, no wide forms, tags as letters."""
    if text.isascii():
        return text
    return _UNSEEN.sub("", unicodedata.normalize("NFKC", text.translate(_TAGS)))


_UNSPACED = re.compile(
    # Han, kana, Hangul (whose particles are written on), Thai, Lao, Myanmar, Khmer
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0eff\u1000-\u109f"
    "\u1780-\u17ff]+"
)


def spaced(text: str) -> str:
    """A text in which words can be found that are written without spaces between them.

    A run of such letters becomes the letters and their pairs, in the text and in what is asked of
    it: "音楽" finds "音楽が好き" with no dictionary.
    """
    return text if text.isascii() else _UNSPACED.sub(_letters_and_pairs, text)


def _letters_and_pairs(run: re.Match[str]) -> str:
    letters = run.group()
    pairs = map("".join, pairwise(letters))
    return f" {' '.join((*letters, *pairs))} "


def beginning(text: str, most: int) -> str:
    """The first characters of a text, at most so many, up to the end of a word."""
    head = text[:most]
    if len(text) <= most or text[most].isspace() or head[-1:].isspace():
        return head.rstrip()
    whole = head[: max(map(head.rfind, " \n")) + 1]
    # A script without spaces, or one long word, is cut where it must be.
    return whole.rstrip() if most - len(whole) < most // 4 else head


def words(text: str) -> list[str]:
    """Words of a text in order, casefolded; hyphens, dots and apostrophes inside a word stay."""
    return [word.casefold().replace("’", "'") for word in _WORD.findall(text)]


CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for English text and code; counting exactly would need a model's tokenizer."""


def estimated_tokens(text: str) -> int:
    """Tokens of a text as every budget counts them: a quarter of its characters, rounded up."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def suggestion(name: str, names: Collection[str]) -> str:
    """Which of some names a misspelt one may stand for, to end a message with; "" if none may."""
    near = get_close_matches(name, names, n=3)
    return f" (did you mean {' or '.join(near)}?)" if near else ""


ERROR_LINE = r"(?i)\b(error|exception|failed|failure|traceback|panic|fatal)\b"
