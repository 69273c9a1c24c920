"""A home that can only be read, as a backup is: it answers, and what would write says why not.

Modes do not bind root: all is asked in a process without the right to pass over them.
"""

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.serving.read.reader import open_reader
from tests.homes import copy_home

PR_CAPBSET_DROP = 24
DAC_OVERRIDE, DAC_READ_SEARCH = 1, 2

ASKING = """
import contextlib, io, json, sys
from pathlib import Path

from fastapi.testclient import TestClient

from cairn.resources.context import open_state
from cairn.serving.cli import main as cli
from cairn.serving.http.app import create_app
from cairn.serving.mcp_server.auth import KeyScope
from cairn.serving.mcp_server.tools import call
from cairn.serving.retrieval.open_memory import Memory

home, commands = sys.argv[1], json.loads(sys.argv[2])
told = []
for arguments in commands:
    sys.argv = ["cairn", "--home", home, *arguments]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            cli.main()
        except SystemExit as end:
            told.append([end.code or 0, out, err])
memory = Memory(open_state(Path(home)))
with TestClient(create_app(memory), base_url="http://127.0.0.1") as client:
    http = client.post("/v1/search", json={"query": "backup fails"})
mcp = call(memory, KeyScope(), "search_memory", {"query": "backup fails"}, 5000)
print(json.dumps({
    "commands": [[code, out.getvalue(), err.getvalue()] for code, out, err in told],
    "http": [http.status_code, http.text], "mcp": [bool(mcp.is_error), str(mcp.content)],
}))
"""

READING = [
    ["search", "backup fails", "--json"], ["context", "backup fails"], ["facts", "--json"],
    ["learnings", "--json"], ["entities"], ["interests"], ["memory"], ["status", "--json"],
    ["sources"], ["costs"], ["dead-letters"], ["stale"], ["doctor", "--json"],
]  # fmt: skip
WRITING = [
    ["run"], ["run", "--samples"], ["like", "tea"], ["retract", "FACT"],
    ["forget", "FACT"], ["keys", "add", "--namespace", "samples"],
    ["backfill", "--from", "2026-02-01", "--to", "2026-02-02", "--force"],
]  # fmt: skip


def without_override() -> None:
    if os.geteuid() == 0:
        for capability in (DAC_OVERRIDE, DAC_READ_SEARCH):
            ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def test_a_home_that_can_only_be_read_answers(home: Path, tmp_path: Path, samples: Path) -> None:
    place = copy_home(home, tmp_path / "backup")
    paths = [place, *place.rglob("*")]
    before = sorted(map(str, paths))
    fact = open_reader(State(open_home(place), Settings())).memory().collect()["fact_id"][0]
    writing = [[fact if each == "FACT" else each for each in one] for one in WRITING]
    for path in paths:
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        done = subprocess.run(
            [sys.executable, "-c", ASKING, place, json.dumps([*READING, *writing])],
            capture_output=True, text=True, check=False, timeout=280, cwd=samples.parents[1],
            preexec_fn=without_override,
        )  # fmt: skip
    finally:
        for path in sorted(paths):
            path.chmod(0o700 if path.is_dir() else 0o600)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    reads, writes = told["commands"][: len(READING)], told["commands"][len(READING) :]
    for arguments, (code, out, err) in zip(READING, reads, strict=True):
        assert code == 0, (arguments, out, err)
    assert json.loads(reads[0][1]), "a search finds something"
    for arguments, (code, out, err) in zip(WRITING, writes, strict=True):
        assert code, (arguments, out)
        assert "read-only" in err, (arguments, out, err)
        assert "Traceback" not in err
    assert told["http"][0] == 200, told["http"]
    assert not told["mcp"][0], told["mcp"]
    assert sorted(map(str, [place, *place.rglob("*")])) == before
