"""Commits: the first line of their messages, from git's own answer, a command, or a log."""

import re
from collections.abc import Iterator, Sequence

from cairn.knowledge.nlp.shell.words import ShellWord
from cairn.knowledge.practices.observed.calls import GitCommand, Observation, ShellCall

KIND = "commit"
MADE, LOGGED = "made", "logged"

DONE = re.compile(r"\[(.+?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (\S.*)")
"""What git says of a commit: branch, digest, first line."""

_CHANGED = re.compile(r" \d+ files? changed\b")
_HEREDOC = re.compile(r"\A\$\(cat <<-?\s*(['\"]?)(\w+)\1[ \t]*\n(.*?)\n\s*\2\s*\)\Z", re.DOTALL)
_ONE_LINE = re.compile(
    r"[*|/\\ ]*[0-9a-f]{7,40} (?:\((?:HEAD|tag: |[\w-]+/|\w+[,)])[^)]*\) )?(?!HEAD@)(\S.*)"
)
_HEADER = re.compile(r"[*|/\\ ]*commit [0-9a-f]{40}\b")
_INDENTED = re.compile(r"[*|/\\ ]* {4}(\S.*)")
_SHOWS_FIRST_LINES = re.compile(r"(?:tformat:|format:)?%h %s|(?:tformat:|format:)?%H %s|oneline")
_PICKS = ("--grep", "--author", "--committer", "--merges", "-S", "-G", "-L", "--format", "-i")
_PASSES_ALL = frozenset({"head", "tail", "cat", "less", "more"})

TRAILERS = ("Signed-off-by", "Change-Id", "Refs", "Fixes", "Closes", "Issue", "Ticket", "Jira")
"""Trailers that a project may ask of whoever commits; none that agents and tools add."""

_TRAILER = re.compile(rf"(?m)^({'|'.join(TRAILERS)}): \S")

LONGEST = 120
"""Characters of a first line that are kept."""

_NOT_CHOSEN = re.compile(
    r"(?i)(?:Merge |Revert \"|Reapply \"|fixup! |squash! |amend! |WIP\b|init(?:ial)?(?: commit)?\b"
    r"|Bump \S+ from |Update \S+\.md(?: \(#\d+\))?$|Apply suggestions from code review)"
)
"""First lines that git, a bot or a site gives, or that everybody gives: they tell no form."""


def commits(call: ShellCall) -> Iterator[Observation]:
    """First lines of commits that a call made or showed, with their trailers if it made them."""
    told = (*_made(call), *((first, None, LOGGED) for first in _logged(call)))
    for first, trailers, rule in told:
        if not _NOT_CHOSEN.match(first):
            yield Observation(KIND, first.strip()[:LONGEST], trailers, rule)


def _made(call: ShellCall) -> Iterator[tuple[str, str | None, str]]:
    making = [command for command in call.git if command.verb == "commit"]
    if not making:
        return
    done = [match[3] for line in call.lines if (match := DONE.match(line))]
    only = making[0] if len(making) == 1 and len(done) < 2 else None
    text = message(only.words, only) if only else None
    for first in done:
        yield first, _trailers(only, text), MADE
    # Nothing is said of a quiet commit; of another one the end may be shown alone.
    went_by = only and (_is_quiet(only) or any(map(_CHANGED.match, call.lines)))
    if not done and text and went_by and call.worked is True:
        yield text.splitlines()[0], _trailers(only, text), MADE


def message(words: Sequence[ShellWord], command: GitCommand) -> str | None:
    """The message that a commit was given in its line; None if it cannot be read from it."""
    parts: list[str] = []
    for at, word in enumerate(words):
        name, is_given, value = word.text.partition("=")
        if name == "--message" and is_given:
            told = word._replace(text=value)
        elif at + 1 < len(words) and re.fullmatch(r"-[a-ln-zA-Z]*m|--message", word.text):
            told = words[at + 1]
        elif at + 1 < len(words) and word.text in ("-F", "--file") and words[at + 1].text != "-":
            return None
        else:
            continue
        text = _plain(told)
        if text is None:
            return None
        parts.append(text)
    if not parts and command.part.shown.heredocs:
        parts = [command.part.shown.heredocs[0].text]
    return "\n\n".join(parts).strip() or None


def _plain(word: ShellWord) -> str | None:
    """What a word says; None where it is only known as it runs."""
    if not word.dynamic:
        return word.text
    found = _HEREDOC.match(word.text)
    return found[3] if found else None


def _is_quiet(command: GitCommand) -> bool:
    return any(re.fullmatch(r"--quiet|-[a-zA-Z]*q[a-zA-Z]*", text) for text in command.texts)


def _trailers(command: GitCommand | None, text: str | None) -> str | None:
    """Names of the trailers of a message, sorted; None if the message is not known."""
    if command is None or text is None:
        return None
    found = set(_TRAILER.findall(text))
    if {"-s", "--signoff"} & set(command.texts):
        found.add("Signed-off-by")
    return ", ".join(sorted(found))


def _logged(call: ShellCall) -> Iterator[str]:
    """First lines that a log shows as it stands: one that was searched shows no fair share."""
    shown = [command for command in call.git if command.verb == "log"]
    piped = {part.shown.name for part in call.parts if part.shown.piped}
    if not shown or len(shown) > 1 or not piped <= _PASSES_ALL:
        return
    given = [text for text in shown[0].texts if text.startswith("-")]
    formats = [
        text.partition("=")[2] for text in given if text.startswith(("--format=", "--pretty="))
    ]
    if any(text.startswith(_PICKS) and not text.startswith("--format") for text in given):
        return
    if formats and not _SHOWS_FIRST_LINES.match(formats[-1]):
        return
    if formats or "--oneline" in given:
        yield from (match[1] for line in call.lines if (match := _ONE_LINE.fullmatch(line)))
        return
    waiting = False
    for line in call.lines:
        if _HEADER.match(line):
            waiting = True
        elif waiting and (match := _INDENTED.fullmatch(line)):
            waiting = False
            yield match[1]
