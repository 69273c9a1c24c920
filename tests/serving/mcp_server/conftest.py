"""The MCP server in this process, asked by the SDK's client; and a home of two namespaces."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.types import CallToolResult

from resources.home import open_home
from resources.settings import Settings
from resources.sources import add_source
from resources.state import State, open_state
from serving import listing
from serving.mcp_server.scope import Scope
from serving.mcp_server.server import create_server
from serving.memory import Memory
from tests.homes import copy_home
from tests.journeys.running import follow

Ask = Callable[..., CallToolResult]


def asking(memory: Memory, scope: Scope) -> Ask:
    """Calls tools of a server; the client checks each result against the declared schema."""
    server = create_server(memory, scope)

    def ask(tool: str, **arguments: object) -> CallToolResult:
        async def run() -> CallToolResult:
            async with Client(server) as client:
                return await client.call_tool(tool, arguments)

        return anyio.run(run)

    return ask


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert block.type == "text"
    return block.text


def everything(result: CallToolResult) -> str:
    """All that a result says, in both of its forms."""
    return text(result) + json.dumps(result.structured_content, ensure_ascii=False)


@pytest.fixture(scope="session")
def samples_memory(home: Path) -> Memory:
    """The samples, which no test here may change."""
    return Memory(open_state(home))


@pytest.fixture
def ask(samples_memory: Memory) -> Ask:
    return asking(samples_memory, Scope())


@pytest.fixture
def copied(home: Path, tmp_path: Path) -> State:
    """The samples, to be changed."""
    return open_state(copy_home(home, tmp_path / "home"))


SAID = {"ada": ("orchard", "quincepress", "203.0.113.7"),
        "bo": ("lighthouse", "foghorn", "198.51.100.9")}  # fmt: skip
"""Namespace → project, topic and host that it alone knows."""


@dataclass(frozen=True)
class Things:
    """What one namespace holds."""

    namespace: str
    words: tuple[str, ...]
    topic: str
    fact: str
    learning: str
    entity: str
    episode: str
    conversation: str

    @property
    def ids(self) -> tuple[str, ...]:
        return self.fact, self.learning, self.entity, self.episode, self.conversation


def session(folder: Path, name: str) -> None:
    """Two sessions of a coding agent about what one namespace alone knows."""
    project, topic, host = SAID[name]
    cwd = f"/home/{name}/code/{project}"
    error = f"Error: the {topic} cache is stale\nmake: *** [{topic}] Error 1"
    change = {"file_path": f"{cwd}/{topic}.py", "old_string": "cache = load()",
              "new_string": f"cache = load(fresh=True)  # {topic}"}  # fmt: skip
    lines = [
        ("user", f"The {topic} build fails since yesterday. We always run the {topic} tests first."
                 " Find out why and fix it."),
        ("assistant", [_call("t1", "Bash", {"command": f"make {topic}"})]),
        ("user", [_result("t1", error, is_error=True)]),
        ("assistant", [
            {"type": "text", "text": f"The {topic} build failed because the {topic} cache was"
                                     " stale."},
            _call("t2", "Edit", change),
        ]),
        ("user", [_result("t2", "Updated.")]),
        ("assistant", [_call("t3", "Bash", {"command": f"make {topic}"})]),
        ("user", [_result("t3", "42 passed")]),
        ("assistant", [_call("t4", "Bash", {"command": f"ssh root@{host} 'ls -la'"})]),
        ("user", [_result("t4", "total 0")]),
        ("assistant", f"Fixed. The fix is to load the {topic} cache anew before each build; all 42"
                      f" tests of {topic} pass now."),
    ]  # fmt: skip
    for day in (1, 3):
        rows = (
            json.dumps(
                {
                    "type": role,
                    "uuid": f"{name}-{day}-{line}",
                    "cwd": cwd,
                    "timestamp": f"2026-03-0{day}T09:{line:02}:00Z",
                    "sessionId": f"{name}-session-{day}",
                    "message": {"role": role, "content": content},
                }
            )
            for line, (role, content) in enumerate(lines)
        )
        (folder / f"{name}-{day}.jsonl").write_text("\n".join(rows) + "\n")


def _call(id_: str, name: str, given: dict[str, str]) -> dict[str, object]:
    return {"type": "tool_use", "id": id_, "name": name, "input": given}


def _result(id_: str, content: str, *, is_error: bool = False) -> dict[str, object]:
    return {"type": "tool_result", "tool_use_id": id_, "content": content, "is_error": is_error}


@pytest.fixture(scope="session")
def two_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home of the namespaces `ada` and `bo`; no test here may change it."""
    place = tmp_path_factory.mktemp("two")
    state = State(open_home(place / "home"), Settings())
    for name in SAID:
        (place / name).mkdir()
        session(place / name, name)
        add_source(state.home, place / name, name)
    follow(state)
    return place / "home"


@pytest.fixture(scope="session")
def two_memory(two_home: Path) -> Memory:
    return Memory(State(open_home(two_home), Settings()))


@pytest.fixture
def two(two_home: Path, tmp_path: Path) -> Memory:
    """The two namespaces, to be changed."""
    place = copy_home(two_home, tmp_path / "home")
    return Memory(State(open_home(place), Settings()))


@pytest.fixture(scope="session")
def things(two_memory: Memory) -> dict[str, Things]:
    return {name: _things(two_memory, name) for name in SAID}


def _things(memory: Memory, name: str) -> Things:
    reader = memory.reader(name)
    project, topic, host = SAID[name]
    episode = listing.episodes(reader).rows[0]
    return Things(
        namespace=name,
        words=(project, topic, host, f"/home/{name}/"),
        topic=topic,
        fact=listing.facts(reader, listing.Facts(entity=project)).rows[0]["fact_id"],
        learning=listing.learnings(reader).rows[0]["learning_id"],
        entity=listing.named(reader, project)[0],
        episode=episode["episode_id"],
        conversation=episode["conversation_id"],
    )
