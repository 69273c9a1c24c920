"""What a person asks for in passing: something to do, and what with, as in "update the changelog".

Asked for in one session it is a task. What is asked for in session after session, in whatever
words, is how somebody works: `conventions` counts it.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from collections.abc import Iterator
from typing import NamedTuple

from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.dialogue.typed import typed
from cairn.knowledge.llm.prompt_injection import gives_orders
from cairn.knowledge.nlp.patterns import lazy_pattern
from cairn.knowledge.nlp.plain_words import plain_words
from cairn.knowledge.nlp.vocabulary import stem
from cairn.knowledge.practices.observed.calls import Observation
from cairn.knowledge.schema.identity import digest

KIND, ASKED = "request", "asked"

LONGEST_MESSAGE = 600
"""Characters that somebody types to ask for something; a longer message describes a task."""

LONGEST_REPEATED = 60
"""Characters of a message that is typed twice; a longer one is pasted."""

_CLAUSE = lazy_pattern(
    r"[^.!?;:,\n\s](?:(?!\.\s|\.$|[!?;,\n]|:(?:\s|$)|\s(?:and|then|but|or|so|because|while|once|before|after|if|when)\s|\s[-–—]\s).)*"
)
_LEAD = lazy_pattern(
    r"(?:(?:ok(?:ay)?|yes|yeah|yep|yup|and|also|so|now|then|but|great|good|perfect|nice|cool|thanks?|thank\ you|alright|right|hm+|ah|oh|uh|um|well"
    r"|please|kindly|just|first|next|finally|actually|again|maybe|perhaps|probably|before|after|that|i\ (?:think|guess)"
    r"|can|could|would|will|shall|you|we|i|need\ to|have\ to|want(?:\ you)?\ to|(?:would\ )?like(?:\ you)?\ to|let\ us|lets|should|must|to|go\ ahead(?:\ and)?"
    r"|(?:do\ not\ forget|remember|feel\ free|try|be\ sure|make\ sure)\ to|going\ to\ need\ to|quickly)\b[\s,]*)*"
)
_QUOTED = lazy_pattern('["`“”]')
_WORD = lazy_pattern(r"@?[\w.+#/:-]*\w")
_PARTICLES = frozenset(["up", "in", "out", "off", "down", "over", "back"])
_DETERMINERS_LIST = "the a an some any all our new more both every each current"
_DETERMINERS = frozenset(_DETERMINERS_LIST.split())
_POINTING_LIST = (
    "this that these those it its my your his her their them me us you him i we they there here "
    "what which who how why where one ones both same other another"
)
_POINTING = frozenset(_POINTING_LIST.split())
_ENDS_LIST = (
    "of in on at to for from with by as into onto about regarding concerning via per using without within through "
    "until since than like not also too again now please just only well first instead later soon "
    "is are was were be has have had do does did will would can could should that which who if "
    "when while as and or but so then up out off down over back i we you it they this"
)
_ENDS = frozenset(_ENDS_LIST.split())
_VERBS = (
    "add|address|bump|clean|create|delete|deploy|document|draft|export|file|format|generate|include|install|lint|log|mention"
    "|note|open|post|publish|pull|raise|rebase|rebuild|record|refresh|regenerate|release|remove|rename|reply|resolve|respond"
    "|restart|review|run|save|simplify|squash|summari[sz]e|sync|tag|translate|update|upgrade|upload|write"
)
"""What is done again and again. A list, for a name of two words looks like an order, too."""

_NOTES = frozenset(map(stem, ["add", "file", "log", "record"]))
"""One verb for another, of what is noted: "log a to-do", "add a to-do". To create is another
thing: who wants logging added has not asked to "create the logs"."""

_ORDER = lazy_pattern(rf"(?:{_VERBS})(?![\w'-])")
_ANYTHING_LIST = (
    "issue bug error problem thing change fix code file line part plan task step way time look "
    "sure question answer stuff work something anything everything everyone option idea point "
    "case bit lot word page content text version item feature implementation logic function "
    "method class approach solution result output detail info information support phase number"
)
_ANYTHING = frozenset(map(stem, _ANYTHING_LIST.split()))
"""What names nothing by itself."""

_MOST_WORDS = 3

_ONCE = frozenset(["create", "delete", "remove", "rename"])
_OWN_NAME = lazy_pattern(r"[\w.-]*[./_][\w./-]*")
"""What is done once to a thing that has a name of its own."""


class RequestExample(NamedTuple):
    """A message, and what it asks for in passing."""

    text: str
    asked: tuple[str, ...] = ()
    because: str = ""
    """Why it tells nothing."""


EXAMPLES = (
    RequestExample("Commit and update the tide table", ("update the tide table",)),
    RequestExample("ok, can you also add a berth note for this?", ("add a berth note",)),
    RequestExample("dont forget to update CHANGELOG.md as well", ("update CHANGELOG.md",)),
    RequestExample("ok back to main, and then pull in the latest", ("pull in the latest",)),
    RequestExample("Lets create a PR and rebuild the docs.", ("create a PR", "rebuild the docs")),
    RequestExample("Yes add a berth note regarding this.", ("add a berth note",)),
    RequestExample("i think lets log a berth note", ("log a berth note",)),
    RequestExample("update this table", (), "one that is at hand"),
    RequestExample("fix the lint errors", (), "what is done to whatever is at hand"),
    RequestExample("can we remove quay/ebb", (), "what is gone then"),
    RequestExample("do not update the tide table", (), "the opposite"),
    RequestExample("the harbor needs a new crane", (), "nobody is asked"),
    RequestExample("Tide Table", (), "a name"),
    RequestExample("yeah add a quay:note, it is late", ("add a quay:note",)),
    RequestExample('rename "ebb" to "low tide"', (), "a quotation"),
    RequestExample("Update the tide table. " + "The ebb comes late. " * 40, (), "a task described"),
)  # fmt: skip


def requests(turn: Turn) -> Iterator[Observation]:
    """What a message of a person asks for in passing."""
    if turn.origin != "human" or turn.kind != "message" or turn.sidechain:
        return
    said = typed(turn.text)
    message = " ".join(said.split())
    if not message or len(message) > LONGEST_MESSAGE:
        return
    whole = digest(message.lower()) if len(message) > LONGEST_REPEATED else None
    for phrase in dict.fromkeys(_asked(said)):
        if not gives_orders(phrase, "human"):
            yield Observation(KIND, phrase, whole, ASKED)


def request_key(phrase: str) -> tuple[str, str]:
    """What two phrases share that ask for the same: what is done, and with what."""
    words = phrase.lower().split()
    verb = stem(words[0])
    return "add" if verb in _NOTES else verb, _head(words[-1])


def _asked(text: str) -> Iterator[str]:
    for line in text.splitlines():
        plain = plain_words(line)
        for clause in _CLAUSE.finditer(plain.text):
            lead = _LEAD.match(plain.text, *clause.span())
            begin = lead.end() if lead else clause.start()
            if end := _end_of_request(plain.text, begin, clause.end()):
                phrase = line[plain.places[begin] : plain.places[end - 1] + 1]
                if not _QUOTED.search(phrase):
                    yield phrase


def _end_of_request(text: str, begin: int, end: int) -> int | None:
    """Where an order ends with what it is about; None if it names nothing that could come again."""
    order = _ORDER.match(text, begin, end)
    if order is None:
        return None
    about = list(_WORD.finditer(text, order.end(), end))
    if about and about[0][0] in _PARTICLES:  # "pull in", "clean up"
        del about[0]
    named: list[re.Match[str]] = []
    for word in about:
        if word[0] in _POINTING and not named:
            return None
        if word[0] in _ENDS:
            break
        if word[0] not in _DETERMINERS:
            named.append(word)
    if not named or len(named) > _MOST_WORDS:
        return None
    head = _head(named[-1][0])
    names_one = len(head) > 1 and head.isalpha() and head not in _ANYTHING
    is_done = order[0] in _ONCE and _OWN_NAME.fullmatch(named[-1][0])
    return named[-1].end() if names_one and not is_done else None


def _head(word: str) -> str:
    """What a noun, or the name of a file or of a command, is counted by."""
    return stem(re.split(r"[/:]", re.sub(r"^@|\.[a-z]{1,4}$", "", word.lower()))[-1])
