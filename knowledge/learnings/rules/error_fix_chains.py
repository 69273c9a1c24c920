"""Error, change, success: a command fails, something is changed, and it works.

A command fails by its output, or by what is said of it: that a value in it is wrong.

Runs of one command form a series. When it ends in a success, each run whose error is gone in the
next one is a chain: what was said and changed in between solved that error. A series that never
succeeds gives none.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from cairn.knowledge.dialogue.errors import KeyLine, key_lines
from cairn.knowledge.dialogue.fault_words import (
    NAMES_VALUE,
    TAKES_BACK,
    WRONG_OUTPUT,
    WRONG_VALUE,
    bare,
)
from cairn.knowledge.dialogue.sentences import (
    HEDGED,
    SLIP,
    Sentence,
    cause,
    fix,
    is_question,
    said,
)
from cairn.knowledge.dialogue.tool_calls import Action, ToolStep, extended, similar
from cairn.knowledge.dialogue.turns import Turn

REACH = 60
"""Steps after a failure in which the next try must come."""

THROWS_AWAY = re.compile(
    r"\bgit\b[^|;&\n]*?\s(?:checkout\s+(?:\S+\s+)?(?:--\s|\.(?:\s|$))|restore\s+(?!--staged\b)|reset\s[^|;&\n]*--hard"
    r"|revert\s)"
)
"""Commands that take back what was changed."""

_NAMES_FILE = re.compile(r"[\w-]+\.[A-Za-z]\w{0,5}\b")

FOUND_MISSING = re.compile(r"(?:^|: )([\w.+-]+): (?:command )?not found|command not found: (\S+)")


@dataclass(frozen=True)
class Chain:
    """One error that was solved."""

    failed: ToolStep
    error: KeyLine | None
    wrong: Sentence | None
    """What was said to be wrong with the output of a command that did not fail."""
    action: Action
    """The command that failed."""
    success: ToolStep
    """The run that shows that the error is gone."""
    between: tuple[ToolStep, ...]
    """All that was done from the failure on, that run included."""
    edits: tuple[ToolStep, ...]
    runs: tuple[ToolStep, ...]
    """Other commands that were run in between and worked."""
    cause: Sentence | None
    fix: Sentence | None
    thought: bool
    """Whether the cause was thought and not said: it is then no quote."""
    intent: Turn | None
    """What was said last before the command that failed."""

    @property
    def replaced(self) -> bool:
        """Whether the command itself was what had to change."""
        return not self.edits and not self.runs


def chains(turns: Sequence[Turn], steps: Sequence[ToolStep]) -> list[Chain]:
    """Solved errors of one thread, in their order.

    Args:
        turns: Turns of one thread (main or side), in order.
        steps: Its steps, in order.
    """
    found: list[Chain] = []
    comments = _comments(turns)
    for index, step in enumerate(steps):
        if step.kind != "run" or step.worked is None or step.result is None:
            continue
        wrong = _wrong(step, comments)
        if step.worked and wrong is None:
            continue
        after = _next_try(steps, index)
        if after is None:
            continue
        at, action, succeeded = after
        if wrong and not (succeeded and _put_right(steps[index : at + 1], comments)):
            continue
        if not succeeded and not _succeeds(steps, at):
            continue
        errors = [] if wrong else key_lines(step.result.text)
        if not succeeded:
            later = steps[at].result
            remaining = {line.message for line in key_lines(later.text)} if later else set[str]()
            errors = [line for line in errors if line.message not in remaining]
            if not errors:
                continue
        error = errors[0] if errors else None
        chain = _chain(turns, steps[index : at + 1], action, error, wrong)
        slip = chain.cause is not None and SLIP.search(chain.cause.plain)
        # Where nothing was changed, only a try that works shows that it is the right one.
        evades = chain.replaced and (not succeeded or _evades(chain, steps[at + 1 :]))
        if not (slip or evades or _taken_back(chain, turns, steps[at + 1 :])):
            found.append(chain)
    # A wide run that failed while narrower ones were put right says nothing that those do not.
    return [chain for chain in found if not any(_within(other, chain) for other in found)]


def _taken_back(chain: Chain, turns: Sequence[Turn], later: Sequence[ToolStep]) -> bool:
    """Whether a person did not want what solved it, or what was changed was thrown away again."""
    last = chain.success.call.seq
    answer = next(
        (t for t in turns if t.seq > last and t.kind == "message" and t.origin == "human"), None
    )
    if answer and TAKES_BACK.search(bare(answer.text.lstrip()[:200])):
        return True
    names = file_names(chain.edits)
    return bool(names) and any(
        step.worked
        and THROWS_AWAY.search(step.command)
        and (not _NAMES_FILE.search(step.command) or any(n in step.command for n in names))
        for step in later
    )


def _within(inner: Chain, outer: Chain) -> bool:
    if inner.failed.result is outer.failed.result:
        return False
    return (
        outer.failed.call.seq < inner.failed.call.seq
        and inner.success.call.seq < outer.success.call.seq
    )


def _evades(chain: Chain, later: Sequence[ToolStep]) -> bool:
    """Whether the command that worked is the same, only does less, or does another thing.

    It does less when words were left out; another thing when a word was exchanged and the first
    command is run again later.
    """
    if chain.failed.command == chain.success.command:
        return True
    failed = chain.failed.actions
    keys = {action.key for action in failed}
    before = {word for action in failed for word in action.words}
    after = {word for act in chain.success.actions if act.key in keys for word in act.words}
    if all(word.startswith("-") for word in before - after):
        return False
    repeated = any(set(failed) <= set(step.actions) for step in later)
    return keys <= {act.key for act in chain.success.actions} and (after <= before or repeated)


def _next_try(steps: Sequence[ToolStep], index: int) -> tuple[int, Action, bool] | None:
    """The next settled run of what failed: its place, what failed, and whether it worked."""
    failed = steps[index]
    for at in range(index + 1, min(index + 1 + REACH, len(steps))):
        later = steps[at]
        if later.kind != "run" or later.worked is None:
            continue
        changed = any(step.kind == "edit" for step in steps[index + 1 : at])
        # The last command of a line is what it was for.
        before = failed.actions[-1]
        if any(_again(before, after, failed, changed=changed) for after in later.actions):
            return at, before, later.worked
    return None


def _again(before: Action, after: Action, failed: ToolStep, *, changed: bool) -> bool:
    if similar(before, after):
        return True
    if not changed and extended(before, after):
        return True
    missing = FOUND_MISSING.search(failed.result.text) if failed.result else None
    if missing and (missing[1] or missing[2]) == before.key.split()[0]:
        # Another program given the same words: python3 for python.
        mine, other = set(before.words), set(after.words)
        script = before.key.split()[1:]
        if script and script == after.key.split()[1:]:
            return True
        return bool(mine & other) and len(mine & other) * 2 >= len(mine | other)
    return False


def _succeeds(steps: Sequence[ToolStep], index: int) -> bool:
    """Whether the series of tries that goes on at `index` ends in a success."""
    while (after := _next_try(steps, index)) is not None:
        index, _, succeeded = after
        if succeeded:
            return True
    return False


def _comments(turns: Sequence[Turn]) -> dict[str, Turn]:
    """For a result the message of an agent that comes before the next call."""
    found: dict[str, Turn] = {}
    results: list[str] = []
    for turn in turns:
        if turn.kind == "tool_result":
            results.append(turn.record_id)
        elif turn.kind == "message" and turn.origin == "agent" and turn.text.strip():
            found |= dict.fromkeys(results, turn)
            results = []
        elif turn.kind != "thinking":
            results = []
    return found


def _wrong(step: ToolStep, comments: Mapping[str, Turn]) -> Sentence | None:
    """What is said right after a run that worked to be wrong with its output."""
    comment = comments.get(step.result.record_id) if step.result and step.worked else None
    for sentence in said(comment) if comment else ():
        text = bare(sentence.plain)
        if WRONG_OUTPUT.search(text) or (WRONG_VALUE.search(text) and NAMES_VALUE.search(text)):
            return None if is_question(sentence) or HEDGED.search(text) else sentence
    return None


def _put_right(reach: Sequence[ToolStep], comments: Mapping[str, Turn]) -> bool:
    """Whether a file was changed, and the next try prints what nobody calls wrong any more."""
    first, last = reach[0].result, reach[-1].result
    changed = any(step.kind == "edit" and step.worked for step in reach)
    other = bool(first and last and first.text != last.text)
    return changed and other and _wrong(reach[-1], comments) is None


def _chain(
    turns: Sequence[Turn],
    reach: Sequence[ToolStep],
    action: Action,
    error: KeyLine | None,
    wrong: Sentence | None,
) -> Chain:
    """The chain of the steps from a failure to the next try."""
    failed, success = reach[0], reach[-1]
    between = reach[1:-1]
    first = failed.result.seq if failed.result else failed.call.seq
    spoken = [turn for turn in turns if first < turn.seq < success.call.seq]
    messages = [s for t in spoken if t.kind == "message" and t.origin == "agent" for s in said(t)]
    messages = [sentence for sentence in messages if sentence != wrong]
    why = cause(messages)
    thought = False
    if why is None:
        thoughts = [s for t in spoken if t.kind == "thinking" for s in said(t)]
        why = cause(thoughts)
        thought = why is not None
    return Chain(
        failed=failed,
        error=error,
        wrong=wrong,
        action=_to_blame(failed, action),
        success=success,
        between=(*between, success),
        edits=tuple(s for s in between if s.kind == "edit" and s.worked and s.files),
        runs=tuple(
            s for s in between if s.kind == "run" and s.worked and _changes(s, failed.actions)
        ),
        cause=why,
        fix=fix(messages),
        thought=thought,
        intent=next(
            (t for t in reversed(turns) if t.seq < failed.call.seq and t.kind == "message"), None
        ),
    )


def _changes(step: ToolStep, failed: Sequence[Action]) -> bool:
    """Whether a command changes something, and is not one of those that failed."""
    tried = {action.key for action in failed}
    return any(a.key not in tried and not a.checks for a in step.actions)


def _to_blame(failed: ToolStep, action: Action) -> Action:
    """The command of a line that its output speaks of: the last one whose subcommand it names."""
    text = failed.result.text if failed.result else ""
    named = [
        part
        for part in failed.actions
        if " " in part.key and re.search(rf"\b{re.escape(part.key.split()[-1])}\b", text)
    ]
    return named[-1] if named and action not in named else action


def file_names(edits: Sequence[ToolStep]) -> list[str]:
    """Names of edited files, without their folders, each once, in order."""
    return list(dict.fromkeys(PurePosixPath(file).name for edit in edits for file in edit.files))
