"""Namespaces in which nothing was pending, and how they stood then: they need not be read again.

What is pending of what was taken in follows from tables, manifest, index and what is in force.
Where none of it changed since a look that found nothing, the next look finds nothing: it takes 3
milliseconds, for 400, of each of the others beside the namespace that somebody works on.
"""

from contextlib import suppress

from cairn.assets.pending.in_force import in_force
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.tables import TABLES
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import forgetting
from cairn.resources.home.atomic_files import read_regular, replace_file
from cairn.resources.retraction_guard import bounds
from cairn.resources.warehouse.delta import last_commit
from cairn.resources.warehouse.publication import blocked_namespaces

FOLDER = "settled"
"""Of the home, with a file per namespace."""


def stands(state: State) -> str | None:
    """How a namespace stands; None where files of this home do not tell it, or something waits.

    A language model is asked when conversations come to rest, which is a matter of time.
    """
    settings, home, name = state.settings, state.home, state.own
    if settings.model or not settings.is_local:
        return None
    if name in blocked_namespaces(home) or name in forgetting(home):
        return None
    folders = filter(None, map(state.warehouse.folder, TABLES.values()))
    parts = [str(commit and commit[1:]) for commit in map(last_commit, folders)]
    with suppress(FileNotFoundError):
        found = (home.publication / f"{name}.json").stat()
        parts.append(f"{found.st_ino} {found.st_mtime_ns}")
        parts += sorted(place.name for place in (home.index / name).iterdir())
    policy = state.policy
    rules = [f"{each.name}={each.fingerprint(policy)}" for each in in_force(settings)]
    return digest(*parts, str(bounds(state)), *rules)


def is_settled(state: State, standing: str | None) -> bool:
    """Whether a namespace stands as it did when nothing was pending."""
    with suppress(OSError):
        return standing is not None and (
            read_regular(state.home.root / FOLDER / state.own) == standing.encode()
        )
    return False


def note_settled(state: State, standing: str | None) -> None:
    """Notes that nothing was pending in a namespace that stood so."""
    if standing is None or state.home.read_only:
        return
    folder = state.home.root / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    replace_file(folder / state.own, standing.encode())
