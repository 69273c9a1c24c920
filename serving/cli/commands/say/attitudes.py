"""Commands by which a person says what they think of something: like, mute, and their opposites."""

from typing import Any, NamedTuple

import click

from cairn.resources.home.advice import command as told_command
from cairn.serving.cli import options
from cairn.serving.cli.terminal import advise, emit_json, say
from cairn.serving.read.namespaces import told_to
from cairn.serving.read.reader import open_reader
from cairn.serving.status.pending import NEXT_RUN
from cairn.serving.write.requests import OF_KNOWN, muted_as, order, topic_of


class AttitudeCommand(NamedTuple):
    """A verb by which a person says what they think of something, or takes that back."""

    about: str
    """What it does, for its help."""
    will: str
    """What is said when it is noted."""
    otherwise: str
    """The verb that takes it back."""


ATTITUDES = {
    "like": AttitudeCommand(
        "Say that you like something: it is researched and told of sooner.", "liked", "unlike"
    ),
    "unlike": AttitudeCommand("Take back that you like something.", "liked no more", "like"),
    "dislike": AttitudeCommand(
        "Say that you dislike something: it is not researched, nor told unasked.",
        "disliked",
        "undislike",
    ),
    "undislike": AttitudeCommand(
        "Take back that you dislike something.", "disliked no more", "dislike"
    ),
    "mute": AttitudeCommand(
        "Hear no more of an entity, or of one piece of memory (a line of a brief, by its id): it"
        " stays known and is found by a search, but no agent is told of it unasked.",
        "muted",
        "unmute",
    ),
    "unmute": AttitudeCommand(
        "Hear of an entity, or a piece of memory, again.", "no longer muted", "mute"
    ),
}


def attitude(verb: str) -> click.Command:
    """The command of a verb."""
    its = ATTITUDES[verb]
    name, example = "topic", "sourdough baking"
    if verb in OF_KNOWN:
        name, example = "entity|id", f"harbor-backup\n  cairn {verb} w_95f1bee0d0250dfa"

    @click.command(verb, help=its.about, epilog=f"\b\nExamples:\n  cairn {verb} {example}")
    @click.argument("said", metavar=name.upper(), nargs=-1, required=True)
    @options.namespace(options.ONE_NAMESPACE)
    @options.as_json
    @click.pass_context
    def command(
        ctx: click.Context, said: tuple[str, ...], namespace: str | None, as_json: bool
    ) -> None:
        state = options.state_of(ctx)
        topic = topic_of(said)
        if verb in OF_KNOWN:
            reader = open_reader(state, namespace)
            whose, topic = reader.namespace, muted_as(reader, topic)
        else:
            whose = told_to(state, namespace)
        _tell(order(state, whose, verb, topic), its.will, its.otherwise, as_json)

    return command


def _tell(told: dict[str, Any], will: str, otherwise: str, as_json: bool) -> None:
    if as_json:
        emit_json(told)
        return
    say(f"{told['topic']}: {will}, in {told['namespace']}.", style="bold")
    advise(f"Noted as {told['record_id']}; applied {NEXT_RUN}")
    ends = ["--"] if told["topic"].startswith("-") else []  # what follows is no option
    undo = told_command("cairn", otherwise, *ends, told["topic"])
    advise(f"To decide otherwise: {undo}", style="dim")
