"""Tombstones of a home: their key, those that the inbox holds, and who is being forgotten."""

import os
import re
import secrets
from collections.abc import Generator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

import polars as pl

from cairn.knowledge.deletion.tombstones import (
    Tombstone,
    forgotten,
    line_forgotten,
    of_heads,
    tombstone_of,
)
from cairn.knowledge.ingest.adapter import Head
from cairn.knowledge.ingest.adapters import own_adapters
from cairn.resources.deletion.imported import WINDOW, imported_lines
from cairn.resources.home.atomic_files import read_regular, replace_file
from cairn.resources.home.damage import RUN, Damaged
from cairn.resources.home.home import Home, HomeError, check_namespace, check_writable
from cairn.resources.home.inbox import (
    AppendedEvent,
    append_event,
    blank_lines,
    drop_cut_imports,
    imports,
    lines_of,
    namespaces_of_inbox,
    rewrite_import,
)
from cairn.resources.home.log_files import windows
from cairn.resources.home.write_lock import notes_lock

MODE = 0o600
_KEY = re.compile(rb"[0-9a-f]{64}")
FORGETTING = "forgetting"
"""File of the namespaces whose older generations and manifests still hold what is forgotten."""


def make_key(home: Home) -> bytes:
    """The secret of the home's tombstones, made at the first; part of the backup set."""
    check_writable(home)
    try:
        descriptor = os.open(home.forget_key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, MODE)
    except FileExistsError:
        return _key(home)
    os.close(descriptor)
    replace_file(home.forget_key, secrets.token_hex(32).encode(), MODE)
    return _key(home)


def _key(home: Home) -> bytes:
    try:
        key = read_regular(home.forget_key)
    except FileNotFoundError:
        raise
    except OSError:
        key = b""
    if not _KEY.fullmatch(key):
        raise HomeError(
            f"{home.forget_key} holds no key: put the one of a backup in its place; what was"
            " forgotten is told by it"
        )
    return key


def key_of(home: Home, tombstones: list[Tombstone]) -> bytes | None:
    """The secret by which these tombstones are read; None if they have no digests.

    Raises:
        HomeError: it is gone. Without it what was forgotten would come back.
    """
    if not any(one.digests for one in tombstones):
        return None
    try:
        return _key(home)
    except FileNotFoundError:
        raise HomeError(
            f"{home.forget_key} is gone, and without it what was forgotten would come back: put the"
            " one of a backup in its place"
        ) from None


def note(home: Home, event: Mapping[str, object]) -> AppendedEvent:
    """Appends a tombstone to the inbox; the next run applies it."""
    # It has no text, and what looks like a secret in it are its digests.
    return append_event(home, event, redact=lambda text: (text, 0))


def tombstones(home: Home, namespace: str | None = None) -> dict[str, list[Tombstone]]:
    """The tombstones of each namespace that has any, or of one, as its inbox has them."""
    found: dict[str, list[Tombstone]] = {}
    for name in namespaces_of_inbox(home) if namespace is None else [namespace]:
        lines = lines_of(home, name, containing=b"tombstone")
        if own := [one for line in lines if (one := tombstone_of(line))]:
            found[name] = own
    return found


def forgets(home: Home, namespace: str, event_ids: Sequence[str], at: datetime) -> pl.Series:
    """Of ids of events, whether intake would drop a line that was written under them now.

    Raises:
        HomeError: as `key_of`.
    """
    own = tombstones(home, namespace).get(namespace, [])
    heads = [Head(None, False, event_id, at.isoformat()) for event_id in event_ids]
    return forgotten(of_heads(namespace, heads), own, key_of(home, own))


def clear_inbox(home: Home, namespace: str, own: list[Tombstone], key: bytes | None) -> int:
    """Takes what is forgotten out of a namespace's inbox, and of what it imported.

    Returns:
        How many lines that were.
    """
    forget = partial(_is_forgotten, namespace=namespace, own=own, key=key)
    gone = blank_lines(home, namespace, forget)
    drop_cut_imports(home, namespace)
    return gone + sum(_clear_import(namespace, file, own, key) for file in imports(home, namespace))


def _clear_import(namespace: str, file: Path, own: list[Tombstone], key: bytes | None) -> int:
    """Takes what is forgotten out of an import; gives how many lines that were.

    With all of a namespace go lines that are no records, too.
    """
    whole = any(one.until for one in own)
    gone: set[str | None] = set()
    count = 0

    def named(data: bytes) -> tuple[list[int], list[str | None]]:
        found = imported_lines(data, namespace)
        lost = forgotten(found.records, own, key)
        lines = [found.lines[row] for row in lost.arg_true()]
        refused = [line for line, _ in found.refused] if whole else []
        return [*lines, *refused], found.records.filter(lost)["native_id"].to_list()

    for window in windows(file, size=WINDOW):
        lines, ids = named(window.data)
        count += len(lines)
        gone.update(ids)
    if not count:
        return 0

    def kept() -> Generator[bytes]:
        for window in windows(file, size=WINDOW):
            lines = window.data.split(b"\n")
            for number in named(window.data)[0]:
                lines[number] = b""
            yield b"\n".join(lines)

    rewrite_import(file, kept(), lambda one: one not in gone)
    return count


def _is_forgotten(line: bytes, *, namespace: str, own: list[Tombstone], key: bytes | None) -> bool:
    if tombstone_of(line) is not None:
        return False
    try:
        head = own_adapters()["inbox"].head(line)
    except Exception:  # what a crash left of a line
        return any(one.until for one in own)
    return line_forgotten(namespace, head, own, key)


def forgetting(home: Home) -> set[str]:
    """Namespaces in which something was forgotten, and what is older is not yet dropped.

    Raises:
        Damaged: the list cannot be read.
    """
    file = home.root / FORGETTING
    try:
        return set(map(check_namespace, read_regular(file).decode().split()))
    except FileNotFoundError:
        return set()
    except (OSError, ValueError) as error:
        raise Damaged(f"{file} cannot be read: {RUN}") from error


def note_forgetting(home: Home, namespace: str, *, on: bool) -> None:
    """Notes that a namespace is one of these, or no more. Only under its write lock."""
    with notes_lock(home):
        noted = forgetting(home)
        wanted = noted | {check_namespace(namespace)} if on else noted - {namespace}
        if not wanted:
            (home.root / FORGETTING).unlink(missing_ok=True)
        elif wanted != noted:
            replace_file(home.root / FORGETTING, "\n".join(sorted(wanted)).encode())
