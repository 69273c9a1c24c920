"""How a home and its sources stood when nothing was pending: by it the next run knows at once.

All that decides what is pending lies in files: code, settings, sources, inbox, tables, index. Where
none has another size or time than at the last look, what that look found still holds. Whatever
differs, a run looks properly: a wrong "nothing new" is worse than a slow one.
"""

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from stat import S_ISREG
from typing import Any, NamedTuple, TypeVar

from cairn.resources.home.atomic_files import replace_file
from cairn.resources.home.file_times import digest_of_lines, stands, within
from cairn.resources.home.home import PACKAGE, Home
from cairn.resources.home.log_files import LogFile
from cairn.resources.home.notes import NoteError, read_note
from cairn.resources.home.seals import digest_of
from cairn.resources.home.sources import files_there

FILE = "nothing_new.json"

# What is written beside all work, and decides nothing.
_PASSED_OVER = frozenset(
    {
        FILE,
        "write.lock",
        "write.lock.next",
        "locks",
        "notes.lock",
        "daemon.lock",
        "watch.lock",
        "usage",
        "hooks",
        "logs",
        "sensor_alive",
        "settled",
    }
)

# What a run makes or notes, and what sources there are, which is told of each namespace.
_FOLLOWS = frozenset(
    {
        "dagster",
        "lookup",
        "nights",
        "publication",
        "run_times.jsonl",
        "sources.copy.json",
        "sources.json",
        "vectors",
        "verified",
    }
)

One = TypeVar("One")


@dataclass(frozen=True)
class IndexLook:
    """The index of a namespace: loading it touches files, but not what they hold."""

    times: str
    content: str


@dataclass(frozen=True)
class Look:
    """How all of it stood, as digests."""

    code: str
    """The code, and the settings."""
    home: Mapping[str, str]
    """What is in the home but for what follows, by name."""
    tables: Mapping[str, str]
    """Those of each namespace, with its manifest and inbox."""
    sources: Mapping[str, str]
    """The watched logs of each namespace."""
    bytes: int
    """Size of all watched logs."""
    index: Mapping[str, IndexLook]


@dataclass(frozen=True)
class NothingNew:
    """What a run found that had nothing to do; numbers alone, no text of logs."""

    look: Look
    plugins: Sequence[str]
    """Files of code that is not ours and decides, too."""
    until: float | None
    """Seconds since 1970, from which on something may be pending by the time alone."""
    planned: Mapping[str, Any]
    """The plan of a run without input."""
    totals: Sequence[Mapping[str, Any]]
    """Of each namespace, what there is."""
    refused: int
    """Files that were refused."""
    earlier_answers: int
    """Units that rest on answers to an earlier prompt."""


def look(
    home: Home,
    plugins: Sequence[str] = (),
    before: Look | None = None,
    untouched: Collection[str] = (),
) -> Look:
    """How a home, its sources, the settings and the code stand; reads nothing but the index.

    Of that only what was touched since `before`, as its engine touches what it loads. Of
    namespaces that nobody touched since `before` it is told as it was then: if somebody did, the
    next look finds it changed.
    """
    tables, index = (before.tables, before.index) if before else ({}, {})
    folders = (each for each in home.warehouse.iterdir() if each.is_dir() and not each.is_symlink())
    logs = list(files_there(home))
    return Look(
        digest_of_lines(chain(_surroundings(home), _code(plugins))),
        _home(home),
        _looked_at(
            folders, tables, untouched, lambda place: digest_of_lines(_namespace(home, place))
        ),
        _sources(logs),
        sum(log.size for log in logs),
        _looked_at(
            home.index.iterdir(),
            index,
            untouched,
            lambda place: _index(place, index.get(place.name)),
        ),
    )


def _looked_at(
    places: Iterable[Path],
    then: Mapping[str, One],
    untouched: Collection[str],
    look_at: Callable[[Path], One],
) -> dict[str, One]:
    """How the places of namespaces stand, by name."""
    return {
        place.name: then[place.name]
        if place.name in untouched and place.name in then
        else look_at(place)
        for place in sorted(places)
    }


class Since(NamedTuple):
    """What did not change since the last run that left nothing to do."""

    is_sound: bool
    """Whether the home is as that run left it, so that nothing in it was damaged since."""
    sound: frozenset[str]
    """Namespaces whose tables and index are as that run left them."""
    quiet: frozenset[str]
    """Those of them of which nothing that decides changed: nothing is pending there."""
    totals: Mapping[str, Mapping[str, Any]]
    """What there is of each of the sound ones."""
    refused: int
    """Files that were refused by then, in all."""
    new_bytes: int | None
    """By how much the logs grew, or how large they are in a home that has nothing yet; None if old
    ones may be read anew, as where the code is another one."""
    found: NothingNew | None
    """What that run found, if that holds still: nothing is pending."""


def since_last_run(home: Home) -> Since:
    """What still holds of what the last run found."""
    try:
        noted = read_note(home.root / FILE, NothingNew)
        now = look(home, noted.plugins, noted.look)
    except Exception:  # whatever is wrong, a run that looks properly tells
        none = frozenset[str]()
        return Since(
            is_sound=False, sound=none, quiet=none, totals={}, refused=0,
            new_bytes=_bytes_of_new(home), found=None,
        )  # fmt: skip
    sound = unchanged(noted.look, now)
    totals = {str(one["namespace"]): one for one in noted.totals if one["namespace"] in sound}
    same_code = noted.look.code == now.code
    is_sound = same_code and noted.look.home == now.home and _content(noted.look) == _content(now)
    on_time = noted.until is None or time.time() < noted.until
    holds = is_sound and on_time and noted.look.sources == now.sources
    new_bytes = now.bytes - noted.look.bytes if same_code else None
    quiet = frozenset[str]()
    if same_code and noted.until is None and _decides(noted.look) == _decides(now):
        then = noted.look.sources
        quiet = frozenset(name for name in sound if then.get(name) == now.sources.get(name))
    return Since(is_sound, sound, quiet, totals, noted.refused, new_bytes, noted if holds else None)


def _decides(seen: Look) -> dict[str, str]:
    """What is in the home and decides what is pending in any namespace."""
    return {name: one for name, one in seen.home.items() if name not in _FOLLOWS}


def _bytes_of_new(home: Home) -> int | None:
    """Size of the logs of a home that has no table yet; None of any other."""
    with suppress(Exception):  # as above
        if not home.has_tables:
            return sum(log.size for log in files_there(home))
    return None


def unchanged(before: Look, now: Look) -> frozenset[str]:
    """Namespaces whose tables, manifest, inbox and index stand as they did."""
    then = _content(before)
    return frozenset(name for name, one in _content(now).items() if then.get(name) == one)


def _content(seen: Look) -> dict[str, tuple[str | None, str | None]]:
    """Tables and index of each namespace."""
    index = {name: one.content for name, one in seen.index.items()}
    names = sorted({*seen.tables, *index})
    return {name: (seen.tables.get(name), index.get(name)) for name in names}


def note_nothing_new(home: Home, found: NothingNew) -> None:
    """Keeps what a run found."""
    replace_file(home.root / FILE, json.dumps(asdict(found)).encode(), 0o600)


def last_look(home: Home) -> Look | None:
    """The look that is kept, whether or not it holds still."""
    try:
        return read_note(home.root / FILE, NothingNew).look
    except (FileNotFoundError, NoteError):
        return None


def _surroundings(home: Home) -> Iterator[str]:
    """The settings, and Python with what is installed."""
    yield from (sys.version, str(os.geteuid()), *sys.path[1:])
    yield from (f"{name}={os.environ[name]}" for name in sorted(os.environ) if _sets(name))
    for toml in (Path.cwd() / "cairn.toml", home.root / "cairn.toml"):
        yield toml.read_text() if toml.exists() else ""
    for place in sys.path[1:]:
        if place.endswith("-packages") and Path(place).is_dir():
            installed = (entry for entry in os.scandir(place) if entry.name.endswith("-info"))
            yield from sorted(f"{entry.name} {entry.stat().st_mtime_ns}" for entry in installed)


def _sets(name: str) -> bool:
    return name.startswith("CAIRN_") and name != "CAIRN_HOME"


def _code(plugins: Iterable[str]) -> Iterator[str]:
    for folder, inner, names in os.walk(PACKAGE, followlinks=True):
        inner[:] = sorted(name for name in inner if name != "__pycache__")
        yield from (stands(f"{folder}/{name}") for name in sorted(names))
    yield from map(stands, plugins)


def _home(home: Home) -> dict[str, str]:
    """Every file of a home but those of tables, of the index, and those that decide nothing."""
    found = {"": digest_of_lines([f"{home.root} {home.root.stat().st_mode}"])}
    for entry in home.root.iterdir():
        if entry.name in _PASSED_OVER:
            continue
        if entry in (home.index, home.warehouse):
            lines = [f"{entry} {entry.lstat().st_mode}"]
        else:
            lines = within(entry) if entry.is_dir() else [stands(str(entry))]
        found[entry.name] = digest_of_lines(lines)
    return found


def _namespace(home: Home, tables: Path) -> Iterator[str]:
    """Tables, manifest and inbox of a namespace."""
    yield from chain(within(tables), within(home.inbox / tables.name))
    with suppress(FileNotFoundError):
        yield stands(str(home.publication / f"{tables.name}.json"))


def _sources(logs: Iterable[LogFile]) -> dict[str, str]:
    lines = defaultdict[str, list[str]](list)
    for file in logs:
        lines[file.namespace].append(f"{file.name} {file.timezone} {file.size} {file.modified_ns}")
    return {name: digest_of_lines(sorted(each)) for name, each in lines.items()}


def _index(place: Path, before: IndexLook | None) -> IndexLook:
    folders = [str(place)]
    files: list[str] = []
    for folder, inner, names in os.walk(place):
        folders += [f"{folder}/{name}" for name in inner]
        files += [f"{folder}/{name}" for name in names]
    times = digest_of_lines(map(stands, sorted(files)))
    if before is not None and before.times == times:
        return before
    modes = {path: os.lstat(path).st_mode for path in sorted((*folders, *files))}
    return IndexLook(
        times,
        digest_of_lines(
            f"{path} {mode} {digest_of(Path(path)) if S_ISREG(mode) else ''}"
            for path, mode in modes.items()
        ),
    )
