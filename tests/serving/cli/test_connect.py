"""`cairn connect`: an agent's own settings, and back; `cairn intake`: what its hooks queued."""

import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest

from cairn.integrations.agents import AGENTS
from cairn.resources.home.home import open_home
from cairn.resources.hook_queue import intake_lock, queued
from tests.serving.conftest import Ask
from tests.serving.hooks.payloads import started

KEPT = {
    ".claude/settings.json": '{\n    "model": "opus",\n    "hooks": {"Stop": [{"hooks": []}]}\n}',
    ".claude.json": '{"numStartups": 3, "mcpServers": {"other": {"command": "x"}}}',
    ".codex/config.toml": '# mine\nmodel = "o9"\n\n[mcp_servers.other]\ncommand = "x"',
    ".codex/hooks.json": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}',
    ".gemini/settings.json": '{\n\t"ui": {"theme": "Dracula"}\n}\n',
    ".cursor/hooks.json": '{"version": 1, "hooks": {"stop": [{"command": "a"}]}}',
    ".cursor/mcp.json": '{"mcpServers": {"other": {"command": "x"}}}',
}
"""Settings as people have them."""


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's home folder, with settings of each agent."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for agent in AGENTS.values():
        monkeypatch.delenv(agent.variable or "-", raising=False)
    for name, text in KEPT.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def files(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_relative_to(folder / "cairn")
    }


def shown(text: str, name: str) -> object:
    return tomllib.loads(text) if name.endswith(".toml") else json.loads(text)


@pytest.mark.parametrize("agent", list(AGENTS))
def test_what_stands_there_is_kept_and_comes_back_byte_for_byte(
    person: Path, run_cairn: Ask, agent: str
) -> None:
    cairn = "--home", person / "cairn"
    dry = run_cairn(*cairn, "connect", agent, "--dry-run")
    assert dry.code == 0
    assert "hook_client.py" in dry.out
    assert files(person) == KEPT
    assert run_cairn(*cairn, "connect", agent).code == 0
    after = files(person)
    changed = {name for name in KEPT if after[name] != KEPT[name]}
    assert changed
    for name in changed:
        before, now = shown(KEPT[name], name), shown(after[name], name)
        assert isinstance(before, dict)
        assert isinstance(now, dict)
        assert "hook_client.py" in after[name] or "cairn" in after[name]
        for key, value in before.items():
            if key == "hooks":
                assert all(
                    now[key][event][: len(groups)] == groups for event, groups in value.items()
                )
            elif key in ("mcpServers", "mcp_servers"):
                assert now[key].items() >= value.items()
            else:
                assert now[key] == value
    assert run_cairn(*cairn, "connect", agent).code == 0
    assert files(person) == after, "again changes nothing"
    told = run_cairn(*cairn, "connect", "--json").json["agents"]
    assert [one["name"] for one in told if one["connected"]] == [agent]
    assert run_cairn(*cairn, "connect", agent, "--remove").code == 0
    assert files(person) == KEPT


def test_what_was_changed_since_stays_when_it_is_taken_out(person: Path, run_cairn: Ask) -> None:
    cairn = "--home", person / "cairn"
    settings = person / ".claude" / "settings.json"
    for again in (False, True):
        assert run_cairn(*cairn, "connect", "claude-code").code == 0
        now = json.loads(settings.read_text())
        settings.write_text(json.dumps(now | {"model": "sonnet"}))
        if again:
            assert run_cairn(*cairn, "connect", "claude-code").code == 0
        assert run_cairn(*cairn, "connect", "claude-code", "--remove").code == 0
        left = json.loads(settings.read_text())
        assert left == {"model": "sonnet", "hooks": {"Stop": [{"hooks": []}]}}
        settings.write_text(KEPT[".claude/settings.json"])


def test_over_http_a_prompt_asks_a_server_and_no_session_is_lost_without_it(
    person: Path, run_cairn: Ask
) -> None:
    cairn = "--home", person / "cairn"
    settings = person / ".claude" / "settings.json"

    def handlers() -> dict[str, dict[str, object]]:
        hooks = json.loads(settings.read_text())["hooks"]
        return {event: groups[-1]["hooks"][-1] for event, groups in hooks.items()}

    url = "http://127.0.0.1:8723/v1/hooks/claude-code?namespace=work"
    more = "--namespace", "work", "--warn"
    assert run_cairn(*cairn, "connect", "claude-code", *more).code == 0
    assert {one["type"] for one in handlers().values()} == {"command"}
    told = run_cairn(*cairn, "connect", "claude-code", *more, "--http")
    assert told.code == 0
    assert " up` running" in told.out
    by_kind = {event: one["type"] for event, one in handlers().items()}
    assert by_kind == {
        "SessionStart": "command", "UserPromptSubmit": "http", "PostToolUseFailure": "http",
        "PreToolUse": "http", "Stop": "command", "SessionEnd": "command",
    }  # fmt: skip
    assert handlers()["UserPromptSubmit"] == {"type": "http", "url": url, "timeout": 1}
    again = settings.read_text()
    assert run_cairn(*cairn, "connect", "claude-code", *more, "--http").code == 0
    assert settings.read_text() == again
    secret = run_cairn(*cairn, "keys", "add", "--namespace", "work").out.strip()
    told = run_cairn(*cairn, "connect", "claude-code", *more, "--http", "http://127.0.0.1:9000/")
    assert "Set CAIRN_KEY" in told.out
    assert handlers()["UserPromptSubmit"] == {
        "type": "http", "url": url.replace("8723", "9000"), "timeout": 1,
        "headers": {"Authorization": "Bearer $CAIRN_KEY"}, "allowedEnvVars": ["CAIRN_KEY"],
    }  # fmt: skip
    assert secret not in "".join(files(person).values())
    assert run_cairn(*cairn, "connect", "claude-code", "--remove").code == 0
    assert files(person) == KEPT
    for wrong in (("codex", "--http"), ("claude-code", "--http", "127.0.0.1"), ("--http",)):
        assert run_cairn(*cairn, "connect", *wrong).code == 2
    assert files(person) == KEPT


def test_where_nothing_was_nothing_is_left(person: Path, run_cairn: Ask) -> None:
    for name in KEPT:
        (person / name).unlink()
    for agent in AGENTS:
        assert run_cairn("--home", person / "cairn", "connect", agent).code == 0
    assert len(files(person)) == len(KEPT)
    for agent in AGENTS:
        assert run_cairn("--home", person / "cairn", "connect", agent, "--remove").code == 0
    assert files(person) == {}


def test_settings_that_cannot_be_edited_stay_and_it_is_said_why(
    person: Path, run_cairn: Ask
) -> None:
    (person / ".gemini" / "settings.json").write_text('{\n  // mine\n  "ui": {}\n}')
    before = files(person)
    told = run_cairn("--home", person / "cairn", "connect", "gemini-cli")
    assert told.code == 1
    assert "take comments out of it" in told.err
    assert files(person) == before


def test_a_project_has_settings_of_its_own(
    person: Path, run_cairn: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = person / "code" / "shop"
    (project / ".git").mkdir(parents=True)
    (project / "src").mkdir()
    monkeypatch.chdir(project / "src")
    cairn = "--home", person / "cairn"
    assert run_cairn(*cairn, "connect", "claude-code", "--project", "--namespace", "work").code == 0
    local = json.loads((project / ".claude" / "settings.local.json").read_text())
    assert " work -- " in local["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    assert {name: text for name, text in files(person).items() if name in KEPT} == KEPT


def test_a_repository_with_a_cairn_of_its_own_is_not_run(
    person: Path, run_cairn: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hooks and the MCP server start in the project's folder, whoever wrote what lies there."""
    home = person / "cairn"
    assert run_cairn("--home", home, "connect", "claude-code").code == 0
    hostile = person / "hostile"
    (hostile / "cairn").mkdir(parents=True)
    for name in ("json.py", "cairn/__init__.py", "cairn/__main__.py", "sitecustomize.py"):
        (hostile / name).write_text(f"open({str(person / 'owned')!r}, 'w').close()\n")
    settings = json.loads((person / ".claude" / "settings.json").read_text())
    hook = settings["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    subprocess.run(
        ["/bin/sh", "-c", hook], cwd=hostile, check=True, capture_output=True, text=True,
        input=json.dumps(started("claude-code", "s-1", str(hostile))),
    )  # fmt: skip
    server = json.loads((person / ".claude.json").read_text())["mcpServers"]["cairn"]
    subprocess.run(
        [server["command"], *server["args"], "--help"], cwd=hostile, check=True, capture_output=True
    )
    assert not (person / "owned").exists()


def test_what_hooks_queued_is_taken_in_and_what_cannot_be_is_told(
    person: Path, run_cairn: Ask, samples: Path
) -> None:
    home = open_home(person / "cairn")
    assert run_cairn("--home", home.root, "intake").out == "Nothing is queued.\n"
    sessions = samples / "claude_code" / "lantern-shop"
    session = sessions / "797df401-d9e3-405b-8320-bd9e5074bf6d.jsonl"
    queue = home.hooks / "queue.jsonl"
    entry = {"at": 1.0, "agent": "claude-code", "namespace": "work"}
    lines = [entry | {"path": str(session)}, entry | {"path": str(person / "gone.jsonl")}]
    queue.write_text("\n".join([*map(json.dumps, [*lines, lines[0]]), '{"half', ""]))
    told = run_cairn("--home", home.root, "intake")
    assert told.code == 0
    assert "gone.jsonl: no such file" in told.err
    assert "checking all tables" in told.err
    sources = run_cairn("--home", home.root, "sources", "--json").json["sources"]
    assert {one["path"] for one in sources} == {str(session), str(session.with_suffix(""))}, (
        "with the folder of what its sub-agents said"
    )
    assert queued(home) is None
    later = sessions / "726523c3-0f72-49e9-a1f4-c1656b2471d9.jsonl"
    queue.write_text(json.dumps(entry | {"path": str(later)}) + "\n")
    told = run_cairn("--home", home.root, "intake")
    assert "work: 2 conversations" in told.out
    assert "checking all tables" not in told.err, "that is done once a day"
    old, new = home.hooks / "sessions" / "old", home.hooks / "sessions" / "new"
    old.parent.mkdir()
    old.touch()
    new.touch()
    os.utime(old, (0, 0))
    assert run_cairn("--home", home.root, "intake").code == 0
    assert [file.name for file in old.parent.iterdir()] == ["new"]


def test_what_is_queued_while_an_intake_runs_is_not_lost(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    with intake_lock(home) as first, intake_lock(home) as second:
        assert (first, second) == (True, False)
    queue = home.hooks / "queue.jsonl"
    line = json.dumps({"namespace": "a", "path": "/x/1.jsonl"}) + "\n"
    queue.write_text(line)
    with queue.open("a") as writer:  # a hook that opened it before it was taken
        waiting = queued(home)
        assert waiting is not None
        writer.write(line.replace("1.jsonl", "2.jsonl"))
    assert waiting.entries == [("a", Path("/x/1.jsonl"))]
    waiting.done()
    rest = queued(home)
    assert rest is not None
    assert rest.entries == [("a", Path("/x/2.jsonl"))]
    again = queued(home)
    assert again is not None
    assert again.entries == rest.entries, "until a run is done with it"
