"""Whose memory a tool answers from, and whether it may write."""

from collections.abc import Sequence
from dataclasses import dataclass

from resources.publication import namespaces
from resources.state import State
from serving.mcp_server.arguments import At
from serving.memory import Memory
from serving.reader import SAMPLES, NothingPublished, Reader


class Refused(Exception):  # noqa: N818  what an agent is told
    """A tool cannot do what it was asked; the message says why, and what to do."""


@dataclass(frozen=True)
class Scope:
    """What a server, or the holder of a key, may see and do."""

    namespaces: tuple[str, ...] = ()
    """Bound to these; if there are none, to the only one that is published besides the samples."""
    writes: bool = False
    """Whether tools may append to the inbox."""

    @property
    def chooses(self) -> bool:
        """Whether a call says which namespace it is about: only where there are several."""
        return len(self.namespaces) > 1


@dataclass(frozen=True)
class Asked:
    """One call of a tool."""

    memory: Memory
    scope: Scope
    named: str | None = None
    """The namespace that the call names."""

    @property
    def state(self) -> State:
        """The home."""
        return self.memory.state

    def reader(self, at: At | None = None) -> Reader:
        """The reader of the call: whatever is published meanwhile, it keeps to what it began with.

        Raises:
            Refused: there is nothing to read, or several namespaces to choose from.
        """
        namespace = self._one_of(self._published)
        nothing = "nothing is published yet: run `cairn run --source PATH`"
        if namespace is None:
            raise Refused(nothing)
        try:
            return self.memory.reader(namespace, at and at.as_of, at and at.true_at)
        except NothingPublished:  # its message lists the others
            raise Refused(f"in namespace {namespace} {nothing}") from None

    def inbox(self) -> str:
        """The namespace that an event is for, which need not be published yet.

        Raises:
            Refused: there are several to choose from.
        """
        # As for imports: what nobody names is for `default`, and never for the samples.
        own = [name for name in self._published if name != SAMPLES]
        return self._one_of(own or ["default"]) or "default"

    @property
    def _published(self) -> list[str]:
        return namespaces(self.state.home)

    def _one_of(self, names: Sequence[str]) -> str | None:
        """The namespace that is meant, of some where the server is bound to none.

        Raises:
            Refused: it is none of those that may be asked for, or there are several.
        """
        bound = self.scope.namespaces
        if self.named is not None:
            if self.named not in bound:
                raise Refused(f"`namespace` is one of: {', '.join(bound)}")
            return self.named
        if self.scope.chooses:
            raise Refused(f"choose with `namespace`: {', '.join(bound)}")
        preferred = bound[0] if bound else self.state.settings.namespace
        if preferred is not None:
            return preferred
        own = [name for name in names if name != SAMPLES] or list(names)
        if len(own) > 1:
            raise Refused(
                f"there are several namespaces ({', '.join(own)}), and this server is bound to"
                " none: start it as `cairn mcp --namespace NAME`"
            )
        return own[0] if own else None
