"""Knowledge merged into the feed of a prompt: its sections by name."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

Provider = Mapping[str, str] | Callable[[Any], Mapping[str, str]] | None
"""Knowledge by info type: none, as it is, or made for the input of a user."""


class FeedStrategy(StrEnum):
    """What becomes of a section that the feed has already, when knowledge has it too."""

    FEED_ONLY = "feed_only"
    """The knowledge replaces it."""
    ATTRIBUTE_ONLY = "attribute_only"
    """It stays."""
    MERGE = "merge"
    """Both stand there, the knowledge after it, on a line of its own."""


def provided(provider: Provider, user_input: Any) -> dict[str, str]:
    """Knowledge by info type for what a user said.

    Raises:
        TypeError: the provider gives something else than texts by name.
    """
    knowledge: Any = provider(user_input) if callable(provider) else provider or {}
    if not isinstance(knowledge, Mapping):
        raise TypeError(
            f"a provider gives {{info_type: text}}, not a value of type {type(knowledge).__name__}"
        )
    for info_type, text in knowledge.items():
        if not isinstance(info_type, str) or not isinstance(text, str):
            raise TypeError(f"a provider gives {{info_type: text}}; {info_type!r} has no text")
    return dict(knowledge)


def feed(
    attributes: Mapping[str, str],
    provider: Provider,
    user_input: Any = "",
    strategy: FeedStrategy | str = FeedStrategy.FEED_ONLY,
) -> dict[str, str]:
    """The sections of a prompt with knowledge in them; what is new stands last, by name.

    Args:
        attributes: Sections as they are; they are not changed.
        provider: The knowledge.
        user_input: What a provider that is called is given.
        strategy: What becomes of a section that both have. Empty knowledge leaves it as it is.

    Raises:
        TypeError: the provider gives something else than texts by name.
        ValueError: there is no such strategy.
    """
    strategy = FeedStrategy(str(strategy).lower())
    merged = dict(attributes)
    for info_type, text in sorted(provided(provider, user_input).items()):
        before = merged.get(info_type)
        if not before or not text:
            merged[info_type] = text or before or ""
        elif strategy is FeedStrategy.FEED_ONLY:
            merged[info_type] = text
        elif strategy is FeedStrategy.MERGE:
            merged[info_type] = f"{before}\n{text}"
    return merged
