"""Lines of a brief on how the tasks of a project are done: each command once, the best first."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import polars as pl

from cairn.knowledge.practices.briefs.line import PRACTICE, BriefLine, short
from cairn.knowledge.practices.installs import FAMILIES
from cairn.knowledge.practices.practices import in_environment, is_variant
from cairn.knowledge.practices.stable_form import PACKAGE_FOLDERS, PICKS_PACKAGE
from cairn.knowledge.practices.tasks import TASKS

MOST_COMMANDS = 5
"""Commands of one task: those that are in force."""

MOST_OTHERS = 4
"""Other packages or folders that are named beside a command."""

FIRST_PRACTICES = 6
"""Lines that have room before any other kind has more."""

CHECKS = frozenset({"test", "lint", "format", "type_check", "build"})
"""Tasks that work is checked by: a command for one is told though it ran in one conversation."""

_PROVEN = 2
"""Conversations that ran a command that is proven."""

_USUAL = 20
"""Conversations that ran a command, beside which one that was run in a single one is a stray."""

_MOST_WORDS = 9
"""Words of a command that one conversation ran: a longer one was put together for the moment."""

_FILE = re.compile(r"\.(?:py|[cm]?[jt]sx?|go|rs|rb|sh|c|cc|cpp)$")
_READS_FILE = re.compile(r"(?:^|/)(?:python[\d.]*|node|ruby|php|perl|bash|sh|tsx|deno|bun|run)$")

_PICKS = rf"(?:{'|'.join(sorted(PICKS_PACKAGE))})[ =]"
_PART = rf"^(?:[^-]|-[^-]|--\S)*(?:<files>| (?:\./)?{PACKAGE_FOLDERS}| {_PICKS})"
"""That a command does some files or one package; what a wrapper runs tells what that needs."""

_PACKAGE = re.compile(rf"(?<= )((?:{_PICKS}|workspace )(?=\S)|(?=(?:\./)?{PACKAGE_FOLDERS}))(\S+)")
"""What says of which package a command is: an option and a name, or its folder."""

_STARTED = re.compile(
    r"^(?:npx|bunx|pnpm exec|pnpm dlx|yarn dlx|yarn exec|bun x|npm exec)(?: --?\w[\w-]*)* "
    r"(?=[\w@])|^(?:\./)?node_modules/\.bin/|^\./"
)
_AT_ONCE = re.compile(r" (?:-j ?\d*|--jobs[= ]\d+)(?= |$)")
_SHOWN_AS = re.compile(
    r" (?:(?:-f|--format|--reporter|--output-format)[= ]\S+|--verbose|--silent|--quiet"
    r"|--color\S*|--no-color)(?= |$)"
)
"""How a command shows what it finds, which does not change what it does."""
_SCRIPT = re.compile(r"^(npm|pnpm|yarn) run(?:-script)? (?=[\w:.-]+)")
_ONLY_BY_RUN = re.compile(r"^npm (?!test\b|start\b|stop\b|restart\b)")
TASK_ORDER = {task: place for place, task in enumerate(TASKS)}


class _ToldCommand(NamedTuple):
    """A line to be: the row that it tells, and of others alike what sets them apart."""

    row: dict[str, Any]
    form: str
    """The command without the name of its package."""
    packages: list[str]
    """Its own first, if it is of one."""
    folders: list[str]


def practice_lines(practices: pl.DataFrame, managers: Collection[str] = ()) -> Iterator[BriefLine]:
    """Commands in force, the best of each task first; those of several checkouts once.

    Of commands that are one but for how they are started the first is told: `npm run test` and
    `npm test`, `npx eslint` and `eslint`. Those that differ by their package or their folder alone
    are one line, which names the others behind the first. What one conversation ran is not told
    where it was put together for the moment; nor by itself, beside another command of its task,
    where it does a part of it; nor beside one that is usual in its folder.

    Args:
        practices: PRACTICES of one project, whatever its checkouts.
        managers: What its packages are managed by; installs by their rivals are not told.
    """
    rivals = [name for family in FAMILIES if set(family) & set(managers) for name in family]
    rival = pl.col("command").str.extract(r"^(\S+)").is_in(sorted(set(rivals) - set(managers))) & (
        pl.col("task") == "install"
    )
    once = pl.col("conversations") < _PROVEN
    for_the_moment = pl.col("command").map_elements(_is_for_the_moment, pl.Boolean)
    in_folder = pl.col("variant") & (pl.col("folder") != "")
    of_some = pl.col("command").str.contains(_PART)
    part = once & (in_folder | of_some)
    # Where more sessions run what does one package than what does all, that is how it is done.
    whole = pl.col("conversations").filter(~pl.col("variant")).max().over("task").fill_null(0)
    usual = of_some & (pl.col("conversations") > whole)
    elsewhere = once & (pl.len().over("task", "same") > 1) & (pl.col("folder") != "")
    usually = pl.col("conversations").filter(~of_some).max().over("task", "folder").fill_null(0)
    stray = once & ~of_some & (usually >= _USUAL)
    of_one = part | pl.col("folder").str.contains(rf"^{PACKAGE_FOLDERS}")
    rows = (
        practices.filter(pl.col("replaced_by").is_null(), ~rival)
        .group_by("task", "command", "folder")
        .agg(
            pl.col("practice_id", "env").sort_by("rank", "practice_id").first(),
            pl.col("rank").min(),
            pl.col("runs", "conversations").sum(),
            pl.col("last_seen").max(),
        )
        .filter(~(once & for_the_moment))
        .with_columns(
            variant=pl.col("command").map_elements(is_variant, pl.Boolean),
            same=pl.col("command").map_elements(as_started, pl.String),
        )
        .filter(~elsewhere, ~stray)
        .with_columns(aside=part & ~of_one.all().over("task"))
        .sort(
            "task", "aside", pl.col("variant") & ~usual, "conversations", "rank", "command",
            "folder", descending=[False, False, False, True, False, False, False],
        )
        .unique(["task", "folder", "same"], keep="first", maintain_order=True)
    )  # fmt: skip
    of_tasks: dict[str, list[_ToldCommand]] = {}
    for row in rows.iter_rows(named=True):
        of_task = of_tasks.setdefault(row["task"], [])
        form, package = of_package(row["command"])
        if not (_joined(of_task, row, form, package) or row["aside"]):
            of_task.append(_ToldCommand(row, form, [package] if package else [], []))
    tasks = sorted(of_tasks, key=lambda task: (TASK_ORDER.get(task, len(TASKS)), task))
    for place in range(MOST_COMMANDS):
        yield from (_line(of_tasks[task][place]) for task in tasks if place < len(of_tasks[task]))


def _joined(
    lines: Iterable[_ToldCommand], row: Mapping[str, Any], form: str, package: str | None
) -> bool:
    """Whether a command is one of these but for its package or its folder; noted there, if so."""
    for line in lines:
        head = line.row
        if package is not None and line.form == form and head["folder"] == row["folder"]:
            # A package is found without its scope, too.
            if _unscoped(package) not in map(_unscoped, line.packages):
                line.packages.append(package)
            return True
        if row["same"] == head["same"] and row["env"] == head["env"]:
            # What an option picks is found from any folder.
            if package is None and not row["aside"]:
                line.folders.append(row["folder"])
            return True
    return False


def of_package(command: str) -> tuple[str, str | None]:
    """A command without the name of its package, and that name; None where it is of no one."""
    found = list(_PACKAGE.finditer(command))
    if len(found) != 1:
        return command, None
    start, end = found[0].span(2)
    return f"{command[:start]}*{command[end:]}", found[0][2]


def _unscoped(package: str) -> str:
    return package.rpartition("/")[2] if package.startswith("@") else package


def _line(told: _ToldCommand) -> BriefLine:
    row = told.row
    others = [folder or "." for folder in told.folders[:MOST_OTHERS]]
    notes: list[str] = []
    if row["folder"]:
        notes.append("in " + ", ".join([row["folder"], *others]))
    elif others:
        notes.append("also in " + ", ".join(others))
    if others := told.packages[1 : MOST_OTHERS + 1]:
        notes.append("also for " + ", ".join(others))
    where = f" ({'; '.join(notes)})" if notes else ""
    command = in_environment(row["command"], row["env"])
    return BriefLine(
        row["practice_id"], PRACTICE, short(f"{row['task']}: `{command}`{where}"),
        row["runs"], row["conversations"], row["last_seen"],
    )  # fmt: skip


def _is_for_the_moment(command: str) -> bool:
    """Whether a command is longer than one is typed twice, or is given a file of the code."""
    words = command.rpartition(" -- ")[2].split()
    return len(words) > _MOST_WORDS or any(
        _FILE.search(word) and not _READS_FILE.search(words[at - 1])
        for at, word in enumerate(words)
        if at > 1
    )


def as_started(command: str) -> str:
    """A command without what only starts it; equal for those that are one."""
    plain = _SHOWN_AS.sub("", _AT_ONCE.sub("", _STARTED.sub("", command)))
    bare = _SCRIPT.sub(r"\1 ", plain)
    return plain if _ONLY_BY_RUN.match(bare) else bare


def by_proof(practices: list[BriefLine]) -> tuple[list[BriefLine], list[BriefLine]]:
    """The first practices with all that check or came again, and others that ran once."""
    more = [
        line
        for line in practices[FIRST_PRACTICES:]
        if line.conversations < _PROVEN and line.text.partition(":")[0] not in CHECKS
    ]
    return [line for line in practices if line not in more], more
