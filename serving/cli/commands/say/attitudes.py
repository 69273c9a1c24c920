"""Commands by which a person says what they think of something: like, mute, and their opposites."""

from typing import Any

import click

from cairn.resources.home.advice import command as told_command
from cairn.serving.cli import options
from cairn.serving.cli.terminal import advise, emit_json, say
from cairn.serving.read.id_lookup import entities_called
from cairn.serving.read.namespaces import told_to
from cairn.serving.read.reader import open_reader
from cairn.serving.status.pending import NEXT_RUN
from cairn.serving.write.requests import order, topic_of


def attitude(verb: str, about: str, will: str, otherwise: str) -> click.Command:
    """A command by which a person says, or takes back, what they think of a topic.

    Args:
        verb: Its name.
        about: What it does, for its help.
        will: What is said when it is noted.
        otherwise: The verb that takes it back.
    """

    @click.command(help=about, epilog=f"\b\nExamples:\n  cairn {verb} sourdough baking")
    @click.argument("topic", metavar="TOPIC", nargs=-1, required=True)
    @options.namespace(options.ONE_NAMESPACE)
    @options.as_json
    @click.pass_context
    def command(
        ctx: click.Context, topic: tuple[str, ...], namespace: str | None, as_json: bool
    ) -> None:
        state = options.state_of(ctx)
        named = topic_of(topic)
        _tell(order(state, told_to(state, namespace), verb, named), will, otherwise, as_json)

    return command


def muting(verb: str, about: str, will: str, otherwise: str) -> click.Command:
    """A command by which a person mutes an entity that there is, or has it speak again."""

    @click.command(help=about, epilog=f"\b\nExamples:\n  cairn {verb} harbor-backup")
    @click.argument("entity", metavar="ENTITY", nargs=-1, required=True)
    @options.namespace(options.ONE_NAMESPACE)
    @options.as_json
    @click.pass_context
    def command(
        ctx: click.Context, entity: tuple[str, ...], namespace: str | None, as_json: bool
    ) -> None:
        state = options.state_of(ctx)
        reader = open_reader(state, namespace)
        # The name goes into the inbox, and no id: it means the same in whatever is rebuilt.
        found = entities_called(reader, topic_of(entity)).sort("active_facts", descending=True)
        name = str(found["display_name"][0])
        _tell(order(state, reader.namespace, verb, name), will, otherwise, as_json)

    return command


def _tell(told: dict[str, Any], will: str, otherwise: str, as_json: bool) -> None:
    if as_json:
        emit_json(told)
        return
    say(f"{told['topic']}: {will}, in {told['namespace']}.", style="bold")
    advise(f"Noted as {told['record_id']}; applied {NEXT_RUN}")
    undo = told_command("cairn", otherwise, told["topic"])
    advise(f"To decide otherwise: {undo}", style="dim")
