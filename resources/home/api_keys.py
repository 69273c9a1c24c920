"""Keys of the HTTP API: each is for some namespaces, and kept as a digest alone."""

import hashlib
import hmac
import json
import secrets
import stat
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from cairn.resources.home.advice import command
from cairn.resources.home.atomic_files import replace_file
from cairn.resources.home.home import Home, check_namespace, check_writable
from cairn.resources.home.notes import NoteError, read_note

BEGINNING = "cairn_"
"""Of every key, so that whoever finds one knows what it opens."""

MODE = 0o600


class KeyListError(Exception):
    """The list of keys cannot be read or changed; the message says why and what to do."""


class OpenToOthers(KeyListError):  # noqa: N818 - what it is called where it is caught
    """Others than its owner can read or write the list."""


@dataclass(frozen=True)
class AccessKey:
    """What is kept of a key: never the key."""

    key_id: str
    name: str
    """What it is for, in its maker's words."""
    namespaces: tuple[str, ...]
    read_only: bool
    created_at: str
    sha256: str
    """Hex. The key is 256 random bits, which no one guesses: a slow digest would add nothing."""


def add_key(
    home: Home, namespaces: Sequence[str], *, read_only: bool = False, name: str = ""
) -> tuple[str, AccessKey]:
    """Makes a key. It is told this once, and cannot be had again.

    Raises:
        ValueError: no namespace is given, or one cannot be one.
        KeyListError: the list cannot be read.
    """
    if not namespaces:
        raise ValueError("a key is for one namespace at least")
    known = list_keys(home)
    secret = BEGINNING + secrets.token_urlsafe(32)
    sha256 = _sha256(secret)
    made = AccessKey(
        key_id=f"k_{sha256[:8]}",
        name=name,
        namespaces=tuple(sorted({check_namespace(each) for each in namespaces})),
        read_only=read_only,
        created_at=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        sha256=sha256,
    )
    _write(home, [*known, made])
    return secret, made


def remove_key(home: Home, key_id: str) -> AccessKey:
    """Takes a key off the list: from then on it opens nothing, in servers that run too.

    Raises:
        KeyListError: there is none with that id.
    """
    known = list_keys(home)
    for key in known:
        if key.key_id == key_id:
            _write(home, [other for other in known if other != key])
            return key
    raise KeyListError(f"no key has the id {key_id}; `cairn keys list` shows those there are")


def list_keys(home: Home) -> list[AccessKey]:
    """The keys there are, the oldest first.

    Raises:
        KeyListError: the list cannot be read, or can be by others.
    """
    try:
        mode = home.keys.stat().st_mode
    except FileNotFoundError:
        return []
    except OSError as error:
        raise KeyListError(f"{home.keys}: {error.strerror}") from error
    if stat.S_ISREG(mode) and mode & 0o077:
        raise OpenToOthers(
            f"{home.keys}: others can read or write it: {command('chmod', '600', home.keys)}"
        )
    try:
        return read_note(home.keys, list[AccessKey])
    except (FileNotFoundError, NoteError) as error:
        raise KeyListError(f"{home.keys}: no list of keys: mend or remove it") from error


class Keyring:
    """The keys of a home for a server: read again whenever the list was changed."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._seen: tuple[int, ...] | None = None
        self._keys: list[AccessKey] = []

    def keys(self) -> list[AccessKey]:
        """The keys as they are now.

        Raises:
            KeyListError: as `list_keys`.
        """
        seen = self._stamp()
        if seen != self._seen:
            self._keys = list_keys(self._home)
            self._seen = seen
        return self._keys

    def whose(self, secret: str) -> AccessKey | None:
        """What is kept of a key; None if it is none. Takes as long whichever key it is near.

        Raises:
            KeyListError: as `list_keys`.
        """
        given = _sha256(secret)
        same = [key for key in self.keys() if hmac.compare_digest(key.sha256, given)]
        return same[0] if same else None

    def _stamp(self) -> tuple[int, ...]:
        """Changes with the list: each change is a new file in the place of the old one."""
        try:
            about = self._home.keys.stat()
        except FileNotFoundError:
            return ()
        return about.st_ino, about.st_mtime_ns, about.st_size, about.st_mode


def _sha256(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _write(home: Home, keys: list[AccessKey]) -> None:
    check_writable(home)
    content = json.dumps([asdict(key) for key in keys], indent=2)
    replace_file(home.keys, content.encode() + b"\n", MODE)
