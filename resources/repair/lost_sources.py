"""The list of sources where it is damaged, and how to register again what no copy of it tells."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from cairn.resources.home.advice import command
from cairn.resources.home.home import Home
from cairn.resources.home.log_files import on_disk
from cairn.resources.home.notes import NoteError
from cairn.resources.home.sources import LogSource, copied_sources, own_sources, salvaged_sources

AT_ONCE = 100
"""Sources that one command names: a shell takes only so many words."""


def damaged_lists(home: Home) -> dict[Path, str]:
    """What is wrong with the list of sources, and with its copy, where they are there."""
    found: dict[Path, str] = {}
    try:
        own_sources(home)
    except FileNotFoundError:
        if home.sources.is_symlink():
            found[home.sources] = "leads nowhere"
    except NoteError:
        found[home.sources] = "cannot be read"
    copy = home.sources_copy
    if (copy.is_symlink() or copy.exists()) and copied_sources(home) is None:
        found[copy] = "cannot be read"
    return found


def register_again(home: Home, read: Iterable[tuple[str, str]]) -> str:
    """What to do where neither the list nor its copy is left.

    Never a folder that was not registered: files of other namespaces may lie in it.
    """
    owners: dict[str, set[str]] = defaultdict(set)
    for namespace, path in read:
        owners[path].add(namespace)
    salvaged = [source for source in salvaged_sources(home) if _is_sure(source, owners)]
    wanted: dict[tuple[str, str | None], list[str]] = defaultdict(list)
    for source in salvaged:
        wanted[source.namespace, source.timezone].append(source.path)
    several: list[str] = []
    for path, names in sorted(owners.items()):
        if any(Path(path).is_relative_to(source.path) for source in salvaged):
            continue
        if not path.isprintable() or on_disk(path) != Path(path) or not Path(path).is_file():
            continue  # what is gone, or cannot be said, cannot be registered
        if len(names) > 1:
            several.append(f"{path} ({', '.join(sorted(names))})")
        else:
            wanted[min(names), None].append(path)
    parts = [*_commands(wanted)] or [command("cairn", "run", "--source", "PATH")]
    told = f"register again what is to be watched: {'; '.join(parts)}"
    if any(timezone is None for _, timezone in wanted):
        told += "; where times have no zone, with its --timezone; then the folders for new files"
    if several:
        told += f"; each for one namespace, as you know which: {', '.join(several[:AT_ONCE])}"
    return told


def _is_sure(source: LogSource, owners: dict[str, set[str]]) -> bool:
    """Whether what is left of a damaged list can be meant: no file in it was another's."""
    within = (names for path, names in owners.items() if Path(path).is_relative_to(source.path))
    return Path(source.path).exists() and all(names == {source.namespace} for names in within)


def _commands(wanted: dict[tuple[str, str | None], list[str]]) -> Iterator[str]:
    for (namespace, timezone), paths in sorted(wanted.items(), key=str):
        zone = ("--timezone", timezone) if timezone else ()
        for start in range(0, len(paths), AT_ONCE):
            some = sorted(paths)[start : start + AT_ONCE]
            named = (word for path in some for word in ("--source", path))
            yield command("cairn", "run", *named, "--namespace", namespace, *zone)
