"""A server of several processes: one to whoever asks, kept alive, and gone when it is to end."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic, sleep

import pytest

from cairn.resources.context import State
from cairn.resources.warehouse.publication import manifests, publish
from tests.places import ROOT
from tests.serving.conftest import Ask

pytestmark = [
    pytest.mark.allow_hosts(["127.0.0.1"]),
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]

CONNECTIONS = 12
"""So many that each of two workers has one, but for one time in two thousand."""

PATIENCE = 300
"""Seconds: a busy machine is slow, and loads workers slowly."""


@dataclass(frozen=True)
class Server:
    """A server that runs."""

    process: "subprocess.Popen[str]"
    address: str

    def get(self, path: str, connection: HTTPConnection | None = None) -> tuple[int, str]:
        """Status and body; over a connection of its own unless one is given."""
        over = connection or HTTPConnection(self.address, timeout=PATIENCE)
        over.request("GET", path)
        answer = over.getresponse()
        body = answer.read().decode()
        if connection is None:
            over.close()
        return answer.status, body

    def workers(self) -> set[int]:
        """Their process ids."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return {int(child) for child in children if b"spawn_main" in _command(int(child))}


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def eventually(holds: Callable[[], bool]) -> None:
    end = monotonic() + PATIENCE
    while not holds():
        assert monotonic() < end
        sleep(0.05)


def memory_of(home: Path) -> list[str]:
    """What serves a home with two workers."""
    return ["-m", "cairn", "--home", str(home), "serve", "--port", "0", "--json", "--workers", "2"]


OF_NOTHING = [
    "-c",
    """
import json
from socket import create_server
from starlette.applications import Starlette
from cairn.serving.runtime.workers import run

listener = create_server(("127.0.0.1", 0))
print(json.dumps({"listening": f"http://127.0.0.1:{listener.getsockname()[1]}"}), flush=True)
run(Starlette, listener, 2)
""",
]
"""The same workers before an app that is loaded at once, and has no path."""


@contextmanager
def serving(command: list[str], errors: Path) -> Generator[Server]:
    """A server with two workers, which answers."""
    with (
        errors.open("w") as stderr,
        subprocess.Popen(
            [sys.executable, *command],
            stdout=subprocess.PIPE, stderr=stderr, text=True, cwd=ROOT,
        ) as process,
    ):  # fmt: skip
        assert process.stdout
        address = json.loads(process.stdout.readline())["listening"]
        try:
            yield Server(process, address.removeprefix("http://"))
        finally:
            process.kill()


def health_answers(server: Server, connection: HTTPConnection | None = None) -> float:
    """How often all workers together have answered /health."""
    _, metrics = server.get("/metrics", connection)
    found = re.search(r'requests_total{.*route="/health",status="200"} (\S+)', metrics)
    return float(found[1]) if found else 0


def test_workers_are_one_server(copied: State, tmp_path: Path, run_cairn: Ask) -> None:
    (manifest,) = manifests(copied.home, "samples")[:1]
    with serving(memory_of(copied.home.root), tmp_path / "stderr") as server:
        connections = [HTTPConnection(server.address, timeout=PATIENCE) for _ in range(CONNECTIONS)]
        for connection in connections:
            assert server.get("/health", connection)[0] == 200
        # Whichever is asked knows what all have answered; each counts once its answer is out.
        for connection in connections:
            eventually(lambda over=connection: health_answers(server, over) == CONNECTIONS)

        # Nobody else listens where they do.
        port = server.address.partition(":")[2]
        other = run_cairn("--home", copied.home.root, "serve", "--port", port, "--workers", "2")
        assert (other.code, f"127.0.0.1:{port}: " in other.err) == (1, True)

        _, found = server.get("/v1/entities?limit=1")
        path = f"/v1/entities/{json.loads(found)['items'][0]['entity_id']}"
        left_out = {"memory", "memory_entities"}
        tables = {n: v for n, v in manifest.tables.items() if n not in left_out}
        publish(copied.home, replace(manifest, tables=tables))
        for connection in connections:  # each follows what is published
            eventually(lambda over=connection: server.get(path, over)[0] == 404)

        before = server.workers()
        assert len(before) == 2
        os.kill(min(before), signal.SIGKILL)
        eventually(lambda: len(server.workers() - before) == 1)
        for _ in range(CONNECTIONS):
            assert server.get("/health")[0] == 200
        eventually(lambda: health_answers(server) == 2 * CONNECTIONS)
        after = server.workers()
        server.process.send_signal(signal.SIGHUP)  # SIGTERM: mcp_server/test_transports.py
        assert server.process.wait(30) == 0
        for connection in connections:
            connection.close()
    (new,) = after - before
    line = f"worker {min(before)} ended (exit code -9): {new} takes its place\n"
    assert (tmp_path / "stderr").read_text() == line
    assert not any(map(_command, after))


@pytest.mark.faults
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_what_started_them(
    home: Path, tmp_path: Path, how: signal.Signals
) -> None:
    # Whoever is interrupted ends its workers, whatever they load; one that was killed cannot, so
    # they have to see it while they do.
    command, told = (memory_of(home), 200) if how == signal.SIGKILL else (OF_NOTHING, 404)
    with serving(command, tmp_path / "stderr") as server:
        assert server.get("/health")[0] == told
        workers = server.workers()
        assert len(workers) == 2
        server.process.send_signal(how)
        assert server.process.wait(30) == (-9 if how == signal.SIGKILL else 0)
        eventually(lambda: not any(map(_command, workers)))
    assert (tmp_path / "stderr").read_text() == ""


OF_ONE_THAT_IS_ENDED_AT_ONCE = """
import os, signal, uvicorn
from socket import create_server
from starlette.applications import Starlette
from cairn.serving.runtime.workers import run

made = uvicorn.Config.get_loop_factory

def ended_while_it_is_made(config):
    def loop():
        new = made(config)()
        os.kill(os.getpid(), signal.SIGTERM)
        return new
    return loop

uvicorn.Config.get_loop_factory = ended_while_it_is_made
run(Starlette, create_server(("127.0.0.1", 0)))
"""


def test_a_server_that_is_ended_while_it_begins_ends_without_a_word() -> None:
    command = [sys.executable, "-c", OF_ONE_THAT_IS_ENDED_AT_ONCE]
    ended = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
