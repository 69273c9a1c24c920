"""What a person reports as wrong, and what solved it by their own word.

A report is a person's message that names a fault, shows a wrong value, or puts right what was done.
What an agent explained and then changed, by the same names, solved it if the person's next message
says so. A person who says that it is still wrong takes that back, and the fault stays open until
what comes next solves it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath
from typing import NamedTuple

from cairn.knowledge.dialogue.errors import exceptions
from cairn.knowledge.dialogue.fault_words import (
    CORRECTS,
    DENIES,
    NAMES_ONLY,
    REQUIRES,
    TAKES_BACK,
    WRONG,
    WRONG_VALUE,
    bare,
)
from cairn.knowledge.dialogue.sentences import (
    LONGEST_TYPED,
    SLIP,
    Sentence,
    cause,
    fix,
    parts,
    said,
)
from cairn.knowledge.dialogue.tool_calls import ToolStep
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.extraction.rules.word_senses import CONDITION, ISSUE, NO_ISSUE
from cairn.knowledge.failures.identifiers import names_in, of_change
from cairn.knowledge.nlp.text import words

REACH = 60
"""Steps after a report in which its solution must come."""

SOON = 4
"""Steps after an explanation in which the change that it explains must begin."""

CONFIRMS = re.compile(
    r"\b(?:it|that|this|all|now|everything) (?:\w+ ){0,2}(?:works?|worked|fine|ok|okay|passes|loads"
    r"|starts)\b|\bwork(?:s|ing) (?:now|again|fine|great|well|perfectly|like a charm)\b"
    r"|\b(?:is|are|was|got|that|it) (?:now |indeed )?(?:fixed|solved|resolved|gone"
    r"|(?:correct|right) now)\b|\b(?:fixed|solved) (?:it|the)\b|\bdid (?:it|the trick)\b"
    r"|\blooks (?:good|right|correct|great)\b|\bno longer\b|n't \w+ any ?more\b"
    r"|^(?:(?:yes|yep|great|nice|good|ok|okay|thanks)\W+)?(?:confirmed|perfect|works|fixed|solved)\b"
)
ACCEPTS = re.compile(
    r"^(?:right|exactly|great|nice|good(?: (?:find|catch|job|work|one))?|perfect|excellent|awesome"
    r"|wonderful|super|well done)\b(?=[.,!;:]|\s*$|\s+[—–-])"
)
"""How a person takes what was done: enough where a check shows it, too."""

_APPROVES = re.compile(
    r"^(?:yes|yep|yeah|agreed|ok(?:ay)?|sure|do (?:that|it|so)|go (?:ahead|for it)|please do"
    r"|sounds good)\b"
)
_GOES_ON = re.compile(
    r"^(?:please |ok(?:ay)?[, ]*|yes[, ]*)?(?:continue|go on|go ahead|proceed|next)\b"
)
_WISHES = re.compile(
    r"^(?:(?:please|can you|could you|now|then|next)\W+)*(?:add|implement|write|create|build|make"
    r"|support|introduce|document|refactor|rename|move|remove|delete|use|update|change|show)\b"
    r"|^i(?:'d| would)? ?(?:do not|don't)? ?(?:like|want|prefer|wish)\b"
)
_TELLING = re.compile(r"[^\W\d_]{2,}")


class FaultWords(NamedTuple):
    """A person's words for a fault, and whether they say how it should be."""

    sentence: Sentence
    requires: bool


@dataclass(frozen=True)
class ReportedFault:
    """One fault that a person reported, and what solved it."""

    told: FaultWords
    cause: Sentence | None
    fix: Sentence | None
    edits: tuple[ToolStep, ...]
    within: tuple[ToolStep, ...]
    """All that was done up to the person's next message."""
    confirmed: Sentence
    """The person's words that it works."""


def reports(turns: Sequence[Turn], steps: Sequence[ToolStep]) -> list[ReportedFault]:
    """Faults that a person reported and then called solved, in their order.

    Args:
        turns: Turns of the main thread, in order.
        steps: Its steps, in order.
    """
    requests = [turn for turn in turns if _speaks(turn)]
    found: list[ReportedFault] = []
    open_fault: FaultWords | None = None
    begin = 0
    for request, answer in pairwise(requests):
        told = fault(request)
        denied = open_fault is not None and told is None and DENIES.search(_opening(request))
        # What is said again of an open fault may be no more than that it is still there.
        told = open_fault if denied or (told and open_fault and _brief(told)) else told
        agreed = told is None and open_fault is not None and _APPROVES.match(_opening(request))
        if agreed:
            told = open_fault
        else:
            begin = request.seq
        open_fault = told
        if told is None:
            continue
        within = [step for step in steps if begin < step.call.seq < answer.seq]
        report = _solved(told, turns, within, (begin, answer.seq), answer)
        if report:
            found.append(report)
        planned = not any(map(_changes, within)) and _APPROVES.match(_opening(answer))
        if report or not (planned or DENIES.search(_opening(answer))):
            open_fault = None
    return found


def fault(turn: Turn) -> FaultWords | None:
    """The words of a person's message that name a fault; None where it names none.

    The last exception that was pasted says most, then a wrong value beside the right one, then a
    sentence that says what does not work.
    """
    pasted = exceptions(turn.text[:LONGEST_TYPED])
    if pasted:
        return FaultWords(Sentence(turn, pasted[-1].start, pasted[-1].end), requires=False)
    best: tuple[int, FaultWords] | None = None
    corrects = CORRECTS.match(_opening(turn)) is not None
    for sentence in parts(turn):
        text = bare(sentence.plain)
        if len(_TELLING.findall(text)) < 3 or _WISHES.match(text):
            continue
        requires = REQUIRES.search(text) is not None
        told = NAMES_ONLY.sub(" ", CONDITION.sub(" ", text))
        if WRONG_VALUE.search(text):
            strength = 3
        elif WRONG.search(told) or (ISSUE.search(told) and not NO_ISSUE.search(text)):
            strength = 2
        elif corrects and requires:
            strength = 1
        else:
            continue
        if best is None or strength > best[0]:
            best = strength, FaultWords(sentence, requires=requires and corrects)
    return best[1] if best else None


def _solved(
    told: FaultWords,
    turns: Sequence[Turn],
    within: Sequence[ToolStep],
    span: tuple[int, int],
    answer: Turn,
) -> ReportedFault | None:
    """The report with its solution; None where the person does not say that it was solved."""
    opening = _opening(answer)
    begin, end = span
    last = max((s.call.seq for s in within if _changes(s)), default=None)
    if last is None or len(within) > REACH:
        return None
    confirmed = _confirmed(answer, checked=_checked(within, last))
    if confirmed is None or CORRECTS.match(opening) or TAKES_BACK.search(opening):
        return None
    spoken = [turn for turn in turns if begin < turn.seq < end]
    messages = [s for t in spoken if t.kind == "message" and t.origin == "agent" for s in said(t)]
    # Why is said before the change that it explains, or when all is done.
    telling = [s for s in messages if s.turn.seq > last or _soon(s, within)]
    why = cause(telling, told.sentence.plain)
    first = why.turn.seq if why and why.turn.seq < last else begin
    order = fix([s for s in telling if first <= s.turn.seq < last])
    if SLIP.search((why or order or told.sentence).plain) or not (why or order or told.requires):
        return None
    explained = (s.turn.seq for s in (why, order) if s and s.turn.seq < last)
    after = min(explained, default=begin)
    named = _names(s for s in (told.sentence, why, order) if s)
    edits = tuple(
        step
        for step in within
        if after < step.call.seq
        and _changes(step)
        and _stays(step, within)
        and named & of_change(step)
    )
    if not edits:
        return None
    return ReportedFault(told, why, order, edits, tuple(within), confirmed)


def _names(told: Iterable[Sentence]) -> set[str]:
    """Names that sentences share with a change: of code, and plain words."""
    texts = [sentence.text for sentence in told]
    return {word for text in texts for word in words(text)}.union(*map(names_in, texts))


def _speaks(turn: Turn) -> bool:
    """Whether a turn is something that a person said, beyond "go on"."""
    return (
        turn.kind == "message"
        and turn.origin == "human"
        and bool(turn.text.strip())
        and not (_GOES_ON.match(_opening(turn)) and len(turn.text.split()) < 5)
    )


def _changes(step: ToolStep) -> bool:
    return step.kind == "edit" and bool(step.worked) and bool(step.files)


def _stays(edit: ToolStep, steps: Sequence[ToolStep]) -> bool:
    """Whether a file is not thrown away again, as what was written to try something out is."""
    names = {PurePosixPath(file).name for file in edit.files}
    return not any(
        action.key.partition(" ")[0] == "rm" and names & set(action.words)
        for step in steps
        for action in step.actions
    )


def _soon(sentence: Sentence, steps: Sequence[ToolStep]) -> bool:
    """Whether a change follows soon on what was said."""
    later = [step for step in steps if step.call.seq > sentence.turn.seq]
    return any(_changes(step) for step in later[:SOON])


def _checked(within: Sequence[ToolStep], last: int) -> bool:
    """Whether the last check after the last change worked."""
    checks = [s for s in within if s.call.seq > last and any(a.checks for a in s.actions)]
    return bool(checks) and bool(checks[-1].worked)


def _confirmed(answer: Turn, *, checked: bool) -> Sentence | None:
    """The first sentence of a person's next message, if it says that it works, or takes it so."""
    first = next(iter(parts(answer)), None)
    if first is None or first.text.rstrip().endswith("?"):
        return None
    told = bare(first.plain)
    return first if CONFIRMS.search(told) or (checked and ACCEPTS.match(told)) else None


def _brief(told: FaultWords) -> bool:
    """Whether a fault is said in so few words that an earlier telling says more."""
    return len(_TELLING.findall(told.sentence.plain)) < 6


def _opening(turn: Turn) -> str:
    return bare(turn.text.lstrip()[:120].split("\n", 1)[0])
