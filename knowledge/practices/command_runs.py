"""The commands that agents ran for a task of their project, and whether they passed."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import polars as pl
import re2

from cairn.knowledge.dialogue.errors import refused
from cairn.knowledge.dialogue.tool_calls import QUIET, READERS, ToolStep, steps
from cairn.knowledge.dialogue.turns import Turn, conversations, readable
from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.nlp.shell.order import Runs
from cairn.knowledge.nlp.shell.parser import PREFIXES, RUNNERS, SHELLS, Command, commands
from cairn.knowledge.nlp.shell.words import ShellWord
from cairn.knowledge.practices.checkouts import checkouts_of
from cairn.knowledge.practices.folders import Checkouts
from cairn.knowledge.practices.outcomes import TELLS_STATUS, Part, outcomes
from cairn.knowledge.practices.stable_form import stable
from cairn.knowledge.practices.tasks import SETUP, target_task, task_of
from cairn.knowledge.schema.tables import COMMAND_RUNS

EXTRACTOR = Extractor(
    "command_runs", "rule", 3,
    "Commands that were run for a task: stable form, folder, environment, and whether they passed.",
)  # fmt: skip

INTERPRETERS = frozenset({"python", "python3", "python2", "py", "pypy", "pypy3"})
_SCRIPT_RUNNERS = INTERPRETERS | {"node", "ruby", "perl", "php", "bun", "deno", *SHELLS}
_ECHO_STATUS = re.compile(r"\s*echo[ ]+([\"']?[^\"'$;|&\n]{0,40})\$\?")
_ENV = re.compile(r"\benv((?:[ ]+[A-Za-z_]\w*=[\w.,:+-]*)+)[ ]+$")
_ENTRIES = frozenset({"main", "app", "server", "index", "run"})
_SCRIPT_FILE = re.compile(r"\.(?:py|js|mjs|cjs|ts|rb|php|pl|sh|bash)$")
_LONGEST_LINE = 20_000
_NEXT = re.compile(
    r"(?:[ \t]|\\\n)*+((?:\d?(?:>>?|<|&>>?|>&)[ \t]*+[^\s;&|<>]++(?:[ \t]|\\\n)*+)*+)"
    r"(\|&|\|\|?|&&?|;|\n|\)|$)"
)
"""Redirections behind a command, and the mark that ends it."""
_MOST_COMMANDS = 100
_IN_FOLDER = frozenset({"make", "gmake", "git", "ninja", "pnpm", "yarn", "go"})
"""Programs that `-C FOLDER` sends to a folder."""
_LETS_END = frozenset({"tail", "tee", "cat", "sed", "awk", "less", "more", "tr", "sort"})
"""Filters after which the end of an output still stands at the end, or may."""
_FILE_TARGET = re.compile(r"(?<![0-9&>])1?>>?[ \t]*(?!&)|&>|\d?>[ \t]*/dev/null")
_HARMLESS_VALUE = re.compile(r"[\w.,:+-]{0,40}")
_SECRET_NAME = re.compile(r"(?i)token|secret|passw|pwd|key|auth|credential|cookie|session")
_OF_SHELL = frozenset(
    {"PATH", "HOME", "PWD", "SHELL", "USER", "TERM", "LANG", "LC_ALL", "TMPDIR", "IFS", "OLDPWD"}
)


def command_runs(raw_logs: pl.DataFrame) -> pl.DataFrame:
    """One row for each command that was run for a task, or sets something up.

    Args:
        raw_logs: Whole conversations; each is read by its own rows alone.

    Returns:
        The table COMMAND_RUNS.
    """
    turns = readable(raw_logs)
    heads = {
        (namespace, conversation): (day, source)
        for namespace, conversation, day, source in raw_logs.group_by(
            "namespace", "conversation_id"
        )
        .agg(pl.col("day").min(), pl.col("source").min())
        .iter_rows()
    }
    rows: list[dict[str, Any]] = []
    for namespace, conversation, said in conversations(turns):
        day, source = heads[namespace, conversation]
        head = {"namespace": namespace, "day": day, "conversation_id": conversation}
        rows += (
            {**head, **run._asdict(), "extractor": EXTRACTOR.label}
            for run in runs_of(said, tells_status=source in TELLS_STATUS)
        )
    return COMMAND_RUNS.frame(rows)


def runs_by(command_runs: pl.DataFrame, moment: datetime) -> pl.DataFrame:
    """COMMAND_RUNS as they were known at a moment: of what still ran, nothing told how it ended."""
    later = (pl.col("ended_at") > moment).fill_null(value=False)
    return command_runs.filter(
        (pl.col("occurred_at") <= moment).fill_null(value=True)
    ).with_columns(passed=pl.when(~later).then("passed"), ended_at=pl.when(~later).then("ended_at"))


class CommandRun(NamedTuple):
    """One command of a line that was run, as COMMAND_RUNS has it."""

    record_id: str
    place: int
    seq: int
    occurred_at: datetime | None
    ended_at: datetime | None
    project: str | None
    folder: str
    env: list[str]
    command: str
    task: str | None
    passed: bool | None


def runs_of(turns: Sequence[Turn], *, tells_status: bool = True) -> list[CommandRun]:
    """What was run for a task in one conversation, in the order of the calls."""
    made = steps(turns)
    checkouts = checkouts_of(turns, made)
    found: list[CommandRun] = []
    for step in made:
        if step.command and step.kind in ("run", "edit", "read"):
            found += _of_line(step, checkouts, tells_status=tells_status)
    return found


class _Ran(NamedTuple):
    """A command of a line: as typed, with what it starts; task None where it has none."""

    shown: Command
    words: tuple[ShellWord, ...]
    prefix: tuple[str, ...]
    task: str | None
    upto: int
    folder: str | None


def _of_line(step: ToolStep, checkouts: Checkouts, *, tells_status: bool) -> Iterator[CommandRun]:
    line = step.command
    if (
        len(line) > _LONGEST_LINE
        or len(commands(line)) > _MOST_COMMANDS
        or (step.result and refused(step.result.text))
    ):
        return
    inputs = step.call.input
    at = next((str(inputs[n]) for n in ("workdir", "cwd") if isinstance(inputs.get(n), str)), None)
    place = at or step.call.cwd or checkouts.project
    folder = checkouts.relative(place) if place else ""
    parts = list(_parts(line, folder, checkouts))
    if not any(part.task for part in parts):
        return
    background = inputs.get("run_in_background") is True
    output = None if step.result is None or background else step.result.text
    shapes = _shapes(line, parts, output or "")
    passed = outcomes(
        shapes,
        is_error=bool(step.result and step.result.is_error),
        output=output,
        tells_status=tells_status,
    )
    exported = _exported(line)
    for place, (part, outcome) in enumerate(zip(parts, passed, strict=True)):
        if part.task is None or part.folder is None:
            continue
        task = None if part.task == SETUP else part.task
        form = stable(part.words, task, part.upto, checkouts.relative)
        if form is None:
            continue
        yield CommandRun(
            step.call.record_id,
            place,
            step.call.seq,
            step.call.occurred_at,
            step.result.occurred_at if step.result else None,
            step.call.project,
            part.folder,
            _environment([*exported, *_given(line, part.shown)]),
            " ".join([*part.prefix, form]),
            task,
            outcome,
        )


def _parts(line: str, folder: str | None, checkouts: Checkouts) -> Iterator[_Ran]:
    """The commands of a line that stand for themselves, each with the folder it runs in."""
    found = [c for c in commands(line) if not c.doubtful and c.remote is None]
    at = 0
    while at < len(found):
        head = found[at]
        depth = len(head.via)
        outer = [name for name in head.via if name not in PREFIXES]
        at += 1
        if any(name not in SHELLS for name in outer) or {"xargs", "find"} & set(head.via):
            continue
        inner = []
        while at < len(found) and len(found[at].via) > depth and found[at].via[:depth] == head.via:
            inner.append(found[at])
            at += 1
        if head.name in SHELLS and inner:
            at -= len(inner)  # `bash -c '…'`: what it runs stands for itself
            continue
        if head.name in ("cd", "pushd"):
            to = head.args[0] if head.args else None
            plain = to is not None and not to.dynamic
            folder = checkouts.beside(folder, to.text) if to is not None and plain else None
            yield _Ran(head, head.words, (), None, 0, folder)
            continue
        yield _ran(head, inner, folder, checkouts)


def _ran(head: Command, inner: Sequence[Command], folder: str | None, checkouts: Checkouts) -> _Ran:
    prefix: tuple[str, ...] = ("sudo",) if "sudo" in head.via else ()
    words, shown = head.words, head
    if inner and (head.name in RUNNERS or head.name in ("docker", "docker-compose", "podman")):
        started = inner[0]
        before = head.words[: len(head.words) - len(started.words)]
        if not any(word.dynamic or word.text.startswith("/") for word in before):
            prefix = (*prefix, *(word.text for word in before))
            words, shown = started.words, head
    texts = [word.text for word in words]
    texts[0] = texts[0].replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".exe")
    told = _module_or_script(words, texts, checkouts) or task_of(texts)
    if told is None and words is not head.words:
        # `hatch run test:cov`: what it runs is a target of its own
        words, prefix = head.words, prefix[:1] if "sudo" in head.via else ()
        texts = [word.text for word in words]
        told = task_of(texts)
    if told is None and "/" in words[0].text and _is_own(words[0].text, checkouts):
        # A script of the project: ./scripts/run-tests.sh
        task = target_task(_SCRIPT_FILE.sub("", texts[0]))
        told = (task, 1) if task else None
    where = folder
    if told and texts[0] in _IN_FOLDER and "-C" in texts[1:-1]:
        at = texts.index("-C")
        to = words[at + 1]
        where = None if to.dynamic else checkouts.beside(folder, to.text)
        words = (*words[:at], *words[at + 2 :])
        told = (told[0], max(told[1] - 2 if told[1] > at else told[1], 1))
    return _Ran(shown, words, prefix, told[0] if told else None, told[1] if told else 0, where)


def _is_own(program: str, checkouts: Checkouts) -> bool:
    """Whether a program is called by its place in the repository."""
    if program.startswith(("/", "~")):
        return bool(checkouts.relative(program))
    return not program.startswith(("..", "$")) and "node_modules" not in program


def _module_or_script(
    words: Sequence[ShellWord], texts: Sequence[str], checkouts: Checkouts
) -> tuple[str, int] | None:
    """The task of `python -m pytest`, `python manage.py test`, `node build.js`, `bash test.sh`."""
    name = re.sub(r"[\d.]+$", "", texts[0])
    if name not in _SCRIPT_RUNNERS or len(texts) < 2:
        return None
    if "-m" in texts[:4] and name in INTERPRETERS:
        at = texts.index("-m") + 1
        told = task_of(texts[at:]) if at < len(texts) else None
        return (told[0], told[1] + at) if told else None
    if name in ("bun", "deno", "php") and task_of(texts) is not None:
        return None
    at = next((i for i, text in enumerate(texts) if i and not text.startswith("-")), 0)
    if not at or {"-c", "-e", "-n"} & set(texts[1:at]):
        return None
    script = words[at]
    stem = script.text.rsplit("/", 1)[-1]
    if script.dynamic or not _is_own(script.text, checkouts):
        return None
    if stem in ("manage.py", "artisan"):
        told = task_of([stem, *texts[at + 1 :]])
        return (told[0], told[1] + at) if told else None
    if not _SCRIPT_FILE.search(stem):
        return None
    bare = _SCRIPT_FILE.sub("", stem)
    task = "run" if bare in _ENTRIES else target_task(bare)
    return (task, at + 1) if task else None


def _shapes(line: str, parts: Sequence[_Ran], output: str) -> list[Part]:
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
        if mark.startswith("|") and mark != "||":
            filters = [other.shown.name for other in _piped(parts, at)]
            shown = shown and all(name in _LETS_END for name in filters)
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
                status=_printed(line, follows.end(), output) if follows and mark == ";" else None,
                target=part.words[part.upto - 1].text if part.upto else "",
                counts=_counts(command),
            )
        )
    return found


def _printed(line: str, at: int, output: str) -> int | None:
    """The status of a command that the one after it prints: `; echo "exit: $?"`."""
    echo = _ECHO_STATUS.match(line, at)
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


def _piped(parts: Sequence[_Ran], at: int) -> Iterator[_Ran]:
    for other in parts[at + 1 :]:
        if not other.shown.piped:
            return
        yield other


def _given(line: str, command: Command) -> list[str]:
    """Assignments before a command, those of `env` included."""
    given = [word.text for word in command.assignments]
    if "env" in command.via:
        start = max(command.words[0].start, 0)
        before = _ENV.search(line[max(start - 300, 0) : start])
        given += before[1].split() if before else []
    return given


def _exported(line: str) -> list[str]:
    return re.findall(r"(?:^|[;&\n]\s*)export\s+([A-Za-z_]\w*=[\w.,:+-]*)(?=\s*(?:[;&\n]|$))", line)


def _environment(assignments: Sequence[str]) -> list[str]:
    """Names with harmless values of what a command is run with; the name alone for others."""
    found: dict[str, str] = {}
    for text in assignments:
        name, _, value = text.partition("=")
        value = value.strip("\"'")
        if name in _OF_SHELL or "REDACTED" in text:
            continue
        harmless = _HARMLESS_VALUE.fullmatch(value) and not _SECRET_NAME.search(name)
        found[name] = f"{name}={value}" if harmless else name
    return [found[name] for name in sorted(found)]
