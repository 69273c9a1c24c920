"""`cairn why`."""

from typing import Any

import click

from cairn.serving.cli import options
from cairn.serving.cli.asked import parameters
from cairn.serving.cli.terminal import advise, console, emit_json, say
from cairn.serving.models.parameters import AlsoEvents
from cairn.serving.read.display import one_line


@click.command(
    epilog="""\b
Examples:
  cairn why f_1c0ad239        (the beginning of an id is enough)
  cairn why l_7bd6fe39ba5a3bba --json
  cairn why ef_ebb1b67867c912d7   (what ended an error: the failure, and the call after it)
  cairn why r_c76f145f9a0ab7d8 --uses     (what depends on a record)
  cairn why r_c76f145f9a0ab7d8 --uses --events --json"""
)
@click.argument("id_", metavar="ID")
@click.option("--uses", is_flag=True, help="The other way: what depends on this record.")
@parameters(AlsoEvents, "events")
@options.namespace(options.ANY_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context, id_: str, uses: bool, events: bool, namespace: str | None, as_json: bool
) -> None:
    """Where something comes from: quote, record, file and line."""
    from cairn.serving.models.queries import BY_NAME
    from cairn.serving.read.id_lookup import UnknownId, find

    thing = find(options.state_of(ctx), id_, namespace)
    query = BY_NAME["uses" if uses else "why"]
    wanted = AlsoEvents.model_validate({"events": events})
    try:
        found = query.answered(thing.reader, wanted, thing.id)
    except UnknownId:
        why_not = f"{thing.id} is a {thing.kind}; --uses is for a record"
        raise click.ClickException(why_not if uses else f"nothing has the id {thing.id}") from None
    if as_json:
        emit_json(found.model_dump(mode="json"))
    else:
        (_print_uses if uses else _print_why)(found.model_dump())


def _print_why(found: dict[str, Any]) -> None:
    say(f"{found['kind']} {found['id']}", style="bold")
    if found["text"]:
        say(one_line(found["text"], 600), indent=2)
    if not found["quotes"]:
        advise(f"rests on no single record; `cairn show {found['id']}` explains it", indent=2)
    for quote in found["quotes"]:
        console().print()
        say(f"“{one_line(quote['quote'] or '', 400)}”", indent=2)
        where = f"{quote['file']}:{quote['line']}" if quote["file"] else "no longer in the logs"
        say(f"{quote['record_id']}  {where}", style="dim", indent=2)


def _print_uses(used: dict[str, Any]) -> None:
    say(f"record {used['record_id']}", style="bold")
    say(f"{used['file']}:{used['line']}", style="dim", indent=2)
    for name, text, id_ in (
        ("facts", "content", "fact_id"),
        ("supported", "content", "fact_id"),
        ("learnings", "title", "learning_id"),
        ("entities", "display_name", "entity_id"),
    ):
        if used[name]:
            console().print()
            say(name.capitalize(), style="bold")
        for row in used[name]:
            say(f"{row[id_]}  {one_line(row[text], 200)}", indent=2)
    if not any(used[name] for name in ("facts", "supported", "learnings", "entities")):
        say("nothing depends on it", indent=2)
