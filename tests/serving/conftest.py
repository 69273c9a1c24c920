"""One home, built once from the samples by the real graph, for all commands."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import pytest
from click.testing import CliRunner

from cairn.resources.context import State
from cairn.serving.cli import main
from cairn.serving.http.pages import operating
from cairn.serving.runtime.command import CommandFailed
from cairn.serving.write import dry_run
from tests.homes import once
from tests.serving import two_namespaces


@dataclass(frozen=True)
class Answer:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON document that it must be."""
        return json.loads(self.out)


Ask = Callable[..., Answer]


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Path:
    """Built in a process of its own: the code location is of one home for as long as it lives."""

    def build(place: Path) -> None:
        command = [
            "-m",
            "cairn",
            "--home",
            str(place / "home"),
            "run",
            "--samples",
            "--json",
        ]
        own = {k: v for k, v in os.environ.items() if not k.startswith(("CAIRN_", "DAGSTER_"))}
        done = subprocess.run(
            [sys.executable, *command], capture_output=True, text=True, check=False,
            cwd=samples.parents[1], env=own,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        (place / "run.json").write_text(done.stdout)
        (place / "run.log").write_text(done.stderr)

    return once(tmp_path_factory, "samples", build) / "home"


@pytest.fixture(scope="session")
def two_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home of the namespaces `ada` and `bo`; no test here may change it."""
    return once(tmp_path_factory, "two", two_namespaces.build) / "home"


@pytest.fixture(autouse=True)
def untouched_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Commands set CAIRN_HOME and DAGSTER_HOME for what they start; here they must not stay."""
    before = dict(os.environ)
    for name in list(os.environ):
        if name.startswith(("CAIRN_", "DAGSTER_")):
            monkeypatch.delenv(name)
    yield
    for name in os.environ.keys() - before.keys():
        del os.environ[name]


@pytest.fixture
def run_cairn(monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Runs `cairn` as its entry point does, in this process."""

    def run(*arguments: str | Path) -> Answer:
        monkeypatch.setattr(sys, "argv", ["cairn", *map(str, arguments)])
        runner = CliRunner()
        with runner.isolation() as (out, err, _):
            try:
                main.main()
                code = 0
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else int(bool(end.code))
            sys.stdout.flush()
            sys.stderr.flush()
            return Answer(code, out.getvalue().decode(), err.getvalue().decode())

    return run


@pytest.fixture
def ask(run_cairn: Ask, home: Path) -> Ask:
    """Runs `cairn` on the home of the samples."""
    return lambda *arguments: run_cairn("--home", home, *arguments)


@pytest.fixture
def commands_here(run_cairn: Ask, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Has the server run its commands here, where all is loaded, and not in processes.

    That those come to the same, cli/test_verbs.py shows of what is forgotten.
    """
    one_at_a_time = Lock()

    def told_by(state: State, arguments: Sequence[str]) -> Any:
        with one_at_a_time:
            done = run_cairn("--home", state.home.root, *arguments)
        if done.code:
            raise CommandFailed
        return done.json

    for module in (operating, dry_run):
        monkeypatch.setattr(module, "told_by", told_by)
    yield
    with one_at_a_time:  # what was begun ends with its test
        pass
