"""Whether Codex runs hooks: only those that a person has trusted, in `/hooks`.

What they trusted stands in `config.toml`: for each hook, by its place in its file, a digest of how
it was declared. As of Codex 0.169; the format is its own, and may change.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_PLAIN, _LONGEST = (600, 10**9), (1, 3)
"""Seconds that a hook has unless told, and at most …"""
_SHORT = ("SessionEnd", "Interrupt")
"""… of these events."""

_ALSO = ("statusMessage", "additionalContextLimit")

_UNMATCHED = ("UserPromptSubmit", "Stop")
"""Events of which a matcher says nothing."""


def is_trusted(hooks: Path, folder: Path, mark: str) -> bool | None:
    """Whether all hooks of ours in a file are trusted, and none is switched off.

    Args:
        hooks: A `hooks.json`.
        folder: The user's settings folder.
        mark: Stands in the commands of our hooks.

    Returns:
        None if it cannot be told, or there are none.
    """
    try:
        declared = json.loads(hooks.read_bytes())
        config = folder / "config.toml"
        known = tomllib.loads(config.read_text()) if config.exists() else {}
        state = known.get("hooks", {}).get("state", {})
        ours = [(key, digest) for key, command, digest in _handlers(declared) if mark in command]
        told = [
            any(
                one.get("enabled", True) and one.get("trusted_hash") == digest
                for place in {hooks, hooks.resolve()}
                for one in [state.get(f"{place}:{key}", {})]
            )
            for key, digest in ours
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return all(told) if told else None


def _handlers(declared: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Of each handler its place in the file, its command, and the digest of how it is declared."""
    for event, groups in declared["hooks"].items():
        name = re.sub(r"(?<!^)([A-Z])", r"_\1", event).lower()
        for number, group in enumerate(groups):
            for place, one in enumerate(group["hooks"]):
                usual, most = _LONGEST if event in _SHORT else _PLAIN
                command = one.get("command", "")
                handler = {key: one[key] for key in _ALSO if key in one} | {
                    "type": "command",
                    "command": command,
                    "timeout": min(one.get("timeout", usual), most),
                    "async": one.get("async", False),
                }
                said: dict[str, Any] = {"event_name": name, "hooks": [handler]}
                if "matcher" in group and event not in _UNMATCHED:
                    said["matcher"] = group["matcher"]
                text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
                digest = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
                yield f"{name}:{number}:{place}", command, digest
