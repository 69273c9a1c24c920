"""Programs that run a command with something that it needs: secrets, variables, an environment.

`doppler run -- npm test` is how the tests are run: what stands in front belongs to the command. A
mere shell does not: `bash -lc 'npm test'` is `npm test`.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cairn.knowledge.nlp.shell.parser import Command, commands, started
from cairn.knowledge.nlp.shell.words import ShellWord


class Wrapper(NamedTuple):
    """How a program is told what to run."""

    verbs: tuple[str, ...] = ()
    """Its words for it; none where it needs none."""
    marks: tuple[str, ...] = ("--",)
    """Words behind which the command stands."""
    operands: int | None = None
    """How many words of its own stand before the command where no mark does; none: it needs one."""
    line: bool = False
    """Whether the command is one word, which a shell reads."""


WRAPPERS: Mapping[str, Wrapper] = {
    "doppler": Wrapper(("run",)),
    "op": Wrapper(("run",)),
    "infisical": Wrapper(("run",)),
    "teller": Wrapper(("run",)),
    "aws-vault": Wrapper(("exec",)),
    "chamber": Wrapper(("exec",)),
    "dotenv": Wrapper(operands=0),
    "dotenvx": Wrapper(("run",)),
    "direnv": Wrapper(("exec",), operands=1),
    "mise": Wrapper(("exec", "x")),
    "nix": Wrapper(("develop", "shell"), ("-c", "--command")),
    "nix-shell": Wrapper((), ("--run", "--command"), line=True),
    "devbox": Wrapper(("run",)),
    "pixi": Wrapper(("run",), operands=0),
    "xvfb-run": Wrapper(operands=0),
}
"""Program -> how it is told; its own words stay in the stable form."""

_WITH_VALUE = frozenset({"-e", "-f", "-c", "--env", "--env-file", "--file", "-s", "--server-args"})


class Unwrapped(NamedTuple):
    """A command that another program runs: its words, what these start, what stands in front."""

    front: tuple[str, ...]
    command: Command
    inner: tuple[Command, ...]


def unwrap(head: Command) -> Unwrapped | None:
    """What a wrapper runs; None if the command is none, or what it runs is not to be seen."""
    wrapper = WRAPPERS.get(head.name)
    if wrapper is None:
        return None
    at = _begin(wrapper, head.words)
    if at is None or at >= len(head.words):
        return None
    front, rest = list(head.words[:at]), list(head.words[at:])
    if any(word.dynamic or word.text.startswith(("/", "~")) for word in front):
        return None
    if wrapper.line:
        line = rest[0].text
        read = [] if rest[0].dynamic or len(rest) > 1 else list(commands(line))
        if not read or any(len(one.via) == len(read[0].via) for one in read[1:]):
            return None
        return _of_line(front, rest[0], read)
    found = started(tuple(word.text for word in rest))
    if not found:
        return None
    given = tuple(rest[len(rest) - len(found[0].words) :])
    command = Command(
        found[0].name, given, (*head.via, *found[0].via), piped=head.piped, runs=head.runs
    )
    return Unwrapped(tuple(word.text for word in front), command, found[1:])


def _of_line(front: Sequence[ShellWord], line: ShellWord, found: Sequence[Command]) -> Unwrapped:
    """The one command of a line that stands in a single word; all of its words end there."""
    words = tuple(
        ShellWord(word.text, line.start, line.end, dynamic=word.dynamic) for word in found[0].words
    )
    command = Command(found[0].name, words, found[0].via)
    return Unwrapped(tuple(word.text for word in front), command, tuple(found[1:]))


def _begin(wrapper: Wrapper, words: Sequence[ShellWord]) -> int | None:
    """The index of the first word of what is run."""
    texts = [word.text for word in words]
    at = 1
    if wrapper.verbs:
        if len(texts) < 2 or texts[1] not in wrapper.verbs:
            return None
        at = 2
    for index in range(at, len(texts)):
        if texts[index] in wrapper.marks:
            return index + 1
    if wrapper.operands is None:
        return None
    left = wrapper.operands
    while at < len(texts):
        if texts[at].startswith("-"):
            at += 2 if texts[at] in _WITH_VALUE else 1
        elif left:
            left -= 1
            at += 1
        else:
            return at
    return None
