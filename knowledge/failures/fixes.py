"""What ended an error: the last change that shares a name with it, and how that is told."""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from cairn.knowledge.dialogue.edits import edits_of
from cairn.knowledge.dialogue.retries import FOUND_MISSING
from cairn.knowledge.dialogue.sentences import fix, imperative, said
from cairn.knowledge.dialogue.shortcuts.commands import only_checks
from cairn.knowledge.dialogue.shortcuts.files import is_config
from cairn.knowledge.dialogue.tool_calls import Action, ToolStep
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.failures.identifiers import changed_lines, names_in, of_change, of_error
from cairn.knowledge.failures.other_ways import folder_of, other_way
from cairn.knowledge.failures.signatures import FailureLine, is_generic
from cairn.knowledge.nlp.shell.parser import commands
from cairn.knowledge.nlp.shell.programs import operations

EDIT, COMMAND, REPLACED, SETTING, INSTALL = (
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
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9]\b")
_MISSES = re.compile(
    r"(?i)\b(?:environment|env(?:ironment)? var\w*|not (?:set|defined|provided|configured|found)|unset|missing|required|must be set"
    r"|unbound variable|undefined)\b|^KeyError: "
)
_SOURCED = re.compile(r"(?:^|[;&\n(]\s*)(?:source|\.)\s+([\w./~-]*\benv[\w.-]*)")
"""How a line reads variables from a file."""
SLIPS = re.compile(
    r"(?i)syntax ?error|indentation ?error|\bexpected .{1,40}, (?:found|got) |\bunexpected (?:token|eof|end of)"
    r"|unterminated|unmatched|missing import path|parse error|parsing error|\bunclosed\b"
    r"|^CONFLICT \(|declared and not used|imported and not used|unused (?:import|variable)"
)
"""Slips of the pen, and what two branches changed: putting that right teaches nothing."""
_TOTAL = re.compile(
    r"(?i)^(?:error: )?(?:could not compile\b|aborting due to\b|(?:found )?\d+ (?:errors?|problems?|failed|failures?)\b)"
)
"""How many errors there were, which says nothing of any."""


def changes_it(step: ToolStep, failed: ToolStep) -> bool:
    """Whether a step changes something: a file, or by a command that did not fail."""
    if not step.worked:
        return False
    if step.kind == "edit":
        return bool(step.files)
    return (
        step.kind == "run"
        and not only_checks(step.command[:4000])
        and any(action not in failed.actions and not action.checks for action in step.actions)
    )


def as_it_was(failed: ToolStep, passed: ToolStep) -> bool:
    """Whether the same commands were run again, or these among more."""
    return set(failed.actions) <= set(passed.actions)


class FoundFix(NamedTuple):
    """A change that ended an error, in words, and the steps that made it."""

    text: str
    kind: str
    changes: tuple[ToolStep, ...]
    otherwise: bool = False
    """Whether it is the same command, run another way."""


def fix_of(
    turns: Sequence[Turn],
    failed: ToolStep,
    error: FailureLine,
    tried: Action,
    until: Sequence[ToolStep],
    index: int,
) -> FoundFix | None:
    """The last change that shares a name with the error; None if none does, or none can be told.

    A slip of the pen, and a file that was made in the same conversation, teach nobody else.
    """
    tells_nothing = is_generic(error.signature) and not error.names
    if SLIPS.search(error.line) or _TOTAL.match(error.line) or tells_nothing:
        return None
    output = failed.result.text if failed.result else ""
    names = of_error(output, error.at, error.line)
    between, after = until[index + 1 : -1], until[-1]
    changes = [step for step in between if changes_it(step, failed)]
    if not changes:
        if way := other_way(failed, error.line, tried, after):
            return FoundFix(way, REPLACED, (after,), otherwise=True)
        return _given(failed, error, after) or _replaced(failed, error, tried, after, output)
    missing = FOUND_MISSING.search(error.line)
    if missing and (got := _got(missing[1] or missing[2], changes)) and as_it_was(failed, after):
        return FoundFix(f"Ran {_placed(got, failed)}.", INSTALL, (got,))
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
        if last not in installs and not _repeats(last, failed):
            return None
        if _only_lays_out(last) and not _LAYOUT.search(error.line):
            return None  # what went before it ended the error
        return FoundFix(_for_others(f"Ran {_placed(last, failed)}.", failed, error), kind, (last,))
    file = last.files[-1]
    if _made_here(file, until[:index]):
        return None
    text = _edited(turns, failed, last, names, nearest)
    if not text:
        return None
    later = [step for step in installs if step.call.seq > last.call.seq]
    if later:
        text += f" Then ran {_placed(later[-1], failed)}."
    return FoundFix(text, SETTING if _is_setting(file) else EDIT, (last, *later[-1:]))


_LAYOUT = re.compile(
    r"(?i)format|fmt|prettier|would reformat|import(?:s| block)? .{0,20}sort|indent|whitespace|style"
    r"|end of file|newline|line too long|\bquotes?\b"
)
"""What an error says that is about how code is laid out."""


def _only_lays_out(step: ToolStep) -> bool:
    """Whether a command changes nothing but how code is laid out, as formatters do."""
    found = [each for part in commands(step.command[:4000]) for each in operations(part)]
    return bool(found) and all(each.type == "code_formatting" for each in found)


def _got(program: str, changes: Sequence[ToolStep]) -> ToolStep | None:
    """The install that brought a program which was missing: it names it, or is the only one."""
    installs = [step for step in changes if _INSTALLS.search(step.command)]
    naming = [step for step in installs if program.casefold() in step.command.casefold()]
    found = naming or (installs if len(installs) == 1 else [])
    return found[-1] if found else None


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
        for edit, created in edits_of(step.call.input, step.result.text if step.result else "")
    )


def _of(step: ToolStep, output: str) -> set[str]:
    """Names of a change; a command that the output itself proposes has all that it names."""
    found = of_change(step)
    if step.kind != "edit" and any(
        len(action.key.split()) > 1 and action.key in output for action in step.actions
    ):
        found |= names_in(output)
    return found


def _given(failed: ToolStep, error: FailureLine, after: ToolStep) -> FoundFix | None:
    """A variable that an error misses, where the next try sets it, or reads a file that may."""
    named = _VARIABLE.search(error.line)
    if named is None or not after.worked or not _MISSES.search(error.line):
        return None
    name = named[0]
    if f"{name}=" in after.command and f"{name}=" not in failed.command:
        return FoundFix(f"Set `{name}`.", SETTING, (after,))
    read = _SOURCED.search(after.command)
    if read is None or _SOURCED.search(failed.command):
        return None
    return FoundFix(f"Ran `source {_short(read[1], failed)}` first: `{name}`.", SETTING, (after,))


def _replaced(
    failed: ToolStep, error: FailureLine, tried: Action, after: ToolStep, output: str
) -> FoundFix | None:
    """Another command in the place of the one that failed; nothing else was changed."""
    if not after.worked or as_it_was(failed, after):
        return None
    if not any(_repairs(tried, action, error, output) for action in after.actions):
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
    if not (proposed or named or instead) or not _repeats(after, failed):
        return None
    if _SETS_ASIDE.search(after.command) and tried.key.split()[0] != "git":
        return None
    text = f"Ran `{shown(after, after)}`"
    if _repeats(failed, failed):
        text += f" instead of `{shown(failed, failed)}`"
    told = _for_others(f"{text}.", failed, error)
    return None if _NAMELESS.search(told) else FoundFix(told, REPLACED, (after,))


_SETS_ASIDE = re.compile(r"\bgit (?:stash|checkout|reset|restore)\b")
"""How the changes at hand are set aside: what passes then passes without them."""
_NAMELESS = re.compile(rf"(?:`|[;&|] ){PLACEHOLDER}")
"""A command whose program the error names: without it nobody knows what to run."""


def _for_others(text: str, failed: ToolStep, error: FailureLine) -> str:
    """A fix without the names of the day: what the error names, and the files of the command.

    An option that the error names, or a whole command, is what it proposes.
    """
    if not FOUND_MISSING.search(error.line):
        for word in error.names:
            if len(word) > 2 and not word.startswith("-") and " " not in word:
                text = re.sub(rf"(?<![\w./-]){re.escape(word)}(?![\w/:-])", PLACEHOLDER, text)
    for word in dict.fromkeys(failed.command.split()):
        if _SOURCE_FILE.search(word):
            text = re.sub(rf"(?<![\w./-]){re.escape(word)}(?![\w/-])", "<file>", text)
    return text


_SOURCE_FILE = re.compile(
    r"^(?!-)[\w@./-]+\.(?:py|[cm]?[jt]sx?|go|rs|rb|exs?|java|kt|c|cc|cpp|h|swift|vue|md|tex|ya?ml|json|toml|txt|csv|sql)$"
)
_MOST_WORDS = 24
_OF_THE_MOMENT = re.compile(
    r"\n|…|(?<![\w.-])(?:/(?:tmp|var/folders|private)\b|(?:/(?:home|Users|root|opt|srv|etc|usr/local)|~)/)|\bREDACTED|\bkill\s+(?:-\w+\s+)?\d"
    r"|\b(?:echo|printf)\s+['\"][^'\"]{40}|[0-9a-f]{8}-[0-9a-f]{4}-|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b"
    r"|\s(?:-c|-e)\s+[\"']|--(?:body|message|title|prompt|description|metadata)\b"
)
"""What in a command is of one machine, one run or one text: nobody can run it again."""


def _repeats(step: ToolStep, near: ToolStep) -> bool:
    """Whether a command may be run again by others as it is told."""
    told = shown(step, near)
    known = near.command + (near.result.text[-4000:] if near.result else "")
    if step is not near and any(
        word not in known for word in told.split() if "/" in word and _SOURCE_FILE.search(word)
    ):
        return False
    script = _HEREDOC.sub("…", step.command).strip()
    if "\n" in script or _OF_THE_MOMENT.search(told):
        return False
    return len(told.split()) <= _MOST_WORDS


def _repairs(before: Action, after: Action, error: FailureLine, output: str) -> bool:
    """Whether a command is another one put right: its program, with its operands.

    The program may be another one where it was missing; more operands need one that the output named.
    """
    missing = FOUND_MISSING.search(error.line)
    program, *words = before.key.split()
    other, *others = after.key.split()
    if program != other and not (missing and program in (missing[1], missing[2])):
        return False
    mine = {word for word in (*words, *before.words) if not word.startswith("-")}
    new = {word for word in (*others, *after.words) if not word.startswith("-")}
    more = new - mine
    return mine <= new and (not more or any(word in output for word in more))


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
    gone, come = (
        [line for line in lines if not _COMMENT.match(line)] for lines in changed_lines(edit)
    )
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
    if _WORD.findall(" ".join(gone)) == _WORD.findall(" ".join(come)):
        return ""  # a slip of the pen: the same words, put right
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


_WORD = re.compile(r"\w+")
_COMMENT = re.compile(r"(?:#(?!include|define|if|end|\[)|//|/\*|\*/|\*\s|--\s|<!--)")
"""How a line begins that no program reads."""


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


def line_of(step: ToolStep) -> str:
    """A command without the cutting of its output."""
    line = " ".join(step.command[:4000].split())
    while (cut := _TAIL.sub("", line)) != line:
        line = cut
    return line


def _placed(step: ToolStep, failed: ToolStep) -> str:
    """A command, and its folder where that is another one than that of what failed."""
    there = folder_of(step)
    where = f" in `{there}`" if there and there != folder_of(failed) else ""
    return f"`{shown(step, failed)}`{where}"


def shown(step: ToolStep, near: ToolStep) -> str:
    """A command without the folder and the cutting of its output, with short paths."""
    line = _FOLDER.sub("", _HEREDOC.sub("…", line_of(step)))
    root = (near.call.project or "").rstrip("/")
    if root:
        line = line.replace(f"{root}/", "")
    line = line.replace("`", "'")
    return line if len(line) <= LONGEST_COMMAND else line[: LONGEST_COMMAND - 1].rstrip() + "…"
