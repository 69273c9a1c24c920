"""What became of each failure of a conversation, and the change that ended it.

A run that failed is followed to the next run of the same command. Where its error is gone there,
and the series ends in success, the last change in between that shares a name with the error is its
fix. Without such a name it was ended, and nobody knows by what. Where nothing was changed it was a
flake, where the check was weakened a bypass; what was taken back, or did not last, is no fix.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from cairn.knowledge.dialogue.check_files import is_config
from cairn.knowledge.dialogue.fault_words import CORRECTS, DENIES, TAKES_BACK, bare
from cairn.knowledge.dialogue.retries import FOUND_MISSING, file_names, next_try, thrown_away
from cairn.knowledge.dialogue.sentences import (
    ABOUT_SPEAKER,
    HEDGED,
    Sentence,
    cause,
    fix,
    imperative,
    is_question,
    said,
)
from cairn.knowledge.dialogue.shortcuts import edits_of, in_words, shortcut
from cairn.knowledge.dialogue.tool_calls import ToolStep
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.failures.identifiers import (
    changed_lines,
    names_in,
    of_change,
    of_error,
    reversed_in,
)
from cairn.knowledge.failures.signatures import FailureLine, failure_lines, is_generic

FIXED, FLAKE, BYPASSED, OPEN, UNDONE = OUTCOMES = ("fixed", "flake", "bypassed", "open", "undone")
EDIT, COMMAND, REPLACED, SETTING, INSTALL = FIX_KINDS = (
    "edit", "command", "replaced_command", "setting", "install",
)  # fmt: skip

LONGEST_COMMAND = 160
LONGEST_CODE = 120
PLACEHOLDER = "<name>"
MOST_LINES = 3
"""Lines of an edit that are shown; a change of more is told by a sentence or not at all."""

_INSTALLS = re.compile(
    r"\b(?:pip3?|uv pip|uv|npm|pnpm|yarn|bun|cargo|gem|brew|apt(?:-get)?|dnf|yum|apk|pacman|poetry|pdm|conda"
    r"|composer|go|mix|bundle|rustup|asdf|mise) (?:-\S+ )*(?:install|add|ci|i|get|deps\.get|mod (?:tidy|download)|sync|update|require|use|target add|component add)\b"
)
_SETTINGS = re.compile(
    r"(?i)(?:^|/)(?:\.env[\w.]*|config/[^/]+|[^/]*\.(?:toml|ya?ml|ini|cfg|conf|json|properties|env|mod))$"
    r"|(?:^|/)(?:Dockerfile|Makefile|Gemfile|mix\.exs|requirements[\w.-]*\.txt|CMakeLists\.txt)$"
)
_UNSURE = re.compile(
    r"(?i)\b(?:seems?|appears?|looks? like|likely|possibly|i (?:think|believe|suspect|guess|assume)"
    r"|suspect|presumably|apparently|potential(?:ly)?|could|would|may|should be)\b"
)
SLIPS = re.compile(
    r"(?i)syntax ?error|indentation ?error|\bexpected .{1,40}, (?:found|got) |\bunexpected (?:token|eof|end of)"
    r"|unterminated|unmatched|missing import path|parse error|parsing error|\bunclosed\b"
    r"|declared and not used|imported and not used|unused (?:import|variable)"
)
"""Slips of the pen: putting them right teaches nothing."""
_FORCED = re.compile(
    r"\bgit (?:add|checkout|rm|mv|clean|branch|push|switch|tag|worktree)\b[^|;&\n]*?\s-\w*f\b"
    r"|\b(?:git|rm|mv|cp|ln|npm|yarn|pnpm|brew|pip3?|gem|helm|npx|docker)\b[^|;&\n]*?"
    r"\s(?:--force\S*|--legacy-peer-deps|--break-system-packages|--allow-\S+)"
    r"|\bchmod\s+(?:-R\s+)?(?:0?777|a\+rwx|ugo\+rwx)|--dangerously-\S+|\bsudo\s+(?:npm|pip)"
)
"""What makes a command pass by force, or gives everybody all rights."""
_PLAN = re.compile(r"(?i)\b(?:let me|let's|i'll|i will|we'll|going to|need to|next)\b")
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
    """Failures of one thread, in their order.

    Args:
        turns: Turns of one thread (main or side), in order.
        steps: Its steps, in order.
    """
    told = {
        index: failure_lines(step.result.text, step.command)
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
    after = next_try(steps, index)
    if after is None:
        return Failure(failed, error, OPEN, result)
    at, _, worked = after
    told = steps[at].result or result
    between = steps[index + 1 : at]
    fixed = _fix(turns, failed, error, steps[: at + 1], index)
    if fixed and (in_words(fixed[0]) or shortcut(steps[index : at + 1])):
        fixed = None
    stays = not worked and any(_same(line) == _same(error) for line in kept.get(at, ()))
    base = Failure(failed, error, OPEN, told, *(fixed or (None, None, ())))
    if stays:
        return base
    green = at if worked else _green(steps, at)
    if green is None:
        return base._replace(fix=None, fix_kind=None, changes=())
    changes = [step for step in between if _changes(step, failed)]
    passed = steps[green].result
    if (
        shortcut(steps[index : green + 1])
        or (not changes and _does_less(failed, steps[at], steps[at + 1 :]))
        or any(_forces(failed, step) for step in (*changes, steps[at]))
    ):
        return Failure(failed, error, BYPASSED, told, passed=passed)
    tried = any(_changes(step, failed) for step in steps[index + 1 : green])
    if not tried and _line(failed) == _line(steps[green]):
        return Failure(failed, error, FLAKE, told, passed=passed)
    end = base._replace(passed=passed, settled=passed or told)
    back = _taken_back(turns, steps, index, green, fixed[2] if fixed else tuple(changes))
    if back is not None:
        return end._replace(outcome=UNDONE, settled=back)
    again = next(
        (
            steps[later].result
            for later, lines in kept.items()
            if later > at and any(_same(line) == _same(error) for line in lines)
        ),
        None,
    )
    if again is not None:
        return end._replace(outcome=OPEN, settled=again)
    if fixed is None:
        return end._replace(outcome=FIXED)
    why = _cause(turns, failed, steps[at], error)
    return end._replace(outcome=FIXED, cause=why)


def _green(steps: Sequence[ToolStep], at: int) -> int | None:
    """The run in which the series of tries that goes on at `at` ends well."""
    while (after := next_try(steps, at)) is not None:
        at, _, worked = after
        if worked:
            return at
    return None


def _changes(step: ToolStep, failed: ToolStep) -> bool:
    """Whether a step changes something: a file, or by a command that did not fail."""
    if not step.worked:
        return False
    if step.kind == "edit":
        return bool(step.files)
    tried = {action.key for action in failed.actions}
    return step.kind == "run" and any(
        action.key not in tried and not action.checks for action in step.actions
    )


def _as_it_was(failed: ToolStep, passed: ToolStep) -> bool:
    return set(failed.actions) <= set(passed.actions)


def _forces(failed: ToolStep, passed: ToolStep) -> bool:
    """Whether a command that worked was forced, and the one that failed was not."""
    return _FORCED.search(passed.command) is not None and not _FORCED.search(failed.command)


def _words(step: ToolStep, keys: set[str]) -> set[str]:
    return {word for action in step.actions if action.key in keys for word in action.words}


def _does_less(failed: ToolStep, passed: ToolStep, later: Sequence[ToolStep]) -> bool:
    """Whether a command that worked leaves out words of the one that failed, or another thing.

    It does another thing where the first command is run again later.
    """
    if _as_it_was(failed, passed):
        return False
    keys = {action.key for action in failed.actions}
    before, after = _words(failed, keys), _words(passed, keys)
    same = keys <= {action.key for action in passed.actions}
    left = before - after
    repeated = any(set(failed.actions) <= set(step.actions) for step in later)
    return same and (after <= before or repeated) and bool(left)


class _Fix(NamedTuple):
    text: str
    kind: str
    changes: tuple[ToolStep, ...]


def _fix(
    turns: Sequence[Turn],
    failed: ToolStep,
    error: FailureLine,
    until: Sequence[ToolStep],
    index: int,
) -> _Fix | None:
    """The last change that shares a name with the error; None if none does, or none can be told.

    A slip of the pen, and a file that was made in the same conversation, teach nobody else.
    """
    if SLIPS.search(error.line) or (is_generic(error.signature) and not error.names):
        return None
    output = failed.result.text if failed.result else ""
    names = of_error(output, error.at, error.line)
    between, after = until[index + 1 : -1], until[-1]
    changes = [step for step in between if _changes(step, failed)]
    if not changes:
        return _replaced(failed, error, after, output)
    linked = [step for step in changes if names & _of(step, output)]
    # What shares a name with the key line itself says more than what does with the lines around.
    nearest = names_in(error.line)
    linked = [step for step in linked if nearest & _of(step, output)] or linked
    edits = [step for step in linked if step.kind == "edit"]
    installs = [step for step in changes if _INSTALLS.search(step.command)]
    if not linked:
        return None
    last = linked[-1]
    if last in installs and edits and _is_setting(edits[-1].files[-1]):
        last = edits[-1]
    if last.kind != "edit":
        kind = INSTALL if last in installs else COMMAND
        return _Fix(f"Ran `{shown(last, failed)}`.", kind, (last,))
    file = last.files[-1]
    if _made_here(file, until[:index]):
        return None
    text = _edited(turns, failed, last, names, nearest)
    if not text:
        return None
    later = [step for step in installs if step.call.seq > last.call.seq]
    if later:
        text += f" Then ran `{shown(later[-1], failed)}`."
    return _Fix(text, SETTING if _is_setting(file) else EDIT, (last, *later[-1:]))


def _is_setting(file: str) -> bool:
    return is_config(file) or _SETTINGS.search(file) is not None


def _made_here(file: str, before: Sequence[ToolStep]) -> bool:
    """Whether a file was made earlier in the conversation."""
    name = PurePosixPath(file).name
    if any(step.command.split()[:2] == ["create", name] for step in before):
        return True
    return any(
        created and edit.path == file
        for step in before
        if step.kind == "edit" and step.worked and file in step.files
        for edit, created in edits_of(step.call, step.result.text if step.result else "")
    )


def _of(step: ToolStep, output: str) -> set[str]:
    """Names of a change; a command that the output itself proposes has all that it names."""
    found = of_change(step)
    if step.kind != "edit" and any(
        len(action.key.split()) > 1 and action.key in output for action in step.actions
    ):
        found |= names_in(output)
    return found


def _replaced(failed: ToolStep, error: FailureLine, after: ToolStep, output: str) -> _Fix | None:
    """Another command in the place of the one that failed; nothing else was changed."""
    if not after.worked or _as_it_was(failed, after):
        return None
    missing = FOUND_MISSING.search(error.line)
    name = (missing[1] or missing[2]) if missing else ""
    keys = {action.key for action in after.actions}
    before = {word for action in failed.actions for word in (action.key, *action.words)}
    new = {
        word
        for action in after.actions
        for word in (*action.key.split(), *action.words)
        if word not in before and len(word) > 2
    }
    proposed = any(word in output for word in new)
    named = any(word.casefold() in error.line.casefold() for word in _left(failed, after))
    instead = name and name in {action.key.split()[0] for action in failed.actions} and keys
    if not (proposed or named or instead):
        return None
    text = f"Ran `{shown(after, after)}` instead of `{shown(failed, failed)}`."
    for word in error.names if not missing else ():
        # Another time it is another name.
        if len(word) > 2:
            text = re.sub(rf"(?<![\w./-]){re.escape(word)}(?![\w/-])", PLACEHOLDER, text)
    return _Fix(text, REPLACED, (after,))


def _left(failed: ToolStep, after: ToolStep) -> set[str]:
    """Words of a command that the one in its place has not."""
    kept = {word for action in after.actions for word in (action.key, *action.words)}
    words = {word for action in failed.actions for word in action.words}
    return {word for word in words - kept if len(word) > 3}


def _edited(
    turns: Sequence[Turn], failed: ToolStep, edit: ToolStep, names: set[str], nearest: set[str]
) -> str:
    """What an edit changed, in words and by its lines; empty if that says too little."""
    file = _short(edit.files[-1], failed)
    gone, come = changed_lines(edit)
    first = failed.result.seq if failed.result else failed.call.seq
    spoken = [
        sentence
        for turn in turns
        if first < turn.seq < edit.call.seq and turn.kind == "message" and turn.origin == "agent"
        for sentence in said(turn)
    ]
    own = names | of_change(edit)
    order = fix([sentence for sentence in spoken if names_in(sentence.text) & own])
    told = imperative(order.plain).rstrip(".:") + "." if order else ""
    pair = ""
    if len(gone) <= MOST_LINES and len(come) <= MOST_LINES and (gone or come):
        before, now = (_cut("; ".join(lines)) for lines in (gone, come))
        if before and now:
            pair = f"`{before}` became `{now}`"
        else:
            pair = f"added `{now}`" if now else f"took out `{before}`"
    elif come:
        shared = [sum(map(len, nearest & names_in(line))) for line in come]
        if max(shared):
            pair = f"added `{_cut(come[shared.index(max(shared))])}`"
    if pair:
        pair = f"In `{file}`: {pair}."
    if told and not pair:
        pair = f"Changed `{file}`."
    return " ".join(part for part in (told, pair) if part)


def _cut(code: str) -> str:
    code = " ".join(code.replace("`", "'").split())
    return code if len(code) <= LONGEST_CODE else code[: LONGEST_CODE - 1].rstrip() + "…"


_WORKTREE = re.compile(r"^(?:[\w.-]+/)?\.?worktrees?/[^/]+/(?=.)")


def _short(path: str, failed: ToolStep) -> str:
    """A path from the folder of the project, else its last three parts."""
    root = (failed.call.project or "").rstrip("/")
    if root and path.startswith(f"{root}/"):
        return path[len(root) + 1 :]
    parts = PurePosixPath(path).parts
    name = PurePosixPath(root).name
    if name and path.startswith("/"):
        # A checkout beside it, or a worktree of it, begins with its name.
        at = next((at for at, part in enumerate(parts) if part.startswith(name)), len(parts))
        while at < len(parts) - 1 and parts[at].startswith(name):
            at += 1
        if at < len(parts):
            return _WORKTREE.sub("", str(PurePosixPath(*parts[at:])))
    return str(PurePosixPath(*parts[-3:])) if path.startswith("/") and len(parts) > 4 else path


_FOLDER = re.compile(r"^cd\s+\S+\s*(?:&&|;)\s*")
_TAIL = re.compile(r"\s*(?:2>&1|\d?>\s?/dev/null|\|\s*(?:head|tail|cat|less)\b[^|;&]*)\s*$")
_HEREDOC = re.compile(r"\"?\$\(cat <<.*", re.DOTALL)


def _line(step: ToolStep) -> str:
    """A command without the cutting of its output."""
    line = " ".join(step.command[:4000].split())
    while (cut := _TAIL.sub("", line)) != line:
        line = cut
    return line


def shown(step: ToolStep, near: ToolStep) -> str:
    """A command without the folder and the cutting of its output, with short paths."""
    line = _FOLDER.sub("", _HEREDOC.sub("…", _line(step)))
    root = (near.call.project or "").rstrip("/")
    if root:
        line = line.replace(f"{root}/", "")
    line = line.replace("`", "'")
    return line if len(line) <= LONGEST_COMMAND else line[: LONGEST_COMMAND - 1].rstrip() + "…"


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
