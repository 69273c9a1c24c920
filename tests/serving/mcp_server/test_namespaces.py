"""Two namespaces never see each other, in any tool."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mcp.types import CallToolResult

from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.serving.mcp_server.auth import KeyScope
from cairn.serving.mcp_server.tools import TOOLS, listed
from cairn.serving.retrieval.open_memory import Memory
from tests.homes import copy_home
from tests.serving.mcp_server.conftest import Things, asking, text

CASES: dict[str, Callable[[Things], dict[str, object]]] = {
    "search_memory": lambda of: {"query": f"the {of.topic} build fails", "type": "all"},
    "get_context": lambda of: {"message": f"Why does {of.words[0]} fail?",
                               "turns": [f"The {of.topic} cache is stale"]},
    "get_entity": lambda of: {"entity": of.words[0]},
    "list_entities": lambda of: {"name": of.words[0]},
    "get_learnings": lambda of: {"query": f"the {of.topic} build fails"},
    "get_brief": lambda of: {},
    "get_lesson": lambda of: {"error": f"error: {of.topic} not found"},
    "explain_fact": lambda of: {"id": of.fact},
    "recent_activity": lambda of: {"limit": 100},
    "list_interests": lambda of: {},
    "list_learn_prompts": lambda of: {},
    "list_research": lambda of: {},
    "list_notifications": lambda of: {},
    "memory_status": lambda of: {},
    "record_feedback": lambda of: {"id": of.fact, "verdict": "right"},
    "remember": lambda of: {"text": f"{of.topic} is built by make."},
    "set_preference": lambda of: {"verb": "like", "topic": of.topic},
    "learn": lambda of: {"topic": of.topic},
    "schedule": lambda of: {"topic": of.topic, "every": "3d"},
    "forget": lambda of: {"id": of.entity, "dry_run": False},
}  # fmt: skip
"""Tool → what may be asked of it about the things of a namespace."""

WITHOUT_THINGS = (
    "get_lesson", "list_learn_prompts", "list_research", "list_notifications", "memory_status",
    "remember", "set_preference", "learn", "schedule",
)  # fmt: skip
"""Tools whose answers tell nothing that is in the logs; nobody here asked to learn anything."""


def test_every_tool_has_a_case() -> None:
    assert CASES.keys() == TOOLS.keys()


@pytest.fixture(scope="module")
def shared(two_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """The two namespaces, to note things in."""
    place = tmp_path_factory.mktemp("shared") / "home"
    copy_home(two_home, place)
    return Memory(State(open_home(place), Settings()))


@pytest.fixture(autouse=True)
def _nothing_noted(shared: Memory) -> Iterator[None]:
    """What one test says waits for the next run, and lists show that: to no other test."""
    yield
    for folder in shared.state.home.inbox.iterdir():
        if folder.is_dir():
            shutil.rmtree(folder)


@pytest.mark.parametrize("tool", CASES)
@pytest.mark.parametrize("both", [False, True], ids=["bound", "one of two"])
def test_a_namespace_sees_nothing_of_another(
    shared: Memory, things: dict[str, Things], tool: str, both: bool
) -> None:
    ada, bo = things["ada"], things["bo"]
    ask = asking(shared, KeyScope(("ada", "bo") if both else ("ada",), writes=True))
    given = {"namespace": "ada"} if both else {}
    own = ask(tool, **CASES[tool](ada), **given)
    assert not own.is_error, text(own)
    assert "\nNamespace ada" in text(own)
    if tool not in WITHOUT_THINGS:
        assert _told(own, ada)
    for result in (own, ask(tool, **CASES[tool](bo), **given)):
        assert not _told(result, bo, *CASES[tool](bo).values())
    assert not (shared.state.home.inbox / "bo").exists()


def _told(result: CallToolResult, of: Things, *asked: object) -> bool:
    """Whether an answer has words or ids of a namespace, but for those of the question."""
    said = text(result)
    for words in asked:
        said = said.replace(str(words), "")
    return any(word in said for word in (*of.words, *of.ids, f"namespace {of.namespace}"))


def test_a_namespace_is_named_only_where_there_are_several(two_memory: Memory) -> None:
    assert all("namespace" not in tool.input_schema["properties"] for tool in listed(KeyScope()))
    several = KeyScope(("ada", "bo"))
    for tool in listed(several):
        assert tool.input_schema["properties"]["namespace"]["enum"] == ["ada", "bo"]
        assert "namespace" in tool.input_schema["required"]
    ask = asking(two_memory, several)
    assert "choose with `namespace`: ada, bo" in text(ask("memory_status"))
    assert "one of: ada, bo" in text(ask("memory_status", namespace="samples"))
    assert "\nNamespace bo, as of " in text(ask("memory_status", namespace="bo"))


def test_a_server_that_is_bound_to_none_asks_where_there_are_several(two_memory: Memory) -> None:
    result = asking(two_memory, KeyScope())("memory_status")
    assert result.is_error
    assert "cairn mcp --namespace NAME" in text(result)


def test_a_namespace_without_a_publication_tells_no_others(two_memory: Memory) -> None:
    result = asking(two_memory, KeyScope(("cy",)))("search_memory", query="quincepress")
    assert result.is_error
    assert "in namespace cy nothing is published yet" in text(result)
    assert "ada" not in text(result)
