"""How each command stands in its line: whether the line's output and status tell of it."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import re2

from cairn.knowledge.dialogue.outcome_words import SILENT, SILENT_WORDS
from cairn.knowledge.dialogue.tool_calls import QUIET, READERS
from cairn.knowledge.nlp.shell.order import Runs
from cairn.knowledge.nlp.shell.parser import Command
from cairn.knowledge.nlp.shell.words import ShellWord
from cairn.knowledge.practices.outcomes import Part

_ECHO_STATUS = re.compile(r"\s*echo[ ]+([\"']?[^\"'$;|&\n]{0,40})\$\?")
_ECHO_EITHER = re.compile(
    r"\s*echo +([\"']?)([^\"'$;|&\n]{1,60})\1\s*\|\|\s*echo +([\"']?)([^\"'$;|&\n]{1,60})\3\s*$"
)
_NEXT = re.compile(
    r"(?:[ \t]|\\\n)*+((?:\d?(?:>>?|<|&>>?|>&)[ \t]*+[^\s;&|<>]++(?:[ \t]|\\\n)*+)*+)"
    r"(\|&|\|\|?|&&?|;|\n|\)|$)"
)
"""Redirections behind a command, and the mark that ends it."""
_LETS_END = frozenset({"tail", "tee", "cat", "sed", "awk", "less", "more", "tr", "sort"})
"""Filters after which the end of an output still stands at the end, or may."""
_LETS_THROUGH = frozenset({"head", "tail", "tee", "cat", "less", "more", "tr", "sort", "nl"})
"""Filters that print something wherever they are given something."""
_HEAD = re.compile(r"\bhead(?: +(?:-n *|--lines[ =]|-))?(\d+)?\b")
_FILE_TARGET = re.compile(r"(?<![0-9&>])1?>>?[ \t]*(?!&)|&>|\d?>[ \t]*/dev/null")


class LinePart(NamedTuple):
    """A command of a line: as typed, with what it starts; task None where it has none."""

    shown: Command
    words: tuple[ShellWord, ...]
    prefix: tuple[str, ...]
    task: str | None
    upto: int
    folder: str | None


def shapes(line: str, parts: Sequence[LinePart], output: str) -> list[Part]:
    """How each command stands in its line, for its outcome."""
    piped_away = "pipefail" not in line
    found: list[Part] = []
    for at, part in enumerate(parts):
        command = part.shown
        end = max([word.end for word in (*command.words, *command.redirections)], default=0)
        follows = _NEXT.match(line, max(word.end for word in command.words))
        redirected, mark = (follows[1], follows[2]) if follows else ("", "")
        mark = mark or ""
        after = parts[at + 1] if at + 1 < len(parts) else None
        shown = not _FILE_TARGET.search(redirected)
        elsewhere = not shown or mark == "&"
        passes = not elsewhere
        if mark.startswith("|") and mark != "||":
            filters = {other.shown.name for other in _piped(parts, at)}
            passes = passes and filters <= _LETS_THROUGH
            if "head" in filters and _shows_all(line[end:], output):
                filters -= {"head"}
            shown = shown and filters <= _LETS_END
        before = line[: command.words[0].start].rstrip() if command.words else ""
        last = end >= len(line.rstrip()) or not any(_counts(p.shown) for p in parts[at + 1 :])
        piped = mark in ("|", "|&") and piped_away
        silent = (
            piped
            or mark in ("||", "&")
            or (mark in (";", "\n") and after is not None)
            or (mark == "&&" and "||" in line[end:])
            or (not last and mark == ")")
        )
        found.append(
            Part(
                part.task,
                silent=silent or _later_hides(line, end, mark),
                after_success=before.endswith("&&"),
                perhaps=command.runs == Runs.PERHAPS,
                shown=shown and mark != "&",
                elsewhere=elsewhere,
                silent_if_well=passes and _is_silent(part.words),
                status=_printed(line, follows.end(), mark, output) if follows else None,
                target=part.words[part.upto - 1].text if part.upto else "",
                counts=_counts(command),
            )
        )
    return found


def _is_silent(words: Sequence[ShellWord]) -> bool:
    texts = [word.text for word in words[:2]]
    return texts[0].rsplit("/", 1)[-1] in SILENT or " ".join(texts) in SILENT_WORDS


def _shows_all(rest: str, output: str) -> bool:
    """Whether `head` had room for more lines than there were."""
    found = _HEAD.search(rest)
    most = int(found[1] or 10) if found else 0
    return "head -c" not in rest and output.count("\n") + 1 < most


def _printed(line: str, at: int, mark: str, output: str) -> int | None:
    """The status of a command that what comes after it prints.

    As in `; echo "exit: $?"`, and `&& echo good || echo bad`.
    """
    if mark == "&&":
        words = _ECHO_EITHER.match(line, at)
        last = output.rstrip().rsplit("\n", 1)[-1].strip()
        told = [words[2].strip(), words[4].strip()] if words else []
        return told.index(last) if last and told.count(last) == 1 else None
    echo = _ECHO_STATUS.match(line, at) if mark == ";" else None
    if echo is None:
        return None
    label = echo[1].strip("\"'")
    found = re.findall(rf"(?m)^{re.escape(label)}(\d{{1,3}})\b", output[-2000:])
    return int(found[-1]) if found else None


def _later_hides(line: str, end: int, mark: str) -> bool:
    """Whether the line goes on behind a chain of `&&`, so that its status is another's."""
    return mark == "&&" and bool(re.search(r"[;\n]\s*\S", _QUOTED.sub("q", line[end:])))


_QUOTED = re2.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")


def _counts(command: Command) -> bool:
    return command.name not in QUIET and command.name not in READERS and not command.piped


def _piped(parts: Sequence[LinePart], at: int) -> Iterator[LinePart]:
    for other in parts[at + 1 :]:
        if not other.shown.piped:
            return
        yield other
