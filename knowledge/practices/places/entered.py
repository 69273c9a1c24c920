"""The folders that the commands of a line run in, as `cd`, `pushd` and `popd` change them."""

from collections import defaultdict
from collections.abc import Callable

from cairn.knowledge.nlp.shell.parser import SHELLS, Command

ENTERS = frozenset({"cd", "pushd", "popd"})

_Scope = tuple[str | int, ...]


class EnteredFolders:
    """Each shell of a line has a folder of its own: what one enters is left with it.

    Commands are given in their order. A folder that cannot be told is None.

    Args:
        start: Where the line is run.
        beside: A folder as one says it who is in another.
        output: What the line printed: by that a folder is known that could not be entered.
    """

    def __init__(
        self, start: str | None, beside: Callable[[str | None, str], str | None], output: str = ""
    ) -> None:
        self._beside = beside
        self._output = output
        self._folders: dict[_Scope, str | None] = {(): start}
        self._left: defaultdict[_Scope, list[str | None]] = defaultdict(list)

    def of(self, command: Command) -> str | None:
        """Where a command runs: at first where the shell is that started its own."""
        scope = _scope(command)
        while scope not in self._folders:
            scope = scope[:-1]
        return self._folders[scope]

    def start_shell(self, command: Command, first: Command) -> None:
        """Notes that a command is a shell, of whose commands this is the first."""
        self._folders[_shells(first)] = self.of(command)

    def enter(self, command: Command) -> str | None:
        """Where one is behind a command of ENTERS."""
        here, scope = self.of(command), _scope(command)
        left = self._left[scope]
        to = command.args[0] if command.args else None
        if command.name == "popd" or (to is not None and to.text == "-"):
            found = left.pop() if left else None
        else:
            known = to is not None and not to.dynamic and not self._failed(to.text)
            found = self._beside(here, to.text) if to is not None and known else None
        if command.name != "popd":
            left.append(here)
        self._folders[scope] = found
        return found

    def _failed(self, folder: str) -> bool:
        return any(
            told in self._output
            for told in (f"cd: {folder}: No such file", f"cd: no such file or directory: {folder}")
        )


def _scope(command: Command) -> _Scope:
    return (*_shells(command), *command.subshells)


def _shells(command: Command) -> _Scope:
    return tuple(name for name in command.via if name in SHELLS)
