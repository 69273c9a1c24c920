"""Prompts and resources: what two of the tools say, for a person who picks it in their client."""

from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlencode

import polars as pl
from mcp.types import (
    GetPromptResult,
    ListResourcesResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)

from cairn.knowledge.llm.fence import harmless
from cairn.serving.mcp_server.auth import Asked, KeyScope, ToolRefused
from cairn.serving.mcp_server.tools import NAMESPACE, answered
from cairn.serving.query.briefs import briefed_projects
from cairn.serving.read.bounds import LONGEST_NAME
from cairn.serving.read.pagination import BadCursor, Key, page
from cairn.serving.retrieval.open_memory import Memory

RECALL, BRIEF = "recall", "brief"
BRIEFS_AT = "memory://brief/"
PLAIN = "text/plain"
MOST_LISTED = 100
"""Resources of a page."""

_ABOUT = {
    RECALL: "A question, and what memory has about it.",
    BRIEF: "What to know of a project before work on it starts.",
}
_ARGUMENTS = {
    RECALL: PromptArgument(name="question", description="In any words.", required=True),
    BRIEF: PromptArgument(
        name="project",
        description="Its name, or a path in it; if unset that of this folder, over HTTP the one"
        " that was worked on last.",
        required=False,
    ),
}


def prompts(scope: KeyScope) -> list[Prompt]:
    """The prompts, each with its argument; where there are several namespaces, with which."""
    which = PromptArgument(
        name=NAMESPACE, description=f"One of: {', '.join(scope.namespaces)}", required=True
    )
    return [
        Prompt(
            name=name,
            title=name.capitalize(),
            description=about,
            arguments=[_ARGUMENTS[name], *([which] if scope.chooses else [])],
        )
        for name, about in _ABOUT.items()
    ]


def prompt(
    memory: Memory, scope: KeyScope, name: str, given: dict[str, str], folder: Path | None
) -> GetPromptResult:
    """What a prompt says: memory in its fence, and then the question in the person's own words.

    `folder` is where whoever asks works, if that is known.

    Raises:
        ToolRefused: it is none, or cannot be answered.
    """
    if name not in _ABOUT:
        raise ToolRefused(f"there is no such prompt; there are: {', '.join(_ABOUT)}")
    known = [_ARGUMENTS[name].name, *([NAMESPACE] if scope.chooses else [])]
    if strange := given.keys() - {*known}:
        raise ToolRefused(f"{', '.join(sorted(strange))}: there is no such argument")
    which = {NAMESPACE: given[NAMESPACE]} if NAMESPACE in given else {}
    if name == RECALL:
        question = given.get("question", "").strip()
        if not question:
            raise ToolRefused("question: ask something")
        told = answered(memory, scope, "get_context", {"message": question} | which)
        return _said(_ABOUT[name], f"{told}\n\n{question}")
    project = given.get("project", "").strip() or (str(folder) if folder else None)
    about = {"project": project} if project else {}
    return _said(_ABOUT[name], answered(memory, scope, "get_brief", about | which))


def _said(about: str, text: str) -> GetPromptResult:
    said = PromptMessage(role="user", content=TextContent(type="text", text=text))
    return GetPromptResult(description=about, messages=[said])


def templates(scope: KeyScope) -> list[ResourceTemplate]:
    """How the address of a brief is made."""
    which = f"{{?{NAMESPACE}}}" if scope.chooses else ""
    return [
        ResourceTemplate(
            name=BRIEF,
            title="Brief",
            uri_template=f"{BRIEFS_AT}{{project}}{which}",
            description=_ABOUT[BRIEF],
            mime_type=PLAIN,
        )
    ]


def resources(memory: Memory, scope: KeyScope, cursor: str | None) -> ListResourcesResult:
    """A page of the projects that have a brief.

    Raises:
        ToolRefused: the cursor is none of this list.
    """
    several = scope.namespaces if scope.chooses else (None,)
    rows = [
        {NAMESPACE: namespace or "", "project": project}
        for namespace in several
        for project in _briefed(Asked(memory, scope, namespace))
    ]
    found = pl.LazyFrame(rows, schema={NAMESPACE: pl.String, "project": pl.String})
    keys = [Key(pl.col(name)) for name in (NAMESPACE, "project")]
    try:
        told = page(found, keys, ("briefs", *scope.namespaces), MOST_LISTED, cursor)
    except BadCursor as error:
        raise ToolRefused(str(error)) from None
    listed = [
        Resource(
            name=row["project"],
            title=f"Brief of {row['project']}",
            uri=_address(row["project"], row[NAMESPACE]),
            mime_type=PLAIN,
        )
        for row in told.rows
    ]
    return ListResourcesResult(resources=listed, next_cursor=told.cursor)


def _briefed(asked: Asked) -> list[str]:
    """Projects of a namespace, but those whose name would speak to a model, or is none."""
    try:
        names = briefed_projects(asked.reader())
    except ToolRefused:  # nothing is published: a call of a tool says so
        return []
    return [name for name in names if len(name) <= LONGEST_NAME and harmless(name) == name]


def _address(project: str, namespace: str) -> str:
    which = f"?{urlencode({NAMESPACE: namespace})}" if namespace else ""
    return f"{BRIEFS_AT}{quote(project, safe='')}{which}"


def resource(memory: Memory, scope: KeyScope, uri: str) -> ReadResourceResult:
    """The brief that has an address.

    Raises:
        ToolRefused: nothing has it.
    """
    address, _, asked = uri.partition("?")
    which = dict(parse_qsl(asked))
    project = unquote(address.removeprefix(BRIEFS_AT))
    known = {NAMESPACE} if scope.chooses else set[str]()
    if not (address.startswith(BRIEFS_AT) and project and which.keys() <= known):
        like = templates(scope)[0].uri_template
        raise ToolRefused(f"there is no such resource; there are those at {like}")
    text = answered(memory, scope, "get_brief", {"project": project} | which)
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, text=text, mime_type=PLAIN)])
