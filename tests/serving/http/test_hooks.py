"""Hooks over HTTP: what the hook client would say, from a server; and who may have it do what."""

import json
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from threading import active_count
from time import monotonic, sleep
from typing import Any

import pytest
from fastapi.testclient import TestClient

from cairn.integrations.agents import AGENTS
from cairn.resources.context import State
from cairn.resources.home.api_keys import add_key
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.serving.http.app import create_app
from cairn.serving.retrieval.open_memory import Memory
from tests.homes import copy_home
from tests.serving.hooks.conftest import hook, offers, own_home, samples_home
from tests.serving.hooks.payloads import ODD, claude_code, codex, failed, started
from tests.serving.http.conftest import LOCAL
from tests.serving.http.test_serving import running
from tests.serving.two_namespaces import words

__all__ = ["hook", "own_home", "samples_home"]

ORCHARD, LIGHTHOUSE = "/home/ada/code/orchard", "/home/bo/code/lighthouse"
HARBOR = "/home/mira/code/harbor-backup"
MISSING = "ModuleNotFoundError: No module named 'distutils'"
JSON = {"content-type": "application/json"}


@pytest.fixture
def own(own_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> State:
    """A home of `ada` and `bo`, and a person whose agents have folders of their own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for agent in AGENTS.values():
        monkeypatch.delenv(agent.variable or "-", raising=False)
    return State(open_home(own_home), Settings())


@pytest.fixture
def client(own: State) -> Iterator[TestClient]:
    with TestClient(create_app(Memory(own)), base_url=LOCAL) as client:
        yield client


def text(answer: Any) -> str:
    """What the agent's model reads."""
    told = json.loads(answer.text or "{}")
    plain = told.get("additional_context", "")
    return told.get("hookSpecificOutput", {}).get("additionalContext", plain)


def faults(home: Path) -> list[str]:
    log = home / "hooks" / "log.jsonl"
    return (
        [json.loads(line)["why"] for line in log.read_text().splitlines()] if log.exists() else []
    )


@pytest.mark.parametrize("agent", list(AGENTS))
def test_it_is_what_the_client_prints(
    samples_home: Path, tmp_path: Path, hook: Any, agent: str
) -> None:
    asked = [
        started(agent, "s-1", HARBOR),
        failed(agent, "s-1", HARBOR, "uv run pytest", MISSING),
        failed(agent, "s-1", HARBOR, "uv run pytest", MISSING),
        started(agent, "s-2", "/srv/else"),
    ]
    other = copy_home(samples_home, tmp_path / "other")
    state = State(open_home(other), Settings())
    with TestClient(create_app(Memory(state)), base_url=LOCAL) as client:
        over_http = [client.post(f"/v1/hooks/{agent}?namespace=samples", json=one) for one in asked]
    printed = [
        hook(samples_home, one, "warn", agent=agent, namespace="samples").out for one in asked
    ]
    assert [one.text for one in over_http] == printed
    assert [one.status_code for one in over_http] == [200 if out else 204 for out in printed]
    assert "harbor" in text(over_http[0])
    assert "src/harbor_backup/cli.py" in text(over_http[1])
    assert text(over_http[2]) == text(over_http[3]) == ""
    assert offers(other, "samples") == offers(samples_home, "samples") != []


@pytest.mark.parametrize("payload", [*ODD, b'{"hook_event_name": "SessionStart", "cwd": "/'
                                     + b"a/" * 4_000_000 + b'"}', b"x" * 20_000_000])  # fmt: skip
def test_any_oddity_of_input_ends_in_silence(
    client: TestClient, own: State, payload: bytes
) -> None:
    began = monotonic()
    answer = client.post("/v1/hooks/claude-code?namespace=ada", content=payload, headers=JSON)
    assert (answer.status_code, answer.content) == (204, b"")
    assert monotonic() - began < 20
    assert not (own.home.hooks / "queue.jsonl").exists()
    odd = json.loads(payload) if payload[:1] == b"{" and payload[-1:] == b"}" else None
    if not isinstance(odd, dict):
        (why,) = faults(own.home.root)
        assert why in ("JSONDecodeError", "UnicodeDecodeError", "RecursionError",
                       "the payload is no object")  # fmt: skip
    then = client.post(
        "/v1/hooks/claude-code?namespace=ada", json=started("claude-code", "s-1", ORCHARD)
    )
    assert "quincepress" in text(then)


def test_what_is_of_another_agent_or_unknown_is_nothing(client: TestClient, own: State) -> None:
    theirs = claude_code("FileChanged", "s-1", ORCHARD, file="x")
    assert client.post("/v1/hooks/claude-code?namespace=ada", json=theirs).status_code == 204
    assert faults(own.home.root) == []
    for agent in ("none", "claude-code.", "..%2fx", "Codex"):
        answer = client.post(f"/v1/hooks/{agent}?namespace=ada", json=theirs)
        assert answer.status_code == 404
    # Cursor runs the hooks of Claude Code too.
    odd = started("cursor", "s-1", ORCHARD)
    told = client.post("/v1/hooks/claude-code?namespace=ada", json=odd).json()
    assert "quincepress" in told["additional_context"]


def test_a_home_that_is_broken_ends_in_silence(client: TestClient, own: State) -> None:
    (own.home.lookup / "ada.sqlite").write_bytes(b"no database at all")
    begun = started("claude-code", "s-1", ORCHARD)
    assert client.post("/v1/hooks/claude-code?namespace=ada", json=begun).status_code == 204
    assert "cannot be read" in faults(own.home.root)[0]


def test_a_page_in_a_browser_gets_nothing(client: TestClient) -> None:
    begun = json.dumps(started("claude-code", "s-1", ORCHARD))
    path = "/v1/hooks/claude-code?namespace=ada"
    plain = client.post(path, content=begun, headers={"content-type": "text/plain"})
    assert plain.status_code == 415
    other = client.post(path, content=begun, headers={**JSON, "host": "evil.example"})
    assert other.status_code == 421
    assert "quincepress" not in plain.text + other.text


def test_a_key_opens_its_own_namespace_and_no_file(client: TestClient, own: State) -> None:
    secret = {name: add_key(own.home, [name])[0] for name in ("ada", "bo")}
    secret["reads"] = add_key(own.home, ["ada"], read_only=True)[0]

    def post(who: str, payload: Any, more: str = "") -> Any:
        headers = {"authorization": f"Bearer {secret[who]}"} if who else {}
        return client.post(f"/v1/hooks/claude-code{more}", json=payload, headers=headers)

    for name, other, cwd in (("ada", "bo", ORCHARD), ("bo", "ada", LIGHTHOUSE)):
        begun = started("claude-code", f"s-{name}", cwd)
        assert words(name)[1] in text(post(name, begun))
        assert post(other, begun).content == b""
        assert post(other, begun, f"?namespace={name}").status_code == 404
        assert [offer["session"] for offer in offers(own.home.root, name)] == [f"s-{name}"]
    assert post("", begun).status_code == 401
    assert post("reads", begun).status_code == 403, "what is offered is noted"
    transcript = AGENTS["claude-code"].transcripts(Path.home(), {}) / "x" / "s-9.jsonl"
    ended = claude_code("SessionEnd", "s-9", ORCHARD, reason="other")
    assert post("ada", ended | {"transcript_path": str(transcript)}).status_code == 204
    assert not (own.home.hooks / "queue.jsonl").exists()
    assert faults(own.home.root) == ["with a key no transcript is taken over HTTP: use the command"]


def test_only_transcripts_of_the_agent_are_queued(
    client: TestClient, own: State, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mark = tmp_path / "began"
    code = f"open({str(mark)!r}, 'a').write('x'); import time; time.sleep(1)"
    monkeypatch.setattr(
        "cairn.serving.http.routes.hooks.cairn_command", lambda _: [sys.executable, "-c", code]
    )
    folder = tmp_path / ".codex" / "sessions"
    (folder / "2026").mkdir(parents=True)
    secret = tmp_path / ".codex" / "auth.json"
    secret.write_text("{}")
    (folder / "link.jsonl").symlink_to(secret)

    def end(transcript: object, agent: str = "codex") -> None:
        ended = codex("SessionEnd", "s-1", ORCHARD) | {"transcript_path": transcript}
        answer = client.post(f"/v1/hooks/{agent}?namespace=ada", json=ended)
        assert (answer.status_code, answer.content) in ((204, b""), (200, b"{}"))

    queue = own.home.hooks / "queue.jsonl"
    for path in (secret, folder / "link.jsonl", folder / ".." / "auth.json", "/etc/passwd",
                 f"{folder}/{'x' * 5000}", f"{folder}/a\0b", "sessions/x", 7, None):  # fmt: skip
        end(str(path) if isinstance(path, Path) else path)
    end(str(folder / "2026" / "a.jsonl"), agent="gemini-cli")
    assert not queue.exists()
    for _ in range(3):
        end(str(folder / "2026" / "a.jsonl"))
    (line, *rest) = map(json.loads, queue.read_text().splitlines())
    assert len(rest) == 2
    assert (line["namespace"], line["agent"]) == ("ada", "codex")
    assert line["path"] == str(folder / "2026" / "a.jsonl")
    for _ in range(400):
        if mark.exists() and mark.read_text():
            break
        sleep(0.05)
    sleep(0.2)
    assert mark.read_text() == "x", "one intake, as the client starts it"


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_many_sessions_at_once_over_a_real_server(own: State) -> None:
    def session(number: int, port: int) -> tuple[int, int, str]:
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        name, cwd = (("ada", ORCHARD), ("bo", LIGHTHOUSE))[number % 2]
        path = f"/v1/hooks/claude-code?namespace={name}"
        said: list[str] = []
        for payload in (started("claude-code", f"s-{number}", cwd), {"hook_event_name": 7}):
            connection.request("POST", path, json.dumps(payload), JSON)
            answer = connection.getresponse()
            said.append(f"{answer.status} {answer.read().decode()}")
        connection.close()
        other = words("bo" if name == "ada" else "ada")
        assert not [word for word in other if word in said[0]]
        return number, said[0].count(words(name)[1]), said[1]

    before = active_count()
    with running(own) as port:
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda number: session(number, port), range(40)))
        with socket.create_connection(("127.0.0.1", port)) as half:
            half.sendall(b"POST /v1/hooks/codex HTTP/1.1\r\nhost: localhost\r\ncontent-type: "
                         b"application/json\r\ncontent-length: 9000000\r\n\r\n{")  # fmt: skip
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("POST", "/v1/hooks/codex?namespace=ada", b"x" * 9_000_000, JSON)
        assert connection.getresponse().status == 204
        connection.close()
        assert active_count() < before + 80
    assert {later for _, _, later in found} == {"204 "}
    noted = [*offers(own.home.root, "ada"), *offers(own.home.root, "bo")]
    silent = [why for why in faults(own.home.root) if why != "JSONDecodeError"]
    assert set(silent) <= {"the inbox is being written", "too late"}, "on a machine that is busy"
    assert len(noted) + len(silent) == 40
    assert sum(count > 0 for _, count, _ in found) >= 30 - len(silent)
