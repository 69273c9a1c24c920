"""What a person reports as wrong, and what solved it: faults that no tool's output shows.

A report is a person's message that names a fault, shows a wrong value, or puts right what was done.
What an agent explained and changed up to the person's next message solved it, if a check works
after the last change or the person says that it does. A person who says that it is still wrong
takes that back, and the fault stays open until what comes next solves it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
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
from cairn.knowledge.dialogue.tool_calls import INTERPRETERS, ToolStep, similar
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.extraction.rules.word_senses import CONDITION, ISSUE, NO_ISSUE
from cairn.knowledge.learnings.rules.error_fix_chains import Chain

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
_GOES_ON = re.compile(
    r"^(?:please |ok(?:ay)?[, ]*|yes[, ]*)?(?:continue|go on|go ahead|proceed|next)\b"
)
_WISHES = re.compile(
    r"^(?:(?:please|can you|could you|now|then|next)\W+)*(?:add|implement|write|create|build|make"
    r"|support|introduce|document|refactor|rename|move|remove|delete|use|update|change|show)\b"
    r"|^i(?:'d| would)? ?(?:do not|don't)? ?(?:like|want|prefer|wish)\b"
)
_DURATION = re.compile(r"\b\d[\d.,]*\s?(?:ms|s|sec(?:ond)?s?|min(?:ute)?s?)\b")
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
    thought: bool
    """Whether the cause was thought and not said: it is then no quote."""
    fix: Sentence | None
    edits: tuple[ToolStep, ...]
    within: tuple[ToolStep, ...]
    """All that was done up to the person's next message."""
    check: ToolStep | None
    """The run after the last change that works."""
    confirmed: Sentence | None
    """The person's words that it works."""


def reports(
    turns: Sequence[Turn], steps: Sequence[ToolStep], solved: Sequence[Chain]
) -> list[ReportedFault]:
    """Faults that a person reported and that were solved, in their order.

    Args:
        turns: Turns of the main thread, in order.
        steps: Its steps, in order.
        solved: Errors that were seen and solved there; what they explain is not told again.
    """
    requests = [turn for turn in turns if _speaks(turn)]
    if not requests:
        return []
    found: list[ReportedFault] = []
    open_fault: FaultWords | None = None
    for request, answer in zip(requests, [*requests[1:], None], strict=True):
        told = fault(request)
        denied = open_fault is not None and told is None and DENIES.search(_opening(request))
        # What is said again of an open fault may be no more than that it is still there.
        told = open_fault if denied or (told and open_fault and _brief(told)) else told
        open_fault = told
        if told is None:
            continue
        end = answer.seq if answer else turns[-1].seq + 1
        report = _solved(told, turns, steps, (request.seq, end), answer, solved)
        if report:
            found.append(report)
            open_fault = None
        elif answer is not None and not DENIES.search(_opening(answer)):
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
    steps: Sequence[ToolStep],
    span: tuple[int, int],
    answer: Turn | None,
    solved: Sequence[Chain],
) -> ReportedFault | None:
    """The report with its solution; None where nothing shows that it was solved."""
    begin, end = span
    place = attrgetter("call.seq")
    within = steps[bisect_right(steps, begin, key=place) : bisect_left(steps, end, key=place)]
    if len(within) > REACH or any(
        begin < chain.failed.call.seq < end and chain.edits and (chain.cause or chain.fix)
        for chain in solved
    ):
        return None
    opening = _opening(answer) if answer else ""
    if DENIES.search(opening) or CORRECTS.match(opening) or TAKES_BACK.search(opening):
        return None
    last = max((s.call.seq for s in within if _changes(s)), default=None)
    if last is None:
        return None
    spoken = [turn for turn in turns if begin < turn.seq < end]
    messages = [s for t in spoken if t.kind == "message" and t.origin == "agent" for s in said(t)]
    about = told.sentence.plain
    # Why is said before the change that it explains, or when all is done.
    why = cause([s for s in messages if s.turn.seq > last or _soon(s, within)], about)
    thought = False
    if why is None:
        thoughts = [s for t in spoken if t.kind == "thinking" for s in said(t)]
        why = cause([s for s in thoughts if _soon(s, within)], about)
        thought = why is not None
    first = why.turn.seq if why and why.turn.seq < last else begin
    order = fix([s for s in messages if first <= s.turn.seq < last and _soon(s, within)])
    if SLIP.search((why or order or told.sentence).plain):
        return None
    if why is None and order is None and not told.requires:
        return None
    explained = (s.turn.seq for s in (why, order) if s and s.turn.seq < last)
    after = min(explained, default=begin)
    edits = tuple(
        step for step in within if after < step.call.seq and _changes(step) and _stays(step, within)
    )
    confirmed = _confirmed(answer) if answer else None
    check = _check(within, last)
    if not edits or (check is None and confirmed is None):
        return None
    return ReportedFault(told, why, thought, order, edits, tuple(within), check, confirmed)


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


def _check(within: Sequence[ToolStep], last: int) -> ToolStep | None:
    """The last check after the last change, if it worked, and shows something that is new.

    One that says the same as before the change shows nothing, nor does one that is narrower than
    what failed before.
    """
    checks = [s for s in within if s.kind == "run" and s.worked is not None and _looks(s)]
    before = [step for step in checks if step.call.seq < last]
    found = next((step for step in reversed(checks) if step.call.seq > last), None)
    if found is None or not found.worked:
        return None
    failed = [step for step in before if not step.worked]
    if failed and not _again(failed[-1], found):
        return None
    if any(_again(step, found) and _output(step) == _output(found) for step in before):
        return None
    return found


def _looks(step: ToolStep) -> bool:
    return any(a.checks or a.key.partition(" ")[0] in INTERPRETERS for a in step.actions)


def _again(before: ToolStep, after: ToolStep) -> bool:
    return any(similar(one, other) for one in before.actions for other in after.actions)


def _output(step: ToolStep) -> str:
    """What a run printed, without the time that it took."""
    return _DURATION.sub("", step.result.text if step.result else "")


def _confirmed(answer: Turn) -> Sentence | None:
    """The first sentence of a person's next message, if it says that it works."""
    first = next(iter(parts(answer)), None)
    return first if first and CONFIRMS.search(bare(first.plain)) else None


def _brief(told: FaultWords) -> bool:
    """Whether a fault is said in so few words that an earlier telling says more."""
    return len(_TELLING.findall(told.sentence.plain)) < 6


def _opening(turn: Turn) -> str:
    return bare(turn.text.lstrip()[:120].split("\n", 1)[0])
