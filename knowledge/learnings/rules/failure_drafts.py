"""Drafts from errors that really ended (knowledge/failures): bug_fix by a change, else tool_usage.

Only a fix that is linked to its error is drafted. An edit that nobody explained says too little:
such an error stays a row of `failures`. What passed by a shortcut is drafted to be refused, so that
`learning_candidates` says why.
"""

import re
from collections.abc import Sequence

from cairn.knowledge.dialogue.errors import clean
from cairn.knowledge.dialogue.retries import FOUND_MISSING, file_names
from cairn.knowledge.dialogue.sentences import headline, lesson, stands_alone, statement
from cairn.knowledge.dialogue.shortcuts.shortcuts import shortcut
from cairn.knowledge.dialogue.tool_calls import Action, ToolStep
from cairn.knowledge.dialogue.trust import OUTCOME
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.failures.fixes import COMMAND, EDIT, PLACEHOLDER, REPLACED
from cairn.knowledge.failures.linking import BYPASSED, FIXED, Failure
from cairn.knowledge.failures.other_ways import REFUSED_OPTION
from cairn.knowledge.failures.plain_ends import OF_GIT, OF_NEW_CODE
from cairn.knowledge.learnings.categories import Signal
from cairn.knowledge.learnings.draft import Draft
from cairn.knowledge.learnings.drafting import (
    Scene,
    draft,
    labelled,
    languages,
    last_line,
    shown,
    stems,
)
from cairn.knowledge.learnings.quotes import QuoteSpan, shorten
from cairn.knowledge.learnings.scoring import LONGEST_TITLE, DraftGrounds, factors

COMMAND_BRIEF = 80
ERROR_ENDED = "learning.error_ended@6"
_ERROR_CLASS = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b")
_CHAINED = re.compile(r"&&|\|\||;")
_QUOTED_AS_GIT_DOES = re.compile(r"`([^`'\n]*)'")
_UNEXPLAINED = re.compile(r"^(?:In|Changed) `")
"""How a fix begins of which nobody said what it does."""


def teaches(failure: Failure, every: Sequence[ToolStep]) -> bool:
    """Whether a failure has a fix that says something to others, or a shortcut to be refused.

    Args:
        failure: The error, and what became of it.
        every: Steps of its thread, in order.
    """
    if failure.outcome == BYPASSED:
        return shortcut(_within(failure, every)) is not None
    if failure.outcome != FIXED or failure.fix is None:
        return False
    if failure.fix_kind in (COMMAND, REPLACED):
        return not _says_itself(failure, every)
    if failure.fix_kind == EDIT and re.search(OF_NEW_CODE, failure.error.line):
        return False
    explained = failure.cause is not None or not _UNEXPLAINED.match(failure.fix)
    return explained or failure.fix_kind != EDIT


def _says_itself(failure: Failure, every: Sequence[ToolStep]) -> bool:
    """Whether a program printed how it is to be called, as git does: that needs no lesson.

    Nor does an option that it does not know, or what git refuses everybody.
    """
    if REFUSED_OPTION.search(failure.error.line) or re.search(OF_GIT, failure.error.line):
        return True
    printed = " ".join(failure.step.result.text.split()) if failure.step.result else ""
    ended = (*failure.changes, _within(failure, every)[-1])
    return any(_names(printed, one, failure.tried) for step in ended for one in step.actions)


def _names(printed: str, action: Action, tried: Action) -> bool:
    """Whether a command of the same program is printed, of the same one with its first option."""
    if action.key.split()[0] != tried.key.split()[0]:
        return False
    if action.key != tried.key:
        return re.search(rf"\b{re.escape(action.key)}\b", printed) is not None
    option = next((word for word in action.words if word.startswith("-")), None)
    return option not in (None, *tried.words) and f"{action.key} {option}" in printed


def _within(failure: Failure, every: Sequence[ToolStep]) -> list[ToolStep]:
    """All steps from the one that failed to the one that passed."""
    begin = failure.step.call.seq
    end = failure.passed.seq if failure.passed else begin
    return [step for step in every if begin <= step.call.seq <= end]


def failure_signal(failure: Failure) -> Signal:
    """What an error that ended speaks for: tool_usage where nothing but commands was needed."""
    if failure.fix_kind in (COMMAND, REPLACED):
        return Signal("tool_usage", "command_corrected")
    return Signal("bug_fix", "error_ended")


def from_failure(failure: Failure, every: Sequence[ToolStep], scene: Scene) -> Draft | None:
    """Symptom, root cause and solution of an error that ended, if that teaches something.

    Args:
        failure: The error, and what became of it.
        every: Steps of its thread, in order.
        scene: The conversation.
    """
    if failure.passed is None or not teaches(failure, every):
        return None
    within = _within(failure, every)
    fix = failure.fix or f"Ran `{shown(within[-1])}`."
    key = failure.tried.key
    line = scene.neutral(shorten(clean(_told(failure)), 180)).rstrip(".:")
    cause = scene.neutral(statement(failure.cause.plain)) if failure.cause else ""
    title = _title(failure, line, cause, key)
    command, worked = (scene.neutral(_brief(step)) for step in (failure.step, within[-1]))
    passed = "That passed." if failure.fix_kind == REPLACED else f"After that, `{worked}` passed."
    content = labelled(
        ("Symptom", f"`{command}` failed with: {line}."),
        ("Root cause", cause),
        ("Solution", f"{scene.neutral(fix)} {passed}"),
    )
    files = file_names(failure.changes)
    grounds = DraftGrounds(
        steps=True, guidance=True, changed=True, parts=2 + bool(cause), stands_alone=True,
        linked=2, proofs=1,
    )  # fmt: skip
    result = failure.step.result
    return draft(
        failure_signal(failure),
        title,
        content,
        [key.split()[0], *_ERROR_CLASS.findall(line), *languages(files)],
        factors=factors(grounds, title, scene.names | stems(files), line),
        evidence=[
            *([result] if result else []),
            *([failure.cause.turn] if failure.cause else []),
            *(step.call for step in failure.changes),
            failure.passed,
        ],
        spans=_spans(failure),
        extractor=ERROR_ENDED,
        trust=OUTCOME,
        steps=within,
    )


def _brief(step: ToolStep) -> str:
    """A command in full where it is short and alone, else the program and subcommand it ends in."""
    command = shown(step)
    alone = len(command) <= COMMAND_BRIEF and not _CHAINED.search(command)
    return command if alone or not step.actions else f"{step.actions[-1].key} …"


def _told(failure: Failure) -> str:
    """The key line; without the names in it where any other name is meant as well."""
    line = " ".join(failure.error.line.split())
    if failure.fix_kind != REPLACED or FOUND_MISSING.search(line):
        return line
    for name in failure.error.names:
        line = re.sub(rf"(?<![\w./-]){re.escape(name)}(?![\w/-])", PLACEHOLDER, line)
    return line


def _title(failure: Failure, line: str, cause: str, key: str) -> str:
    """The cause where it can be read alone, else the command and its error."""
    missing = FOUND_MISSING.search(failure.error.line)
    if missing and failure.fix_kind == REPLACED and failure.changes:
        name, step = missing[1] or missing[2], failure.changes[-1]
        other = step.actions[-1].key.split()[0]
        if other == name:
            # What starts it finds it: `uv run` in an environment, `npx` in the packages.
            before, found, _ = step.command.partition(name)
            other = f"{before.rpartition(';')[2].rpartition('&&')[2].strip()} {found}".strip()
        return headline(f"{name} is not installed here: run {other} instead")
    if cause and stands_alone(cause):
        return headline(lesson(cause))
    line = re.sub(r"^(?:fatal|error|E): ?", "", _QUOTED_AS_GIT_DOES.sub(r"\1", line))
    told = line if _ERROR_CLASS.match(line) else f"{key}: {line}"
    return shorten(told.replace("`", ""), LONGEST_TITLE)


def _spans(failure: Failure) -> list[QuoteSpan]:
    """The key line, the words for the cause, and how the output ends of the run that passed."""
    spans: list[QuoteSpan] = []
    result = failure.step.result
    if result and (place := _place(result, failure.error.line)):
        spans.append(QuoteSpan(result, *place))
    if failure.cause:
        spans.append(QuoteSpan(*failure.cause))
    if failure.passed:
        spans.append(QuoteSpan(failure.passed, *last_line(failure.passed.text)))
    return spans


def _place(result: Turn, line: str) -> tuple[int, int] | None:
    """Where a key line stands in what was printed."""
    at = result.text.find(line)
    return (at, at + len(line)) if at >= 0 else None
