"""How soon a line is found while `cairn run --watch` runs: seconds of the clock on the wall."""

import json
import os
import sys
import time
from pathlib import Path
from statistics import median
from subprocess import PIPE, Popen
from uuid import uuid4

from cairn.resources.context import open_state
from cairn.serving.read.reader import NothingPublished
from cairn.serving.retrieval.open_memory import Memory
from cairn.serving.retrieval.search import search_memory

WORDS = ("quokka", "capybara", "wolverine")
"""What each line says; at the first one the process loads what it needs, so it is not counted."""

LOOKS_EVERY = 0.02


def searchable(home: Path, session: Path) -> float:
    """Seconds from a line written until search finds it, the median of some.

    Args:
        home: One that is up to date.
        session: A log that it watches, which grows.

    Raises:
        TimeoutError: one is not found within a minute.
    """
    memory = Memory(open_state(home))
    command = [sys.executable, "-m", "cairn", "--home", str(home), "run", "--watch"]
    with Popen(command, stderr=PIPE, text=True, env=os.environ | {"CAIRN_HOME": ""}) as watcher:
        try:
            assert watcher.stderr is not None
            watcher.stderr.readline()  # it watches
            time.sleep(5)
            took: list[float] = []
            for word in WORDS:
                with session.open("ab") as file:
                    file.write(_line(session, f"My nickname for this build is {word}."))
                took.append(_until_found(memory, word))
                watcher.stderr.readline()  # how long it took; then it rests
                time.sleep(3 * took[-1])
        finally:
            watcher.terminate()
    return median(took[1:])


def _until_found(memory: Memory, word: str) -> float:
    start = time.monotonic()
    known = None
    while time.monotonic() - start < 60:
        try:
            reader = memory.reader()
        except NothingPublished:
            reader = None
        if reader and reader.manifest != known:
            known = reader.manifest
            if any(word in result.text for result in search_memory(reader, word)):
                return time.monotonic() - start
        time.sleep(LOOKS_EVERY)
    raise TimeoutError(f"{word} is not found")


def _line(session: Path, text: str) -> bytes:
    """A message of the person in a session, as the last one there is but for its id and text."""
    written = session.read_bytes()
    for line in reversed(written.splitlines()):
        said = json.loads(line)
        if said.get("role") == "user":  # a chat
            said |= {"id": str(uuid4()), "content": text}
        elif said.get("type") == "user" and isinstance(said["message"]["content"], str):
            said |= {"uuid": str(uuid4()), "message": {"role": "user", "content": text}}
        else:
            continue
        begins = b"" if written.endswith(b"\n") else b"\n"
        return begins + json.dumps(said).encode() + b"\n"
    raise ValueError(f"{session}: nobody said anything")
