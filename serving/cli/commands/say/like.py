"""`cairn like`."""

from cairn.serving.cli.commands.say.attitudes import attitude

command = attitude(
    "like",
    "Say that you like something: it is researched and told of sooner.",
    will="liked",
    otherwise="unlike",
)
