"""`-v`: before a command or behind it, and once more for more; a command's own stands."""

import logging

import click
import pytest

from cairn.serving.cli.main import cairn
from cairn.serving.runtime.logging import configure_logging, verbosity
from tests.serving.conftest import Ask


@pytest.mark.parametrize(
    ("arguments", "times"),
    [
        (["sources"], 0),
        (["-v", "sources"], 1),
        (["sources", "-v"], 1),
        (["-v", "sources", "--verbose"], 2),
        (["sources", "-vv"], 2),
        (["keys", "list", "-v"], 1),
    ],
)
def test_where_it_stands_is_the_same(ask: Ask, arguments: list[str], times: int) -> None:
    assert ask(*arguments).code == 0
    assert verbosity() == times
    level = {0: logging.WARNING, 1: logging.INFO, 2: logging.DEBUG}[times]
    assert logging.getLogger("cairn.work").isEnabledFor(level)
    configure_logging()


def test_each_command_takes_it_unless_it_means_something_else_by_it() -> None:
    context = click.Context(cairn)
    for name in cairn.list_commands(context):
        command = cairn.get_command(context, name)
        assert command is not None
        options = [option for param in command.params for option in param.opts]
        assert options.count("-v") == options.count("--home") == 1, name
