"""What became of each failure of a conversation, and the change that ended it.

A run that failed is followed to the next run of the same command. Where its error is gone there,
and the series ends in success, the last change in between that shares a name with the error is its
fix. Without such a name it was ended, and nobody knows by what. Where nothing was changed it was a
flake, where the check was weakened a bypass; what was taken back, or did not last, is no fix.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from collections.abc import Sequence
from typing import NamedTuple

from cairn.knowledge.dialogue.fault_words import CORRECTS, DENIES, TAKES_BACK, bare
from cairn.knowledge.dialogue.retries import file_names, next_try, thrown_away
from cairn.knowledge.dialogue.sentences import (
    ABOUT_SPEAKER,
    HEDGED,
    Sentence,
    cause,
    imperative,
    is_question,
    said,
)
from cairn.knowledge.dialogue.shortcuts.shortcuts import in_words, shortcut
from cairn.knowledge.dialogue.tool_calls import Action, ToolStep
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.failures.blame import blamed
from cairn.knowledge.failures.fixes import as_it_was, changes_it, fix_of, line_of
from cairn.knowledge.failures.identifiers import names_in, reversed_in
from cairn.knowledge.failures.signatures import (
    FailureLine,
    failure_lines,
    is_network_fault,
    is_shell_slip,
)

FIXED, FLAKE, BYPASSED, OPEN, UNDONE = OUTCOMES = ("fixed", "flake", "bypassed", "open", "undone")

_UNSURE = re.compile(
    r"(?i)\b(?:seems?|appears?|looks? like|likely|possibly|i (?:think|believe|suspect|guess|assume)"
    r"|suspect|presumably|apparently|potential(?:ly)?|could|would|may|should be)\b"
)
_FORCED = re.compile(
    r"\bgit (?:add|checkout|rm|mv|clean|branch|push|switch|tag|worktree)\b[^|;&\n]*?\s-\w*f\b"
    r"|\b(?:git|rm|mv|cp|ln|npm|yarn|pnpm|brew|pip3?|gem|helm|npx|docker)\b[^|;&\n]*?"
    r"\s(?:--force\S*|--legacy-peer-deps|--break-system-packages|--allow-\S+)"
    r"|\bchmod\s+(?:-R\s+)?(?:0?777|a\+rwx|ugo\+rwx)|--dangerously-\S+|\bsudo\s+(?:npm|pip)"
)
"""What makes a command pass by force, or gives everybody all rights."""
_PLAN = re.compile(
    r"(?i)\b(?:let me|let's|i'll|i will|we'll|going to|need to|next|later|(?:we|you) can|consider"
    r"|the (?:\w+ )?(?:fix|solution)(?: for [^.]{1,40}?)? (?:is|would))\b"
)
_DISOWNS = re.compile(
    r"(?i)\b(?:(?:i'll|let me|i will|i need to|we should|have to) (?:revert|undo|roll back)"
    r"|(?:that|this|my|the) (?:change|fix|edit) (?:was|is) (?:wrong|not (?:right|correct|needed)|unnecessary)"
    r"|you're right,? .{0,60}(?:shouldn't|should not|wrong|revert)|not the (?:real|right|actual) (?:fix|cause))"
)
_MOST_DISOWNING = 3
"""Messages of the agent after a success in which it may take back what it did."""


class Failure(NamedTuple):
    """A command that failed, and what became of its error."""

    step: ToolStep
    error: FailureLine
    tried: Action
    """The command of its line that the error is of."""
    outcome: str
    settled: Turn
    """The record that shows the outcome."""
    fix: str | None = None
    fix_kind: str | None = None
    changes: tuple[ToolStep, ...] = ()
    cause: Sentence | None = None
    """What was said to be why."""
    passed: Turn | None = None


def failures_of(turns: Sequence[Turn], steps: Sequence[ToolStep]) -> list[Failure]:
    """Failures of one thread, in their order."""
    told = {
        index: [
            line
            for line in failure_lines(step.result.text, step.command)
            if not is_shell_slip(line.line)
        ]
        for index, step in enumerate(steps)
        if step.kind == "run" and step.worked is False and step.result
    }
    if not told:
        return []
    noise = _noise(steps, {action.key for at in told for action in steps[at].actions})
    kept = {at: [line for line in lines if _same(line) not in noise] for at, lines in told.items()}
    return [_followed(turns, steps, at, lines[0], kept) for at, lines in kept.items() if lines]


def _same(line: FailureLine) -> tuple[str, tuple[str, ...]]:
    return line.signature, line.names


def _noise(steps: Sequence[ToolStep], tried: set[str]) -> set[tuple[str, tuple[str, ...]]]:
    """Lines that stand in what runs printed that passed, of commands that failed elsewhere."""
    return {
        _same(line)
        for step in steps
        if step.kind == "run" and step.worked and step.result
        if tried & {action.key for action in step.actions}
        for line in failure_lines(step.result.text, step.command)
    }


def _followed(
    turns: Sequence[Turn],
    steps: Sequence[ToolStep],
    index: int,
    error: FailureLine,
    kept: dict[int, list[FailureLine]],
) -> Failure:
    failed = steps[index]
    result = failed.result or failed.call
    tried = blamed(failed, error)
    after = next_try(steps, index, tried)
    if after is None:
        return Failure(failed, error, tried, OPEN, result)
    at, again, worked = after
    told = steps[at].result or result
    between = steps[index + 1 : at]
    fixed = fix_of(turns, failed, error, tried, steps[: at + 1], index)
    if is_network_fault(error.line):
        fixed = None
    if fixed and (in_words(fixed[0]) or shortcut(steps[index : at + 1])):
        fixed = None
    stays = not worked and any(_same(line) == _same(error) for line in kept.get(at, ()))
    base = Failure(failed, error, tried, OPEN, told, *(fixed[:3] if fixed else (None, None, ())))
    if stays:
        return base
    green = at if worked else _green(steps, at, again)
    if green is None:
        return base._replace(fix=None, fix_kind=None, changes=())
    changes = [step for step in between if changes_it(step, failed)]
    passed = steps[green].result
    if (
        shortcut(steps[index : green + 1])
        or (
            not changes
            and not (fixed and fixed.otherwise)
            and _does_less(failed, steps[at], steps[at + 1 :])
        )
        or any(_forces(failed, step) for step in (*changes, steps[at]))
    ):
        return Failure(failed, error, tried, BYPASSED, told, passed=passed)
    changed = any(changes_it(step, failed) for step in steps[index + 1 : green])
    by_itself = not changed and fixed is None and line_of(failed) == line_of(steps[green])
    if by_itself or is_network_fault(error.line):
        return Failure(failed, error, tried, FLAKE, told, passed=passed)
    end = base._replace(passed=passed, settled=passed or told)
    back = _taken_back(turns, steps, index, green, fixed[2] if fixed else tuple(changes))
    if back is not None:
        return end._replace(outcome=UNDONE, settled=back)
    came_back = next(
        (
            steps[later].result
            for later, lines in kept.items()
            if later > at and any(_same(line) == _same(error) for line in lines)
        ),
        None,
    )
    if came_back is not None:
        return end._replace(outcome=OPEN, settled=came_back)
    if fixed is None:
        return end._replace(outcome=FIXED)
    why = _cause(turns, failed, steps[at], error)
    return end._replace(outcome=FIXED, cause=why)


def _green(steps: Sequence[ToolStep], at: int, tried: Action) -> int | None:
    """The run in which the series of tries of a command that goes on at `at` ends well."""
    while (after := next_try(steps, at, tried)) is not None:
        at, tried, worked = after
        if worked:
            return at
    return None


def _forces(failed: ToolStep, passed: ToolStep) -> bool:
    """Whether a command that worked was forced, and the one that failed was not."""
    return _FORCED.search(passed.command) is not None and not _FORCED.search(failed.command)


def _words(step: ToolStep, keys: set[str]) -> set[str]:
    return {word for action in step.actions if action.key in keys for word in action.words}


def _does_less(failed: ToolStep, passed: ToolStep, later: Sequence[ToolStep]) -> bool:
    """Whether a command that worked leaves out words of the one that failed, or another thing.

    It does another thing where the first command is run again later.
    """
    if as_it_was(failed, passed):
        return False
    keys = {action.key for action in failed.actions}
    before, after = _words(failed, keys), _words(passed, keys)
    same = keys <= {action.key for action in passed.actions}
    left = before - after
    repeated = any(set(failed.actions) <= set(step.actions) for step in later)
    return same and (after <= before or repeated) and bool(left)


def _taken_back(
    turns: Sequence[Turn],
    steps: Sequence[ToolStep],
    index: int,
    green: int,
    changes: Sequence[ToolStep],
) -> Turn | None:
    """The record by which what ended an error was refused, undone or disowned."""
    begin, end = steps[index].call.seq, steps[green].call.seq
    heard = [turn for turn in turns if turn.kind == "message" and turn.text.strip()]
    people = [turn for turn in heard if turn.origin == "human"]
    answers = [turn for turn in people if begin < turn.seq < end]
    answers += [turn for turn in people if turn.seq > end][:1]
    for answer in answers:
        opening = bare(answer.text.lstrip()[:120])
        if TAKES_BACK.search(opening) or DENIES.search(opening) or CORRECTS.search(opening):
            return answer
    later = [turn for turn in heard if turn.origin == "agent" and turn.seq > end]
    for turn in later[:_MOST_DISOWNING]:
        if _DISOWNS.search(turn.text[:600]):
            return turn
    rest = steps[green + 1 :]
    edits = [step for step in changes if step.kind == "edit"]
    if any(reversed_in(edit, rest) for edit in edits) or thrown_away(file_names(edits), rest):
        return steps[-1].result or steps[-1].call
    return None


def _cause(
    turns: Sequence[Turn], failed: ToolStep, passed: ToolStep, error: FailureLine
) -> Sentence | None:
    """What was said to be why, where the sentence names what the error names, and asserts."""
    names = names_in(error.line)
    first = failed.result.seq if failed.result else failed.call.seq
    candidates: list[Sentence] = [
        sentence
        for turn in turns
        if first < turn.seq < passed.call.seq and turn.kind == "message" and turn.origin == "agent"
        for sentence in said(turn)
        if names & names_in(sentence.text) and _asserts(sentence)
    ]
    return cause(candidates)


def _asserts(sentence: Sentence) -> bool:
    text = sentence.plain
    return not (
        is_question(sentence)
        or HEDGED.search(text)
        or _UNSURE.search(text)
        or _PLAN.search(text)
        or imperative(text)
        or ABOUT_SPEAKER.match(text)
    )
