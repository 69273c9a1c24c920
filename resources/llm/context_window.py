"""How much a model reads at once: as set, as litellm's map says, or as its server does."""

import os
from typing import Any

from cairn.resources.home.settings import Settings
from cairn.resources.llm import provider
from cairn.resources.llm.prices import known
from cairn.resources.llm.retry_sensor import base_of

OLLAMA_CONTEXT = 8192
"""Tokens that Ollama is asked to make room for: by itself it takes 4,096 or less, and cuts off
what is more without a word. Always the same number, since another loads the model anew."""

DENSITY = 1.15
"""Real tokens for an estimated one: schemas and code are denser than prose."""

LEAST_ANSWER = 500
"""Tokens without which no answer is asked for, or a quarter of the most that the prompt allows."""

_SAID_BY = ("max_model_len", "n_ctx", "context_length", "max_context_length")
"""As vLLM, llama.cpp, OpenRouter and LM Studio call it, in /models."""
_OLLAMA = ("ollama", "ollama_chat")


def is_ollama(model: str) -> bool:
    """Whether a model is asked by Ollama's own protocol."""
    return model.partition("/")[0] in _OLLAMA


def context_window(model: str, settings: Settings) -> int | None:
    """Tokens of question and answer that a model holds; None if nobody says. May ask its server."""
    if model == settings.model and settings.model_context:
        return settings.model_context
    base = base_of(model, settings)
    if is_ollama(model):
        found = (known(model).context, served_context(model, base))
        return min([OLLAMA_CONTEXT, *(one for one in found if one)])
    return known(model).context or (served_context(model, base) if base else None)


def answer_room(context: int | None, shown: int, most: int) -> int:
    """Tokens that are left for an answer; 0 if they are too few to ask at all.

    Args:
        context: What the model holds; None if that is not known.
        shown: Estimated tokens of the question.
        most: Tokens of the longest answer that the prompt allows.
    """
    if context is None:
        return most
    room = min(most, context - round(shown * DENSITY))
    return room if room >= min(most // 4, LEAST_ANSWER) else 0


def served_context(model: str, base: str | None) -> int | None:
    """What the model's server says that it holds; None if it does not say."""
    if is_ollama(model):
        name = model.partition("/")[2]
        root = base or os.environ.get("OLLAMA_API_BASE") or "http://localhost:11434"
        said = provider.fetched(f"{root.rstrip('/')}/api/show", {"model": name})
        info: dict[str, Any] = (said or {}).get("model_info") or {}
        return next((n for key, n in info.items() if key.endswith(".context_length")), None)
    said = provider.fetched(f"{(base or '').rstrip('/')}/models")
    listed: Any = (said or {}).get("data")
    models = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    own = [each for each in models if model.endswith(f"/{each.get('id')}")] or models
    found = {**own[0], **(own[0].get("meta") or {})} if len(own) == 1 else {}
    return next((found[name] for name in _SAID_BY if isinstance(found.get(name), int)), None)
