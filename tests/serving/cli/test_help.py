"""The examples in the help: what a newcomer types first says something over the samples."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from cairn.serving.cli.main import cairn
from tests.homes import copy_home
from tests.serving.conftest import Ask

OTHERS = {
    "run", "backfill", "forget", "verify",  # a run of the graph
    "ingest", "dry-run", "import",  # a file of theirs
    "export",  # writes where it is told
    "up", "ui", "serve", "mcp",  # go on until they are stopped
    "prompts",  # has commands of its own
    "undo", "dismiss",  # a decision that somebody made, or something that waits
}  # fmt: skip
"""Commands whose first example is not tried here."""


def examples() -> Iterator[str]:
    """The first example of each command, as it would be typed."""
    context = click.Context(cairn)
    for name in cairn.list_commands(context):
        command = cairn.get_command(context, name)
        assert command is not None
        lines = [line.strip() for line in (command.epilog or "").splitlines()]
        found = [line for line in lines if line.startswith(f"cairn {name}")]
        assert found, f"the help of `cairn {name}` has no example"
        if name not in OTHERS:
            yield found[0].split("   ")[0]


@pytest.fixture(scope="module")
def place(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_home(home, tmp_path_factory.mktemp("help") / "home")


@pytest.mark.parametrize("example", [*examples()])
def test_the_first_example_of_each_help_says_something(
    example: str, run_cairn: Ask, place: Path
) -> None:
    told = run_cairn("--home", place, *shlex.split(example)[1:])
    assert told.code == 0, told.err
    assert told.out.strip()
