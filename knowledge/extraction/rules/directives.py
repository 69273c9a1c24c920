"""What a person wants done their way: for good, or in this session.

A plain request ("add a test", "fix this") is no directive: one says how to do things, or what to
leave. It is kept in the person's words, without what leads up to it.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import polars as pl

from cairn.knowledge.dialogue.carried_out import carried_out
from cairn.knowledge.dialogue.sentences import LONGEST_TYPED, capitalised
from cairn.knowledge.extraction.rules.forms.directives import directive_form
from cairn.knowledge.extraction.rules.forms.word_classes import ORDER
from cairn.knowledge.extraction.rules.rule import (
    EDITS,
    SAID_BY_PERSON,
    Record,
    Rule,
    RuleExample,
    RuleMatch,
    each,
    rule,
)
from cairn.knowledge.extraction.rules.statements import LONGEST_SENTENCE, parts, passes
from cairn.knowledge.nlp.markup import in_plain_letters
from cairn.knowledge.nlp.plain_words import plain_words
from cairn.knowledge.nlp.text import STOP_WORDS, words
from cairn.knowledge.schema.policy import Policy

_LABEL = re.compile(r"no \w+")
"""What stands on a line of its own in a page that was put in: `No parameters`."""

FEWEST_WORDS = 2


TO_AGENT = (pl.col("kind") == "note") | (
    (pl.col("origin") == "agent").any().over("namespace", "conversation_id")
)
"""Said where an agent listens: what friends advise each other is no directive."""


class Directive(NamedTuple):
    """A directive as it is kept, where it stands, and whether it is meant for good."""

    text: str
    start: int
    end: int
    standing: bool


@lru_cache(maxsize=4_096)
def directives(text: str) -> tuple[Directive, ...]:
    """Directives in what a person typed, in order."""
    return tuple(found for part in parts(text) if (found := _directive(text, *part)))


def _directive(text: str, start: int, end: int) -> Directive | None:
    if end - start > LONGEST_SENTENCE or text[start:end].rstrip().endswith(":"):
        return None
    plain = plain_words(text[start:end])
    if plain.text.count(" = ") > 1:  # what a formula says holds "everywhere" is no wish
        return None
    if _LABEL.fullmatch(plain.text) and text[max(0, start - 1)] == "\n" == text[end : end + 1]:
        return None
    form = directive_form(plain.text)
    if form is None:
        return None
    start, end = start + plain.places[form.start], start + len(text[start:end].rstrip())
    kept = as_kept(text[start:end].rstrip("? "))
    if kept is None:
        return None
    start += len(text[start:end]) - len(text[start:end].lstrip())
    return Directive(kept, start, end, form.standing)


def as_kept(written: str) -> str | None:
    """A sentence as it is kept, with a capital; None if it says too little to be."""
    kept = _within(in_plain_letters(written).lstrip("-–—,;:*( "))
    told = words(kept)
    announces = kept.rstrip(" .!?").endswith(":")
    unsaid = announces or _CUT_OFF.search(kept)
    if len(told) < FEWEST_WORDS or STOP_WORDS.issuperset(told) or unsaid or passes(kept):
        return None
    return capitalised(kept.rstrip(" ,;"))


def _within(told: str) -> str:
    """What was told in brackets, up to the one that closes them."""
    depth = 0
    for at, letter in enumerate(told):
        depth += (letter == "(") - (letter == ")")
        if depth < 0 and len(words(told[:at])) >= FEWEST_WORDS:
            return told[:at].rstrip(" ,;:")
        depth = max(depth, 0)
    return told


_CUT_OFF = re.compile(r"(?i)\b(?:the|an|and|or|of|than|because|(?:must|shall)(?: be)?)$")
"""Words that no sentence ends with: the rest stands on the next line."""

_FOR_LONG = re.compile(
    r"""(?i)\b(?:always|never|ever|from\ now\ on|going\ forward|future|whenever
      |(?:every|each|any|next)\ time|not|don['’]?t|no|must|only|prefer|avoid
      |before|after|when)\b""",
    re.VERBOSE,
)
"""What makes an order hold on, though it was carried out."""
_ORDERS = re.compile(
    rf"(?:(?:please|also|and|then|now|just|so) )*(?!(?:every|each|all|any|both|most)\b){ORDER}\b"
)


_EXPLICIT = re.compile(
    r"(?i)\b(?:always|never|ever|must|from now on|going forward|under no circumstances)\b"
)
"""What says in so many words that it is meant for good."""


def _put_in(record: Record) -> bool:
    """Whether a message is too long to have been typed: a report, a plan, a prompt of a file."""
    return len(" ".join(record.words.split())) > LONGEST_TYPED


def _directs(records: Sequence[Record], _: Policy) -> Iterator[RuleMatch]:
    """What holds for good; an order that the agent carried out at once is an event.

    So is what stands in a text that was put in, and does not say in so many words that it holds.
    """
    said = [at for at, record in enumerate(records) if record.kind != "tool_call"]
    for at, then in pairwise([*said, len(records)]):
        put_in = _put_in(records[at])
        for one in directives(records[at].words):
            if one.standing:
                done = (put_in and not _EXPLICIT.search(one.text)) or (
                    not _FOR_LONG.search(one.text)
                    and _ORDERS.match(one.text.lower())
                    and carried_out(one.text, (edit.inputs for edit in records[at + 1 : then]))
                )
                yield RuleMatch(
                    one.text, one.start, one.end, record=at, predicate="asks" if done else None
                )


def _asks(record: Record, _: Policy) -> Iterator[RuleMatch]:
    for one in directives(record.words):
        if not one.standing:
            yield RuleMatch(one.text, one.start, one.end)


RULES: tuple[Rule, ...] = (
    rule(
        "directs",
        17,
        "What a person wants done, or left, once and for all: the words say so.",
        confidence=0.8,
        reads=(SAID_BY_PERSON & TO_AGENT) | EDITS,
        find=_directs,
        whole=True,
        examples=(
            RuleExample(
                "Ok, but from now on run the linter before every commit.",
                ("From now on run the linter before every commit.",),
            ),
            RuleExample("Never log access tokens.", ("Never log access tokens.",)),
            RuleExample("use pnpm instead of npm", ("Use pnpm instead of npm",)),
            RuleExample(
                "I want all endpoints to return JSON.", ("I want all endpoints to return JSON.",)
            ),
            RuleExample(
                "We are not to edit generated files.", ("We are not to edit generated files.",)
            ),
            RuleExample(
                "yes, also were not supposed to push to main",
                ("Were not supposed to push to main",),
            ),
            RuleExample("No mocking.", ("No mocking.",)),
            RuleExample(
                "When you add a pier, also write its chart.",
                ("When you add a pier, also write its chart.",),
            ),
            RuleExample(
                "Don't touch anything under `legacy/`, the board certified that code.",
                ("Don't touch anything under `legacy/`, the board certified that code.",),
            ),
            RuleExample("I'll run the dev server myself.", ("I'll run the dev server myself.",)),
            RuleExample(
                "keep our design notes in the wiki", ("Keep our design notes in the wiki",)
            ),
            RuleExample(
                "update the quay rule to specify to always open a new berth sheet",
                ("Always open a new berth sheet",),
            ),
            RuleExample(
                "you edited the chart in the main checkout, not the worktree",
                ("You edited the chart in the main checkout, not the worktree",),
            ),
            RuleExample("why didn't you run the tide check", ("Run the tide check",)),
            RuleExample("No code changes. The path is wrong: it's `~/quay`, not `~/pier`."),
            RuleExample("I only want to look. No warning. Nice commits. We were not supposed to."),
            RuleExample("Always run the tests, should I? Don't worry. Never mind. Fix this."),
            RuleExample("Don't touch the vendor folder. Add a test for the queue."),
            RuleExample("Sort berths in each list by name. Stop showing empty berths."),
            RuleExample("Confirm that we can change the pier to use steel instead of wood."),
            RuleExample(
                "Let's move on to the tests in production. In the future, I'd like to add pages."
            ),
        ),
    ),
    rule(
        "asks",
        15,
        "What a person wants done their way, or left, in this session.",
        confidence=0.8,
        reads=SAID_BY_PERSON & TO_AGENT,
        find=each(_asks),
        examples=(
            RuleExample("Don't touch the vendor folder.", ("Don't touch the vendor folder.",)),
            RuleExample(
                "let's use the outbox table instead", ("Let's use the outbox table instead",)
            ),
            RuleExample("Don't worry about the docs. I don't think we need that. Fix this."),
            RuleExample("Can you add a test? Use your own judgement. Don't do that."),
        ),
    ),
)
