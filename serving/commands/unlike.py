"""`cairn unlike`."""

from serving.attitudes import attitude

command = attitude(
    "unlike",
    "Take back that you like something.",
    will="liked no more",
    otherwise="like",
)
