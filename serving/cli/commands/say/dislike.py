"""`cairn dislike`."""

from cairn.serving.cli.commands.say.attitudes import attitude

command = attitude(
    "dislike",
    "Say that you dislike something: it is not researched, nor told unasked.",
    will="disliked",
    otherwise="undislike",
)
