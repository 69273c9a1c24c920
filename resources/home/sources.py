"""Registered sources: what the sensor watches, for whom, and in which timezone."""

import json
import os
import re
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec

from cairn.knowledge.schema.identity import digest
from cairn.resources.home.atomic_files import read_regular, replace_file
from cairn.resources.home.home import Home, check_namespace, check_writable
from cairn.resources.home.inbox import namespaces_of_inbox
from cairn.resources.home.log_files import LogFile, log_files
from cairn.resources.home.notes import NoteError, read_note

_ITEM = re.compile(r"\{[^{}]*\}")
"""One source in the text of a list that may be damaged."""


class SourceError(Exception):
    """A source cannot be registered or removed; the message says why."""


@dataclass(frozen=True, order=True)
class LogSource:
    """A file or folder with logs. `timezone` is that of its naive times."""

    path: str
    namespace: str
    timezone: str = "UTC"

    def __post_init__(self) -> None:
        """Refuses what cannot be a source.

        Raises:
            ValueError: the path is not absolute, or the namespace cannot be one.
        """
        check_namespace(self.namespace)
        if not Path(self.path).is_absolute() or "\0" in self.path:
            raise ValueError(f"source {self.path!r}: no absolute path")

    @property
    def is_gone(self) -> bool:
        """Whether nothing is there now: it was moved or deleted; what was read stays."""
        return not os.path.exists(self.path)  # noqa: PTH110  a folder above may be closed


@dataclass(frozen=True)
class _Copy:
    """The list once more, with its digest: which of two is whole can be told."""

    digest: str
    sources: list[LogSource]


def add_source(
    home: Home, path: Path, namespace: str, timezone: str | None = None, *, default: str = "UTC"
) -> LogSource:
    """Registers a file or folder; again with another timezone changes that.

    Args:
        home: Where.
        path: What.
        namespace: Whose logs it has.
        timezone: That of its naive times; none keeps the one that it is registered with.
        default: That of a new source for which none is told.

    Raises:
        SourceError: it is not there, stands in the home, or overlaps one of another namespace.
        ValueError: the namespace cannot be one, or the timezone is unknown.
    """
    place = _absolute(path)
    known = list_sources(home)
    if timezone is None:
        kept = (other.timezone for other in known if other.path == str(place))
        timezone = next(kept, default)
    try:
        ZoneInfo(timezone)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"no such timezone: {timezone}") from None
    source = LogSource(str(place), namespace, timezone)
    if not place.exists():
        raise SourceError(f"source {place}: no such file or folder")
    if place.is_relative_to(home.root):
        raise SourceError(f"source {place}: lies in Cairn's own home")
    for other in known:
        overlaps = place.is_relative_to(other.path) or Path(other.path).is_relative_to(place)
        if overlaps and other.namespace != namespace:
            raise SourceError(
                f"source {place}: {other.path} is registered for namespace {other.namespace};"
                " remove it first, since namespaces are never mixed"
            )
    if source not in known:
        _write(home, [*(other for other in known if other.path != source.path), source])
    return source


def list_sources(home: Home) -> list[LogSource]:
    """Registered sources, sorted by path; of a list that is gone or damaged, those of its copy.

    Raises:
        SourceError: neither can be read.
    """
    try:
        return own_sources(home)
    except FileNotFoundError:
        return copied_sources(home) or []
    except NoteError as error:
        if (copied := copied_sources(home)) is not None:
            return copied
        raise SourceError(
            f"{home.sources} cannot be read: `cairn doctor` says how your sources are registered"
            " again"
        ) from error


def own_sources(home: Home) -> list[LogSource]:
    """Registered sources, as the list itself has them.

    Raises:
        FileNotFoundError: there is none.
        NoteError: it cannot be read.
    """
    return read_note(home.sources, list[LogSource])


def copied_sources(home: Home) -> list[LogSource] | None:
    """Registered sources, as the copy of the list has them; None if there is none that is whole."""
    try:
        copied = read_note(home.sources_copy, _Copy)
    except (FileNotFoundError, NoteError):
        return None
    return copied.sources if copied.digest == _digest(copied.sources) else None


def keep_sources(home: Home) -> None:
    """Writes the list anew from its copy, or its copy from the list, where one is not as the other.

    The list is right where both can be read: a person may have changed it.
    """
    copied = copied_sources(home)
    try:
        listed = own_sources(home)
    except (FileNotFoundError, NoteError):
        listed = None
    known = copied if listed is None else listed
    if known is not None and (listed is None or copied != sorted(known)):
        _write(home, known)


def salvaged_sources(home: Home) -> list[LogSource]:
    """Those sources that can still be read of a list that cannot, and of its copy."""
    found: set[LogSource] = set()
    for file in (home.sources, home.sources_copy):
        try:
            text = read_regular(file).decode(errors="replace")
        except OSError:
            continue
        for part in _ITEM.findall(text):
            with suppress(ValueError, RecursionError):
                found.add(msgspec.convert(json.loads(part), LogSource))
    return sorted(source for source in found if "\ufffd" not in source.path)


def files_there(home: Home, namespace: str | None = None) -> list[LogFile]:
    """Files of the registered sources and of the inbox, of one namespace or of all; each once."""
    found = {
        (file.namespace, file.path): file
        for source in list_sources(home)
        if namespace in (None, source.namespace)
        for file in log_files(Path(source.path), source.namespace, source.timezone)
    }
    for owner in namespaces_of_inbox(home):
        if namespace in (None, owner):
            for file in log_files(home.inbox / owner, owner, "UTC"):
                found[owner, file.path] = file
    return list(found.values())


def remove_source(home: Home, path: Path) -> LogSource:
    """Takes a source off the list; what was read from it stays.

    Raises:
        SourceError: it is not registered.
    """
    known = list_sources(home)
    # As it is listed: what was a folder then may be a link by now.
    places = (str(path.absolute()), str(_absolute(path)))
    found = next((one for place in places for one in known if one.path == place), None)
    if found is None:
        raise SourceError(f"source {places[-1]}: not registered; `cairn sources` lists what is")
    _write(home, [other for other in known if other != found])
    return found


def _absolute(path: Path) -> Path:
    """The real place, so that two names of one folder are one source.

    Raises:
        SourceError: it begins with `~` and the name of nobody.
    """
    try:
        return path.expanduser().resolve()
    except RuntimeError:
        raise SourceError(f"source {path}: nobody here has that name") from None


def _write(home: Home, sources: list[LogSource]) -> None:
    check_writable(home)
    sources = sorted(sources)
    for file, content in (
        (home.sources, [asdict(source) for source in sources]),
        (home.sources_copy, asdict(_Copy(_digest(sources), sources))),
    ):
        replace_file(file, json.dumps(content, indent=2).encode() + b"\n")


def _digest(sources: list[LogSource]) -> str:
    return digest(*(json.dumps(asdict(source), sort_keys=True) for source in sources))
