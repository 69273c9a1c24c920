"""A run needs no network, and tries none."""

import os
import subprocess
import sys
from pathlib import Path

WATCHED = """
import socket, sys

def watch(event, args):
    local = event == "socket.connect" and args[0].family == socket.AF_UNIX
    if event in ("socket.getaddrinfo", "socket.connect") and not local:
        print("tried to reach", args[1:], file=sys.stderr)
        sys.exit(99)

sys.addaudithook(watch)
from cairn.serving.cli.main import main
sys.argv = ["cairn", *sys.argv[1:]]
main()
"""


def test_a_whole_run_and_a_search_reach_no_host(samples: Path, tmp_path: Path) -> None:
    def cairn(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", WATCHED, "--home", str(tmp_path / "home"), *args],
            capture_output=True,
            text=True,
            env={**os.environ, "HOME": str(tmp_path)},
            check=False,
        )

    run = cairn("run", "--source", str(samples / "chat" / "kitchen.jsonl"), "--json")
    assert run.returncode == 0, run.stderr[-2000:]
    found = cairn("search", "allergic to hazelnuts", "--json")
    assert found.returncode == 0, found.stderr[-2000:]
    assert "hazelnut" in found.stdout
