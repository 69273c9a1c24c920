"""Whose memory a tool answers from, and whether it may write."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import BaseModel

from cairn.resources.context import State
from cairn.serving.models.parameters import moments
from cairn.serving.read.namespaces import Several, to_read, to_tell
from cairn.serving.read.reader import NothingPublished, Reader
from cairn.serving.retrieval.open_memory import Memory

Meant = TypeVar("Meant", str, str | None)


class ToolRefused(Exception):  # noqa: N818  what an agent is told
    """A tool cannot do what it was asked; the message says why, and what to do."""


@dataclass(frozen=True)
class KeyScope:
    """What a server, or the holder of a key, may see and do."""

    namespaces: tuple[str, ...] = ()
    """Bound to these; if there are none, to the only one that is published besides the samples."""
    writes: bool = False
    """Whether tools may append to the inbox."""

    @property
    def chooses(self) -> bool:
        """Whether a call says which namespace it is about: only where there are several."""
        return len(self.namespaces) > 1


@dataclass
class Asked:
    """One call of a tool."""

    memory: Memory
    scope: KeyScope
    named: str | None = None
    """The namespace that the call names."""
    generation: str | None = field(default=None, init=False)
    """Generation of vectors of what was read, if anything was."""

    @property
    def state(self) -> State:
        """The home."""
        return self.memory.state

    def reader(self, wanted: BaseModel | None = None) -> Reader:
        """The reader of the call: whatever is published meanwhile, it keeps to what it began with.

        Raises:
            Refused: there is nothing to read, or several namespaces to choose from.
        """
        namespace = self._one_by(to_read)
        nothing = "nothing is published yet: run `cairn run --source PATH`"
        if namespace is None:
            raise ToolRefused(nothing)
        try:
            reader = self.memory.reader(namespace, *moments(wanted))
        except NothingPublished:  # its message lists the others
            raise ToolRefused(f"in namespace {namespace} {nothing}") from None
        self.generation = reader.manifest.generation
        return reader

    def inbox(self) -> str:
        """The namespace that an event is for, which need not be published yet.

        Raises:
            Refused: there are several to choose from.
        """
        return self._one_by(to_tell)

    def _one_by(self, rule: Callable[[Sequence[str], str | None], Meant]) -> Meant | str:
        """The namespace that is meant, by a rule where the server is bound to none.

        Raises:
            Refused: it is none of those that may be asked for, or there are several.
        """
        bound = self.scope.namespaces
        if self.named is not None:
            if self.named not in bound:
                raise ToolRefused(f"`namespace` is one of: {', '.join(bound)}")
            return self.named
        if self.scope.chooses:
            raise ToolRefused(f"choose with `namespace`: {', '.join(bound)}")
        preferred = bound[0] if bound else self.state.settings.namespace
        try:
            return rule(self.state.readable_namespaces(), preferred)
        except Several as several:
            raise ToolRefused(
                f"there are several namespaces ({', '.join(several.names)}), and this server is"
                " bound to none: start it as `cairn mcp --namespace NAME`"
            ) from None
