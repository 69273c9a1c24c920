"""Batches of questions that a provider was given, or may have been: a small file for each.

Written before it is submitted, so that a kill in between loses none without a word. It holds keys
of questions, never a text. What was asked, and of which records, stands where answers are kept, as
pending ones; so what is forgotten there is no part of a batch any more.
"""

import shutil
from contextlib import suppress
from pathlib import Path

import msgspec

from cairn.resources.home.atomic_files import replace_file
from cairn.resources.home.notes import NoteError, read_note

FOLDER = "batches"
"""Of the home, with a folder per namespace."""


class OpenBatch(msgspec.Struct, frozen=True):
    """One of them."""

    intent: str
    """Our own id, from before there was another."""
    namespace: str
    model: str
    base: str | None
    form: str
    """In which its answers were asked for."""
    keys: tuple[str, ...]
    held: float
    """Dollars that it may cost at most, as far as its price is known: no budget has them."""
    opened_at: str
    """ISO time, UTC."""
    again: bool = False
    """Whether somebody said that what an earlier prompt was answered may be asked again."""
    remote: str | None = None
    """The provider's id; None if it was not noted."""


class OpenBatches:
    """Those of a home."""

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER

    def of(self, namespace: str | None = None) -> list[OpenBatch]:
        """Those of a namespace, or of all, the oldest first. One that cannot be read is none."""
        found: list[OpenBatch] = []
        for file in self._folder.glob(f"{namespace or '*'}/*.json"):
            with suppress(FileNotFoundError, NoteError):
                found.append(read_note(file, OpenBatch))
        return sorted(found, key=lambda one: (one.opened_at, one.intent))

    def keep(self, batch: OpenBatch) -> None:
        """Keeps one, in place of what was kept of it."""
        file = self._file(batch)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(file, msgspec.json.encode(batch), 0o600)

    def close(self, batch: OpenBatch) -> None:
        """Keeps it no longer."""
        self._file(batch).unlink(missing_ok=True)

    def forget(self, namespace: str, kept: set[str] | None = None) -> None:
        """Leaves only those keys of a namespace that are `kept`; nothing of it if None."""
        if kept is None:
            shutil.rmtree(self._folder / namespace, ignore_errors=True)
            return
        for batch in self.of(namespace):
            left = tuple(key for key in batch.keys if key in kept)
            if left != batch.keys:
                self.keep(msgspec.structs.replace(batch, keys=left))

    def held(self, namespace: str | None = None) -> float:
        """Dollars that those of a namespace, or all, may cost."""
        return sum(batch.held for batch in self.of(namespace))

    def _file(self, batch: OpenBatch) -> Path:
        return self._folder / batch.namespace / f"{batch.intent}.json"
