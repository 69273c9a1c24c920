"""Calls joined with their results: what was run, what was edited, and whether it worked."""

import re
import shlex
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from cairn.knowledge.dialogue.errors import failure, unsettled
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.nlp.shell.parser import Command, commands, script_among
from cairn.knowledge.nlp.shell.programs import operations

SHELL_INPUTS = ("command", "cmd", "script")
PATH_INPUTS = ("file_path", "path", "notebook_path", "filename", "target_file", "absolute_path")
EDIT_TOOLS = re.compile(r"(?i)^(?:multi_?edit|notebook_?edit|edit|write|create)|patch|replace")
EDIT_COMMANDS = frozenset(
    {"edit", "insert", "create", "apply_patch", "str_replace", "str_replace_editor"}
)
NEW_TEXT = ("new_string", "new_str", "replacement_text", "replace", "new_text")
OLD_TEXT = ("old_string", "old_str", "search", "old_text")

_READER_LIST = (
    "cat ls grep rg ag find fd head tail awk wc tree pwd which whereis type file stat diff less "
    "more echo printf sort uniq cut jq yq ps df du env date whoami uname id history open goto "
    "search_dir search_file find_file scroll_up scroll_down sleep true test xxd strings man"
)
READERS = frozenset(_READER_LIST.split())
_GIT_READER_LIST = (
    "status log diff show branch blame ls-files rev-parse remote show-ref for-each-ref cat-file "
    "ls-tree ls-remote describe reflog shortlog rev-list merge-base name-rev grep check-ignore fsck"
)
GIT_READERS = frozenset(_GIT_READER_LIST.split())
QUIET = frozenset({"cd", "pushd", "popd", "export", "source", ".", "set", "unset", "umask", "wait"})
INTERPRETERS = frozenset({"python", "python3", "node", "ruby", "perl", "php", "deno", "bun"})
SUBCOMMAND = re.compile(r"[a-z][\w:.-]*$")
CHECKING = frozenset({"verification", "build", "search", "network_diagnosis"})
"""Operations that show how things are, and change nothing of it."""

_SHOWS_OTHERS = re.compile(
    r"(?:gh|glab) \w+ (?:view|list|status|diff|checks|trace)\b|journalctl\b"
    r"|(?:docker|docker-compose|docker compose|podman|kubectl|oc|heroku|flyctl?|vercel) logs\b"
)
"""Commands that show what ran elsewhere: a failure in their output is not their own."""

_CHECKS = re.compile(
    r"(?i)\b(?:\w*test\w*|\w*spec|lint\w*|check\w*|vet|compile|build|bench\w*)\b"
    r"|^(?:python3?|node|ruby|perl|journalctl|lsof)$"
    r"|^\S+ (?:ps|logs?|inspect|images|get|describe|status|list|ls|show|view|version|info)$"
)
"""What a command is called that looks, or tries again, where no table knows its program."""

_WRAPPERS = frozenset({"docker", "docker-compose", "podman", "kubectl", "ssh", "nix", "vagrant"})
"""Programs that run another one elsewhere."""

_OPEN_FILE = re.compile(r"\[File: (\S+) \(\d+ lines")
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE)
_PATCH_ADDS = re.compile(r"^\+(?!\+\+ )(.*)$", re.MULTILINE)
_REJECTED = "has introduced new syntax error"
_TO_ADDED = 3
_LONGEST_ADDED = 200


class Action(NamedTuple):
    """One command that does something: program with subcommand, and its other words."""

    key: str
    words: tuple[str, ...]
    checks: bool = False
    """Whether it looks, or tries again, and changes nothing: it is no part of a solution."""


@dataclass(frozen=True)
class ToolStep:
    """One call with its result.

    `kind` is run (a command that does something), read, edit, ask or other. `worked` is None
    where the result is missing, ran in the background, or was refused by a person.
    """

    call: Turn
    result: Turn | None
    kind: str
    command: str = ""
    actions: tuple[Action, ...] = ()
    files: tuple[str, ...] = ()
    added: str = ""
    """Lines that an edit brought, where they are few."""
    worked: bool | None = None

    @property
    def folder(self) -> str | None:
        """The folder that the call itself names to run in, whole or from where the agent is."""
        given = map(self.call.input.get, _FOLDER_ARGUMENTS)
        return next((folder for folder in given if isinstance(folder, str) and folder), None)


_FOLDER_ARGUMENTS = ("workdir", "cwd", "dir_path", "directory")
"""What agents call it: Codex, others, Gemini CLI of today and of before."""


def steps(turns: Sequence[Turn]) -> list[ToolStep]:
    """Calls of one conversation with their results, in the order of the calls.

    A result without a call_id answers the oldest call without one in its thread. Where an id was
    given to several calls, as replays do, the first result is the first call's, and so on.
    """
    results: dict[str, Turn] = {}
    named: defaultdict[str, list[Turn]] = defaultdict(list)
    waiting: dict[bool, list[Turn]] = {False: [], True: []}
    calls: list[Turn] = []
    for turn in turns:
        if turn.kind == "tool_call" and turn.origin == "agent":
            calls.append(turn)
            if turn.call_id is None:
                waiting[turn.sidechain].append(turn)
        elif turn.kind == "tool_result":
            if turn.call_id is not None:
                named[turn.call_id].append(turn)
            elif waiting[turn.sidechain]:
                results[waiting[turn.sidechain].pop(0).record_id] = turn
    for call in calls:
        if call.call_id is not None and named[call.call_id]:
            results[call.record_id] = named[call.call_id].pop(0)
    return [_step(call, results.get(call.record_id)) for call in calls]


def shell_command(inputs: dict[str, Any]) -> str:
    """The command line of a call's input; empty if it is none. `bash -lc` lists give the script."""
    for name in SHELL_INPUTS:
        value = inputs.get(name)
        if isinstance(value, str):
            return value.strip()
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            at = script_among(value)
            return shlex.join(value) if at is None else value[at]
    return ""


def actions(command: str) -> tuple[Action, ...]:
    """The commands of a line that do something: no readers, no changes of folder."""
    return tuple(_action(part) for part in commands(command) if not _only_reads(part))


def _only_reads(part: Command) -> bool:
    words = [word.text for word in part.args]
    if part.name in READERS or part.name in QUIET or not part.name:
        return True
    if part.name == "sed":
        return not any(word.startswith(("-i", "--in-place")) for word in words)
    if part.name == "git":
        return next((w for w in words if not w.startswith("-")), "") in GIT_READERS
    named = " ".join([part.name, *(word for word in words if not word.startswith("-"))])
    return bool(_SHOWS_OTHERS.match(named)) or "--version" in words or "--help" in words


def _action(part: Command) -> Action:
    words = [word.text for word in part.args]
    plain = [word for word in words if not word.startswith("-")]
    key = part.name
    used: str | None = None
    if part.name in INTERPRETERS:
        if "-m" in words and plain:
            used, key = plain[0], plain[0]
        elif plain and "-c" not in words and "-e" not in words:
            used, key = plain[0], f"{part.name} {PurePosixPath(plain[0]).name}"
    elif plain and SUBCOMMAND.match(plain[0]) and "." not in plain[0]:
        used, key = plain[0], f"{part.name} {plain[0]}"
    rest = [_short(word) for word in words if word != used and not word.startswith(">")]
    checks = _shows(part.name, words, plain) or any(
        operation.type in CHECKING for operation in operations(part)
    )
    named = rest if part.name in _WRAPPERS else [key]
    return Action(key, tuple(rest), checks or any(_CHECKS.search(name) for name in named))


_LISTS = frozenset({"list", "ls", "show", "status", "view", "info"})
_SENDS = re.compile(r"-(?:[XdoOFT].*|-(?:request|data|json|output|remote-name|form|upload)\b.*)")


def _shows(program: str, words: Sequence[str], plain: Sequence[str]) -> bool:
    """Whether a command shows how things are: `git worktree list`, `gofmt -l`, `curl` of a page."""
    if program == "curl":
        return not any(_SENDS.match(word) for word in words)
    if program == "gofmt":
        return "-w" not in words
    return plain[1:2] != [] and plain[1] in _LISTS


def _short(word: str) -> str:
    return PurePosixPath(word).name if "/" in word else word


def similar(before: Action, after: Action) -> bool:
    """Whether `after` tries again what `before` tried: same program, and as much or more of it.

    A wider run counts (its words are among those of the first), and one that shares half of them.
    """
    if before.key != after.key:
        return False
    a, b = set(before.words), set(after.words)
    return b <= a or len(a & b) * 2 >= len(a | b)


def extended(before: Action, after: Action) -> bool:
    """Whether `after` is the same command with more words."""
    return before.key == after.key and set(before.words) < set(after.words)


def unwrapped(before: Action, after: Action) -> bool:
    """Whether `after` is `before` without the program in front: `tide bun test` and `bun test`."""
    words = [*before.key.split(), *before.words]
    return len(words) > _FEWEST_WRAPPED and words[1:] == [*after.key.split(), *after.words]


_FEWEST_WRAPPED = 2


def _step(call: Turn, result: Turn | None) -> ToolStep:
    """A call with its result; what was read of equal ones is not read again."""
    name, given = call.tool_name or "", call.tool_input or ""
    answer = result.text if result else ""
    how = f"{len(name)} {len(given)} {result and result.is_error}\0{name}{given}{answer}"
    mark = blake2b(how.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    known = _READ.get(mark)
    if known is None:
        if len(_READ) >= _MOST_READ:
            _READ.clear()
        step = _read(call, result)
        known = step.kind, step.command, step.actions, step.files, step.added, step.worked
        _READ[mark] = known
    return ToolStep(call, result, *known)


_Read = tuple[str, str, tuple[Action, ...], tuple[str, ...], str, bool | None]
_READ: dict[bytes, _Read] = {}
"""What calls were, by digests of all that tells it: six stages of a run read the same ones."""
_MOST_READ = 16_384


def _read(call: Turn, result: Turn | None) -> ToolStep:
    inputs = call.input
    command = shell_command(inputs)
    text = result.text if result else ""
    worked = None if result is None or unsettled(text) else not (result.is_error or failure(text))
    if isinstance(inputs.get("questions"), list):
        return ToolStep(call, result, "ask", worked=worked)
    named = _named(inputs, PATH_INPUTS)
    if named and command in EDIT_COMMANDS:
        # An editor's tool whose `command` is a verb, and no command line.
        return _edit_step(call, result, (named,), _added(inputs))
    if command:
        return _shell_step(call, result, command, worked)
    if EDIT_TOOLS.search(call.tool_name or "") or call.tool_name in EDIT_COMMANDS:
        patch = str(inputs.get("patch") or inputs.get("input") or "")
        files = (named,) if named else tuple(_PATCHED.findall(patch)) or _opened(result)
        return _edit_step(call, result, files, _added(inputs) or _patch_adds(patch))
    return ToolStep(call, result, "other", worked=worked)


def _named(inputs: dict[str, Any], names: Iterable[str]) -> str:
    """The first input of these names that is text; empty if there is none."""
    return next((str(inputs[name]) for name in names if isinstance(inputs.get(name), str)), "")


def _opened(result: Turn | None) -> tuple[str, ...]:
    """The file that an editor shows in its answer."""
    found = _OPEN_FILE.search(result.text) if result else None
    return (found[1],) if found else ()


def _edit_step(
    call: Turn, result: Turn | None, files: tuple[str, ...], added: str, command: str = ""
) -> ToolStep:
    """An edit; its output is the file's text, which may speak of errors without being one."""
    worked = None
    if result is not None and not unsettled(result.text):
        worked = not result.is_error and _REJECTED not in result.text
    return ToolStep(call, result, "edit", command, files=files, added=added, worked=worked)


def _shell_step(call: Turn, result: Turn | None, command: str, worked: bool | None) -> ToolStep:
    first, _, rest = command.partition("\n")
    head = first.split(" ", 1)[0]
    if head in EDIT_COMMANDS or "*** Begin Patch" in command:
        files = tuple(_PATCHED.findall(command)) or _opened(result)
        body = [line for line in rest.splitlines() if line.strip() != "end_of_edit"]
        added = _few(body) if head == "edit" else _patch_adds(command)
        return _edit_step(call, result, files, added, command)
    found = actions(command)
    if found and all(action.key.split()[:1] == ["sed"] for action in found):
        return ToolStep(call, result, "edit", command, files=found[-1].words[-1:], worked=worked)
    return ToolStep(call, result, "run" if found else "read", command, found, worked=worked)


def _added(inputs: dict[str, Any]) -> str:
    """Lines that replacements bring in, when they are few."""
    edits = inputs.get("edits")
    pairs: Iterable[Any] = edits if isinstance(edits, list) else [inputs]
    lines: list[str] = []
    for pair in pairs:
        if isinstance(pair, dict):
            old = {line.strip() for line in _named(pair, OLD_TEXT).splitlines()}
            new = _named(pair, NEW_TEXT).splitlines()
            lines += [line for line in new if line.strip() not in old]
    return _few(lines)


def _patch_adds(patch: str) -> str:
    """Lines that a patch brings in, when they are few."""
    return _few(_PATCH_ADDS.findall(patch)) if "*** Begin Patch" in patch else ""


def _few(lines: Sequence[str]) -> str:
    kept = [line.strip() for line in lines if line.strip()]
    joined = "\n".join(kept)
    return joined if len(kept) <= _TO_ADDED and len(joined) <= _LONGEST_ADDED else ""
