"""`cairn mcp` as agents start and reach it: real processes, asked by the SDK's client."""

import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters

from serving.mcp_server.tools import TOOLS
from tests.serving.conftest import Ask
from tests.serving.mcp_server.conftest import text

CHECKOUT = Path(__file__).parents[3]
READS = {tool.name for tool in TOOLS.values() if tool.reads}
LISTING = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
PLAIN = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


def command(home: Path, *arguments: str) -> list[str]:
    return ["-m", "serving.cli", "--home", str(home), "mcp", *arguments]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_over_stdio_there_is_the_protocol_and_nothing_else(two_home: Path, mode: str) -> None:
    strays: list[object] = []

    async def stray(message: object) -> None:
        strays.append(message)

    async def run() -> None:
        process = StdioServerParameters(
            command=sys.executable, args=command(two_home, "--namespace", "ada"), cwd=CHECKOUT
        )
        async with Client(process, mode=mode, message_handler=stray) as client:
            assert client.server_info is not None
            assert client.server_info.name == "cairn"
            assert {tool.name for tool in (await client.list_tools()).tools} == READS
            found = await client.call_tool("search_memory", {"query": "quincepress"})
            assert found.structured_content["results"]
            assert "foghorn" not in text(found)
            assert (await client.call_tool("remember", {"text": "x"})).is_error

    anyio.run(run)
    assert strays == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
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
        capture_output=True, text=True, check=True, cwd=CHECKOUT,
    )  # fmt: skip
    assert "claude mcp add cairn -- cairn mcp" in done.stdout
    assert not {"mcp.server", "uvicorn", "polars"} & {
        line.rpartition("|")[2].strip() for line in done.stderr.splitlines()
    }
