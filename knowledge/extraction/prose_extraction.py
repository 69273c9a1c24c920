"""Sentences of prose whose subject is a known name: what looked-up text says, with no model to ask.

Few and sure rather than many. A sentence begins with the name (an article or `In 2015,` may stand
before it), goes on with a finite verb of a closed list, ends with a full stop, and is understood
alone. The grammar is English; of other languages nothing is found.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from cairn.knowledge.extraction.prose_verbs import (
    CLAUSE,
    FINITE,
    OF_ACTIVITY,
    PAST,
    PLURAL,
    THIRD,
    UNFIT,
)
from cairn.knowledge.extraction.rules.statements import statements
from cairn.knowledge.extraction.validation import KnownName
from cairn.knowledge.llm.prompts.known_facts import KnownFact
from cairn.knowledge.nlp.text import STOP_WORDS, words

FEWEST_WORDS = 2
"""Words that say something, behind the name."""

WRAPPED_AT = 60
"""A line of so many characters that no mark ends goes on in the next, whatever begins that."""

_WRAP = re.compile(
    r"""(?m)^(?![ \t]*(?:[#>|]|[-=_*]{3,}[ \t]*$))(?P<line>.*[^\s.:;!?|…])[ \t]*\n
    (?=[ \t]{0,3}(?P<next>[\w(\[`*"“]))(?![ \t]*(?:\d+[.)]|[*+-])[ \t])""",
    re.VERBOSE,
)
_LINK = re.compile(r"!?\[([^\]\[]*)\](?:\([^()\s]*(?:\s\"[^\"]*\")?\)|\[[^\]\[]*\])")
_MARKED = re.compile(r"(?<![\w*`])([*_])(?=[^\s*_`])([^*_`\n]+?)(?<=\S)\1(?![\w*])")
_REFERENCE = re.compile(r"`([^`\n]+?)(?:\s<[^<>`]+>)?`_{1,2}|\b([\w.+-]*[A-Za-z0-9])_(?![\w`])")
_NOTE = re.compile(r"\s?\[(?:\d{1,3}|[a-z]|citation needed|note \d+|edit)\]")
_PLAIN = re.compile(r"[*`\"“”]")
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("{", "}"))
_OPEN_END = re.compile(r"(?:\.\.|…|[^.\w)\]\"'”’`%°*]\.)$")

_NAMED = re.compile(r"^[^T]*[Tt]he [*`\"“]*[A-Z]")
_OPENING = re.compile(r"(?:in (?:[a-z]+ )?\d{4}, )?(?:(?P<article>the|an?) )?")
_BESIDE = (
    r"(?: (?:v\d+|\d+\.\w+)(?:\.\w+)*)?"
    r"(?: \([^()]{1,80}\))?"
    r"(?:, (?:an?|the|also|formerly|once|originally|short for|known|which|or|developed|written"
    r"|created|founded) [^,]{1,100},)?"
    r" (?:(?:[a-z]{3,}ly|also|often|always|never|still|already|now|first|soon|even) ){0,2}"
)
"""What may stand between a name and its verb: version, brackets, an apposition, adverbs."""


@cache  # each takes 15 ms to compile: only where prose is read
def _predicate(sure: str, other: str) -> re.Pattern[str]:
    return re.compile(
        rf"{_BESIDE}(?P<told>(?:(?P<sure>(?:can|cannot|can't|will|won't|had|should|must|{sure})"
        rf"(?:n't| not)?)|(?:{other})(?! (?:{PAST})\b)) \S.*)"
    )


_OF_SEVERAL = rf"(?:{PLURAL})(?! (?:{THIRD})\b)"
_ONE, _SEVERAL = "is|was|has|does", "are|were|have|do"
_AFTER_ONE = _ONE, f"{THIRD}|{PAST}"
_AFTER_SEVERAL = _SEVERAL, f"{_OF_SEVERAL}|{PAST}"
_AFTER_ANY = f"{_ONE}|{_SEVERAL}", f"{THIRD}|{_OF_SEVERAL}|{PAST}"
_AFTER_ACTIVITY = _ONE, OF_ACTIVITY
_OF_OTHERS = re.compile(r"(?:\S+ ){1,3}(?:their|them)\b")
_GOES_ON = re.compile(r"\S+ (?:when|if|because|where|while|unless|until|whether|how|why|once)\b")
_TOLD_ONCE = re.compile(r"(?:was|were|had|will|won't|[a-z]+ed)\b")


def said_of(text: str, number: int, names: Mapping[str, KnownName]) -> Iterator[KnownFact]:
    """Facts that prose states about names.

    Args:
        text: What was found.
        number: Of the message that it is.
        names: By how each may be written, in any case: the name, and its type.
    """
    forms = sorted(
        ((_folded(spelled), known) for spelled, known in names.items()),
        key=lambda form: (-len(form[0]), form),
    )
    for sentence in statements(_by_sentence(_unwrapped(text), names)) if forms else ():
        seen = _folded(sentence.text)
        if not any(form in seen for form, _ in forms):
            continue
        told = _told(sentence.text)
        if told.endswith(".") and (about := _subject(told, forms)):
            yield KnownFact(
                entity=about.name,
                statement=told,
                message=number,
                quote=text[sentence.start : sentence.end],
                stance="asserted",
            )


def spellings(known: KnownName) -> set[str]:
    """How a known name may be written where it is a subject."""
    if known.type == "package":  # PEP 503
        return {known.name, known.name.replace("-", "_")}
    one = {known.name, known.name.replace("-", " ")}
    return one | {several for name in one if (several := _plural(name)) and known.type == "topic"}


def _plural(name: str) -> str | None:
    """The plural of a name, if it would be a regular one."""
    return name + "s" if re.search(r"[a-z]{2}(?<![sxyz])(?<!ch)(?<!sh)$", name) else None


def _subject(told: str, forms: Sequence[tuple[str, KnownName]]) -> KnownName | None:
    """The name that a sentence says something of; None if there is none, or it is unfit."""
    plain = _folded(_PLAIN.sub("", told))
    opening = _OPENING.match(plain)
    start = opening.end() if opening else 0
    article = opening and opening["article"]
    for form, known in forms:
        if plain.startswith(form, start) and _says(
            plain[start + len(form) :], form, known, article
        ):
            if article == "the" and not _definite(told, form):
                return None
            return None if _unfit(told, plain) else known
    return None


def _says(rest: str, form: str, known: KnownName, article: str | None) -> bool:
    """Whether what follows a name is its predicate."""
    if known.type == "package" and article:
        return False  # the common noun of the same name
    name = _folded(known.name)
    if form not in (name, name.replace("-", " "), name.replace("-", "_")):
        after = _AFTER_SEVERAL
    elif form.endswith("ing"):
        after = _AFTER_ACTIVITY
    elif known.type == "topic" and article not in ("a", "an") and form.endswith("s"):
        after = _AFTER_ANY
    else:
        after = _AFTER_ONE
    if not (found := _predicate(*after).match(rest)):
        return False
    told = found["told"]
    if sum(word not in STOP_WORDS for word in words(told)) < FEWEST_WORDS:
        return False
    if after is _AFTER_ONE and _OF_OTHERS.match(told):
        return False
    if article in ("a", "an") and _TOLD_ONCE.match(told):
        return False  # one of them, at one time
    if found["sure"] or _GOES_ON.match(told):
        return True
    second = FINITE.search(told)
    return second is None or second["before"].strip(",;()") in CLAUSE


def _definite(told: str, form: str) -> bool:
    """Whether `the` does not point to one that was spoken of: several, or a name of its own."""
    return " " in form or form.endswith("s") or _NAMED.search(told) is not None


def _unfit(told: str, plain: str) -> bool:
    return (
        any(told.count(a) != told.count(b) for a, b in _PAIRS)
        or _OPEN_END.search(told) is not None
        or UNFIT.search(plain) is not None
    )


def _told(sentence: str) -> str:
    """A sentence as it is kept: links by their words, without marks of notes and of emphasis."""
    plain = _MARKED.sub(r"\2", _NOTE.sub("", _LINK.sub(r"\1", sentence)))
    return " ".join(_REFERENCE.sub(lambda found: found[1] or found[2], plain).split())


def _by_sentence(text: str, names: Iterable[str]) -> str:
    """A text of the same length, in lines where a sentence begins with a name in lower case."""
    spelled = "|".join(r"\s+".join(map(re.escape, name.split())) for name in sorted(names))
    return re.sub(rf"(?i)(?<=[\w)`]{{4}}\.) (?=[*`\"“]{{0,2}}(?:{spelled})\b)", "\n", text)


def _unwrapped(text: str) -> str:
    """A text of the same length, whose lines end where a sentence may."""

    def joined(found: re.Match[str]) -> str:
        goes_on = not found["next"].isupper() or len(found["line"]) >= WRAPPED_AT
        return found[0][:-1] + " " if goes_on else found[0]

    return _WRAP.sub(joined, text)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text.casefold()).replace("’", "'").split())
