"""A call to a language model, tried again where that may help."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cairn.resources.home.settings import Settings
from cairn.resources.llm import provider
from cairn.resources.llm.circuit_breaker import Breaker
from cairn.resources.llm.provider import Said, Trouble

logger = logging.getLogger(__name__)

LONGEST_DELAY = 60.0
"""Seconds; a provider that asks for more is left alone until the next run."""
FIRST_DELAY = 0.5
"""Seconds before the second try; each further one waits twice as long."""


def retried(
    model: str,
    messages: Sequence[Mapping[str, str]],
    parameters: Mapping[str, Any],
    breaker: Breaker,
    settings: Settings,
    note: Callable[[Trouble], None] = lambda _: None,
) -> Said | Trouble:
    """One call with its retries, unless the provider is down; `note` is told of each that failed.

    What was not answered in time is not tried again at once: it would take as long again.
    """
    tries = settings.model_max_retries + 1
    trouble = Trouble("provider_down", "")
    for number in range(1, tries + 1):
        breaker.wait()
        if breaker.open:
            return Trouble("provider_down", "")
        result = provider.complete(
            model,
            messages,
            parameters,
            base=base_of(model, settings),
            timeout=settings.model_timeout,
        )
        if isinstance(result, Said):
            breaker.answered()
            return result
        trouble = result
        note(trouble)
        if trouble.form:  # whether the provider is down, the next form tells
            return trouble
        if trouble.reason in ("too_long", "refused"):
            breaker.answered()
            return trouble
        fields = {"model": model, "reason": trouble.name}
        logger.info("%s: %s, try %d of %d", model, trouble.name, number, tries,
                    extra={"fields": fields})  # fmt: skip
        if trouble.timed_out:
            logger.warning("%s has not answered in %g s", model, settings.model_timeout,
                           extra={"fields": fields})  # fmt: skip
            break
        if trouble.delay is not None and trouble.delay > LONGEST_DELAY:
            trouble = trouble._replace(again=False, at_once=True)
        if not trouble.again:
            break
        if trouble.delay is not None:
            breaker.hold(trouble.delay)
        elif number < tries:
            breaker.pause(FIRST_DELAY * 2 ** (number - 1))
    if breaker.failed(at_once=trouble.at_once, timed_out=trouble.timed_out):
        unset = ", ".join(provider.missing(model))
        hint = f"; not set in the environment: {unset}" if unset else ""
        if not unset and trouble.at_once and trouble.delay is None:
            hint = "; are its key, model and model_base right?"
        if trouble.timed_out:
            hint = (
                f"; it may need more time (model_timeout is {settings.model_timeout:g} s), or fewer"
                f" questions at once (model_concurrency is {settings.model_concurrency})"
            )
        logger.warning("%s is not asked any more in this run: %s%s", model, trouble.name, hint,
                       extra={"fields": {"model": model, "reason": trouble.name}})  # fmt: skip
    return trouble


def base_of(model: str, settings: Settings) -> str | None:
    """The address for a model: fallbacks of another provider have their own."""
    same = model.partition("/")[0] == (settings.model or "").partition("/")[0]
    return settings.model_base if same else None
