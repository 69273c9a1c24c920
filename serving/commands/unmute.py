"""`cairn unmute`."""

from serving.attitudes import muting

command = muting(
    "unmute",
    "Hear of an entity again.",
    will="no longer muted",
    otherwise="mute",
)
