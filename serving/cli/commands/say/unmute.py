"""`cairn unmute`."""

from cairn.serving.cli.commands.say.attitudes import muting

command = muting(
    "unmute",
    "Hear of an entity again.",
    will="no longer muted",
    otherwise="mute",
)
