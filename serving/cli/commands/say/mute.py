"""`cairn mute`."""

from cairn.serving.cli.commands.say.attitudes import muting

command = muting(
    "mute",
    "Hear no more of an entity: it stays known, and is marked in `cairn interests`.",
    will="muted",
    otherwise="unmute",
)
