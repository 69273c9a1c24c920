"""Codex, Gemini CLI and Claude Code themselves, headless, against a model that is a script.

`make test-agents` installs them with npm and runs this; `make test` passes over it.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from cairn.integrations.agents import AGENTS, CLIENT
from cairn.integrations.codex_trust import is_trusted
from tests.homes import copy_home
from tests.places import ROOT
from tests.serving.conftest import home, untouched_environment

__all__ = ["home", "untouched_environment"]

PROGRAMS = os.environ.get("CAIRN_AGENTS")
pytestmark = pytest.mark.skipif(not PROGRAMS, reason="`make test-agents` runs it")

SESSIONS = ["codex", "gemini-cli", "claude-code", "claude-code plugin"]
ALWAYS = "From now on always run make test before you commit."
MISSING = "ModuleNotFoundError: No module named 'distutils'"


class ScriptedModel(BaseHTTPRequestHandler):
    """Answers each request with the next shell command, then with a word."""

    server: "Script"

    def do_GET(self) -> None:
        self.send_error(404)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
        self.server.asked.append(json.dumps(body))
        if self.path.endswith("/responses"):
            self._send(self._responses(), "text/event-stream")
        elif self.path.startswith("/v1/messages"):
            self._send(self._messages(), "text/event-stream")
        elif "streamGenerateContent" in self.path:
            self._send(self._gemini(), "text/event-stream")
        elif "countTokens" in self.path:
            self._send(json.dumps({"totalTokens": 9}), "application/json")
        else:
            choice = {"reasoning": "-", "model_choice": "flash", "next_speaker": "user"}
            part = {"text": json.dumps(choice)}
            self._send(json.dumps(self._candidate(part)), "application/json")

    def _responses(self) -> str:
        number = len(self.server.asked)
        if (command := self.server.next()) is None:
            said = [{"type": "output_text", "text": "Done."}]
            item: dict[str, Any] = {"type": "message", "id": f"m{number}", "role": "assistant"}
            item["content"] = said
        else:
            item = {"type": "function_call", "id": f"f{number}", "call_id": f"c{number}",
                    "name": "exec_command", "arguments": json.dumps({"cmd": command})}  # fmt: skip
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        events = [
            {"type": "response.created", "response": {"id": f"r{number}"}},
            {"type": "response.output_item.done", "item": item},
            {"type": "response.completed", "response": {"id": f"r{number}", "usage": usage}},
        ]
        return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)

    def _messages(self) -> str:
        block: dict[str, Any] = {"type": "text", "text": ""}
        delta, why = {"type": "text_delta", "text": "Done."}, "end_turn"
        if (command := self.server.next()) is not None:
            given = json.dumps({"command": command, "description": "as asked"})
            block = {"type": "tool_use", "id": f"t{len(self.server.asked)}", "name": "Bash",
                     "input": {}}  # fmt: skip
            delta, why = {"type": "input_json_delta", "partial_json": given}, "tool_use"
        message = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": [],
                   "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip
        events = [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": why},
             "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ]  # fmt: skip
        return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)

    def _gemini(self) -> str:
        command = self.server.next()
        part: dict[str, Any] = {"text": "Done."}
        if command is not None:
            arguments = {"command": command, "description": "as asked"}
            part = {"functionCall": {"name": "run_shell_command", "args": arguments}}
        return f"data: {json.dumps(self._candidate(part))}\n\n"

    @staticmethod
    def _candidate(part: dict[str, Any]) -> dict[str, Any]:
        content = {"role": "model", "parts": [part]}
        tokens = {"promptTokenCount": 5, "candidatesTokenCount": 5, "totalTokenCount": 10}
        only = {"content": content, "finishReason": "STOP", "index": 0}
        return {"candidates": [only], "usageMetadata": tokens}

    def _send(self, text: str, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        pass


class Script(ThreadingHTTPServer):
    """The server of a script, and what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), ScriptedModel)
        self.commands: list[str] = []
        self.asked: list[str] = []

    def next(self) -> str | None:
        return self.commands.pop(0) if self.commands else None


@pytest.fixture
def script() -> Iterator[Script]:
    with Script() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


class Session:
    """An agent in a person's home folder, connected to a home of Cairn."""

    def __init__(
        self, agent: str, person: Path, script: Script, cairn: Path, namespace: str
    ) -> None:
        # As a plugin, too: it is got from a marketplace, and finds the home by itself.
        agent, _, plugin = agent.partition(" ")
        self.agent, self.person, self.script = agent, person, script
        self.environment = {
            "HOME": str(person), "PATH": os.environ["PATH"], "NO_COLOR": "1", "KEY": "x",
            "GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": self._url,
            "ANTHROPIC_API_KEY": "x", "ANTHROPIC_BASE_URL": self._url, "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }  # fmt: skip
        if not (Path(PROGRAMS or "") / AGENTS[agent].program).exists():
            pytest.skip(f"{agent} is not installed")
        if agent == "gemini-cli":
            (person / ".gemini").mkdir()
            settings = {"security": {"auth": {"selectedType": "gemini-api-key"}},
                        "general": {"enableAutoUpdate": False}}  # fmt: skip
            (person / ".gemini" / "settings.json").write_text(json.dumps(settings))
        command = [sys.executable, "-m", "cairn", "--home", cairn, "connect", agent]
        program = Path(PROGRAMS or "") / AGENTS[agent].program
        how = [[*command, "--namespace", namespace]]
        if plugin:
            how = [[program, "plugin", "marketplace", "add", ROOT],
                   [program, "plugin", "install", "cairn@cairn"]]  # fmt: skip
            self.environment |= {
                "CAIRN_HOME": str(cairn), "CAIRN_NAMESPACE": namespace,
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            }  # fmt: skip
            cairn.mkdir(exist_ok=True)
        for one in how:
            subprocess.run(one, check=True, env=self.environment, capture_output=True, cwd=ROOT)
        # Else one piece in ten is held out of a session, whose id is another one each time.
        (cairn / "cairn.toml").write_text("[policy]\nholdout_share = 0.0\n")
        if (lookup := cairn / "lookup" / f"{namespace}.sqlite").exists():
            with closing(sqlite3.connect(lookup)) as known:
                known.execute("UPDATE meta SET value = '0.0' WHERE key = 'holdout_share'")
                known.commit()

    @property
    def _url(self) -> str:
        return f"http://127.0.0.1:{self.script.server_address[1]}"

    def said(self, folder: Path, prompt: str, *commands: str) -> str:
        """All that the model was asked in a session that runs commands."""
        self.script.commands, self.script.asked = list(commands), []
        program = Path(PROGRAMS or "") / AGENTS[self.agent].program
        provider = f'{{name="s",base_url="{self._url}/v1",wire_api="responses",env_key="KEY"}}'
        arguments = {
            "codex": [
                "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust",
                "--dangerously-bypass-approvals-and-sandbox", "-c", 'model_provider="s"',
                "-c", 'model="gpt-5"', "-c", f"model_providers.s={provider}", prompt,
            ],
            "gemini-cli": ["--yolo", "--skip-trust", "-p", prompt],
            "claude-code": ["-p", "--allowedTools", "Bash", "--", prompt],
        }  # fmt: skip
        done = subprocess.run(
            [program, *arguments[self.agent]], cwd=folder, env=self.environment, timeout=180,
            capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        return "\n".join(self.script.asked)


@pytest.mark.parametrize("agent", SESSIONS)
def test_a_session_teaches_the_next_one(tmp_path: Path, script: Script, agent: str) -> None:
    cairn, project = tmp_path / "cairn", tmp_path / "harbour"
    project.mkdir()
    (project / "Makefile").write_text("test:\n\t@echo '12 passed'\n")
    subprocess.run(["git", "init", "-q", project], check=True)
    session = Session(agent, tmp_path, script, cairn, "work")
    said = session.said(project, ALWAYS, "make test")
    assert "12 passed" in said
    assert "cairn-memory" not in said, "nothing is known yet"
    deadline = time.monotonic() + 120
    lookup = cairn / "lookup" / "work.sqlite"
    while not lookup.exists() and time.monotonic() < deadline:
        time.sleep(0.5)
    assert lookup.exists(), (cairn / "hooks" / "intake.log").read_text()
    said = session.said(project, "Hello again.")
    assert "cairn-memory" in said
    assert "test: `make test`" in said
    assert "always run make test before you commit" in said


@pytest.mark.parametrize("agent", SESSIONS)
def test_what_ended_an_error_arrives_with_it(
    home: Path, tmp_path: Path, script: Script, agent: str
) -> None:
    cairn = copy_home(home, tmp_path / "cairn")
    # A worktree of the project of the samples, which itself is not on this machine.
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".git").write_text("gitdir: /home/mira/code/harbor-backup/.git/worktrees/tree\n")
    session = Session(agent, tmp_path, script, cairn, "samples")
    said = session.said(tree, "Run the tests.", f'echo "{MISSING}"; exit 1')
    assert "How to work here" in said
    assert "What ended this error before" in said
    assert "src/harbor_backup/cli.py" in said


def hooks_of_codex(person: Path) -> dict[str, dict[str, Any]]:
    """What Codex itself says of the hooks that it found, by their key."""
    asked = [
        {"id": 1, "method": "initialize", "params": {
            "clientInfo": {"name": "test", "title": "test", "version": "0"}, "capabilities": {}}},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [str(person)]}},
    ]  # fmt: skip
    with subprocess.Popen(
        [Path(PROGRAMS or "") / "codex", "app-server"], cwd=person, text=True,
        env={"HOME": str(person), "PATH": os.environ["PATH"]},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as server:  # fmt: skip
        assert server.stdin
        assert server.stdout
        for one in asked:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **one}) + "\n")
        server.stdin.flush()
        answers = map(json.loads, server.stdout)
        told = next(one["result"] for one in answers if one.get("id") == 2)
        server.terminate()
    return {hook["key"]: hook for hook in told["data"][0]["hooks"]}


def test_whether_codex_trusts_hooks_is_told_as_codex_has_it(tmp_path: Path, script: Script) -> None:
    Session("codex", tmp_path, script, tmp_path / "cairn", "work")
    folder = tmp_path / ".codex"
    assert {hook["trustStatus"] for hook in hooks_of_codex(tmp_path).values()} == {"untrusted"}
    assert is_trusted(folder / "hooks.json", folder, CLIENT.name) is False
    with (folder / "config.toml").open("a") as config:
        for key, hook in hooks_of_codex(tmp_path).items():
            config.write(f'[hooks.state."{key}"]\ntrusted_hash = "{hook["currentHash"]}"\n')
    assert {hook["trustStatus"] for hook in hooks_of_codex(tmp_path).values()} == {"trusted"}
    assert is_trusted(folder / "hooks.json", folder, CLIENT.name) is True


def inspected(home: Path, *asked: str) -> Any:
    """What the official inspector says of the server; it warns of nothing."""
    inspector = Path(PROGRAMS or "") / "mcp-inspector"
    assert shutil.which("node")
    server = [sys.executable, "-m", "cairn", "--home", str(home), "mcp", "--namespace", "samples"]
    done = subprocess.run(
        [inspector, "--cli", *server, "--method", *asked], capture_output=True, text=True,
        check=False, timeout=120, cwd=ROOT,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_the_official_inspector_lists_tools_prompts_and_resources(home: Path) -> None:
    names = {tool["name"] for tool in inspected(home, "tools/list")["tools"]}
    assert {"search_memory", "get_brief", "get_lesson"} <= names
    prompts = inspected(home, "prompts/list")["prompts"]
    assert {one["name"]: [each["name"] for each in one["arguments"]] for one in prompts} == {
        "recall": ["question"],
        "brief": ["project"],
    }
    (template,) = inspected(home, "resources/templates/list")["resourceTemplates"]
    assert template["uriTemplate"] == "memory://brief/{project}"
    resources = inspected(home, "resources/list")["resources"]
    brief = next(one["uri"] for one in resources if one["name"] == "lantern-shop")
    (content,) = inspected(home, "resources/read", "--uri", brief)["contents"]
    assert "<cairn-memory" in content["text"]
    asked = ("prompts/get", "--prompt-name", "brief", "--prompt-args", "project=lantern-shop")
    (message,) = inspected(home, *asked)["messages"]
    assert message["content"]["text"] == content["text"]
