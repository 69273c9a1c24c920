"""`cairn up`: all of it as one service; and the file that has it started."""

import json
import os
import re
import signal
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from cairn.resources.home.daemon_lock import daemon_holder, daemon_lock, watch_lock
from cairn.resources.home.home import open_home
from cairn.serving.runtime.sockets import listening
from tests.places import ROOT
from tests.serving.conftest import Ask

SAID = "I always want tabs instead of spaces in Makefiles."


def ask(port: int, path: str, told: Any = None) -> Any:
    """The answer of the API; none while there is none."""
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        kind = {"content-type": "application/json"}
        if told is None:
            connection.request("GET", path)
        else:
            connection.request("POST", path, json.dumps(told), kind)
        return json.loads(connection.getresponse().read())
    except OSError:
        return None
    finally:
        connection.close()


def processes(home: Path) -> list[str]:
    """Command lines of what runs over a home."""
    found: list[str] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            told = (folder / "environ").read_bytes() + (folder / "cmdline").read_bytes()
            if os.fsencode(home) in told and int(folder.name) != os.getpid():
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


@pytest.mark.slow
@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_what_is_told_becomes_knowledge_and_nothing_is_left_running(
    run_cairn: Ask, tmp_path: Path
) -> None:
    home = tmp_path / "ho me 100%h"
    with listening("127.0.0.1", 0, keys=False) as free:
        port = free.getsockname()[1]
    end = monotonic() + 300  # a busy machine is slow
    with (
        (tmp_path / "err").open("w") as err,
        subprocess.Popen(
            [sys.executable, "-m", "cairn", "--home", str(home), "up", "--port", str(port)],
            stdout=subprocess.PIPE, stderr=err, text=True, cwd=ROOT,
        ) as process,
    ):  # fmt: skip
        try:
            begun = "no source is registered"
            while ask(port, "/health") is None or begun not in (tmp_path / "err").read_text():
                assert monotonic() < end, (tmp_path / "err").read_text()
                sleep(0.1)
            other = run_cairn("--home", home, "up", "--port", "0")
            assert other.code == 1
            assert f"up` (process {process.pid}, since " in other.err
            assert f"(process {process.pid}, " in run_cairn("--home", home, "status").out
            # By now the intake has looked around: what comes it takes in itself, in half the time.
            assert ask(port, "/v1/events", {"type": "note", "text": SAID})["written"]
            while SAID not in json.dumps(ask(port, "/v1/recent") or {}):
                assert monotonic() < end, (tmp_path / "err").read_text()
                sleep(0.5)
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
        finally:
            process.terminate()
    assert processes(home) == []
    assert daemon_holder(open_home(home)) is None
    told = (tmp_path / "err").read_text()
    assert f"api     http://127.0.0.1:{port}/v1 answers this machine" in told
    assert re.search(r"intake  (?:[\d:]{8} )?(?:published: search answers|default: )", told)
    assert "Traceback" not in told


def test_a_port_that_is_taken_and_a_home_that_is_run_are_refused(
    run_cairn: Ask, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    with listening("127.0.0.1", 0, keys=False) as taken:
        port = str(taken.getsockname()[1])
        for more in (("--port", port), ("--port", "0", "--ui", "--ui-port", port)):
            refused = run_cairn("--home", home, "up", *more)
            assert (refused.code, f"127.0.0.1:{port}: " in refused.err) == (1, True)
    refused = run_cairn("--home", home, "up", "--host", "0.0.0.0", "--port", "0")
    assert " keys add --namespace NAME`" in refused.err
    with daemon_lock(open_home(home), "cairn ui --port 3000"):
        refused = run_cairn("--home", home, "up", "--port", "0")
    assert refused.code == 1
    assert f"ui --port 3000` (process {os.getpid()}, since " in refused.err


def test_who_takes_logs_in_at_once_is_told(run_cairn: Ask, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with watch_lock(open_home(home), "cairn run --watch"):
        watched = run_cairn("--home", home, "status", "--json")
        shown, found = (run_cairn("--home", home, name) for name in ("status", "doctor"))
    by = f"`cairn run --watch` (process {os.getpid()}, since "
    assert json.loads(watched.out)["sensor"]["watched_by"].startswith(by)
    for told in (shown, found):
        assert f"at once by {by}" in " ".join(told.out.split())


def test_a_dry_run_shows_what_would_be_started(run_cairn: Ask, tmp_path: Path) -> None:
    told = run_cairn("--home", tmp_path / "home", "up", "--port", "0", "--ui", "--dry-run")
    assert told.code == 0
    started = [line.split()[0] for line in told.out.splitlines()]
    assert started == ["api", "intake", "code", "daemon", "ui"]


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's home folder, and on the PATH a `systemctl` alone, that notes what it is told."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setattr("cairn.serving.cli.installing.MACOS", False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "systemctl"
    program.write_text(f'#!/bin/sh\necho "$*" >> {tmp_path}/asked\n')
    program.chmod(0o755)
    return tmp_path


def test_it_is_installed_and_taken_away(
    person: Path, run_cairn: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, unit = person / "ho me 100%", person / ".config/systemd/user/cairn.service"
    monkeypatch.setenv("CAIRN_MODEL", "ollama/llama3")
    dry = run_cairn("--home", home, "up", "--install", "--dry-run")
    assert (dry.code, unit.exists()) == (0, False)
    for _ in range(2):
        told = run_cairn("--home", home, "up", "--install", "--port", "9000", "--ui")
        assert told.code == 0
        assert unit.read_text() in run_cairn(
            "--home", home, "up", "--install", "--port", "9000", "--ui", "--dry-run"
        ).out  # fmt: skip
        assert f'"CAIRN_HOME={home}"'.replace("%", "%%") in unit.read_text()
        assert '"up" "--host" "127.0.0.1" "--port" "9000"' in unit.read_text()
        assert "CAIRN_MODEL" in told.out, "the service has nothing of this environment"
        asked = (person / "asked").read_text().splitlines()
        assert asked[-3:] == [
            "--user daemon-reload", "--user enable cairn.service", "--user restart cairn.service",
        ]  # fmt: skip
    assert run_cairn("--home", home, "up", "--uninstall").code == 0
    assert not unit.exists()
    assert "--user disable --now cairn.service" in (person / "asked").read_text()
    assert run_cairn("--home", home, "up", "--uninstall").code == 0


def test_where_nobody_can_be_asked_the_next_command_is_told(person: Path, run_cairn: Ask) -> None:
    (person / "bin" / "systemctl").unlink()
    told = run_cairn("--home", person / "home", "up", "--install")
    assert told.code == 0
    assert "systemctl --user enable cairn.service" in told.out
    assert (person / ".config/systemd/user/cairn.service").exists()


def test_a_unit_of_somebody_else_stays(person: Path, run_cairn: Ask) -> None:
    unit = person / ".config/systemd/user/cairn.service"
    unit.parent.mkdir(parents=True)
    unit.write_text("[Service]\nExecStart=/bin/true\n")
    for how in ("--install", "--uninstall"):
        told = run_cairn("--home", person / "home", "up", how)
        assert (told.code, "move it away first" in told.err) == (1, True)
    assert unit.read_text() == "[Service]\nExecStart=/bin/true\n"
