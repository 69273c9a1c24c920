"""What ends a decision: a later word of the person that turns round, and names the same thing."""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from cairn.knowledge.dialogue.borne_out import weighty
from cairn.knowledge.dialogue.sentences import capitalised
from cairn.knowledge.nlp.text import sentences, words

NOT_CHOSEN = ", not "
"""What leads up to the options that were not taken."""

RECOMMENDED = re.compile(r"\s*\((?:recommended|rec\.?|default|current)\)", re.IGNORECASE)
"""What an agent says of an option beside its name."""

_LEADS_UP = re.compile(
    r"""^(?:given|with|based\ on|considering|knowing|after|from)\ (?=[^?]{0,80}\b(?:that|this|these|those|trade-?offs?|comparison|above)\b)
        [^,?—–]{3,80}(?:,|\ [—–-])\ (?=(?:which|what|how|where|who|when|why|should|do|does|can|could|would|is|are|will|shall)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
"""What a question begins with that points at what was said before it: "given these trade-offs, …"."""

_LONGEST = 600
_AWAY = (
    r"(?:remov|delet|drop|replac|renam|chang|switch|revert|undo|redo|hid|scrap|rethink|mov)"
    r"(?:e|es|ing)?"
)
_TURNS = re.compile(
    rf"""^\W*(?:(?:hm+|oh|ok|okay|no|nope|wait|sorry|so|and|but|also|well|please)[,.!]?\ )*
        (?:actually|on\ second\ thoughts?|thinking\ again|scratch\ that|i\ changed\ my\ mind|rather
          |(?:let's|let\ us|lets)\ (?:just\ |rather\ |better\ )?
            (?:simplify|{_AWAY}|go\ back|take\ out)
          |(?:please\ |can\ you\ |could\ you\ |just\ |now\ |then\ )*
            (?:{_AWAY}|get\ rid\ of|take\ out|no\ (?!need\b))\b)
      | \binstead\b(?!\ of\ (?:it|that)\b) | \bno\ longer\b | \bnot\ any\ ?more\b | \bafter\ all\b
      | (?P<own>\bi(?:'ve|\ have)?\ (?:just\ |now\ )?
          (?:added|attached|uploaded|made|drawn|designed|prepared|picked|written)
          \ (?:my\ own\b|an?\ (?:new|other)\b|another\b|@\S))""",
    re.VERBOSE,
)
"""How a sentence says that something is to be otherwise, or brings another (`own`)."""

_IDLE = weighty(
    "let us should must make use keep remove drop go with add completely instead new old delete"
    " replace rename change switch move hide show want need please also which where what how"
)
"""What any decision may have."""

_FEWEST_SHARED, _SHARE = 2, 0.5


class Choice(NamedTuple):
    """A choice as it is kept: what was asked, what was answered, and what was not chosen."""

    question: str
    """With its mark; empty where none was asked."""
    answer: str
    others: str


def parts_of_choice(told: str) -> Choice:
    """The parts of a decision; one that answers no question is an answer."""
    asked, mark, answered = told.rpartition("? ")
    answer, _, others = answered.partition(NOT_CHOSEN)
    return Choice(asked + mark.rstrip(), answer, others)


def read_alone(question: str) -> str:
    """A question without what points at what was said before it."""
    return capitalised(_LEADS_UP.sub("", question))


def overruled(decided: str, later: Iterable[str]) -> bool:
    """Whether a later message of the person ends a decision.

    Args:
        decided: The decision; of an answered question, the question and the answer.
        later: What the person typed behind it, in order.
    """
    choice = parts_of_choice(decided)
    thing = _about(choice.question or decided)
    chosen = _about(choice.answer) - thing if choice.question else frozenset[str]()
    return bool(thing) and any(
        _turned(message, thing, chosen) for message in later if len(message) <= 20 * _LONGEST
    )


def _turned(message: str, thing: frozenset[str], chosen: frozenset[str]) -> bool:
    """Whether a message turns round in a sentence, and names the thing in or right behind it."""
    told = message.lower().replace("’", "'")
    places = list(sentences(told))
    for number, (start, end) in enumerate(places):
        said = told[start:end]
        turns = None if end - start > _LONGEST else _TURNS.search(said)
        if turns is None or said.rstrip().endswith("?"):
            continue
        behind = places[min(number + 1, len(places) - 1)][1]
        about = _about(told[start : min(behind, start + 2 * _LONGEST)])
        if chosen and chosen <= about:
            continue
        shared = thing & about
        enough = 1 if turns["own"] else min(_FEWEST_SHARED, max(1, _SHARE * len(thing)))
        if len(shared) >= enough:
            return True
    return False


@lru_cache(maxsize=4_096)
def _about(text: str) -> frozenset[str]:
    """Stems of what a text is about; the words of a name in code count by themselves."""
    parted = re.sub(r"[_/@.`-]+", " ", text)
    return weighty(" ".join(words(parted))) - _IDLE
