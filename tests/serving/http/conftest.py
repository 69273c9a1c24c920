"""The API in this process: over the samples, and over a home with two namespaces."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from resources.home import open_home
from resources.keys import add_key
from resources.settings import Settings
from resources.sources import add_source
from resources.state import State, open_state
from serving.http.app import create_app
from serving.memory import Memory
from tests.homes import copy_home
from tests.journeys.running import follow

LOCAL = "http://127.0.0.1"

SAID = {
    "ada": ("/home/ada/code/orchard", "quincepress", "203.0.113.7"),
    "bo": ("/home/bo/code/lighthouse", "foghorn", "198.51.100.9"),
}
"""Namespace → folder, topic and host that it alone knows."""


@pytest.fixture(scope="session")
def samples_app(home: Path) -> FastAPI:
    """The API over the samples, which no test here may change."""
    return create_app(Memory(open_state(home)))


@pytest.fixture
def client(samples_app: FastAPI) -> Iterator[TestClient]:
    with TestClient(samples_app, base_url=LOCAL) as client:
        yield client


@pytest.fixture
def copied(home: Path, tmp_path: Path) -> State:
    """The samples, to be changed."""
    place = tmp_path / "home"
    return open_state(copy_home(home, place))


Ask = Callable[[str | None], TestClient]


def session(folder: Path, name: str) -> None:
    """Two sessions of a coding agent about what one namespace alone knows."""
    cwd, topic, host = SAID[name]
    for number, day in enumerate((1, 3)):
        make = {"command": f"make {topic}"}
        error = f"Error: the {topic} cache is stale\nmake: *** [{topic}] Error 1"
        change = {
            "file_path": f"{cwd}/{topic}.py", "old_string": "cache = load()",
            "new_string": f"cache = load(fresh=True)  # {topic}",
        }  # fmt: skip
        lines = [
            ("user", f"The {topic} build fails since yesterday. We always run the {topic} tests"
             " first. Find out why and fix it."),
            ("assistant", [{"type": "tool_use", "id": "t1", "name": "Bash", "input": make}]),
            ("user", [{"type": "tool_result", "tool_use_id": "t1", "is_error": True,
                       "content": error}]),
            ("assistant", [
                {"type": "text", "text": f"The {topic} build failed because the {topic} cache was"
                 " stale."},
                {"type": "tool_use", "id": "t2", "name": "Edit", "input": change},
            ]),
            ("user", [{"type": "tool_result", "tool_use_id": "t2", "content": "Updated."}]),
            ("assistant", [{"type": "tool_use", "id": "t3", "name": "Bash", "input": make}]),
            ("user", [{"type": "tool_result", "tool_use_id": "t3", "content": "42 passed"}]),
            ("assistant", [{"type": "tool_use", "id": "t4", "name": "Bash",
                            "input": {"command": f"ssh root@{host} 'ls -la'"}}]),
            ("user", [{"type": "tool_result", "tool_use_id": "t4", "content": "total 0"}]),
            ("assistant", f"Fixed. The fix is to load the {topic} cache anew before each build;"
             f" all 42 tests of {topic} pass now."),
        ]  # fmt: skip
        rows = (
            json.dumps({
                "type": role, "uuid": f"{name}-{number}-{line}", "cwd": cwd,
                "timestamp": f"2026-03-0{day}T09:{line:02}:00Z",
                "sessionId": f"{name}-session-{number}",
                "message": {"role": role, "content": content},
            })
            for line, (role, content) in enumerate(lines)
        )  # fmt: skip
        (folder / f"{name}-{number}.jsonl").write_text("\n".join(rows) + "\n")


@pytest.fixture(scope="session")
def two(tmp_path_factory: pytest.TempPathFactory) -> State:
    """A home of the namespaces `ada` and `bo`, each with a key; no test here may change it."""
    place = tmp_path_factory.mktemp("two")
    state = State(open_home(place / "home"), Settings())
    for name in SAID:
        (place / name).mkdir()
        session(place / name, name)
        add_source(state.home, place / name, name)
    follow(state)
    return state


@pytest.fixture(scope="session")
def keys(two: State) -> dict[str, str]:
    """Namespace → a key that opens it alone."""
    return {name: add_key(two.home, [name], name=name)[0] for name in SAID}


@pytest.fixture(scope="session")
def two_app(two: State, keys: dict[str, str]) -> FastAPI:
    return create_app(Memory(two))


@pytest.fixture
def ask(two_app: FastAPI, keys: dict[str, str]) -> Ask:
    """A client with the key of a namespace, or without any."""

    def asking(name: str | None) -> TestClient:
        headers = {"authorization": f"Bearer {keys[name]}"} if name else {}
        return TestClient(two_app, base_url=LOCAL, headers=headers)

    return asking
