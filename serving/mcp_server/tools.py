"""The table of tools, how each is declared, and how a call of one is answered."""

import logging
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from inspect import getdoc
from typing import Any, Generic, TypeVar

from mcp.types import CallToolResult, TextContent, ToolAnnotations
from mcp.types import Tool as Declared
from pydantic import ValidationError

from knowledge.llm.fence import fenced
from resources.home.damage import as_damage
from serving.mcp_server import read_tools, write_tools
from serving.mcp_server.answers import Answered, Page
from serving.mcp_server.arguments import Arguments
from serving.mcp_server.auth import Asked, Refused, Scope
from serving.mcp_server.truncation import fitted, text_of
from serving.read.pagination import LONGEST_CURSOR, BadCursor
from serving.retrieval.open_memory import Memory
from serving.write.decisions import Undecidable

DAMAGED = "what is stored cannot be read: `cairn doctor` says what, `cairn run` makes it again"
FAULT = "this is a fault of the server: its log says where; `cairn doctor` may say why"
NAMESPACE = "namespace"

logger = logging.getLogger(__name__)

Wanted = TypeVar("Wanted", bound=Arguments)


@dataclass(frozen=True)
class Tool(Generic[Wanted]):
    """One tool: its function, whose docstring describes it, and what goes in and comes out."""

    do: Callable[[Asked, Wanted], Answered]
    title: str
    reads: bool = True
    destroys: bool = False
    """Whether what it notes takes something away from readers."""
    reaches_out: bool = False
    """Whether something outside is asked for it, later."""

    @property
    def name(self) -> str:
        """The name by which agents call it."""
        return self.do.__name__

    @cached_property
    def wanted(self) -> type[Wanted]:
        """What it is asked."""
        return self.do.__annotations__["wanted"]

    def declared(self, scope: Scope) -> Declared:
        """The tool as it is listed."""
        asked = _plain(self.wanted.model_json_schema())
        del asked["description"]
        asked["properties"] = {
            name: _without_null(value) for name, value in asked["properties"].items()
        }
        if scope.chooses:
            asked["properties"][NAMESPACE] = {
                "type": "string",
                "enum": list(scope.namespaces),
                "description": "Whose memory.",
            }
            asked["required"] = [*asked.get("required", []), NAMESPACE]
        told: type[Answered] = self.do.__annotations__["return"]
        return Declared(
            name=self.name,
            title=self.title,
            description=" ".join((getdoc(self.do) or "").split()),
            input_schema=asked,
            output_schema=_plain(told.model_json_schema(mode="serialization")),
            annotations=ToolAnnotations(
                title=self.title,
                read_only_hint=self.reads,
                destructive_hint=self.destroys,
                idempotent_hint=self.reads,
                open_world_hint=self.reaches_out,
            ),
        )

    def answer(self, asked: Asked, arguments: dict[str, Any], most: int) -> Answered:
        """What it says, within so many bytes.

        Raises:
            ValidationError: the arguments are not what it is asked.
        """
        wanted = self.wanted.model_validate(arguments)
        found = self.do(asked, wanted)
        if not isinstance(found, Page):
            return fitted(found, most)
        told = fitted(found, most - LONGEST_CURSOR)
        page = found.CUT[0]
        kept = len(getattr(told, page))
        if 0 < kept < len(getattr(found, page)):
            # The next page begins behind the last row that is told.
            shorter = self.do(asked, wanted.model_copy(update={"limit": kept}))
            told = told.model_copy(update={"next": getattr(shorter, "next", None)})
        return told


TOOLS: dict[str, Tool[Any]] = {
    tool.name: tool
    for tool in (
        Tool(read_tools.search_memory, "Search memory"),
        Tool(read_tools.get_context, "Get context"),
        Tool(read_tools.get_entity, "Get an entity"),
        Tool(read_tools.list_entities, "List entities"),
        Tool(read_tools.get_learnings, "Get learnings"),
        Tool(read_tools.explain_fact, "Explain a fact"),
        Tool(read_tools.recent_activity, "List recent activity"),
        Tool(read_tools.list_interests, "List interests"),
        Tool(read_tools.list_learn_prompts, "List learn prompts"),
        Tool(read_tools.list_research, "List research"),
        Tool(read_tools.list_notifications, "List notifications"),
        Tool(read_tools.memory_status, "Memory status"),
        Tool(write_tools.record_feedback, "Record feedback", reads=False, destroys=True),
        Tool(write_tools.remember, "Remember a note", reads=False),
        Tool(write_tools.set_preference, "Set a preference", reads=False),
        Tool(write_tools.learn, "Learn about a topic", reads=False, reaches_out=True),
        Tool(write_tools.schedule, "Schedule a search", reads=False, reaches_out=True),
        Tool(write_tools.forget, "Forget", reads=False, destroys=True),
    )
}


@lru_cache(maxsize=64)
def listed(scope: Scope) -> tuple[Declared, ...]:
    """The tools that may be called: those that write only where that is allowed."""
    return tuple(tool.declared(scope) for tool in TOOLS.values() if tool.reads or scope.writes)


def call(
    memory: Memory, scope: Scope, name: str, arguments: dict[str, Any], most: int
) -> CallToolResult:
    """What a tool answers; what goes wrong is told as the result of a call that failed."""
    tool = TOOLS.get(name)
    if tool is None:
        return _failed(f"there is no such tool; there are: {', '.join(TOOLS)}")
    if not (tool.reads or scope.writes):
        return _failed("this server takes no writes: start it as `cairn mcp --allow-writes`")
    rest = dict(arguments)
    namespace = rest.pop(NAMESPACE, None) if scope.chooses else None
    asked = Asked(memory, scope, None if namespace is None else str(namespace))
    try:
        told = tool.answer(asked, rest, most)
    except (Refused, BadCursor, Undecidable) as error:
        return _failed(str(error))
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_context=False, include_input=False)
        each = (
            f"{'.'.join(map(str, one['loc']))}: {one['msg'].removeprefix('Value error, ')}"
            for one in wrong
        )
        return _failed("; ".join(each))
    except BaseException as error:
        damaged = as_damage(error) is not None
        if not (damaged or isinstance(error, Exception)):
            raise
        _log(name, error)
        return _failed(DAMAGED if damaged else FAULT)
    return CallToolResult(
        content=[TextContent(type="text", text=text_of(told))],
        structured_content=told.model_dump(mode="json"),
    )


def _failed(reason: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=fenced(reason))], is_error=True)


def _log(name: str, error: BaseException) -> None:
    """Where something broke: never the message, which may have text of logs in it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    logger.error("%s: %s at %s:%d", name, type(error).__name__, last.filename, last.lineno)


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of what may be left out, without null: it is taken, but need not be offered."""
    kinds = [kind for kind in schema.get("anyOf", []) if kind != {"type": "null"}]
    if len(kinds) != 1:
        return schema
    rest = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
    return kinds[0] | rest


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema without the titles that repeat the names."""
    return {
        key: {name: _plain(inner) for name, inner in value.items()}
        if key in ("properties", "$defs")
        else _plain(value)
        if isinstance(value, dict)
        else [_plain(one) if isinstance(one, dict) else one for one in value]
        if isinstance(value, list)
        else value
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
    }
