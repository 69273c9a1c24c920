"""What readers follow: one manifest per namespace, replaced atomically, the last three kept."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path

import polars as pl

from cairn.knowledge.schema.tables import Table
from cairn.resources.home.atomic_files import replace_file
from cairn.resources.home.damage import RUN, Damaged
from cairn.resources.home.home import Home, check_namespace
from cairn.resources.home.notes import NoteError, read_note
from cairn.resources.home.write_lock import notes_lock
from cairn.resources.warehouse.warehouse import Warehouse

KEPT = 3
BLOCKED = "blocked.json"


@dataclass(frozen=True)
class Manifest:
    """A state of a namespace in which all tables and the index agree."""

    namespace: str
    generation: str | None
    """Generation of vectors; None if there is none yet."""
    tables: Mapping[str, int]
    """Delta version of each table."""
    watermark: datetime | None
    """Latest event; the default `as_of`."""
    published_at: datetime
    """When it was replaced, by the clock: shown, and used for nothing else."""
    last_input_at: datetime | None = None
    """When knowledge was ingested last, which is no event and ages nothing."""
    checked_by: str = ""
    """Fingerprint of the checks that it passed."""
    embedder: str = "wordllama"
    """The setting by whose model its vectors were made: what is asked is embedded by the same."""

    def same_content(self, other: "Manifest | None") -> bool:
        """Whether another manifest names the same, whenever and by what it was checked."""
        return other is not None and self == replace(
            other, published_at=self.published_at, checked_by=self.checked_by
        )


def publish(home: Home, manifest: Manifest) -> bool:
    """Makes a manifest the one that readers follow; the two before it are kept.

    Returns:
        Whether it differs from the one in force; the same content is not written again.

    Raises:
        ValueError: its namespace cannot be one.
    """
    kept = manifests(home, manifest.namespace)
    if kept and manifest.same_content(kept[0]):
        return False
    content = json.dumps(
        [asdict(each) for each in (manifest, *kept[: KEPT - 1])], default=datetime.isoformat
    )
    replace_file(_file(home, manifest.namespace), content.encode())
    return True


@dataclass(frozen=True)
class BlockedPublication:
    """Why a namespace was not published, and the versions of tables for which that was so."""

    reasons: Sequence[str]
    tables: Mapping[str, int]
    bounds: Mapping[str, float] = field(default_factory=dict[str, float])
    """Settings of what one publication may strike out."""


def blocked_namespaces(home: Home) -> dict[str, BlockedPublication]:
    """Namespaces whose readers keep what they had, since their invariants do not hold.

    A list that cannot be read counts as none: the next publication finds out again.
    """
    try:
        return read_blocked(home)
    except (FileNotFoundError, NoteError):
        return {}


def read_blocked(home: Home) -> dict[str, BlockedPublication]:
    """What is noted of namespaces that are blocked.

    Raises:
        FileNotFoundError: nothing is.
        NoteError: it cannot be read.
    """
    return read_note(home.root / BLOCKED, dict[str, BlockedPublication])


def block(home: Home, namespace: str, held: BlockedPublication | None) -> None:
    """Keeps that a namespace is blocked, and why; or that it is not. Under its write lock."""
    if held == blocked_namespaces(home).get(namespace):
        return
    with notes_lock(home):
        known = blocked_namespaces(home)
        every = {**known, namespace: held}
        content = {name: asdict(each) for name, each in every.items() if each is not None}
        replace_file(home.root / BLOCKED, json.dumps(content, indent=1, sort_keys=True).encode())


def published(home: Home, namespace: str) -> Manifest | None:
    """The manifest in force, or None if nothing is published yet."""
    return next(iter(manifests(home, namespace)), None)


def manifests(home: Home, namespace: str) -> list[Manifest]:
    """The manifests kept, the one in force first.

    Raises:
        Damaged: they cannot be read.
    """
    file = _file(home, namespace)
    try:
        found = read_note(file, list[Manifest])
    except FileNotFoundError:
        return []
    except NoteError as error:
        raise Damaged(f"manifest {file} cannot be read: {RUN}") from error
    if not found or not all(_may_be(each, namespace) for each in found):
        raise Damaged(f"manifest {file} is not as it was written: {RUN}")
    return found


def namespaces(home: Home) -> list[str]:
    """Namespaces in which something is published, sorted."""
    return sorted(path.stem for path in home.publication.glob("*.json"))


def versions_in_use(home: Home, namespace: str) -> dict[str, set[int]]:
    """Versions of each table that some manifest of a namespace names: vacuum keeps them."""
    used: dict[str, set[int]] = {}
    for manifest in manifests(home, namespace):
        for table, version in manifest.tables.items():
            used.setdefault(table, set()).add(version)
    return used


def generations_in_use(home: Home, namespace: str) -> set[str]:
    """Generations of vectors that some manifest of a namespace names: they stay."""
    return {each.generation for each in manifests(home, namespace) if each.generation}


def forget_others(home: Home, namespace: str) -> None:
    """Drops every manifest but the one in force, so that nothing older stays readable."""
    if kept := manifests(home, namespace):
        content = json.dumps([asdict(kept[0])], default=datetime.isoformat)
        replace_file(_file(home, namespace), content.encode())


def unpublish(home: Home, namespace: str) -> None:
    """Drops every manifest of a namespace: nothing of it is left to read."""
    _file(home, namespace).unlink(missing_ok=True)


def read_published(
    warehouse: Warehouse,
    manifest: Manifest,
    table: Table,
    *,
    columns: Sequence[str] | None = None,
) -> pl.LazyFrame:
    """Rows of the manifest's namespace in a table as it was published.

    A table that the manifest does not name is empty, even if it is there by now.
    """
    version = manifest.tables.get(table.name)
    if version is None:
        empty = table.empty().lazy()
        return empty if columns is None else empty.select(columns)
    return warehouse.read(table, namespace=manifest.namespace, columns=columns, version=version)


def _file(home: Home, namespace: str) -> Path:
    return home.publication / f"{check_namespace(namespace)}.json"


def _may_be(manifest: Manifest, namespace: str) -> bool:
    """Whether a manifest is one that was written for a namespace."""
    moments = (manifest.watermark, manifest.published_at, manifest.last_input_at)
    generation = manifest.generation
    return (
        manifest.namespace == namespace
        and all(each is None or each.tzinfo is not None for each in moments)
        and all(version >= 0 for version in manifest.tables.values())
        and (generation is None or (bool(generation) and Path(generation).name == generation))
    )
