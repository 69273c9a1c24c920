"""`cairn unlike`."""

from cairn.serving.cli.commands.say.attitudes import attitude

command = attitude(
    "unlike",
    "Take back that you like something.",
    will="liked no more",
    otherwise="like",
)
