"""The plugin for Claude Code, as it lies in the cache of a machine that has no checkout."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from platformdirs.macos import MacOS
from platformdirs.unix import Unix

from cairn.integrations import hook_client
from cairn.integrations.plugin import FOLDER, plugin_files
from cairn.knowledge.llm.fence import is_recalled
from tests.places import ROOT
from tests.serving.hooks.payloads import Payload, claude_code, failed, started

ORCHARD = "/home/ada/code/orchard"
BIN = Path(sys.executable).parent


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / FOLDER, tmp_path / "the cache" / "cairn"))


@pytest.fixture
def environment(plugin: Path, own_home: Path, tmp_path: Path) -> dict[str, str]:
    return {
        "CLAUDE_PLUGIN_ROOT": str(plugin), "CAIRN_HOME": str(own_home), "CAIRN_NAMESPACE": "ada",
        "HOME": str(tmp_path), "PATH": f"{BIN}:/usr/bin:/bin",
    }  # fmt: skip


def said(plugin: Path, payload: Payload, environment: dict[str, str], cwd: Path) -> str:
    """What the hooks of an event say."""
    hooks = json.loads((plugin / "hooks" / "hooks.json").read_text())["hooks"]
    (group,) = hooks[payload["hook_event_name"]]
    (handler,) = group["hooks"]
    done = subprocess.run(
        ["/bin/sh", "-c", handler["command"]], input=json.dumps(payload), env=environment, cwd=cwd,
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return (
        json.loads(done.stdout or "{}").get("hookSpecificOutput", {}).get("additionalContext", "")
    )


def test_a_session_begins_with_the_brief(
    plugin: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    told = said(plugin, started("claude-code", "s-1", ORCHARD), environment, tmp_path)
    assert "quincepress" in told
    assert is_recalled(told)
    elsewhere = started("claude-code", "s-2", "/srv/else")
    assert said(plugin, elsewhere, environment, tmp_path) == ""


def test_without_variables_the_home_is_the_one_of_the_data_folder(
    plugin: Path, environment: dict[str, str], samples_home: Path, tmp_path: Path
) -> None:
    (tmp_path / ".local" / "share").mkdir(parents=True)
    home = samples_home.rename(tmp_path / ".local" / "share" / "cairn")
    (home / "lookup" / "samples.sqlite").rename(home / "lookup" / "default.sqlite")
    for name in ("CAIRN_HOME", "CAIRN_NAMESPACE"):
        del environment[name]
    missing = "ModuleNotFoundError: No module named 'distutils'"
    payload = failed("claude-code", "s-3", "/home/mira/code/harbor-backup", "pytest", missing)
    assert "What ended this error before" in said(plugin, payload, environment, tmp_path)


def test_where_there_is_no_home_nothing_is_said_or_made(
    plugin: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    payload = started("claude-code", "s-4", ORCHARD)
    nowhere = environment | {"CAIRN_HOME": str(tmp_path / "none")}
    assert said(plugin, payload, nowhere, tmp_path) == ""
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("variables", [{}, {"XDG_DATA_HOME": "/x y"}, {"XDG_DATA_HOME": " "}])
def test_the_client_finds_the_home_where_cairn_has_it(
    variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    for platform, folders in (("darwin", MacOS), ("linux", Unix)):
        found = hook_client.default_home(os.environ, platform)
        assert found == folders("cairn", appauthor=False).user_data_dir
    assert hook_client.default_home({"CAIRN_HOME": "/x"}, "linux") == "/x"


@pytest.mark.slow
def test_an_ended_session_is_taken_in_by_the_cairn_of_the_path(
    plugin: Path, environment: dict[str, str], own_home: Path, samples: Path, tmp_path: Path
) -> None:
    sessions = (samples / "claude_code" / "lantern-shop").glob("*.jsonl")
    session = min(sessions, key=lambda file: file.stat().st_size)
    payload = claude_code("SessionEnd", "s-5", ORCHARD, reason="other")
    payload["transcript_path"] = str(session)
    assert said(plugin, payload, environment, tmp_path) == ""
    deadline, log = time.monotonic() + 120, own_home / "hooks" / "intake.log"
    while "Done in" not in log.read_text() and time.monotonic() < deadline:
        time.sleep(0.5)
    assert "1 file" in log.read_text()
    assert "Done in" in log.read_text()


def test_the_server_is_that_of_the_same_home(plugin: Path, environment: dict[str, str]) -> None:
    server = json.loads((plugin / ".mcp.json").read_text())["mcpServers"]["cairn"]
    program = shutil.which(server["command"], path=environment["PATH"])
    assert program

    async def run() -> list[str]:
        process = StdioServerParameters(
            command=program, args=server["args"], cwd=plugin, env=environment
        )
        async with Client(process) as client:
            return [one.name for one in (await client.list_resources()).resources]

    assert anyio.run(run) == ["orchard"]


def test_each_marketplace_names_the_plugin(plugin: Path) -> None:
    """What stands in the files is compared by the test of generated pages."""
    places = [ROOT / name for name in plugin_files() if name.endswith("marketplace.json")]
    assert places == [
        ROOT / ".claude-plugin" / "marketplace.json",
        ROOT / FOLDER / ".claude-plugin" / "marketplace.json",
    ]
    for place in places:
        told: dict[str, Any] = json.loads(place.read_text())
        (entry,) = told["plugins"]
        found = place.parents[1] / entry["source"]
        assert found.resolve() == ROOT / FOLDER
        manifest = json.loads((found / ".claude-plugin" / "plugin.json").read_text())
        assert manifest["name"] == entry["name"] == told["name"]
