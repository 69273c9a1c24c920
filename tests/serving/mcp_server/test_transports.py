"""`cairn mcp` as agents start and reach it: real processes, asked by the SDK's client."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from cairn.resources.home.api_keys import add_key, remove_key
from cairn.resources.home.home import open_home
from cairn.serving.mcp_server.tools import TOOLS
from tests.places import ROOT
from tests.serving.conftest import Ask
from tests.serving.mcp_server.conftest import text

READS = {tool.name for tool in TOOLS.values() if tool.reads}
LISTING = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
PLAIN = {"accept": "application/json, text/event-stream", "content-type": "application/json"}

PATIENCE = 300
"""Seconds for an answer, as for a server to end elsewhere: a busy machine loads workers slowly."""


def command(home: Path, *arguments: str) -> list[str]:
    return ["-m", "cairn", "--home", str(home), "mcp", *arguments]


def test_over_stdio_there_is_the_protocol_and_nothing_else(two_home: Path) -> None:
    strays: list[object] = []

    async def stray(message: object) -> None:
        strays.append(message)

    async def run() -> None:
        process = StdioServerParameters(
            command=sys.executable, args=command(two_home, "--namespace", "ada"), cwd=ROOT
        )
        async with Client(process, message_handler=stray) as client:
            assert client.server_info is not None
            assert client.server_info.name == "cairn"
            assert {tool.name for tool in (await client.list_tools()).tools} == READS
            found = await client.call_tool("search_memory", {"query": "quincepress"})
            assert "quincepress" in text(found)
            assert "foghorn" not in text(found)
            assert [each.name for each in (await client.list_prompts()).prompts] == [
                "recall", "brief"
            ]  # fmt: skip
            assert [each.uri for each in (await client.list_resources()).resources] == [
                "memory://brief/orchard"
            ]
            assert (await client.call_tool("remember", {"text": "x"})).is_error

    anyio.run(run)
    assert strays == []


def test_an_older_client_and_half_an_emoji_are_answered_and_one_that_goes_gets_no_traceback(
    two_home: Path,
) -> None:
    def asked(number: int, method: str, **params: object) -> str:
        return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    about = {"protocolVersion": "2025-06-18", "capabilities": {},
             "clientInfo": {"name": "x", "version": "1"}}  # fmt: skip
    query = {"name": "search_memory", "arguments": {"query": "quincepress \ud83d"}}
    process = subprocess.Popen(
        [sys.executable, *command(two_home, "--namespace", "ada")], cwd=ROOT, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin
    assert process.stdout
    assert process.stderr
    with process.stderr, process.stdin:
        with process.stdout:
            answers = list[str]()
            for line in (
                asked(1, "initialize", **about), asked(2, "tools/list"), asked(3, "prompts/list"),
                asked(4, "resources/list"), asked(5, "tools/call", **query),
            ):  # fmt: skip
                process.stdin.write(f"{line}\n")
                process.stdin.flush()
                answers.append(process.stdout.readline())
            told = [json.loads(answer) for answer in answers]
            assert [one["id"] for one in told] == [1, 2, 3, 4, 5]
            assert told[0]["result"]["protocolVersion"] == about["protocolVersion"]
            assert {tool["name"] for tool in told[1]["result"]["tools"]} == READS
            assert [one["name"] for one in told[2]["result"]["prompts"]] == ["recall", "brief"]
            (brief,) = told[3]["result"]["resources"]
            assert brief["uri"] == "memory://brief/orchard"
            assert ("quincepress" in answers[4], "foghorn" in answers[4]) == (True, False)
        process.stdin.write(f"{asked(6, 'tools/list')}\n")
        process.stdin.close()
        assert process.wait(PATIENCE) == 1
        assert process.stderr.read() == ""


@pytest.fixture
def served(two_home: Path) -> Iterator[str]:
    """The address of a server that listens on this machine, with writes allowed.

    Of two workers, which know of no session what the other was told. One alone listens as that of
    `cairn serve` does, which http/test_serving.py shows.
    """
    how = ("--http", "--port", "0", "--allow-writes", "--workers", "2")
    process = subprocess.Popen(
        [sys.executable, *command(two_home, *how)],
        stderr=subprocess.PIPE, text=True, cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("CAIRN_")},
    )  # fmt: skip
    assert process.stderr
    try:
        yield process.stderr.readline().split()[0]
    finally:
        process.terminate()
        with process.stderr:
            assert process.wait() == 0
            assert process.stderr.read() == ""  # it ends when the last worker has


async def tools(address: str, key: str | None = None) -> dict[str, set[str]]:
    """Tool → its parameters, as the holder of a key sees them."""
    async with _client(address, key) as client:
        listed = (await client.list_tools()).tools
        return {tool.name: set(tool.input_schema["properties"]) for tool in listed}


def _client(address: str, key: str | None) -> Client:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    http = httpx2.AsyncClient(headers=headers, timeout=PATIENCE)
    return Client(streamable_http_client(address, http_client=http))


def test_over_http_keys_open_their_namespaces_alone(served: str, two_home: Path) -> None:
    home = open_home(two_home)

    async def run() -> None:
        async with httpx2.AsyncClient(headers=PLAIN, timeout=PATIENCE) as http:
            # Without keys, whoever asks this machine by its own name.
            assert (await tools(served)).keys() == TOOLS.keys()
            for headers, status in (
                ({"host": "rebound.example"}, 421),
                ({"origin": "http://page.example"}, 403),
                ({"content-type": "text/plain"}, 400),
            ):
                refused = await http.post(served, content=LISTING, headers=headers)
                assert refused.status_code == status
            made = [
                add_key(home, names, read_only=read_only)
                for names, read_only in ((["ada"], True), (["bo"], False), (["ada", "bo"], False))
            ]
            keys.extend(key.key_id for _, key in made)
            ada, bo, both = (secret for secret, _ in made)
            # With keys, whoever has one: from now on, in a server that runs.
            for header in ({}, {"authorization": "Bearer cairn_wrong"}):
                refused = await http.post(served, content=LISTING, headers=header)
                assert refused.status_code == 401
                assert refused.headers["www-authenticate"] == "Bearer"
        assert (await tools(served, ada)).keys() == READS
        assert (await tools(served, bo)).keys() == TOOLS.keys()
        for key in (ada, bo):
            assert all("namespace" not in names for names in (await tools(served, key)).values())
        assert all("namespace" in names for names in (await tools(served, both)).values())
        for key, word, other in ((ada, "quincepress", "foghorn"), (bo, "foghorn", "quincepress")):
            async with _client(served, key) as client:
                found = await client.call_tool("search_memory", {"query": "the build fails"})
                assert word in text(found)
                assert other not in text(found)
                (listed,) = (await client.list_resources()).resources
                read = await client.read_resource(listed.uri)
                said = await client.get_prompt("brief")
                (of_folder,) = said.messages  # there is none: of the project worked on last
                for told in (read.contents[0], of_folder.content):
                    assert word in told.text
                    assert other not in told.text
        async with _client(served, ada) as client:
            assert (await client.call_tool("remember", {"text": "x"})).is_error

    keys: list[str] = []
    try:
        anyio.run(run)
    finally:
        for key_id in keys:
            remove_key(home, key_id)


def test_elsewhere_it_listens_only_with_keys(run_cairn: Ask, two_home: Path) -> None:
    answer = run_cairn("--home", two_home, "mcp", "--http", "--host", "0.0.0.0", "--port", "0")
    assert (answer.code, answer.out) == (1, "")
    assert "keys add --namespace NAME`" in answer.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--port", "9000"], "--host, --port and --workers are for --http"),
        (["--namespace", "../else"], "cannot be a namespace"),
    ],
)
def test_wrong_use_says_so_on_stderr_alone(
    run_cairn: Ask, two_home: Path, arguments: list[str], message: str
) -> None:
    answer = run_cairn("--home", two_home, "mcp", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err


def test_help_says_how_to_add_it_and_imports_no_server(run_cairn: Ask) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *command(Path("none"), "--help")],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    assert "claude mcp add cairn -- cairn mcp" in done.stdout
    assert not {"mcp.server", "uvicorn", "polars"} & {
        line.rpartition("|")[2].strip() for line in done.stderr.splitlines()
    }
