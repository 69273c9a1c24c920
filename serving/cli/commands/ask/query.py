"""`cairn query`: a command for each declared query."""

from collections.abc import Iterable
from typing import Any

import click
from pydantic import ValidationError

from cairn.serving.cli import options
from cairn.serving.cli.asked import parameters
from cairn.serving.cli.terminal import TerminalColumn, emit_json, print_table, say_value
from cairn.serving.models.fields import Model
from cairn.serving.models.parameters import moments
from cairn.serving.models.queries import QUERIES
from cairn.serving.models.query import Query
from cairn.serving.read.bounds import LENIENT
from cairn.serving.read.pagination import BadCursor
from cairn.serving.read.reader import open_reader

IN_CONTEXT = ("namespace", "as_of")
"""Fields of every answer."""


def commands(queries: Iterable[Query[Any]] = QUERIES) -> list[click.Command]:
    """The command of each query."""
    return [_command(query) for query in queries]


def _command(query: Query[Any]) -> click.Command:
    wanted = query.asked.model_fields
    required = [name for name, field in wanted.items() if field.is_required()]
    optional = [name for name in wanted if name != "namespace" and name not in required]
    arguments = [query.id.name] if query.id else []

    def ask(ctx: click.Context, namespace: str | None, as_json: bool, **given: Any) -> None:
        ids = [given.pop(name) for name in arguments]
        said = {name: value for name, value in given.items() if value not in (None, ())}
        try:
            asked = query.asked.model_validate(said, context=LENIENT)
        except ValidationError as error:
            wrong = error.errors()[0]
            raise click.UsageError(f"{wrong['loc'][0]}: {wrong['msg']}", ctx) from None
        reader = open_reader(options.state_of(ctx), namespace, *moments(asked))
        try:
            answer = query.answered(reader, asked, *ids)
        except BadCursor as error:
            raise click.ClickException(str(error)) from None
        _print(answer) if not as_json else emit_json(answer.model_dump(mode="json"))

    command: Any = click.pass_context(ask)
    command = options.as_json(command)
    command = options.namespace(options.ONE_NAMESPACE)(command)
    plain = {name: {"callback": None} for name in optional}  # the query's own checks do
    command = parameters(query.asked, *optional, **plain)(command)
    for name in reversed([*arguments, *required]):
        command = click.argument(name)(command)
    return click.command(query.name.replace("_", "-"), help=query.about)(command)


def _print(answer: Model) -> None:
    """Field by field; of a list of things, the fields that agents are told, as a table."""
    waits = len(getattr(answer, "waiting", ()))
    for name in type(answer).model_fields:
        value = getattr(answer, name)
        if name == "total" and waits:
            value = f"{value:,}, and {waits:,} {'waits' if waits == 1 else 'wait'} for the next run"
        if isinstance(value, list) and value and isinstance(value[0], Model):
            rows: list[Model] = value
            print_table(
                [row.model_dump() for row in rows],
                [TerminalColumn(each) for each in rows[0].brief()],
            )
        elif name not in IN_CONTEXT:
            plain = value.model_dump(mode="json") if isinstance(value, Model) else value
            say_value(name.replace("_", " "), plain, width=20)


@click.group(
    commands=commands(),
    epilog="""\b
Examples:
  cairn query episodes --project lantern-shop
  cairn query graph e_a4160f63031a50c7 --depth 2 --json
  cairn query recent --kind learning --since 2026-03-01""",
)
def command() -> None:
    """Ask what HTTP and agents ask: the same questions, the same bounds, the same answers."""
