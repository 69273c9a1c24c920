"""`cairn undislike`."""

from cairn.serving.cli.commands.say.attitudes import attitude

command = attitude(
    "undislike",
    "Take back that you dislike something.",
    will="disliked no more",
    otherwise="dislike",
)
