"""What a hook costs an agent: the whole process of the client, beside that of a bare Python.

Both are started in turns, as an agent starts them, and the 95th percentiles are compared. The
prompts are made of words of the texts, so that each finds some; the same are asked of FTS5, which
comes with SQLite, on the same texts.

`brief_after` is the time from the end of a session until its project has a brief, in a home that
has nothing else: the client starts the intake, as it does for an agent.
"""

import json
import random
import re
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.pairs import statements
from benchmarks.sessions import SAMPLES, sessions
from cairn.integrations.agents import CLIENT
from cairn.knowledge.offers.lookup import (
    FACT,
    READS,
    TABLES,
    RecallText,
    lookup,
    recall_tables,
    terms,
)
from cairn.knowledge.schema.policy import Policy
from cairn.resources.home.home import open_home
from cairn.resources.lookup.file import lookup_file, write_lookup

GOAL_MS = 60
"""Milliseconds beside a bare Python, at the 95th percentile."""
BARE = [sys.executable, "-I", "-S", "-c", "pass"]
NAMESPACE, PROJECT = "benchmark", "shop"
WORDS = 12
"""Words of a prompt."""
BRIEF_GOAL_S = 15
"""Seconds from the end of a session of 1 MB to its knowledge in a brief."""
_SESSION = re.compile(rb'"sessionId": ?"[^"]*"')
_CWD = re.compile(rb'"cwd": ?"[^"]*"')


def hooks(count: str, rounds: str) -> dict[str, Any]:
    """Milliseconds of a bare Python and of each moment, with `count` texts to be found."""
    texts = [
        RecallText(f"f_{number:016x}", FACT, PROJECT if number % 2 else "", said, said)
        for number, said in enumerate(statements(int(count)))
    ]
    dice = random.Random(0)
    vocabulary = sorted({word for text in texts[:5000] for word in terms(text.text)})
    with TemporaryDirectory() as folder:
        home = open_home(Path(folder) / "home")
        rows = lookup(NAMESPACE, None, {one.name: one.empty() for one in READS}, Policy())
        began = time.process_time()
        rows |= recall_tables(texts)
        lines = [(PROJECT, n, f"w_{n}", "practice", f"test: `make test-{n}`", 9) for n in range(20)]
        rows |= {"folders": [("/srv/shop", PROJECT)], "lines": lines}
        write_lookup(home, NAMESPACE, TABLES, rows, "made up")
        made = time.process_time() - began
        file = lookup_file(home, NAMESPACE)
        client = [sys.executable, "-I", "-S", str(CLIENT), "codex", str(home.root), NAMESPACE]
        payload = {"cwd": "/srv/shop", "hook_event_name": "SessionStart"}
        taken: dict[str, list[float]] = {"bare": [], "start": [], "prompt": [], "failure": []}
        spoke = 0
        for number in range(int(rounds)):
            prompt = " ".join(dice.sample(vocabulary, WORDS))
            fact = dice.choice(texts).text
            told = payload | {"session_id": f"s-{number}"}
            moments = {
                "bare": (BARE, {}),
                "start": (client, told),
                "prompt": (client, told | {"hook_event_name": "UserPromptSubmit",
                                           "prompt": f"{fact} {prompt}"}),
                "failure": (client, told | {"hook_event_name": "PostToolUse",
                                            "tool_response": f"{prompt}\n" * 200}),
            }  # fmt: skip
            for name, (command, given) in moments.items():
                start = time.perf_counter()
                done = subprocess.run(
                    command, input=json.dumps(given).encode(), check=True, capture_output=True
                )
                taken[name].append(1000 * (time.perf_counter() - start))
                spoke += name == "prompt" and bool(done.stdout)
        return {
            "texts": len(texts), "rounds": int(rounds), "spoke": spoke, "made_s": made,
            "mb": file.stat().st_size / 1e6,
            "p50": {name: median(each) for name, each in taken.items()},
            "p95": {name: _p95(each) for name, each in taken.items()},
            "fts5_ms": _fts5(texts, vocabulary, int(rounds)),
        }  # fmt: skip


def _p95(values: list[float]) -> float:
    return quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


def _fts5(texts: list[RecallText], vocabulary: list[str], rounds: int) -> float:
    """Milliseconds of FTS5 for a prompt, at the 95th percentile, without the start of Python."""
    dice = random.Random(0)
    taken: list[float] = []
    with closing(sqlite3.connect(":memory:")) as found:
        found.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='porter unicode61')")
        found.executemany("INSERT INTO texts VALUES (?)", ((one.text,) for one in texts))
        for _ in range(rounds):
            asked = " OR ".join(f'"{word}"' for word in dice.sample(vocabulary, WORDS))
            start = time.perf_counter()
            found.execute(
                "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 20", (asked,)
            ).fetchall()
            taken.append(1000 * (time.perf_counter() - start))
    return _p95(taken)


def brief_after(size: str) -> dict[str, Any]:
    """Seconds from the end of a session of `size` bytes until the brief of its project is told."""
    # The intake goes on behind the brief that it made, and writes while the folder is removed.
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home, transcript = Path(folder, "home"), Path(folder, "session.jsonl")
        open_home(home)
        made = Path(folder, "made")
        sessions(SAMPLES / "claude_code" / "harbor-backup", made, int(size))
        lines = b"".join(file.read_bytes() for file in sorted(made.rglob("*.jsonl")))[: int(size)]
        lines = _SESSION.sub(b'"sessionId":"s-1"', lines)
        transcript.write_bytes(_CWD.sub(b'"cwd":"/srv/shop"', lines))
        client = [sys.executable, "-I", "-S", str(CLIENT), "claude-code", str(home), NAMESPACE]
        intake = [sys.executable, "-m", "cairn", "--home", str(home), "intake", "--started"]
        payload = {"session_id": "s-1", "cwd": "/srv/shop", "hook_event_name": "SessionEnd"}

        def told(given: dict[str, str]) -> bytes:
            said = json.dumps(payload | given).encode()
            command = [*client, "--", *intake]
            return subprocess.run(command, input=said, check=True, capture_output=True).stdout

        start = time.perf_counter()
        told({"transcript_path": str(transcript)})
        begun = {"hook_event_name": "SessionStart", "source": "startup"}
        number = 1
        while not told(begun | {"session_id": f"s-{(number := number + 1)}"}):
            if time.perf_counter() - start > 10 * BRIEF_GOAL_S:
                raise TimeoutError((home / "hooks" / "intake.log").read_text(encoding="utf-8"))
            time.sleep(0.1)
        return {"bytes": len(lines), "seconds": time.perf_counter() - start}
