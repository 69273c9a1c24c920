"""Transcripts that hooks queued: a line each, kept until a run has taken them in."""

import fcntl
import json
import os
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cairn.resources.home.atomic_files import append_lines
from cairn.resources.home.home import Home, check_namespace
from cairn.resources.home.sources import SourceError, add_source, list_sources

QUEUE, TAKEN = "queue.jsonl", "queue.taken.jsonl"
SESSION_DAYS = 14
"""Days that is kept what a session was offered."""


@dataclass(frozen=True)
class QueuedTranscripts:
    """What waits, and the file that it stands in."""

    home: Home
    entries: list[tuple[str, Path]]
    """Namespace and path of each transcript, each once, in order."""
    read: int
    """Bytes that were read of the file."""

    def register(self) -> list[str]:
        """Makes each a source, unless one holds it already; gives why some cannot be one."""
        wrong: list[str] = []
        known = {(one.namespace, Path(one.path)) for one in list_sources(self.home)}
        for namespace, transcript in self.entries:
            # Claude Code keeps what sub-agents said in a folder beside the transcript.
            for path in (transcript, transcript.with_suffix("")):
                within = ((namespace, each) for each in (path, *path.parents))
                if not known.isdisjoint(within) or (path != transcript and not path.is_dir()):
                    continue
                try:
                    add_source(self.home, path, namespace)
                    known.add((namespace, path))
                except (SourceError, ValueError) as error:
                    wrong.append(str(error))
        return wrong

    def done(self) -> None:
        """Takes them from the queue; what came meanwhile stays."""
        taken = self.home.hooks / TAKEN
        with suppress(FileNotFoundError):
            rest = taken.read_bytes()[self.read :]
            if rest.strip():
                append_lines(self.home.hooks / QUEUE, rest)
            taken.unlink()


def queued(home: Home) -> QueuedTranscripts | None:
    """What hooks queued; None if there is nothing. What an earlier run left counts first."""
    taken = home.hooks / TAKEN
    if not taken.exists():
        try:
            (home.hooks / QUEUE).rename(taken)
        except FileNotFoundError:
            return None
    content = taken.read_bytes()
    entries = [entry for line in content.split(b"\n") if (entry := _entry(line))]
    return QueuedTranscripts(home, list(dict.fromkeys(entries)), len(content))


def forget_sessions(home: Home) -> int:
    """Drops what sessions were offered that were offered nothing for SESSION_DAYS; gives how many.

    It is what keeps a piece from being said twice in a session; the inbox has all offers.
    """
    since = time.time() - SESSION_DAYS * 86_400
    old = [file for file in (home.hooks / "sessions").glob("*") if file.stat().st_mtime < since]
    for file in old:
        file.unlink(missing_ok=True)
    return len(old)


def _entry(line: bytes) -> tuple[str, Path] | None:
    """What a line says; None for what a crash left of one."""
    try:
        read: Any = json.loads(line)
        return check_namespace(read["namespace"]), Path(read["path"])
    except (ValueError, KeyError, TypeError):
        return None


@contextmanager
def intake_lock(home: Home, *, inherited: bool = False) -> Generator[bool]:
    """One intake at a time, whoever starts it; gives whether this is the one.

    Args:
        home: Whose.
        inherited: Whether the process that started this one left it the lock.
    """
    home.hooks.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(home.hooks / "intake.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not inherited:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
        yield True
    finally:
        os.close(descriptor)
