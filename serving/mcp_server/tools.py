"""The table of tools, how each is declared, and how a call of one is answered."""

import logging
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from inspect import getdoc
from typing import Any

from mcp.types import CallToolResult, TextContent, ToolAnnotations
from mcp.types import Tool as Declared
from pydantic import BaseModel, ValidationError

from cairn.knowledge.llm.fence import fenced
from cairn.resources.home.damage import as_damage
from cairn.serving.mcp_server import read_tools, write_tools
from cairn.serving.mcp_server.answers import Brief, ToolAnswer, schema_of
from cairn.serving.mcp_server.auth import Asked, KeyScope, ToolRefused
from cairn.serving.mcp_server.truncation import fitted, text_of
from cairn.serving.models.bounds import LENIENT
from cairn.serving.models.fields import Model
from cairn.serving.models.queries import QUERIES
from cairn.serving.models.query import Query
from cairn.serving.read.id_lookup import UnknownId
from cairn.serving.read.pagination import LONGEST_CURSOR, BadCursor
from cairn.serving.retrieval.open_memory import Memory
from cairn.serving.write.decisions import Undecidable

DAMAGED = "what is stored cannot be read: `cairn doctor` says what, `cairn run` makes it again"
FAULT = "this is a fault of the server: its log says where; `cairn doctor` may say why"
NAMESPACE = "namespace"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool: what it does, what it is asked, and what it answers."""

    name: str
    title: str
    about: str
    do: Callable[[Asked, Any], Model]
    wanted: type[BaseModel]
    answers: type[Model]
    takes: tuple[str, ...] = ()
    """Parameters that agents are offered; all if there are none."""
    reads: bool = True
    destroys: bool = False
    """Whether what it notes takes something away from readers."""
    reaches_out: bool = False
    """Whether something outside is asked for it, later."""

    def __post_init__(self) -> None:
        self.wanted.model_rebuild()  # before threads and processes ask it

    @property
    def offered(self) -> list[str]:
        """Parameters that agents may send, besides the namespace."""
        takes = self.takes or tuple(self.wanted.model_fields)
        return [name for name in self.wanted.model_fields if name in takes and name != NAMESPACE]

    def declared(self, scope: KeyScope) -> Declared:
        """The tool as it is listed."""
        asked = self.wanted.model_json_schema(schema_generator=Brief)
        asked["additionalProperties"] = False
        asked["properties"] = {name: _offered(asked["properties"][name]) for name in self.offered}
        if scope.chooses:
            asked["properties"][NAMESPACE] = {
                "type": "string",
                "enum": list(scope.namespaces),
                "description": "Whose memory.",
            }
            asked["required"] = [*asked.get("required", []), NAMESPACE]
        return Declared(
            name=self.name,
            title=self.title,
            description=self.about,
            input_schema=asked,
            output_schema=schema_of(self.answers),
            annotations=ToolAnnotations(
                title=self.title,
                read_only_hint=self.reads,
                destructive_hint=self.destroys,
                idempotent_hint=self.reads,
                open_world_hint=self.reaches_out,
            ),
        )

    def answer(self, asked: Asked, arguments: dict[str, Any], most: int) -> ToolAnswer[Model]:
        """What it says, within so many bytes.

        Raises:
            ValidationError: the arguments are not what it is asked.
            Refused: they are not offered.
        """
        wanted = self.wanted.model_validate(arguments, strict=False, context=LENIENT)
        for name in wanted.model_fields_set - {*self.offered}:
            raise ToolRefused(f"{name}: Extra inputs are not permitted")
        found = self.do(asked, wanted)
        whole = ToolAnswer(found, asked.generation if self.reads else None)
        if "next" not in self.answers.model_fields:
            return fitted(whole, most)
        told = fitted(whole, most - LONGEST_CURSOR)
        page = found.CUT[0]
        kept = len(getattr(told.answer, page))
        if 0 < kept < len(getattr(found, page)):
            # The next page begins behind the last row that is told.
            shorter = self.do(asked, wanted.model_copy(update={"limit": kept}))
            rest = {"next": getattr(shorter, "next", None)}
            told = replace(told, answer=told.answer.model_copy(update=rest))
        return told


def of_query(query: Query[Any]) -> Tool:
    """The tool of a declared query."""

    def do(asked: Asked, wanted: Any) -> Model:
        reader = asked.reader(wanted)
        if entity := getattr(wanted, "entity", None):
            read_tools.called(reader, entity)  # an agent is told, and may ask by another name
        return query.answered(reader, wanted)

    return Tool(
        name=query.tool,
        title=query.title,
        about=f"{query.about} {query.hint}".rstrip(),
        do=do,
        wanted=query.asked,
        answers=query.answer,
        takes=query.takes,
    )


def of_function(do: Callable[[Asked, Any], Model], title: str, **told: Any) -> Tool:
    """The tool of a function, whose docstring describes it."""
    return Tool(
        name=do.__name__,
        title=title,
        about=" ".join((getdoc(do) or "").split()),
        do=do,
        wanted=do.__annotations__["wanted"],
        answers=do.__annotations__["return"],
        **told,
    )


def tools(queries: Iterable[Query[Any]] = QUERIES) -> dict[str, Tool]:
    """All tools by name: of declared queries, and those that only agents have."""
    learnings = ("query", "category", "min_confidence", "limit", "cursor", "as_of", "true_at")
    forget = ("id", "target_type", "everywhere", "dry_run", "event_id")
    every = (
        *(of_query(query) for query in queries if query.tool),
        of_function(read_tools.get_context, "Get context"),
        of_function(read_tools.get_entity, "Get an entity"),
        of_function(read_tools.get_learnings, "Get learnings", takes=learnings),
        of_function(read_tools.explain_fact, "Explain a fact"),
        of_function(read_tools.memory_status, "Memory status"),
        of_function(write_tools.record_feedback, "Record feedback", reads=False, destroys=True),
        of_function(write_tools.remember, "Remember a note", reads=False),
        of_function(write_tools.set_preference, "Set a preference", reads=False),
        of_function(write_tools.learn, "Learn about a topic", reads=False, reaches_out=True),
        of_function(write_tools.schedule, "Schedule a search", reads=False, reaches_out=True),
        of_function(write_tools.forget, "Forget", reads=False, destroys=True, takes=forget),
    )
    return {tool.name: tool for tool in every}


TOOLS = tools()


@lru_cache(maxsize=64)
def listed(scope: KeyScope) -> tuple[Declared, ...]:
    """The tools that may be called: those that write only where that is allowed."""
    return tuple(tool.declared(scope) for tool in TOOLS.values() if tool.reads or scope.writes)


def call(
    memory: Memory, scope: KeyScope, name: str, arguments: dict[str, Any], most: int
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
    except (ToolRefused, BadCursor, Undecidable, UnknownId) as error:
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
        structured_content=told.as_json(),
    )


def _failed(reason: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=fenced(reason))], is_error=True)


def _log(name: str, error: BaseException) -> None:
    """Where something broke: never the message, which may have text of logs in it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    logger.error("%s: %s at %s:%d", name, type(error).__name__, last.filename, last.lineno)


def _offered(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of what may be left out, without null: it is taken, but need not be offered.

    Patterns are left out, too: what they refuse is told.
    """
    kinds = [kind for kind in schema.get("anyOf", []) if kind != {"type": "null"}]
    if len(kinds) == 1:
        rest = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
        schema = kinds[0] | rest
    return {key: value for key, value in schema.items() if key != "pattern"}
