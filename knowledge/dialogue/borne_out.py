"""What an outcome bears out: a check that failed, a change, the check that works; their words."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

from cairn.knowledge.dialogue.assent import opening_of
from cairn.knowledge.dialogue.errors import key_lines
from cairn.knowledge.dialogue.fault_words import DENIES, TAKES_BACK
from cairn.knowledge.dialogue.shortcuts.shortcuts import shortcut
from cairn.knowledge.dialogue.tool_calls import OLD_TEXT, PATH_INPUTS, ToolStep, similar
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.nlp.text import STOP_WORDS, words
from cairn.knowledge.nlp.vocabulary import stem

REACH = 60
"""Steps after a failed check in which the next try must come."""

FEWEST_BORNE, SHARE_BORNE = 2, 0.7
"""Words of weight, and the share of its own, that a statement has in common with the error that
ended and what ended it. In the share, names in the error count for nothing: what fails names much
that is not at fault."""


_REPORTING_LIST = """
learn learned find found discover realize notice turn figure issue problem fix fixed fixes fixing
solution solve solved cause caused root say says said state states according read tell told mention
explain recommend recommends suggest suggests confirm confirmed note show shows reveal page article
docs documentation site website guide blog post readme answer sentence fact important lesson decided
decide decision conclude summary actually correct
"""
_REPORTING = frozenset(map(stem, _REPORTING_LIST.split()))
"""Stems of words that say that something is told, and not what."""

_IDLE_LIST = """
fail failed failing failure error errors break broke work set add raise fall change replace update
"""
_IDLE = frozenset(map(stem, _IDLE_LIST.split()))
"""Stems that a statement about any failure or fix may have."""

_NAME = re.compile(r"[^\W_]+(?:[-._/@:\\]+[^\W_]+)+")
"""A host, a package, a path."""

_COMMENT = re.compile(
    r"(?:^|(?<=\s))(?:#|//|--\s|<!--|/?\*\s)[^\n]*|\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)",
    re.MULTILINE | re.DOTALL,
)
_QUOTED_PROSE = re.compile(r"\"[^\"\n]*\s[^\"\n]*\s[^\"\n]*\"|'[^'\n]*\s[^'\n]*\s[^'\n]*'")
_PROSE_FILE = re.compile(
    r"(?i)(?:\.(?:mdx?|rst|adoc|log)|\b(?:readme|changelog|notes?|todo)(?:\.txt)?)$"
)
_ASIDES = frozenset({"description", "explanation", "reason", "thought", "comment", "title"})
"""Inputs of tools in which an agent says what it does."""

_JOINT = re.compile(r"[-._/@:\\]+|(?<=[a-z])(?=[A-Z])")


class Solved(NamedTuple):
    """A check that failed, and works after a change: from and to where, and the words of it."""

    begin: int
    end: int
    words: frozenset[str]
    """Of the error, of the check, and of the change."""
    changed: frozenset[str]
    """Of the change."""
    names: frozenset[str]
    """Words of the names in the error."""

    def bears_out(self, text: str) -> bool:
        """Whether most of a statement is about this, and any of it about the change."""
        sought = _pieces(text) - _IDLE
        about = sought - self.names
        numbers = {one for one in sought if any(map(str.isdigit, one))}
        return (
            len(sought & self.words) >= FEWEST_BORNE
            and len(about & self.words) >= SHARE_BORNE * len(about)
            and not about.isdisjoint(self.changed)
            and numbers <= self.words
        )


def solved_in(every: Sequence[ToolStep], turns: Sequence[Turn]) -> Iterator[Solved]:
    """Checks of one thread that failed and then worked, because something was changed."""
    people = [t for t in turns if t.kind == "message" and t.origin == "human"]
    for index, failed in enumerate(every):
        if failed.kind != "run" or failed.worked is not False or failed.result is None:
            continue
        at = _tried_again(every, index)
        if at is None or not every[at].worked:
            continue
        success, between = every[at], every[index + 1 : at]
        changes = [s for s in between if s.worked and (s.kind == "edit" or _acts(s))]
        if not changes or shortcut([failed, *between, success]):
            continue
        answer = next((turn for turn in people if turn.seq > success.call.seq), None)
        opening = opening_of(answer.text) if answer else ""
        again = _tried_again(every, at)
        soon = again is not None and (answer is None or every[again].call.seq < answer.seq)
        if (
            DENIES.search(opening)
            or TAKES_BACK.search(opening)
            or (soon and not every[again or 0].worked)
        ):
            continue
        told = [line.message for line in key_lines(failed.result.text)[:5]]
        made = [_lines(step) for step in changes if not any(map(_PROSE_FILE.search, step.files))]
        changed = _all_pieces(line for new, old in made for line in new ^ old)
        code = [line for new, old in made for line in new | old]
        end = answer.seq if answer else turns[-1].seq + 1
        files = (file for step in changes for file in step.files)
        names = (each[0] for line in told for each in _NAME.finditer(line))
        yield Solved(
            failed.result.seq,
            end,
            _all_pieces([*told, failed.command[:4000], *files, *code]),
            changed,
            _all_pieces(names),
        )


def _lines(step: ToolStep) -> tuple[set[str], set[str]]:
    """Lines that a step brings and takes out, but for an agent's prose in them.

    Not the file's name: a statement about it may be about anything in it.
    """
    new, old = set[str](), set[str]()
    for name, text in _leaves(step.call.input):
        if name not in PATH_INPUTS:
            (old if name in OLD_TEXT else new).update(_code(text).splitlines())
    return new, old


def _leaves(inputs: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Texts of a call's input with their names, but for what an agent says beside it."""
    if isinstance(inputs, str) and name not in _ASIDES:
        yield name, inputs[:4000]
    elif isinstance(inputs, dict):
        for key, value in cast("dict[str, object]", inputs).items():
            yield from _leaves(value, key)
    elif isinstance(inputs, list):
        for value in cast("list[object]", inputs):
            yield from _leaves(value, name)


def _code(text: str) -> str:
    return _QUOTED_PROSE.sub(" ", _COMMENT.sub(" ", text))


def _pieces(text: str) -> frozenset[str]:
    """`weighty`, names taken apart: `order` and `total` for `order_total`."""
    return weighty(_JOINT.sub(" ", text))


def _all_pieces(texts: Iterable[str]) -> frozenset[str]:
    return frozenset().union(*map(_pieces, texts))


def _tried_again(every: Sequence[ToolStep], index: int) -> int | None:
    """The next settled run of a check that a step ran."""
    checks = [action for action in every[index].actions if action.checks]
    for at in range(index + 1, min(index + 1 + REACH, len(every))):
        later = every[at]
        settled = later.kind == "run" and later.worked is not None
        if settled and any(similar(one, other) for one in checks for other in later.actions):
            return at
    return None


def _acts(step: ToolStep) -> bool:
    return step.kind == "run" and any(not action.checks for action in step.actions)


@lru_cache(maxsize=4_096)
def weighty(text: str) -> frozenset[str]:
    """Stems of the words of a text that say what it is about."""
    return frozenset(stems_of(text)) - _REPORTING


def stems_of(text: str) -> Iterator[str]:
    """Stems of the words of a text that are no function words, in order."""
    for word in words(text):
        if word not in STOP_WORDS:
            yield _stem(word)


_stem = lru_cache(maxsize=65_536)(stem)
