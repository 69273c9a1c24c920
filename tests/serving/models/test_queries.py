"""A new query is one function and one declaration: route, tool and command follow."""

import json
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

from cairn.resources.context import open_state
from cairn.serving.cli.commands.ask.query import command as query_command
from cairn.serving.cli.commands.ask.query import commands
from cairn.serving.http.app import api_document, create_app
from cairn.serving.http.openapi import document
from cairn.serving.http.routes.queries import routes
from cairn.serving.mcp_server.auth import Asked, KeyScope
from cairn.serving.mcp_server.tools import TOOLS, tools
from cairn.serving.mcp_server.truncation import text_of
from cairn.serving.models.answers import EntityPage
from cairn.serving.models.parameters import Paged
from cairn.serving.models.queries import QUERIES
from cairn.serving.models.query import Query, listed
from cairn.serving.query.listing import ENTITY_FIELDS
from cairn.serving.read.pagination import Key, Page, page
from cairn.serving.read.reader import Reader
from cairn.serving.retrieval.open_memory import Memory
from tests.serving.conftest import Ask


def by_name(reader: Reader, limit: int, cursor: str | None) -> Page:
    keys = [Key(pl.col("display_name")), Key(pl.col("entity_id"))]
    known = reader.entities().select(ENTITY_FIELDS)
    return page(known, keys, ("names", reader.namespace), limit, cursor)


NAMES = Query(
    name="names",
    about="List entities by their names.",
    do=listed(by_name),
    asked=Paged,
    answer=EntityPage,
    path="/names",
    tag="browsing",
    tool="list_names",
)


def test_one_declaration_is_a_route_a_tool_and_a_command(home: Path) -> None:
    memory = Memory(open_state(home))
    expected = [row["entity_id"] for row in by_name(memory.reader(), 3, None).rows]
    assert len(expected) == 3

    app = create_app(memory)
    app.include_router(routes("browsing", [NAMES]))
    by_http = TestClient(app, base_url="http://127.0.0.1").get("/v1/names?limit=3").json()
    (operation,) = document(app, needs_key=False)["paths"]["/v1/names"].values()
    assert operation["description"] == NAMES.about

    tool = tools([NAMES])["list_names"]
    by_tool = tool.answer(Asked(memory, KeyScope()), {"limit": 3}, 24_000)
    said = text_of(by_tool)
    listing = tool.declared(KeyScope())
    assert set(listing.input_schema["properties"]) == {"limit", "cursor"}

    (command,) = commands([NAMES])
    done = CliRunner().invoke(command, ["--limit", "3", "--json"], obj=home)
    assert done.exit_code == 0, done.output
    by_command = json.loads(done.stdout)
    shown = CliRunner().invoke(command, ["--limit", "3"], obj=home).stdout
    assert all(id_ in shown for id_ in expected)

    assert by_command == by_http
    assert [row["entity_id"] for row in by_http["items"]] == expected
    assert by_tool.answer.model_dump(mode="json") == by_http
    assert all(f"{row['entity_id']}  {row['display_name']} (" in said for row in by_http["items"])


def test_every_declared_query_is_everywhere() -> None:
    paths = api_document(needs_key=False)["paths"]
    for query in QUERIES:
        methods = [*(["get"] if query.in_address else []), *(["post"] if query.body else [])]
        for operation in (paths[f"/v1{query.path}"][method] for method in methods):
            assert operation["summary"]
            assert operation["description"].startswith(query.about)
        if query.tool:
            assert TOOLS[query.tool].about.startswith(query.about)
            assert TOOLS[query.tool].answers is query.answer
    assert query_command.commands.keys() == {each.name.replace("_", "-") for each in QUERIES}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["episodes", "--limit", "101"], "101 is not in the range"),
        (["facts", "--min-confidence", "2"], "min_confidence: Input should be less than or equal"),
        (["recent", "--since", "soon"], "since: Value error, no time such as"),
        (["fact", "f_0000000000000000"], "no fact has that id"),
        (["episodes", "--cursor", "WyJ4Il0"], "begin again without one"),
    ],
)
def test_the_command_keeps_the_bounds_of_the_query(
    home: Path, words: list[str], message: str
) -> None:
    done = CliRunner().invoke(query_command, words, obj=home)
    assert done.exit_code != 0
    assert message in done.output + str(done.exception)


def test_days_and_times_are_read_as_the_query_reads_them(home: Path) -> None:
    asked = [
        "search",
        "backup",
        "--from-day",
        "2026-03-01",
        "--as-of",
        "2026-03-10T08:00",
        "--json",
    ]
    done = CliRunner().invoke(query_command, asked, obj=home)
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["from_day"], told["as_of"]) == ("2026-03-01", "2026-03-10T08:00:00Z")
    assert told["results"]


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("facts", "facts"), ("entities", "entities"), ("interests", "interests"),
        ("learn", "learn-prompts"), ("schedule", "schedules"), ("notifications", "notifications"),
        ("learnings", "learnings?limit=10"),
    ],
)  # fmt: skip
def test_a_command_lists_what_http_does(home: Path, ask: Ask, command: str, path: str) -> None:
    client = TestClient(create_app(Memory(open_state(home))), base_url="http://127.0.0.1")
    told, by_http = ask(command, "--json").json, client.get(f"/v1/{path}").json()
    also = {"counts", "waiting", "versions"}  # what a command tells besides
    for one in (told, by_http, *told["items"]):
        for name in also & one.keys():
            del one[name]
    assert by_http["total"] == len(by_http["items"]) or by_http["next"]
    assert told == by_http
