"""What the hook client offered to an agent that did not ask, as events of the inbox say it."""

from collections.abc import Iterator
from typing import Any

import msgspec
import polars as pl

from cairn.knowledge.ingest.adapter import Event
from cairn.knowledge.ingest.inbox_events.effects import KIND, effect, shaped

OFFER = "offer"
"""Type of such an event; tool_name of its row of RAW_LOGS."""

CHANNEL = "offers"
"""The channel of all of them: they join no conversation, and none is longer for them."""

OFFERS = (pl.col("kind") == KIND) & (pl.col("tool_name") == OFFER)
"""Rows of RAW_LOGS that tell of offers."""


class HookOffer(msgspec.Struct, omit_defaults=True):
    """What was known for one moment of a session."""

    agent: str = ""
    moment: str = ""
    """start, prompt, failure or command."""
    session: str = ""
    """The agent's own id of it: that of the conversation, once its transcript is taken in."""
    project: str = ""
    shown: list[str] = []
    """Ids of the pieces that the agent was given …"""
    held_out: list[str] = []
    """… and of those that were held out on purpose."""
    tokens: int = 0
    """Of what was given."""
    generation: str | None = None
    """Generation of vectors of the publication that it came from."""


def events(item: Any) -> Iterator[Event]:
    """The row of an offer."""
    if (offer := shaped(item, HookOffer)) is not None:
        yield effect(OFFER, OFFER, offer)


def offer_of(told: str) -> HookOffer:
    """An offer, by the tool_input of its row."""
    return msgspec.json.decode(told, type=HookOffer, strict=False)
