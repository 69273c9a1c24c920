"""What the commands have in common by which a person decides on facts and entities."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from cairn.serving.cli import options

if TYPE_CHECKING:
    from cairn.resources.context import State


class Decided(NamedTuple):
    """What is said of any decision, besides what it is about."""

    state: "State"
    reason: str | None
    namespace: str | None
    as_json: bool


def decision(command: Callable[..., None]) -> Callable[..., None]:
    """Options of a decision: why, whose knowledge it is about, and how it is answered."""

    @click.option("--reason", metavar="TEXT", help="Why; it is kept and shown.")
    @options.namespace(options.ANY_NAMESPACE)
    @options.as_json
    @click.pass_context
    @wraps(command)
    def decided(
        ctx: click.Context, reason: str | None, namespace: str | None, as_json: bool, **about: Any
    ) -> None:
        command(Decided(options.state_of(ctx), reason, namespace, as_json), **about)

    return decided
