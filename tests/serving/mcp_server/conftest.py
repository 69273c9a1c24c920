"""The MCP server in this process, asked by the SDK's client; and a home of two namespaces."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.types import CallToolResult

from cairn.resources.context import State, open_state
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.serving.mcp_server.answers import ToolAnswer
from cairn.serving.mcp_server.auth import Asked, KeyScope
from cairn.serving.mcp_server.server import create_server
from cairn.serving.mcp_server.tools import TOOLS
from cairn.serving.query import listing
from cairn.serving.retrieval.open_memory import Memory
from tests.homes import copy_home
from tests.serving.two_namespaces import SAID, words


@dataclass(frozen=True)
class Ask:
    """Tools of a server, as a client calls them; and the fields of which their words are made."""

    memory: Memory
    scope: KeyScope

    def __call__(self, tool: str, **arguments: object) -> CallToolResult:
        async def run() -> CallToolResult:
            async with Client(create_server(self.memory, self.scope)) as client:
                return await client.call_tool(tool, arguments)

        return anyio.run(run)

    def fields(self, tool: str, **arguments: object) -> dict[str, Any]:
        asked = Asked(self.memory, self.scope)
        return fields(
            TOOLS[tool].answer(asked, arguments, self.memory.state.settings.mcp_answer_bytes)
        )


def fields(told: ToolAnswer[Any]) -> dict[str, Any]:
    """What is said in words, by name."""
    around = {"generation": told.generation, "left_out": told.left_out}
    return told.answer.model_dump(mode="json") | around


asking = Ask


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert result.structured_content is None  # clients show one of both, and not always this
    assert block.type == "text"
    return block.text


@pytest.fixture(scope="session")
def samples_memory(home: Path) -> Memory:
    """The samples, which no test here may change."""
    return Memory(open_state(home))


@pytest.fixture
def ask(samples_memory: Memory) -> Ask:
    return asking(samples_memory, KeyScope())


@pytest.fixture
def copied(home: Path, tmp_path: Path) -> State:
    """The samples, to be changed."""
    return open_state(copy_home(home, tmp_path / "home"))


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
    project, topic, _ = SAID[name]
    episode = listing.episodes(reader).rows[0]
    return Things(
        namespace=name,
        words=words(name),
        topic=topic,
        fact=listing.facts(reader, listing.FactFilter(entity=project)).rows[0]["fact_id"],
        learning=listing.learnings(reader).rows[0]["learning_id"],
        entity=listing.named(reader, project)[0],
        episode=episode["episode_id"],
        conversation=episode["conversation_id"],
    )
