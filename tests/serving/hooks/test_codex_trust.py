"""Whether Codex runs our hooks, by what it wrote down itself."""

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from cairn.integrations.codex_trust import is_trusted
from tests.serving.conftest import Ask


def command(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "command", "command": text, **more}


HOOKS = {
    "SessionStart": [{"matcher": "startup", "hooks": [command("remember é")]}],
    "UserPromptSubmit": [
        {"matcher": "x", "hooks": [command("other"),
                                   command("remember", timeout=5, statusMessage="s")]}
    ],
    "PostToolUse": [
        {"matcher": "Bash", "hooks": [
            command("remember", timeout=5, additionalContextLimit=300) | {"async": True}
        ]}
    ],
    "SessionEnd": [{"hooks": [command("remember", timeout=5), command("remember")]}],
}  # fmt: skip

DIGESTS = {
    "post_tool_use:0:0": "aa564081e124c33d7a08f6a16fd4164bcb577ef54641028cb8c0f0b24370e5e8",
    "session_start:0:0": "2da5fbd3e1f5da89ece3e5b59c8ce229894e0bcb5209087784ca51f2d928236e",
    "session_end:0:0": "5a209d5233d427b1bbd5ac668bb4313541a2f0821e29669d324831658a92b82f",
    "session_end:0:1": "690a66a6e257de5797be0a0d69d5dfc60003a27281a8e88f36f50cd203a3fa74",
    "user_prompt_submit:0:1": "d7de8e492b8e3155e8e091fd160bce722f940453fc5b2e6a9164301b439375d9",
}
"""Of those hooks, as `hooks/list` of Codex 0.169 gave them; it was asked to trust no other."""


@pytest.fixture
def codex(tmp_path: Path) -> Path:
    folder = tmp_path / ".codex"
    folder.mkdir()
    (folder / "hooks.json").write_text(json.dumps({"hooks": HOOKS}))
    return folder


def trust(folder: Path, digests: dict[str, str]) -> None:
    blocks = (
        f'[hooks.state."{folder}/hooks.json:{key}"]\ntrusted_hash = "sha256:{digest}"\n'
        for key, digest in digests.items()
    )
    (folder / "config.toml").write_text("\n".join(blocks))


def test_hooks_are_trusted_as_they_are_declared(codex: Path) -> None:
    hooks = codex / "hooks.json"
    assert is_trusted(hooks, codex, "remember") is False, "Codex has written nothing yet"
    trust(codex, DIGESTS)
    assert is_trusted(hooks, codex, "remember") is True
    assert is_trusted(hooks, codex, "other") is False
    assert is_trusted(hooks, codex, "not there") is None
    link = codex.parent / "link"
    link.symlink_to(codex)
    assert is_trusted(link / "hooks.json", link, "remember") is True
    for key in DIGESTS:
        trust(codex, {name: digest for name, digest in DIGESTS.items() if name != key})
        assert is_trusted(hooks, codex, "remember") is False, key
    trust(codex, DIGESTS)
    config = codex / "config.toml"
    config.write_text(config.read_text() + "enabled = false\n")
    assert is_trusted(hooks, codex, "remember") is False


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"hooks": 1}', '{"hooks": {"Stop": [1]}}'])
def test_what_cannot_be_told_is_not_said(codex: Path, text: str) -> None:
    (codex / "config.toml").write_text("hooks = 1")
    assert is_trusted(codex / "hooks.json", codex, "remember") is None
    (codex / "config.toml").write_text("[hooks")
    assert is_trusted(codex / "hooks.json", codex, "remember") is None
    (codex / "config.toml").unlink()
    (codex / "hooks.json").write_text(text)
    assert is_trusted(codex / "hooks.json", codex, "remember") is None


def test_connect_alone_says_what_is_not_trusted_until_an_event_came(
    tmp_path: Path, run_cairn: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    cairn, hooks = ("--home", tmp_path / "cairn"), tmp_path / ".codex" / "hooks.json"

    def untrusted() -> list[str]:
        told = " ".join(run_cairn(*cairn, "connect").out.split())
        states = {one["name"]: one for one in run_cairn(*cairn, "connect", "--json").json["agents"]}
        said = "Not trusted yet: " in told
        assert said == ("open `codex`, enter /hooks" in told) == bool(states["codex"]["untrusted"])
        return states["codex"]["untrusted"]

    assert untrusted() == []
    assert run_cairn(*cairn, "connect", "codex").code == 0
    assert tomllib.loads((hooks.parent / "config.toml").read_text())["mcp_servers"]
    assert untrusted() == [str(hooks)]
    arrived = tmp_path / "cairn" / "hooks" / "agents" / "codex"
    arrived.parent.mkdir()
    arrived.touch()
    assert untrusted() == [], "whoever ran it trusted it"
    os.utime(arrived, (0, 0))
    assert untrusted() == [str(hooks)], "it was written anew since"
