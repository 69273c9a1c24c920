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
from pydantic import BaseModel, Field, ValidationError, create_model

from cairn.knowledge.llm.fence import fenced
from cairn.resources.home.damage import as_damage
from cairn.resources.limits.day import LimitReached
from cairn.resources.telemetry.log_file import place_of
from cairn.resources.telemetry.spans import TOOL, span
from cairn.serving.mcp_server import write_tools
from cairn.serving.mcp_server.answers import ToolAnswer
from cairn.serving.mcp_server.auth import Asked, KeyScope, ToolRefused
from cairn.serving.mcp_server.truncation import fitted, text_of
from cairn.serving.models.fields import Model
from cairn.serving.models.queries import QUERIES
from cairn.serving.models.query import Query
from cairn.serving.query import listing
from cairn.serving.read.bounds import LENIENT, Name
from cairn.serving.read.id_lookup import UnknownId
from cairn.serving.read.pagination import LONGEST_CURSOR, BadCursor
from cairn.serving.retrieval.open_memory import Memory
from cairn.serving.write.decisions import Undecidable

DAMAGED = "what is stored cannot be read: `cairn doctor` says what, `cairn run` makes it again"
FAULT = "this is a fault of the server: its log says where; `cairn doctor` may say why"
NAMESPACE = "namespace"
SHARED = {
    "as_of": "what was known at that ISO time",
    "true_at": "what, of that, was true then",
    "limit": "rows, at most",
    "cursor": "`next` of the page before",
    "events": "also what only happened, such as used_tool",
    "event_id": "a UUID of yours: sent again, nothing is noted twice",
}
"""Parameters of many tools, told once, when a session begins."""
UNNAMED = "nothing is called that: `list_entities` finds names by a part of them"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool: what it does, what it is asked, and what it answers."""

    name: str
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
        schema = self.wanted.model_json_schema()
        properties = {name: _offered(name, schema["properties"][name]) for name in self.offered}
        required: list[str] = schema.get("required", [])
        if scope.chooses:
            properties[NAMESPACE] = {"enum": list(scope.namespaces)}
            required = [*required, NAMESPACE]
        # What is not named has its default: it would say nothing in a listing that agents pay for.
        return Declared(
            name=self.name,
            description=self.about,
            input_schema={"type": "object", "properties": properties, "additionalProperties": False}
            | ({"required": required} if required else {}),
            annotations=ToolAnnotations(
                read_only_hint=self.reads,
                destructive_hint=None if self.reads else self.destroys,
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
    """The tool of a declared query; what it is asked by id takes that as an argument, too."""
    wanted: type[BaseModel] = query.asked
    if query.id:
        one = (Name, Field(description=query.id.about))
        wanted = create_model(query.name, __base__=query.asked, **{query.id.name: one})  # pyrefly: ignore[no-matching-overload]

    def do(asked: Asked, wanted: Any) -> Model:
        reader = asked.reader(wanted)
        entity = getattr(wanted, "entity", None)
        if entity and not listing.named(reader, entity):
            # An agent is told, and may ask by another name.
            raise ToolRefused(UNNAMED)
        ids = [getattr(wanted, query.id.name)] if query.id else []
        return query.answered(reader, wanted, *ids)

    return Tool(
        name=query.tool,
        about=f"{query.about} {query.hint}".rstrip(),
        do=do,
        wanted=wanted,
        answers=query.answer,
        takes=(*query.takes, query.id.name) if query.takes and query.id else query.takes,
    )


def of_function(do: Callable[[Asked, Any], Model], **told: Any) -> Tool:
    """The tool of a function, whose docstring describes it."""
    return Tool(
        name=do.__name__,
        about=" ".join((getdoc(do) or "").split()),
        do=do,
        wanted=do.__annotations__["wanted"],
        answers=do.__annotations__["return"],
        **told,
    )


def tools(queries: Iterable[Query[Any]] = QUERIES) -> dict[str, Tool]:
    """All tools by name: of declared queries, and those that note something."""
    forget = ("id", "target_type", "everywhere", "dry_run", "event_id")
    every = (
        *(of_query(query) for query in queries if query.tool),
        of_function(write_tools.record_feedback, reads=False, destroys=True),
        of_function(write_tools.remember, reads=False),
        of_function(write_tools.set_preference, reads=False),
        of_function(write_tools.learn, reads=False, reaches_out=True),
        of_function(write_tools.schedule, reads=False, reaches_out=True),
        of_function(write_tools.forget, reads=False, destroys=True, takes=forget),
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
    try:
        text, failed = answered(memory, scope, name, arguments, most), False
    except ToolRefused as refused:
        text, failed = fenced(str(refused)), True
    # Clients show either the text or structured content: the text alone, so each shows the fence.
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=failed)


def answered(
    memory: Memory, scope: KeyScope, name: str, arguments: dict[str, Any], most: int | None = None
) -> str:
    """What a tool says, in its fence.

    It has `most` bytes at most; as many as the settings say if None.

    Raises:
        ToolRefused: it says nothing; the message tells whoever asked why.
    """
    tool = TOOLS.get(name)
    if tool is None:
        raise ToolRefused(f"there is no such tool; there are: {', '.join(TOOLS)}")
    if not (tool.reads or scope.writes):
        raise ToolRefused("this server takes no writes: start it as `cairn mcp --allow-writes`")
    rest = dict(arguments)
    namespace = rest.pop(NAMESPACE, None) if scope.chooses else None
    asked = Asked(memory, scope, None if namespace is None else str(namespace))
    try:
        with span(TOOL, tool=tool.name):
            return text_of(tool.answer(asked, rest, most or memory.state.settings.mcp_answer_bytes))
    except ToolRefused:
        raise
    except (BadCursor, LimitReached, Undecidable, UnknownId) as error:
        raise ToolRefused(str(error)) from None
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_context=False, include_input=False)
        each = (
            f"{'.'.join(map(str, one['loc']))}: {one['msg'].removeprefix('Value error, ')}"
            for one in wrong
        )
        raise ToolRefused("; ".join(each)) from None
    except BaseException as error:
        damaged = as_damage(error) is not None
        if not (damaged or isinstance(error, Exception)):
            raise
        _log(name, error)
        raise ToolRefused(DAMAGED if damaged else FAULT) from None


def _log(name: str, error: BaseException) -> None:
    """Where something broke: never the message, which may have text of logs in it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    fields = {"tool": name, "error": type(error).__name__, "place": place_of(error)}
    logger.error(
        "%s: %s at %s:%d", name, type(error).__name__, last.filename, last.lineno,
        extra={"fields": fields},
    )  # fmt: skip


SHOWN = ("type", "enum", "items", "default", "maximum", "description")
"""What a listing says of a parameter: what else it must be is told when it is not."""


def _offered(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a parameter in few words; what may be left out is never null."""
    kinds = [kind for kind in schema.get("anyOf", []) if kind.get("type", "null") != "null"]
    if len(kinds) == 1:
        schema = kinds[0] | schema
    told = {key: schema[key] for key in SHOWN if schema.get(key) not in (None, [], False)}
    if name in SHARED:
        told.pop("description")
    return told | ({"items": _offered("", told["items"])} if "items" in told else {})
