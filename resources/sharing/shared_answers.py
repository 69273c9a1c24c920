"""Answers of language models, between homes that share a namespace: asked and paid once.

Each home writes what it was answered, and what it paid, into a file per month, which goes with the
snapshots; and takes over what stands in those of others.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from cairn.resources.home.atomic_files import replace_file
from cairn.resources.llm.answer_cache import Answers, CachedAnswer, Call, PaidCall

MODE = 0o600


@dataclass(frozen=True)
class SharedAnswers:
    """Those of one namespace; a folder for each home."""

    answers: Answers
    namespace: str
    folder: Path
    home_id: str

    def write(self) -> None:
        """Makes the files of this home what it was answered and paid; one that is so already stays.

        What is forgotten is in none then.
        """
        theirs = {one.key for file in self._theirs() for one, _ in _read(file)[0]}
        lines = [
            (one.made_at[:7], {"answer": one._asdict(), "records": records})
            for one, records in self.answers.kept(self.namespace)
            if one.key not in theirs
        ]
        lines += [
            (one.call.called_at[:7], {"call": one.call._asdict(), "call_id": one.call_id})
            for one in self.answers.own_calls(self.namespace)
        ]
        own = self.folder / self.home_id
        written: set[str] = set()
        lines.sort(key=lambda line: line[0])
        for month, rows in groupby(lines, key=lambda line: line[0]):
            content = "".join(json.dumps(row, sort_keys=True) + "\n" for _, row in rows).encode()
            file = own / f"{month}.jsonl"
            written.add(file.name)
            if not file.exists() or file.read_bytes() != content:
                own.mkdir(mode=0o700, parents=True, exist_ok=True)
                replace_file(file, content, MODE)
        for file in own.glob("*.jsonl"):
            if file.name not in written:
                file.unlink()

    def take_over(self) -> None:
        """Takes over what others were answered and paid, from files that changed since."""
        note = self.folder.with_name("taken_over.json")
        known: dict[str, list[int]] = {}
        with suppress(OSError, ValueError):  # without it, they are taken over once more
            known = dict(json.loads(note.read_bytes()))
        now = {f"{file.parent.name}/{file.name}": _stands(file) for file in self._theirs()}
        if now == known:
            return
        for name in [name for name, stands in now.items() if known.get(name) != stands]:
            answers, calls = _read(self.folder / name)
            self.answers.take_over(name.partition("/")[0], answers, calls)
        replace_file(note, json.dumps(now).encode(), MODE)

    def forget(self) -> None:
        """Takes answers that are not here any more out of the files of others."""
        for file in self._theirs():
            lines = file.read_bytes().split(b"\n")
            keys = [_key(line) for line in lines]
            here = self.answers.read(filter(None, keys))
            kept = [line for line, key in zip(lines, keys, strict=True) if key in {None, *here}]
            if kept != lines:
                replace_file(file, b"\n".join(kept), MODE)

    def _theirs(self) -> Iterator[Path]:
        found = sorted(self.folder.glob("*/*.jsonl"))
        return (file for file in found if file.parent.name != self.home_id)


def _stands(file: Path) -> list[int]:
    about = file.stat()
    return [about.st_size, about.st_mtime_ns]


def _key(line: bytes) -> str | None:
    return json.loads(line).get("answer", {}).get("key") if line else None


def _read(file: Path) -> tuple[list[tuple[CachedAnswer, list[str]]], list[PaidCall]]:
    answers: list[tuple[CachedAnswer, list[str]]] = []
    calls: list[PaidCall] = []
    for line in file.read_bytes().split(b"\n"):
        if line:
            row: dict[str, Any] = json.loads(line)
            if "answer" in row:
                answers.append((CachedAnswer(**row["answer"]), row["records"]))
            else:
                calls.append(PaidCall(row["call_id"], Call(**row["call"])))
    return answers, calls
