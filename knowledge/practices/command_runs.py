"""The commands that agents ran for a task of their project, and whether they passed."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

import polars as pl

from cairn.knowledge.dialogue.background import NOTICE, BackgroundEnd, ends, goes_on, told_ends
from cairn.knowledge.dialogue.edits import edits_of
from cairn.knowledge.dialogue.errors import refused
from cairn.knowledge.dialogue.outputs import TELLS_STATUS
from cairn.knowledge.dialogue.tool_calls import ToolStep, steps
from cairn.knowledge.dialogue.turns import Turn, conversations, heads, readable
from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.nlp.shell.parser import PREFIXES, RUNNERS, SHELLS, Command, commands
from cairn.knowledge.nlp.shell.words import ShellWord
from cairn.knowledge.practices.activations import Activation, activation
from cairn.knowledge.practices.briefs.line_shapes import LinePart, shapes
from cairn.knowledge.practices.installs import taken_back
from cairn.knowledge.practices.outcomes import outcomes
from cairn.knowledge.practices.places.checkouts import checkouts_of
from cairn.knowledge.practices.places.entered import ENTERS, EnteredFolders
from cairn.knowledge.practices.places.folders import Checkouts
from cairn.knowledge.practices.stable_form import narrows, stable
from cairn.knowledge.practices.tasks import SETUP, target_task, task_of
from cairn.knowledge.practices.wrappers import unwrap
from cairn.knowledge.schema.tables import COMMAND_RUNS

EXTRACTOR = Extractor(
    "command_runs", "rule", 12,
    "Commands that were run for a task: stable form, folder, environment, and whether they passed.",
)  # fmt: skip

INTERPRETERS = frozenset({"python", "python3", "python2", "py", "pypy", "pypy3"})
_SCRIPT_RUNNERS = INTERPRETERS | {"node", "ruby", "perl", "php", "bun", "deno", *SHELLS}
_ENV = re.compile(r"\benv((?:[ ]+[A-Za-z_]\w*=[\w.,:+-]*)+)[ ]+$")
_ENTRIES = frozenset({"main", "app", "server", "index", "run"})
_SCRIPT_FILE = re.compile(r"\.(?:py|js|mjs|cjs|ts|rb|php|pl|sh|bash)$")
_LEAVES = re.compile(
    r"(?:\s-o\s+|(?<![0-9&>])>\s*)(?:\./)?([\w-]+(?:\.(?:py|[cm]?js|ts|rb|sh|out|exe))?)(?=[\s;&|]|$)"
)
_SCRATCH = re.compile(r"^\./")
_POWERSHELL = re.compile(r"(?i)powershell|\bpwsh\b")
_LONGEST_LINE = 20_000
_MOST_COMMANDS = 100
_IN_FOLDER = frozenset({"make", "gmake", "git", "ninja", "pnpm", "yarn", "go"})
"""Programs that `-C FOLDER` sends to a folder."""
_HARMLESS_VALUE = re.compile(r"[\w.,:+-]{0,40}")
_SECRET_NAME = re.compile(r"(?i)token|secret|passw|pwd|key|auth|credential|cookie|session")
_OF_SHELL = frozenset(
    {"PATH", "HOME", "PWD", "SHELL", "USER", "TERM", "LANG", "LC_ALL", "TMPDIR", "IFS", "OLDPWD"}
)


def command_runs(raw_logs: pl.DataFrame) -> pl.DataFrame:
    """One row for each command that was run for a task, or sets something up.

    Each conversation is read by its own rows alone.
    """
    head = heads(raw_logs, EXTRACTOR.label)
    notices: defaultdict[tuple[str, str], list[tuple[str, datetime | None]]] = defaultdict(list)
    told = raw_logs.filter(pl.col("kind") == "message", pl.col("text").str.starts_with(NOTICE))
    for namespace, conversation, text, at in (
        told.sort("seq", "record_id")
        .select("namespace", "conversation_id", "text", "occurred_at")
        .iter_rows()
    ):
        notices[namespace, conversation].append((text, at))
    return COMMAND_RUNS.frame(
        head[namespace, conversation] | run._asdict()
        for namespace, conversation, said in conversations(readable(raw_logs))
        for run in runs_of(
            said,
            tells_status=head[namespace, conversation]["source"] in TELLS_STATUS,
            told=told_ends(notices[namespace, conversation]),
        )
    )


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
    narrowed: bool


def runs_of(
    turns: Sequence[Turn],
    *,
    tells_status: bool = True,
    told: Mapping[str, BackgroundEnd] = MappingProxyType({}),
) -> list[CommandRun]:
    """What was run for a task in one conversation, in the order of the calls.

    Args:
        turns: What may be read of it.
        tells_status: Whether its source says of each call whether it failed.
        told: How what ran in the background ended, as notices tell it.
    """
    made = steps(turns)
    checkouts = checkouts_of(turns, made)
    found: list[CommandRun] = []
    ended = ends(made, told)
    scratch: set[str] = set()
    for step in made:
        scratch |= _written(step, checkouts)
        if step.command and step.kind in ("run", "edit", "read"):
            later = ended.get(step.call.record_id)
            found += _of_line(step, checkouts, later, scratch, tells_status=tells_status)
    for at, told_at in taken_back(found, made, turns).items():
        run = found[at]
        known = [moment for moment in (run.ended_at, told_at) if moment is not None]
        found[at] = run._replace(passed=False, ended_at=max(known, default=None))
    return found


def _written(step: ToolStep, checkouts: Checkouts) -> set[str]:
    """Programs that a call leaves in a folder itself: compiled, printed or written there."""
    found = set(_LEAVES.findall(step.command[:_LONGEST_LINE]))
    if step.kind == "edit" and step.worked and len(step.files) == 1:
        place = checkouts.relative(step.files[0])
        told = step.result.text if step.result else ""
        if place and "/" not in place and any(new for _, new in edits_of(step.call.input, told)):
            found.add(place)
    return found


def _of_line(
    step: ToolStep,
    checkouts: Checkouts,
    later: BackgroundEnd | None,
    scratch: set[str],
    *,
    tells_status: bool,
) -> Iterator[CommandRun]:
    line = step.command
    parts = parts_of(step, checkouts)
    if not any(part.task for part in parts):
        return
    background = step.call.input.get("run_in_background") is True
    output = None if step.result is None or background else step.result.text
    if output is not None and goes_on(output):
        output = None
    at = step.result.occurred_at if step.result else None
    is_error = bool(step.result and step.result.is_error)
    if later is not None:
        output, at, is_error = later.output, later.at, later.status != 0
    shaped = shapes(line, parts, output or "")
    passed = outcomes(shaped, is_error=is_error, output=output, tells_status=tells_status)
    exported = _exported(line)
    active: Activation | None = None
    for place, (part, outcome) in enumerate(zip(parts, passed, strict=True)):
        active = activation(part, checkouts) or active
        if part.task is None or part.folder is None:
            continue
        task = None if part.task == SETUP else part.task
        form = stable(part.words, task, part.upto, checkouts.relative)
        if form is None:
            continue
        # Made on the spot: that it ran does not tell what is run here.
        on_the_spot = any(_SCRATCH.sub("", word.text) in scratch for word in part.words[:2])
        yield CommandRun(
            step.call.record_id,
            place,
            step.call.seq,
            step.call.occurred_at,
            at,
            step.call.project,
            part.folder,
            [
                *_environment([*exported, *_given(line, part.shown)]),
                *([active.told_from(part.folder)] if active else []),
            ],
            " ".join([*part.prefix, form]),
            task,
            None if on_the_spot else outcome,
            narrows(part.words, task, part.upto),
        )


def parts_of(step: ToolStep, checkouts: Checkouts) -> list[LinePart]:
    """The commands that a call ran, each with its folder; none if it was refused or is too long."""
    line = step.command
    if _POWERSHELL.search(step.call.tool_name or ""):
        # Its paths read as a shell's where the strokes are turned; its texts of many lines do not.
        line = line.replace("\\", "/")
        if "@'" in line or '@"' in line:
            return []
    if (
        len(line) > _LONGEST_LINE
        or len(commands(line)) > _MOST_COMMANDS
        or (step.result and refused(step.result.text))
    ):
        return []
    place = step.call.cwd or checkouts.project
    folder = checkouts.relative(place) if place else ""
    if step.folder:
        folder = checkouts.beside(folder, step.folder)
    printed = step.result.text if step.result else ""
    return list(_parts(line, EnteredFolders(folder, checkouts.beside, printed), checkouts))


def _parts(line: str, folders: EnteredFolders, checkouts: Checkouts) -> Iterator[LinePart]:
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
            folders.start_shell(head, inner[0])
        elif head.name in ENTERS:
            yield LinePart(head, head.words, (), None, 0, folders.enter(head))
        else:
            yield _ran(head, inner, folders.of(head), checkouts)


def _ran(
    head: Command, inner: Sequence[Command], folder: str | None, checkouts: Checkouts
) -> LinePart:
    prefix: tuple[str, ...] = ("sudo",) if "sudo" in head.via else ()
    shown = head
    wrapped = unwrap(head)
    if wrapped is not None:
        prefix, head, inner = (*prefix, *wrapped.front), wrapped.command, wrapped.inner
    words = head.words
    if inner and (head.name in RUNNERS or head.name in ("docker", "docker-compose", "podman")):
        started = inner[0]
        before = head.words[: len(head.words) - len(started.words)]
        if not any(word.dynamic or word.text.startswith("/") for word in before):
            prefix = (*prefix, *(word.text for word in before))
            words = words[len(before) :]
    texts = [word.text for word in words]
    texts[0] = texts[0].replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".exe")
    told = _module_or_script(words, texts, checkouts) or task_of(texts)
    if told is None and words is not head.words:
        # `hatch run test:cov`: what it runs is a target of its own
        words, prefix = head.words, prefix[: len(prefix) - (len(head.words) - len(words))]
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
    return LinePart(shown, words, prefix, told[0] if told else None, told[1] if told else 0, where)


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
