"""The agents that can be connected: their settings files, and what is written into each.

Formats of Claude Code 2.1, Codex 0.169, Gemini CLI 0.61 and Cursor 3.7, as documented.
"""

import json
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cairn.integrations.codex_trust import is_trusted

CLIENT = Path(__file__).with_name("hook_client.py")

SERVER = "cairn"
"""Name of the MCP server in each agent's settings."""

SECONDS = 5
"""After which an agent gives the client up; that ends by itself long before."""

HTTP_SECONDS = 1
"""After which it gives a server up, which keeps to the client's deadline."""

HOOKS_PATH = "/v1/hooks/"
KEY_VARIABLE = "CAIRN_KEY"
"""Where an agent finds the key of a server: no settings file has one in it."""

_MARKS = (CLIENT.name, f"{HOOKS_PATH}claude-code?namespace=")
_TOML_BEGIN, _TOML_END = "# cairn connect: begin", "# cairn connect: end"


def cairn_command(home: Path) -> list[str]:
    """`cairn` over a home, by full paths: it may not be on the PATH of who starts it."""
    # -P, since it may start in the folder of a project, which may have a `cairn` of its own.
    return [sys.executable, "-P", "-m", "cairn", "--home", str(home)]


class SettingsError(ValueError):
    """A settings file cannot be edited; the message says why and what to do."""


@dataclass(frozen=True)
class Wiring:
    """What an agent is told: the command of its hooks, and that of the MCP server."""

    hook: Sequence[str]
    """Without the arguments of single moments."""
    server: Sequence[str]
    warn: bool = False
    """Whether it is asked before commands run, too."""
    url: str | None = None
    """Where a running server is asked, by agents that can, in place of the client."""
    needs_key: bool = False
    """Whether that server asks for a key."""

    @property
    def hook_line(self) -> str:
        """The command of a hook as a shell takes it; an agent never hears of its end.

        Not for Cursor, which gives the payload to the last command of the line.
        """
        return f"{shlex.join(self.hook)} || true"


@dataclass(frozen=True)
class SettingsFile:
    """A file of an agent, and how its text changes when the agent is connected, and back."""

    path: Path
    connect: Callable[[str, Wiring], str]
    """Of its text, empty where it is not there."""
    disconnect: Callable[[str], str]


@dataclass(frozen=True)
class Agent:
    """A coding agent that can be connected."""

    name: str
    title: str
    program: str
    folder: str
    """Its settings folder, below the home folder and below a project."""
    variable: str | None
    """Variable that names another place for the one below the home folder."""
    logs: str
    """Folder in it that the transcripts lie in."""
    files: Callable[["Agent", Path, bool, Mapping[str, str]], list[SettingsFile]]
    """Of a home folder or project; whether it is that of a user; the environment."""
    then: str = ""
    """What a person has to do besides."""
    trusts: Callable[[Path, Path, str], bool | None] | None = None
    """Of a settings file, the user's folder and the mark of our hooks: whether it runs these."""
    moves_home: bool = False
    """Whether the variable stands in place of the home folder, not of the folder in it."""

    def settings_folder(self, root: Path, user: bool, environment: Mapping[str, str]) -> Path:
        """Where its settings stand."""
        named = environment.get(self.variable or "") if user else None
        if named and not self.moves_home:
            return Path(named)
        return Path(named or root) / self.folder

    def transcripts(self, home: Path, environment: Mapping[str, str]) -> Path:
        """The folder that the transcripts of a user lie in."""
        return self.settings_folder(home, True, environment) / self.logs

    def untrusted(
        self, files: Iterable[str], home: Path, environment: Mapping[str, str], last: float | None
    ) -> list[str]:
        """Settings files whose hooks it does not run, as far as that can be told.

        Args:
            files: Those that it is connected by.
            home: The user's home folder.
            environment: Variables that may move its settings.
            last: When its last event came; it runs what was written before.
        """
        folder = self.settings_folder(home, True, environment)
        return [
            file
            for file in files
            if self.trusts
            and self.trusts(Path(file), folder, CLIENT.name) is False
            and (last is None or last < Path(file).stat().st_mtime)
        ]

    def is_here(self, home: Path, environment: Mapping[str, str]) -> bool:
        """Whether it is installed, or was."""
        found = shutil.which(self.program, path=environment.get("PATH"))
        return found is not None or self.settings_folder(home, True, environment).is_dir()


def _json(text: str, path: Path) -> dict[str, Any]:
    try:
        read = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise SettingsError(
            f"{path} is no plain JSON ({error}): take comments out of it, or add by hand what"
            " `cairn connect` would write into an empty one"
        ) from None
    if not isinstance(read, dict):
        raise SettingsError(f"{path} holds no JSON object")
    return read


def _text(settings: Mapping[str, Any], before: str) -> str:
    """JSON with the indentation that a text had."""
    indent = re.search(r"^([ \t]+)\S", before, re.MULTILINE)
    return json.dumps(settings, indent=indent[1] if indent else 2, ensure_ascii=False) + "\n"


def _is_ours(entry: Any) -> bool:
    return any(mark in json.dumps(entry) for mark in _MARKS)


def _without(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings without hooks of ours, and without what they leave empty."""
    hooks = settings.get("hooks")
    if not isinstance(hooks, dict):
        return settings
    left: dict[str, Any] = {}
    for event, groups in hooks.items():
        kept = (
            [group for group in groups if not _is_ours(group)]
            if isinstance(groups, list)
            else groups
        )
        if kept or not isinstance(groups, list) or not groups:
            left[event] = kept
    rest = {key: value for key, value in settings.items() if key != "hooks"}
    return rest | ({"hooks": left} if left else {})


def _hooks_json(
    path: Path, events: Callable[[Wiring], dict[str, Any]], base: Mapping[str, Any] | None = None
) -> SettingsFile:
    """A file whose `hooks` have a list of groups for each event."""

    def connect(text: str, wiring: Wiring) -> str:
        settings = dict(base or {}) | _json(text, path)
        hooks = _without(settings).get("hooks", {})
        if not isinstance(hooks, dict):
            raise SettingsError(f"{path}: `hooks` is no object")
        added = {
            event: [*(hooks.get(event) or []), group] for event, group in events(wiring).items()
        }
        return _text(settings | {"hooks": hooks | added}, text)

    def disconnect(text: str) -> str:
        left = _without(_json(text, path))
        return "" if left in ({}, dict(base or {})) else _text(left, text)

    return SettingsFile(path, connect, disconnect)


def _server_json(path: Path) -> SettingsFile:
    """A file whose `mcpServers` name each server."""

    def connect(text: str, wiring: Wiring) -> str:
        settings = _json(text, path)
        servers = settings.get("mcpServers", {})
        if not isinstance(servers, dict):
            raise SettingsError(f"{path}: `mcpServers` is no object")
        own = {"command": wiring.server[0], "args": list(wiring.server[1:])}
        return _text(settings | {"mcpServers": servers | {SERVER: own}}, text)

    def disconnect(text: str) -> str:
        settings = _json(text, path)
        servers = settings.get("mcpServers")
        if not isinstance(servers, dict) or SERVER not in servers:
            return text
        left = {name: server for name, server in servers.items() if name != SERVER}
        rest = {key: value for key, value in settings.items() if key != "mcpServers"}
        rest |= {"mcpServers": left} if left else {}
        return _text(rest, text) if rest else ""

    return SettingsFile(path, connect, disconnect)


def _both(first: SettingsFile, second: SettingsFile) -> SettingsFile:
    """One file with hooks and servers."""
    return SettingsFile(
        first.path,
        lambda text, wiring: second.connect(first.connect(text, wiring), wiring),
        lambda text: second.disconnect(first.disconnect(text)),
    )


def _server_toml(path: Path) -> SettingsFile:
    """A TOML file with a table for each server; ours stands between two marks at its end."""

    def cut(text: str) -> str:
        before, begin, rest = text.partition(f"{_TOML_BEGIN}\n")
        _, end, after = rest.partition(f"{_TOML_END}\n")
        if not (begin and end):
            return text
        return before.removesuffix("\n") + after if before.endswith("\n\n") else before + after

    def connect(text: str, wiring: Wiring) -> str:
        rest = cut(text)
        try:
            servers = tomllib.loads(rest).get("mcp_servers", {})
        except tomllib.TOMLDecodeError as error:
            raise SettingsError(f"{path} is no TOML: {error}") from None
        if SERVER in servers:
            return text  # as a person, or `codex mcp add`, has it
        quoted = [json.dumps(word) for word in wiring.server]
        block = (
            f"{_TOML_BEGIN}\n[mcp_servers.{SERVER}]\ncommand = {quoted[0]}\n"
            f"args = [{', '.join(quoted[1:])}]\n{_TOML_END}\n"
        )
        if rest and not rest.endswith("\n"):
            rest += "\n"
        return f"{rest}\n{block}" if rest else block

    return SettingsFile(path, connect, cut)


def _matched(wiring: Wiring, timeout: int, **more: str) -> dict[str, Any]:
    handler = {"type": "command", "command": wiring.hook_line, "timeout": timeout}
    matcher = {"matcher": more.pop("matcher")} if "matcher" in more else {}
    return {**matcher, "hooks": [{**more, **handler}]}


def _claude_events(wiring: Wiring) -> dict[str, Any]:
    plain = _matched(wiring, SECONDS)
    # A server that is not there loses what is asked of it: a word about a prompt or an error. What
    # must not be lost, a transcript, is queued by the client; and no session starts over HTTP.
    asking = {"hooks": [_posted(wiring, wiring.url)]} if wiring.url else plain
    return {
        "SessionStart": plain,
        "UserPromptSubmit": asking,
        "PostToolUseFailure": asking,
        "Stop": plain,
        "SessionEnd": plain,
        **({"PreToolUse": {"matcher": "Bash", **asking}} if wiring.warn else {}),
    }


def _posted(wiring: Wiring, url: str) -> dict[str, Any]:
    handler: dict[str, Any] = {"type": "http", "url": url, "timeout": HTTP_SECONDS}
    if wiring.needs_key:
        handler["headers"] = {"Authorization": f"Bearer ${KEY_VARIABLE}"}
        handler["allowedEnvVars"] = [KEY_VARIABLE]
    return handler


def _codex_events(wiring: Wiring) -> dict[str, Any]:
    plain = _matched(wiring, SECONDS)
    before = {"PreToolUse": _matched(wiring, SECONDS, matcher="Bash")} if wiring.warn else {}
    after = {"PostToolUse": _matched(wiring, SECONDS, matcher="Bash")}
    names = ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")
    return dict.fromkeys(names, plain) | after | before


def _gemini_events(wiring: Wiring) -> dict[str, Any]:
    shell = "run_shell_command"
    plain = _matched(wiring, 1000 * SECONDS, name=SERVER)
    on_shell = _matched(wiring, 1000 * SECONDS, name=SERVER, matcher=shell)
    # Not SessionStart: it puts what that says into the first prompt, and drops that when a session
    # is resumed. The brief comes with the first prompt.
    names = ("BeforeAgent", "AfterAgent", "SessionEnd")
    events = dict.fromkeys(names, plain) | {"AfterTool": on_shell}
    return events | ({"BeforeTool": on_shell} if wiring.warn else {})


def _cursor_events(wiring: Wiring) -> dict[str, Any]:
    names = ["sessionStart", "beforeSubmitPrompt", "postToolUseFailure", "stop", "sessionEnd"]
    own = {"command": shlex.join(wiring.hook), "timeout": SECONDS}
    return dict.fromkeys([*names, *(["preToolUse"] * wiring.warn)], own)


def _claude(
    agent: Agent, root: Path, user: bool, environment: Mapping[str, str]
) -> list[SettingsFile]:
    folder = agent.settings_folder(root, user, environment)
    named = bool(user and environment.get(agent.variable or ""))
    # Those of a project name programs of this machine: they are not for the repository.
    hooks = folder / ("settings.json" if user else "settings.local.json")
    servers = (folder if named else root) / (".claude.json" if user else ".mcp.json")
    return [_hooks_json(hooks, _claude_events), _server_json(servers)]


def _codex(
    agent: Agent, root: Path, user: bool, environment: Mapping[str, str]
) -> list[SettingsFile]:
    folder = agent.settings_folder(root, user, environment)
    hooks = _hooks_json(folder / "hooks.json", _codex_events)
    return [hooks, _server_toml(folder / "config.toml")]


def _gemini(
    agent: Agent, root: Path, user: bool, environment: Mapping[str, str]
) -> list[SettingsFile]:
    file = agent.settings_folder(root, user, environment) / "settings.json"
    return [_both(_hooks_json(file, _gemini_events), _server_json(file))]


def _cursor(
    agent: Agent, root: Path, user: bool, environment: Mapping[str, str]
) -> list[SettingsFile]:
    folder = agent.settings_folder(root, user, environment)
    hooks = _hooks_json(folder / "hooks.json", _cursor_events, {"version": 1})
    return [hooks, _server_json(folder / "mcp.json")]


AGENTS = {
    agent.name: agent
    for agent in (
        Agent(
            "claude-code", "Claude Code", "claude", ".claude", "CLAUDE_CONFIG_DIR", "projects",
            _claude,
        ),
        Agent(
            "codex", "Codex", "codex", ".codex", "CODEX_HOME", "sessions", _codex,
            "Codex runs new hooks only when you trust them: open `codex`, enter /hooks, and do so.",
            is_trusted,
        ),
        Agent(
            "gemini-cli", "Gemini CLI", "gemini", ".gemini", "GEMINI_CLI_HOME", "tmp", _gemini,
            "In a folder that Gemini CLI does not trust, hooks of the project do not run.",
            moves_home=True,
        ),
        Agent("cursor", "Cursor", "cursor", ".cursor", None, "projects", _cursor),
    )
}  # fmt: skip
