"""What a model costs and how much it reads: litellm's price map, offline, without importing it."""

import re
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

_MAP = "model_prices_and_context_window_backup.json"
_TIER = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")


class Price(NamedTuple):
    """Dollars per token, from a number of tokens of input on."""

    above: int
    read: float
    written: float
    cached: float
    """Per token of the input that the provider had in its cache."""


class ModelPrice(NamedTuple):
    """What the map says of a model."""

    prices: tuple[Price, ...]
    """By `above`, rising; empty if the map has no price per token."""
    context: int | None
    """Most tokens of input."""
    batched: tuple[Price, ...] = ()
    """Of what is asked in a batch; empty if the map does not say."""

    def cost(self, read: int | None, written: int | None, cached: int | None = 0) -> float | None:
        """Dollars of a call, from its tokens; None if the price or a number is not known."""
        if read is None or written is None or not self.prices:
            return None
        price = next(
            price for price in reversed(self.prices) if read > price.above or not price.above
        )
        known = min(cached or 0, read)
        return (read - known) * price.read + known * price.cached + written * price.written

    @property
    def in_batch(self) -> "ModelPrice":
        """The price of what is asked in a batch: half, where the map has no other."""
        return ModelPrice(self.batched or tuple(map(_half, self.prices)), self.context)


UNKNOWN = ModelPrice((), None)
"""A model that the map does not have."""


@lru_cache
def known(model: str) -> ModelPrice:
    """What the price map says of a model, by the name under which litellm is asked for it.

    A name's first part counts as its provider only where the map says so of the entry: the price
    of one provider is not taken for that of another.
    """
    provider, _, name = model.partition("/")
    entry = _entries().get(model)
    if entry is None and name in _entries():
        # `bedrock` is also called `bedrock_converse`, `vertex_ai` `vertex_ai-language-models`.
        its = str(_entries()[name].get("litellm_provider"))
        if provider and its.startswith(provider) and its[len(provider) :][:1] in ("", "_", "-"):
            entry = _entries()[name]
    if entry is None:
        return UNKNOWN
    context = entry.get("max_input_tokens")
    batched = _price(entry, "_batches", 0)
    return ModelPrice(
        tuple(_prices(entry)),
        context if isinstance(context, int) else None,
        (batched,) if batched else (),
    )


def _prices(entry: dict[str, Any]) -> list[Price]:
    tiers = [int(match[1]) for match in map(_TIER.fullmatch, entry) if match]
    found = [
        _price(entry, f"_above_{above}k_tokens" if above else "", above)
        for above in (0, *sorted(tiers))
    ]
    # One part that is missing makes the whole unknown.
    return [] if None in found else cast("list[Price]", found)


def _half(price: Price) -> Price:
    return Price(price.above, price.read / 2, price.written / 2, price.cached / 2)


def _price(entry: dict[str, Any], tier: str, above: int) -> Price | None:
    read, written = (entry.get(f"{side}_cost_per_token{tier}") for side in ("input", "output"))
    if read is None or written is None:
        return None
    cached = entry.get(f"cache_read_input_token_cost{tier}", read)
    return Price(above * 1000, float(read), float(written), float(cached))


@lru_cache
def _entries() -> dict[str, dict[str, Any]]:
    """The map that comes with litellm."""
    found = find_spec("litellm")
    if found is None or found.origin is None:
        return {}
    return msgspec.json.decode((Path(found.origin).parent / _MAP).read_bytes())
