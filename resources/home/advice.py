"""Commands that a person is told to give: as a shell takes them, about the home that was named."""

import re
import shlex
from pathlib import Path

_OURS = re.compile(r"`cairn(?= [a-z])")


def command(*words: object) -> str:
    """A command between backticks, its words quoted so that a shell takes them as they are."""
    return f"`{shlex.join(map(str, words))}`"


def for_home(text: str, home: Path | None) -> str:
    """What is told, with `--home` in each of our commands, so that they reach the same home.

    Args:
        text: Words, in which commands stand between backticks.
        home: The one that the command line named; None if it named none.
    """
    if home is None:
        return text
    ours = "`" + shlex.join(["cairn", "--home", str(home)])
    return _OURS.sub(lambda _: ours, text)
