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
home, source = sys.argv[1:]
for args in (["run", "--source", source, "--json"], ["search", "allergic to hazelnuts", "--json"]):
    print(args[0], "says:")
    sys.argv = ["cairn", "--home", home, *args]
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
"""


def test_a_whole_run_and_a_search_reach_no_host(samples: Path, tmp_path: Path) -> None:
    home, source = tmp_path / "home", samples / "chat" / "kitchen.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, str(home), str(source)],
        capture_output=True,
        text=True,
        env={**os.environ, "HOME": str(tmp_path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "hazelnut" in done.stdout.partition("search says:")[2]
