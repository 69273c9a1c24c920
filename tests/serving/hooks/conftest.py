"""The hook client, started as an agent starts it."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cairn.integrations.agents import CLIENT
from tests.homes import copy_home


@dataclass(frozen=True)
class Said:
    """What a call of the client came to."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """What the agent's model reads; empty where nothing was said."""
        told = json.loads(self.out or "{}")
        plain = told.get("additional_context", "")
        return told.get("hookSpecificOutput", {}).get("additionalContext", plain)


Hook = Callable[..., Said]


@pytest.fixture
def hook() -> Hook:
    def call(
        home: Path, payload: object, *more: str, agent: str = "claude-code", namespace: str = "ada"
    ) -> Said:
        given = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        done = subprocess.run(
            [sys.executable, "-I", "-S", CLIENT, agent, home, namespace, *more],
            input=given, capture_output=True, check=False, timeout=60,
        )  # fmt: skip
        return Said(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call


@pytest.fixture
def own_home(two_home: Path, tmp_path: Path) -> Path:
    """A home of the namespaces `ada` and `bo` that a test may change."""
    return copy_home(two_home, tmp_path / "home")


@pytest.fixture
def samples_home(home: Path, tmp_path: Path) -> Path:
    """The home of the samples, to be changed, with nothing held out."""
    place = copy_home(home, tmp_path / "samples_home")
    with closing(sqlite3.connect(place / "lookup" / "samples.sqlite")) as lookup:
        lookup.execute("UPDATE meta SET value = '0.0' WHERE key = 'holdout_share'")
        lookup.commit()
    return place


def offers(home: Path, namespace: str = "ada") -> list[dict[str, Any]]:
    """What was offered, as the inbox has it."""
    files = sorted((home / "inbox" / namespace).glob("*.jsonl"))
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines() if line]
    return [line["item"] for line in lines if line["type"] == "offer"]
