"""Which namespace is meant where none is named: one rule, for all who ask and all who tell."""

from collections.abc import Sequence

from cairn.resources.context import State

SAMPLES = "samples"
"""Namespace of the samples that the project ships."""

DEFAULT = "default"
"""Namespace of what is told where there is none yet."""


class Several(Exception):  # noqa: N818  what a person is told
    """Any of several namespaces may be meant; `names` has them."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(f"several namespaces: {', '.join(names)}; choose with --namespace")
        self.names = list(names)


def to_read(there: Sequence[str], preferred: str | None = None) -> str | None:
    """The preferred namespace, else the only one there is besides the samples; None of none.

    Raises:
        Several: there are several.
    """
    if preferred is not None:
        return preferred
    own = [name for name in there if name != SAMPLES] or list(there)
    if len(own) > 1:
        raise Several(own)
    return own[0] if own else None


def to_tell(there: Sequence[str], preferred: str | None = None) -> str:
    """The same for what is told: it is never for the samples, and need not be published yet.

    Raises:
        Several: there are several.
    """
    own = [name for name in there if name != SAMPLES]
    return to_read(own or [DEFAULT], preferred) or DEFAULT


def told_to(state: State, named: str | None) -> str:
    """The namespace that something is told: the one that is named, else by `to_tell`.

    Raises:
        Several: there are several.
    """
    return named or to_tell(state.readable_namespaces(), state.settings.namespace)
