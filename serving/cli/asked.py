"""Options of the command line that follow from the parameters of queries."""

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from cairn.serving.cli import options


def parameters(
    asked: type[BaseModel], *names: str, **kinds: Any
) -> Callable[[Callable[..., Any]], Any]:
    """Options for parameters of a query: names, bounds and words are those of its declaration.

    Args:
        asked: The parameters.
        names: Which of them.
        kinds: What click is told otherwise, by name.
    """

    def decorated(command: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(names):
            own = {**_kind(asked.model_fields[name]), **kinds.get(name, {})}
            flags = own.pop("flags", (f"--{name.replace('_', '-')}", name))
            command = click.option(*flags, help=words(asked, name), **own)(command)
        return command

    return decorated


def words(asked: type[BaseModel], name: str) -> str:
    """What a parameter is for; others are named as options."""
    field = asked.model_fields[name]
    said = f"{field.description}{' ISO, UTC.' if datetime in _types(field.annotation) else ''}"
    return re.sub(
        r"`(\w+)`",
        lambda m: f"--{m[1].replace('_', '-')}" if m[1] in asked.model_fields else f"`{m[1]}`",
        said,
    )


def _kind(field: FieldInfo) -> dict[str, Any]:
    """How click reads a parameter."""
    default = None if field.is_required() else field.get_default(call_default_factory=True)
    shown = {"default": default, "show_default": True} if default else {}
    types = list(_types(field.annotation))
    if bool in types:
        return {"is_flag": True}
    if datetime in types:
        return {"metavar": "TIME", "callback": options.moment}
    if date in types:
        return {"metavar": "DAY", "callback": options.day}
    if float in types:
        return {"metavar": "0..1", "type": float, "callback": options.share} | shown
    if int in types:
        least, most = (
            next((getattr(each, side) for each in field.metadata if hasattr(each, side)), None)
            for side in ("ge", "le")
        )
        return {"type": click.IntRange(least, most)} | shown
    choices = [each for each in types if isinstance(each, str)]
    many = {"multiple": True} if list in types else {}
    return ({"type": click.Choice(choices)} if choices else {}) | many | shown


def _types(annotation: Any) -> Iterator[Any]:
    """The plain types, and the words, that an annotation is made of."""
    origin = get_origin(annotation)
    if origin is Literal:
        yield from get_args(annotation)
    elif origin is Annotated:
        yield from _types(get_args(annotation)[0])
    elif origin in (Union, UnionType, list):
        yield from [list] if origin is list else []
        for part in get_args(annotation):
            yield from _types(part)
    else:
        yield annotation
