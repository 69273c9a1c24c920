"""Branches that were made, the one that all start from, and where the repository is kept."""

import re
from collections.abc import Iterator

from cairn.knowledge.practices.observed.calls import GitCommand, Observation, ShellCall
from cairn.knowledge.practices.observed.commits import DONE, LOGGED

KIND, MAIN_KIND, REMOTE_KIND = "branch", "main_branch", "remote"
MADE, COMMITTED, PUSHED, WORKED_ON = "made", "committed", "pushed", "worked_on"
NAMED, ASKED, ANSWERED = "named", "asked", "answered"

MAIN_NAMES = frozenset({"main", "master", "trunk", "develop"})
"""Names that the branch has which others start from; they tell nothing of how others are named."""

_NAME = re.compile(r"(?!HEAD$|-)[\w#+][\w./#+-]{0,119}")
_BY_TOOLS = re.compile(
    r"(?i)(?:claude|codex|copilot|cursor|devin|jules|dependabot|renovate|snyk|pre-commit-ci|gh-readonly-queue)[/-]"
    r"|worktree-agent-|gh-pages$"
)
"""Branches that agents and bots name by themselves."""

_MERGED = re.compile(
    r"Merge pull request #\d+ from [\w.-]+/(\S+)$|Merge branch '([^']+)'(?: into \S+)?$"
)
_NEW = re.compile(r" \* \[new branch\]\s+(\S+)\s+-> (\S+)")
_ON_REMOTE = re.compile(
    rf"(?:origin|upstream)/({'|'.join(sorted(MAIN_NAMES))})(?:\.{{2,3}}.*|[~^]\d*)?"
)
_AGAINST_LIST = (
    "push pull fetch rebase merge merge-base diff log checkout switch cherry rev-list reset "
    "worktree branch"
)
_AGAINST = frozenset(_AGAINST_LIST.split())
"""Verbs of git that may name the branch that others start from."""

_URL = re.compile(
    r"(?:(?:ssh|https?|git)://(?:[^@/\s]*@)?([\w-]+(?:\.[\w-]+)+)(?::\d+)?/|(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+):(?!//))"
    r"/?([\w.~-]+(?:/[\w.~-]+)+)/?"
)
_LISTED = re.compile(r"(\S+)\t(\S+) \((?:fetch|push)\)")
_TALKED_TO = re.compile(r"(?:To|From) (\S+)")
_ADDRESS = re.compile(r"[\d.]+")


def is_name(branch: str) -> bool:
    """Whether a branch's name was somebody's choice."""
    return (
        bool(_NAME.fullmatch(branch)) and branch not in MAIN_NAMES and not _BY_TOOLS.match(branch)
    )


def worked_on(branch: str) -> Observation | None:
    """What a log says by the branch that was checked out."""
    if branch in MAIN_NAMES:
        return Observation(MAIN_KIND, branch, None, WORKED_ON)
    return Observation(KIND, branch, None, WORKED_ON) if is_name(branch) else None


def branches(call: ShellCall) -> Iterator[Observation]:
    """Branches that a call made, committed to, pushed or showed as merged, and the main one."""
    if call.worked is True:
        for command in call.git:
            made = _made(command)
            if made is not None and is_name(made):
                yield Observation(KIND, made, None, MADE)
            yield from _main(command)
    verbs = {command.verb for command in call.git}
    for line in call.lines:
        if "commit" in verbs and (done := DONE.match(line)) and is_name(done[1]):
            yield Observation(KIND, done[1], None, COMMITTED)
        if "push" in verbs and (new := _NEW.match(line)) and new[1] == new[2] and is_name(new[1]):
            yield Observation(KIND, new[1], None, PUSHED)
        if "log" in verbs and (merged := _MERGED.search(line)):
            name = merged[1] or merged[2]
            if is_name(name):
                yield Observation(KIND, name, None, LOGGED)


def _made(command: GitCommand) -> str | None:
    """The branch that a command of git makes."""
    creates = {
        "checkout": ("-b", "-B"),
        "switch": ("-c", "-C", "--create"),
        "worktree": ("-b", "-B"),
    }
    for at, word in enumerate(command.words[:-1]):
        if word.text in creates.get(command.verb, ()):
            named = command.words[at + 1]
            return None if named.dynamic else named.text
    if command.verb == "branch" and len(command.operands) == len(command.words) in (1, 2):
        return command.operands[0]
    return None


def _main(command: GitCommand) -> Iterator[Observation]:
    """The main branch, where a command of git names it beside its remote."""
    if command.verb not in _AGAINST:
        return
    operands = command.operands
    for word in operands:
        if found := _ON_REMOTE.fullmatch(word):
            yield Observation(MAIN_KIND, found[1], None, NAMED)
    talks = command.verb in ("push", "pull", "fetch") and operands[:1] in (["origin"], ["upstream"])
    if talks and operands[1:2] and operands[1] in MAIN_NAMES:
        yield Observation(MAIN_KIND, operands[1], None, NAMED)


def remotes(call: ShellCall) -> Iterator[Observation]:
    """Where the repository is kept: host, owner and name; value is what git calls it."""
    for command in call.git:
        words = command.operands
        if command.verb == "remote" and not words and {"-v", "--verbose"} & set(command.texts):
            for line in call.lines:
                if listed := _LISTED.fullmatch(line):
                    yield from _kept_at(listed[2], listed[1], ASKED)
        elif command.verb == "remote" and words[:1] == ["get-url"] and len(words) == 2:
            for line in call.lines:
                yield from _kept_at(line, words[1], ASKED)
        elif command.verb in ("push", "pull", "fetch"):
            name = words[0] if words else "origin"
            for line in call.lines:
                if answered := _TALKED_TO.fullmatch(line):
                    yield from _kept_at(answered[1], name, ANSWERED)


def _kept_at(url: str, name: str, rule: str) -> Iterator[Observation]:
    found = _URL.fullmatch(url)
    host = found and (found[1] or found[2]).lower()
    if found and host and not _ADDRESS.fullmatch(host) and re.fullmatch(r"[\w.-]{1,40}", name):
        yield Observation(REMOTE_KIND, f"{host}/{found[3].removesuffix('.git')}", name, rule)
