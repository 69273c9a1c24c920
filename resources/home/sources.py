"""Registered sources: what the sensor watches, for whom, and in which timezone."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from resources.home.atomic_files import replace_file
from resources.home.home import Home, check_namespace, check_writable
from resources.home.inbox import namespaces_of_inbox
from resources.home.log_files import LogFile, log_files


class SourceError(Exception):
    """A source cannot be registered or removed; the message says why."""


@dataclass(frozen=True, order=True)
class Source:
    """A file or folder with logs. `timezone` is that of its naive times."""

    path: str
    namespace: str
    timezone: str = "UTC"


def add_source(home: Home, path: Path, namespace: str, timezone: str = "UTC") -> Source:
    """Registers a file or folder; again with another timezone changes that.

    Raises:
        SourceError: it is not there, stands in the home, or overlaps one of another namespace.
        ValueError: the namespace cannot be one, or the timezone is unknown.
    """
    check_namespace(namespace)
    try:
        ZoneInfo(timezone)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"no such timezone: {timezone}") from None
    place = _absolute(path)
    if not place.exists():
        raise SourceError(f"source {place}: no such file or folder")
    if place.is_relative_to(home.root):
        raise SourceError(f"source {place}: lies in Cairn's own home")
    source = Source(str(place), namespace, timezone)
    known = list_sources(home)
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


def list_sources(home: Home) -> list[Source]:
    """Registered sources, sorted by path.

    Raises:
        SourceError: the list cannot be read.
    """
    try:
        return [Source(**fields) for fields in json.loads(home.sources.read_bytes())]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError) as error:
        raise SourceError(
            f"{home.sources} cannot be read: `cairn run` sets it aside, then register your sources"
            " again with `cairn run --source PATH`"
        ) from error


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


def remove_source(home: Home, path: Path) -> Source:
    """Takes a source off the list; what was read from it stays.

    Raises:
        SourceError: it is not registered.
    """
    place = str(_absolute(path))
    known = list_sources(home)
    for source in known:
        if source.path == place:
            _write(home, [other for other in known if other != source])
            return source
    raise SourceError(f"source {place}: not registered; `cairn sources` lists what is")


def _absolute(path: Path) -> Path:
    """The real place, so that two names of one folder are one source."""
    return path.expanduser().resolve()


def _write(home: Home, sources: list[Source]) -> None:
    check_writable(home)
    content = json.dumps([asdict(source) for source in sorted(sources)], indent=2)
    replace_file(home.sources, content.encode() + b"\n")
