"""Machines that share an object store: some die, some come back too late, none of it shows.

`make test-scale` installs an S3 server with pip and runs this; `make test` passes over it. Where
PostgreSQL is installed, it has Dagster's storage of two of the machines, and restarts.
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cairn.knowledge.schema.tables import TABLES, WORK, Table
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source
from cairn.resources.sharing.store import SharedStore
from tests.places import ROOT
from tests.scale.postgres import FOUND, Postgres

SCALE_PYTHON = os.environ.get("SCALE_PYTHON")
"""Python of the environment that has the server."""
DAGSTER_POSTGRES = os.environ.get("SCALE_DAGSTER_POSTGRES", "")
"""Folder with what Dagster reaches PostgreSQL with: no part of the project's own environment."""
pytestmark = [
    pytest.mark.skipif(not SCALE_PYTHON, reason="`make test-scale` runs it"),
    pytest.mark.allow_hosts(["127.0.0.1"]),
    pytest.mark.timeout(7200),
]

NAMESPACES = int(os.environ.get("SCALE_NAMESPACES", "100"))
SIZES = (3, 5, 10, 10, 20, 40, 100, 400)
"""Lines of a session, in turn: many small tenants, few large ones."""
LEASE_SECONDS = 5
MOST_REQUESTS = 40
"""Of a run with little new, for each namespace."""
SLOWEST = 3600.0


class Server:
    """The object store."""

    def __init__(self, place: Path) -> None:
        self.log = place / "requests.log"
        command = [str(SCALE_PYTHON), str(Path(__file__).parent / "object_store.py"), str(self.log)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        self.base = f"http://127.0.0.1:{int(self.process.stdout.readline())}"
        urllib.request.urlopen(
            urllib.request.Request(f"{self.base}/cairn", method="PUT")
        ).close()  # a bucket
        self.options = {
            "AWS_ENDPOINT_URL": self.base, "AWS_ACCESS_KEY_ID": "key", "AWS_REGION": "us-east-1",
            "AWS_SECRET_ACCESS_KEY": "secret",
        }  # fmt: skip

    def failing(self, *, on: bool) -> None:
        """Has it fail one request in fifty, or not any more."""
        mark = self.log.with_suffix(".failing")
        mark.touch() if on else mark.unlink()

    @property
    def requests(self) -> int:
        """How many there were."""
        return sum(1 for _ in self.log.open())


class Machine:
    """A home, and what runs there."""

    def __init__(self, place: Path, logs: Path, server: Server | None) -> None:
        self.root = place
        self.place = place.with_suffix(".log")
        place.mkdir()
        for folder in sorted(logs.iterdir()):
            add_source(open_home(place), folder, folder.name)
        self.given = {"POLARS_MAX_THREADS": "1"}
        if server is not None:
            self.given |= {
                "CAIRN_WAREHOUSE": "s3://cairn/shared",
                "CAIRN_STORAGE_OPTIONS": json.dumps(server.options),
                "CAIRN_LEASE_SECONDS": str(LEASE_SECONDS),
            }

    def keep_runs_in(self, database: str) -> None:
        """Has Dagster keep its runs and events there."""
        settings = f"storage: {{postgres: {{postgres_url: {json.dumps(database)}}}}}\n"
        (open_home(self.root).dagster / "dagster.yaml").write_text(settings)
        self.given |= {"PYTHONPATH": DAGSTER_POSTGRES}

    def start(self) -> subprocess.Popen[bytes]:
        """`cairn run`."""
        command = [sys.executable, "-m", "cairn", "--home", str(self.root), "run", "--no-report"]
        with self.place.open("wb") as out:
            return subprocess.Popen(
                command, stdout=out, stderr=out, cwd=ROOT, env={**os.environ, **self.given}
            )

    @property
    def said(self) -> str:
        """What it told."""
        return self.place.read_text()

    def run(self) -> None:
        """`cairn run`, until all is done."""
        assert self.start().wait(SLOWEST) == 0, self.said


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    found = Server(tmp_path)
    yield found
    found.process.kill()
    found.process.wait()


@pytest.fixture
def postgres() -> Iterator[Postgres | None]:
    if not (FOUND and DAGSTER_POSTGRES):
        print("without PostgreSQL, which is not installed")  # noqa: T201
        yield None
        return
    found = Postgres()
    yield found
    found.stop()


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A folder for each namespace, with a part of a session."""
    sessions = sorted((ROOT / "data" / "samples").rglob("*.jsonl"))
    real = ROOT.parent / "shared" / "data" / "cc_entire"
    sessions = sorted(real.rglob("*.jsonl")) or sessions
    for number in range(NAMESPACES):
        lines = sessions[number % len(sessions)].read_bytes().splitlines(keepends=True)
        folder = tmp_path / "logs" / f"tenant-{number:03}"
        folder.mkdir(parents=True)
        (folder / "session.jsonl").write_bytes(b"".join(lines[: SIZES[number % len(SIZES)]]))
    return tmp_path / "logs"


def test_whatever_dies_the_end_is_what_one_process_makes_alone(
    server: Server, postgres: Postgres | None, logs: Path, tmp_path: Path
) -> None:
    first, second, third = (Machine(tmp_path / name, logs, server) for name in "abc")
    if postgres:
        first.keep_runs_in(postgres.database("first"))
        third.keep_runs_in(postgres.database("third"))
    store = SharedStore("s3://cairn/shared", server.options)
    server.failing(on=True)
    killed, stopped = first.start(), second.start()
    while len(store.folders()) < NAMESPACES // 4:
        time.sleep(0.5)
        assert (killed.poll(), stopped.poll()) == (None, None), first.said + second.said
    killed.send_signal(signal.SIGKILL)
    stopped.send_signal(signal.SIGSTOP)
    working = third.start()
    if postgres:
        while len(store.folders()) < NAMESPACES // 2 and working.poll() is None:
            time.sleep(0.5)
        assert working.poll() is None, third.said
        postgres.restart()
        # A run whose events cannot be kept ends, as `cairn up` has it; the next takes it up.
        assert working.wait(SLOWEST) in (0, 1)
        print(f"PostgreSQL restarted: the run ended with {working.returncode}")  # noqa: T201
        working = third.start()
    assert working.wait(SLOWEST) == 0, third.said
    stopped.send_signal(signal.SIGCONT)
    assert stopped.wait(SLOWEST) in (0, 1)
    first.run()
    second.run()
    server.failing(on=False)
    # A little more for each tenant: whoever comes first takes it in.
    for folder in sorted(logs.iterdir()):
        line = {"role": "user", "content": f"I prefer tea to coffee in {folder.name}.",
                "timestamp": "2026-11-01T10:00:00Z", "conversation_id": "more"}  # fmt: skip
        (folder / "more.jsonl").write_text(json.dumps(line) + "\n")
    before = server.requests
    running = [one.start() for one in (first, second, third)]
    assert [one.wait(SLOWEST) for one in running] == [0, 0, 0]
    asked = (server.requests - before) / NAMESPACES
    print(f"{asked:.1f} requests for each namespace, of three machines")  # noqa: T201
    assert asked <= MOST_REQUESTS
    alone = Machine(tmp_path / "alone", logs, None)
    alone.run()
    expected = State(open_home(alone.root), Settings())
    reads = tmp_path / "reads"
    reads.mkdir()
    shared = {"warehouse": "s3://cairn/shared", "storage_options": server.options}
    state = State(open_home(reads), Settings.model_validate(shared))
    assert state.readable_namespaces() == expected.namespaces()
    for namespace in expected.namespaces():
        state.follow(namespace)
        for table in TABLES.values():
            found, wanted = (_content(each.of(namespace), table) for each in (state, expected))
            assert_frame_equal(found, wanted, check_exact=True)


def _content(state: State, table: Table) -> pl.DataFrame:
    """The rows of a table without what tells when, where or from which version one was made."""
    history = [*table.processing, *(["input_hash"] if table is WORK else [])]
    rows = state.warehouse.read(table).collect().drop(history, strict=False)
    return rows.sort([name for name in table.key if name in rows.columns])
