"""The plugin for Claude Code, made of what `cairn connect` writes: `make docs` writes its files.

A plugin is copied into a cache, and is the same on each machine. So it has a copy of the client,
which finds the home by itself, and needs `python3` and `cairn` on the PATH.
"""

import json
from pathlib import Path
from typing import Any

from cairn.integrations.agents import AGENTS, CLIENT, SERVER, Wiring

FOLDER = "integrations/claude-code"
"""Of the plugin, in a checkout."""

_COPY = f"${{CLAUDE_PLUGIN_ROOT}}/{CLIENT.name}"
_ABOUT = "Memory of past sessions: facts, lessons, and how each project is worked on."
_AUTHOR = {"name": "Cairn"}


class _PluginWiring(Wiring):
    @property
    def hook_line(self) -> str:
        """The path of the copy is known to the shell alone."""
        return super().hook_line.replace(f"'{_COPY}'", f'"{_COPY}"')


_WIRING = _PluginWiring(
    # Neither home nor namespace is named: the client finds them as `cairn` does.
    hook=[
        *("python3", "-I", "-S", _COPY, "claude-code", "", ""),
        *("--", "/usr/bin/env", "cairn", "intake", "--started"),
    ],
    server=["cairn", "mcp"],
)


def plugin_files() -> dict[str, str]:
    """The files of the plugin and of its marketplace, by their path in a checkout.

    A marketplace stands at the top, for who adds the repository, and in the folder of the plugin,
    for who adds that alone.
    """
    claude = AGENTS["claude-code"]
    settings = claude.files(claude, Path(), False, {})
    hooks, servers = (file.connect("", _WIRING) for file in settings)
    # Without a version each commit is one: users get what is newer.
    about = {"name": SERVER, "description": _ABOUT, "author": _AUTHOR, "license": "Apache-2.0"}
    return {
        ".claude-plugin/marketplace.json": _marketplace(f"./{FOLDER}"),
        f"{FOLDER}/.claude-plugin/marketplace.json": _marketplace("./"),
        f"{FOLDER}/.claude-plugin/plugin.json": _json(about),
        f"{FOLDER}/.mcp.json": servers,
        f"{FOLDER}/hooks/hooks.json": hooks,
        f"{FOLDER}/{CLIENT.name}": CLIENT.read_text(encoding="utf-8"),
    }


def _marketplace(source: str) -> str:
    plugin = {"name": SERVER, "source": source, "description": _ABOUT}
    head = {"name": SERVER, "description": _ABOUT, "owner": _AUTHOR}
    return _json(head | {"plugins": [plugin]})


def _json(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"
