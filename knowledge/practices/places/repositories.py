"""What a conversation shows of repositories: their remotes, worktrees and uppermost folders."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cairn.knowledge.dialogue.tool_calls import ToolStep
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.nlp.names import worktree_place
from cairn.knowledge.nlp.shell.order import Runs
from cairn.knowledge.nlp.shell.parser import PREFIXES, SHELLS, Command, commands
from cairn.knowledge.nlp.shell.words import ShellWord, operands
from cairn.knowledge.practices.places.entered import ENTERS, EnteredFolders
from cairn.knowledge.practices.places.folders import is_whole, joined, normal, under

WORKTREE, REMOTE, TOP = "worktree", "remote", "top"
"""Another folder is a worktree of it; where it is fetched from; a checkout begins there."""

ORIGIN = "origin"
_LONGEST_LINE = 5_000
_SUBSHELL = re.compile(r"\(\s*(?:cd|pushd)\b")
_URL = re.compile(
    r"(?:(?:https?|ssh|git|git\+ssh)://(?:[^@/\s]*@)?(?P<host>[\w.-]+)(?::\d+)?/"
    r"|[\w.-]+@(?P<by_ssh>[\w.-]+):(?!/))(?P<path>[\w.~/+-]+)"
)
_REMOTE_LINE = re.compile(r"(?m)^(\S+)\s+(\S+) \((?:fetch|push)\)\s*$")
_LISTED = re.compile(
    r"(?m)^(?:worktree (?P<plain>\S.*?)|(?P<path>(?:/|[A-Za-z]:[\\/])\S*(?: \S+)*?)\s+"
    r"(?:[0-9a-f]{7,40}|(?P<bare>\(bare\)))(?: [\[(].*)?)\s*$"
)
_KEEPS_BEGINNING = frozenset({"head", "cat"})
_OF_GIT = ("C", "c", "--git-dir", "--work-tree", "--namespace", "--exec-path")
_OF_CLONE = (
    "b", "o", "c", "u", "j", "--branch", "--origin", "--config", "--depth", "--reference", "--jobs",
    "--separate-git-dir", "--template", "--upload-pack", "--filter", "--shallow-since",
)  # fmt: skip
_OF_WORKTREE_ADD = ("b", "B", "--reason")


class FolderEvidence(NamedTuple):
    """What a record shows of a folder: `value` is a remote, or for a worktree its repository."""

    folder: str
    evidence: str
    value: str
    turn: Turn


def remote_of(url: str) -> str | None:
    """The one form of a remote's address, `host/owner/name`; None if it is none of a server.

    `git@code.example:ada/shop.git` and `https://code.example/ada/shop` are one.
    """
    found = _URL.fullmatch(url.strip().rstrip("/"))
    if found is None:
        return None
    host = (found["host"] or found["by_ssh"]).casefold()
    path = re.sub(r"\.git$", "", found["path"].strip("/")).casefold()
    if host == "localhost" or not path.strip("./~"):
        return None
    return f"{host}/{path}"


def origin_among(output: str) -> str | None:
    """The remote that `git remote -v` shows: `origin`, or the only one there is."""
    shown = {name: remote_of(url) for name, url in _REMOTE_LINE.findall(output)}
    if ORIGIN in shown:
        return shown[ORIGIN]
    return next(iter(shown.values())) if len(shown) == 1 else None


def repository_folder(folder: str) -> str:
    """The folder that stands for the repository of a checkout, where its place says so."""
    place = worktree_place(folder)
    return place.repository if place else folder


def seen_of_repositories(steps: Sequence[ToolStep], project: str | None) -> list[FolderEvidence]:
    """What git showed, and was told, in the calls of one conversation."""
    found = [one for step in steps if "git" in step.command for one in _of_step(step, project)]
    tops: set[str] = set()
    told: list[FolderEvidence] = []
    for one in found:
        if one.evidence == TOP:
            tops.add(one.folder)
        above = [top for top in tops if under(one.folder, top)]
        within = one.evidence == REMOTE and above
        told.append(one._replace(folder=max(above, key=len)) if within else one)
    return told


def worktrees_of(steps: Sequence[ToolStep], project: str | None) -> set[str]:
    """Folders that a conversation shows to be worktrees of its project."""
    root = normal(project) if project else None
    seen = [one for one in seen_of_repositories(steps, project) if one.evidence == WORKTREE]
    mains = {one.value for one in seen if root in (one.folder, one.value)}
    return {one.folder for one in seen if one.value in mains} | (mains - {root or ""})


class _Call(NamedTuple):
    """A call of git: the folder it runs in, and its words behind the options of git itself."""

    folder: str
    words: tuple[ShellWord, ...]

    @property
    def texts(self) -> list[str]:
        return [word.text for word in self.words]


def _of_step(step: ToolStep, project: str | None) -> Iterator[FolderEvidence]:
    line, result = step.command, step.result
    if (
        result is None
        or result.is_error
        or step.worked is False
        or len(line) > _LONGEST_LINE
        or _SUBSHELL.search(line)
    ):
        return
    start = step.call.cwd or project
    if step.folder and (start or is_whole(step.folder)):
        start = joined(start or "", step.folder)
    if not start:
        return
    found = [command for command in commands(line) if not command.doubtful]
    calls = list(_calls(found, normal(start)))
    for call in calls:
        match call.texts:
            case ["clone", *_]:
                yield from _cloned(call, result)
            case ["worktree", "add", *_]:
                yield from _worktree_added(call, result, project)
            case _:
                pass
    asking = [call for call in calls if _asks(call.texts)]
    if len(asking) == 1:
        cut = any(other.piped and other.name not in _KEEPS_BEGINNING for other in found)
        yield from _answered(asking[0], result, cut=cut)


def _calls(found: Sequence[Command], start: str) -> Iterator[_Call]:
    """Calls of git that surely run, each with its folder as far as that is known."""
    folders = EnteredFolders(start, _beside)
    for command in found:
        if command.remote or any(
            name not in PREFIXES and name not in SHELLS for name in command.via
        ):
            continue
        if command.name in ENTERS:
            folders.enter(command)
        elif command.name == "git" and command.runs <= Runs.AFTER_SUCCESS:
            words = command.args
            texts = [word.text for word in words]
            verb = next(iter(operands(words, _OF_GIT)), None)
            if verb is None or {"--git-dir", "--work-tree"} & set(texts):
                continue
            own = texts[: words.index(verb)]
            place = folders.of(command)
            for at, text in enumerate(own):
                if text == "-C":
                    known = not words[at + 1].dynamic
                    place = joined(place, own[at + 1]) if known and place else None
            if place:
                yield _Call(place, words[words.index(verb) :])


def _beside(folder: str | None, told: str) -> str | None:
    return joined(folder or "", told) if folder or is_whole(told) else None


def _asks(texts: Sequence[str]) -> bool:
    """Whether a call of git shows what is read here."""
    match texts:
        case ["remote", "-v" | "--verbose"] | ["remote", "get-url", "origin"]:
            return True
        case ["config", *options, "remote.origin.url"]:
            return set(options) <= {"--get", "get"}
        case ["worktree", "list", *_] | ["rev-parse", "--show-toplevel"]:
            return True
        case _:
            return False


def _answered(call: _Call, result: Turn, *, cut: bool) -> Iterator[FolderEvidence]:
    texts = call.texts
    if texts[0] == "worktree":
        yield from () if cut else _listed(result)
        return
    if texts[0] == "rev-parse":
        lines = [line.strip() for line in result.text.splitlines() if line.strip()]
        if len(lines) == 1 and is_whole(lines[0]) and under(call.folder, normal(lines[0])):
            yield FolderEvidence(normal(lines[0]), TOP, "", result)
        return
    told = {remote_of(line) for line in result.text.splitlines()} - {None}
    remote = origin_among(result.text) if "-v" in texts or "--verbose" in texts else None
    if remote is None and texts[-1] not in ("-v", "--verbose") and len(told) == 1:
        remote = next(iter(told))
    if remote:
        yield FolderEvidence(repository_folder(call.folder), REMOTE, remote, result)


def _listed(result: Turn) -> Iterator[FolderEvidence]:
    """The rows of `git worktree list`: the first is the repository itself."""
    rows = [
        (row["plain"] or row["path"], bool(row["bare"])) for row in _LISTED.finditer(result.text)
    ]
    folders = [normal(path) for path, _ in rows]
    if not folders or not all(map(is_whole, folders)):
        return
    main = folders[0]
    bare = rows[0][1] or posixpath.basename(main) in (".bare", ".git")
    if bare:
        # `shop.git` and `shop/.bare` are called as what they are of.
        main = re.sub(r"(?<=[^/])\.git$|/\.(?:bare|git)$", "", main)
    else:
        yield FolderEvidence(main, TOP, "", result)
    for folder in folders[1:]:
        yield FolderEvidence(folder, WORKTREE, repository_folder(main), result)


def _cloned(call: _Call, turn: Turn) -> Iterator[FolderEvidence]:
    given = operands(call.words[1:], _OF_CLONE)[:2]
    if not given or any(word.dynamic for word in given):
        return
    remote = remote_of(given[0].text)
    if remote is None or {"--bare", "--mirror"} & set(call.texts):
        return
    name = given[1].text if len(given) > 1 else re.sub(r"\.git$", "", given[0].text.rstrip("/"))
    folder = joined(call.folder, name if len(given) > 1 else re.split(r"[/:]", name)[-1])
    yield FolderEvidence(folder, TOP, "", turn)
    yield FolderEvidence(folder, REMOTE, remote, turn)


def _worktree_added(call: _Call, turn: Turn, project: str | None) -> Iterator[FolderEvidence]:
    path = next(iter(operands(call.words[2:], _OF_WORKTREE_ADD)), None)
    # From a folder of the repository it leads out by more than one step: where its root is, is not
    # known.
    if path is None or path.dynamic or normal(path.text).startswith("../../"):
        return
    place = worktree_place(call.folder)
    root = normal(project) if project else None
    within = root is not None and call.folder != root and under(call.folder, root)
    if (place and place.end < len(call.folder)) or (within and not place):
        return
    folder = joined(call.folder, path.text)
    if folder != call.folder:
        yield FolderEvidence(folder, WORKTREE, repository_folder(call.folder), turn)
