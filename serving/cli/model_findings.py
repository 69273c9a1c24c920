"""What `cairn doctor` finds of the language model: beforehand, or by a small question."""

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from cairn.serving.cli.finding import Finding
from cairn.serving.read.display import count, span

if TYPE_CHECKING:
    from cairn.resources.context import State
    from cairn.resources.home.settings import Settings
    from cairn.resources.llm.small_question import SmallAnswer

FORMS = {
    "schema": "answers are held to their schema",
    "json": "answers are held to JSON, not to their schema",
    "plain": "answers are held to no form",
}


def asked_models(state: "State") -> "list[SmallAnswer]":
    """Each model that is set, asked one small question."""
    from cairn.resources.llm.small_question import small_answer

    settings = state.settings
    first = () if settings.model is None else (settings.model, *settings.model_fallbacks)
    return [small_answer(model, settings, state.answers) for model in dict.fromkeys(first)]


def asked_findings(asked: "list[SmallAnswer]", settings: "Settings") -> Iterator[Finding]:
    """What came of the small questions, in words."""
    from cairn.knowledge.llm.client import UNANSWERED

    if not asked:
        yield Finding("language model", "error", "none is set",
                      "set `model` in cairn.toml, or CAIRN_MODEL, as litellm names it")  # fmt: skip
    for one in asked:
        check = "language model" if one.model == settings.model else "fallback model"
        if one.outcome == UNANSWERED:
            yield Finding(check, "error", _unanswered(one), _advice(one, settings))
            continue
        rate = one.tokens_a_second
        told = [
            f"{one.model} answered in {one.seconds:.1f} s",
            f"{rate:.3g} tokens a second" if rate else "how many tokens is not told",
            FORMS[one.form or "plain"],
            f"holds {one.context:,} tokens" if one.context else "how much it holds is not known",
            _price(one),
        ]
        advice: list[str] = []
        if one.reason:
            told.append(f"its answer was none ({one.reason})")
            advice.append("a larger model may keep to the shape")
        if (most := one.seconds_at_most) and most > settings.model_timeout:
            told.append(f"a long answer may take {span(most)}")
            advice.append(f"model_timeout is {settings.model_timeout:g} s: set it higher")
        if one.context is None:
            advice.append("set model_context, so that nothing too long is asked")
        yield Finding(check, "warning" if advice else "ok", ", ".join(told), "; ".join(advice))


def _price(one: "SmallAnswer") -> str:
    if one.read_price is None:
        return "its price is not known"
    cost = "" if one.cost is None else f", this question {one.cost:.6f}"
    return (
        f"{one.read_price:.4g} dollars per million tokens read, {one.written_price:.4g} written"
        + cost
    )


def _unanswered(one: "SmallAnswer") -> str:
    if one.reason == "timeout":
        return f"{one.model} has not answered in {one.seconds:.0f} s"
    return f"{one.model} was asked, and did not answer: {one.reason}"


def _advice(one: "SmallAnswer", settings: "Settings") -> str:
    if one.missing:
        return f"set in the environment: {', '.join(one.missing)}"
    if one.reason == "timeout":
        return (
            f"model_timeout is {settings.model_timeout:g} s: set it higher, or take a faster model"
        )
    if one.reason == "no_budget":
        return "the budget is spent (budget_run, budget_day, limits)"
    where = f" at {settings.model_base}" if settings.model_base else ""
    return f"is the server{where} running, and are key, model and model_base right?"


def model_findings(state: "State") -> Iterator[Finding]:
    """What is known of embedder, reranker, models and budget. No call is made: it would cost."""
    vector = state.embedder.embed(["a test sentence"])[0]
    yield Finding("embedder", "ok", f"{state.embedder.model}, {len(vector)} dimensions")
    if found := _reranker(state):
        yield found
    from cairn.resources.home.usage import midnight
    from cairn.serving.cli.report import shown_dollars
    from cairn.serving.status.open_batches import batch_rows, batches_told, is_late

    settings = state.settings
    if settings.model is None:
        yield Finding("language model", "ok", "none is set: rules alone do the work")
        return
    for model in dict.fromkeys((settings.model, *settings.model_fallbacks)):
        yield _language_model(model, settings)
    if found := _troubles(state):
        yield found
    batches = batch_rows(state)
    if told := batches_told(batches):
        late = is_late(batches)
        yield Finding("batches", "warning" if late else "ok", told,
                      "`cairn run` takes up what came, or says why it does not" if late else "",
                      )  # fmt: skip
    limits = {"run": settings.budget_run, "day": settings.budget_day}
    told = [f"{limit:g} dollars a {name}" for name, limit in limits.items() if limit is not None]
    paid = state.answers.paid(midnight(datetime.now(UTC)))
    spent = settings.budget_day is not None and paid >= settings.budget_day
    yield Finding("budget", "warning" if spent else "ok",
                  f"{', '.join(told) or 'no limit is set'}; {shown_dollars(paid)} paid today",
                  "nothing is asked until midnight UTC; budget_day can be raised" if spent else "",
                  )  # fmt: skip


def _reranker(state: "State") -> Finding | None:
    """Whether what is set can be used, and how long one that asks no provider takes."""
    from cairn.resources.rerankers.choice import LITELLM
    from cairn.resources.rerankers.protocol import RerankerError

    name, check = state.policy.reranker, "reranker"
    if name.startswith(LITELLM):
        return replace(_language_model(name.removeprefix(LITELLM), state.settings), check=check)
    try:
        reranker = state.reranker_of("")
        if reranker is None:
            return None
        start = time.perf_counter()
        reranker.scores("which port", ["a text of some ten words for a test of time " * 4] * 10, 60)
        seconds = (time.perf_counter() - start) / 10 * state.policy.reranked
    except RerankerError as error:
        return Finding(check, "error", str(error), "search goes on without (policy.reranker)")
    late = seconds > reranker.seconds
    advice = "set reranker_seconds higher, or policy.reranked lower" if late else ""
    told = f"{name}, some {seconds:.2g} s for {state.policy.reranked} texts of 40 words"
    return Finding(check, "warning" if late else "ok", told, advice)


def _troubles(state: "State") -> Finding | None:
    """Calls of the last day that brought nothing, and what waits for the model."""
    from cairn.pipelines.planning.pending import WHOLE, left_to_model
    from cairn.serving.query.model_troubles import troubles

    found = troubles(state, datetime.now(UTC) - timedelta(days=1))
    days = len(left_to_model(state) - {WHOLE})
    waits_for_batches = state.model_waited == math.inf or state.open_batches.of()
    if not found and waits_for_batches:
        return None
    told = "; ".join(one.words for one in found) or "could not be asked"
    waits = f"; {count(days, 'day')} wait for it" if days else ""
    advice = "`cairn doctor --model` asks one small question; `cairn run` asks what waits"
    return Finding("model calls", "warning", f"{told}{waits}", advice)


def _language_model(model: str, settings: "Settings") -> Finding:
    """What is known of a model beforehand."""
    from cairn.resources.llm.prices import known
    from cairn.resources.llm.provider import missing

    first = model == settings.model
    check = "language model" if first else "fallback model"
    try:
        found, lacks = known(model), missing(model)
    except ImportError as error:
        return Finding(check, "error", f"{model}, but {error}", "`make setup` installs it")
    # An address is no key: it is a setting, or has a default.
    keys = [name for name in lacks if not name.endswith("_API_BASE")]
    context = (settings.model_context if first else None) or found.context
    told = [model, f"reads {context:,} tokens" if context else "how much it reads is not known"]
    advice: list[str] = []
    if found.prices:
        price = found.prices[0]
        told.append(f"{price.read * 1e6:.4g} dollars per million tokens read, "
                    f"{price.written * 1e6:.4g} written")  # fmt: skip
    else:
        told.append("its price is not known")
        advice.append("costs stay empty, and a budget cannot hold it")
    if context is None and first:
        advice.append("set model_context, so that nothing too long is asked")
    if keys:
        told.append("its key is not there")
        advice.append(f"set in the environment: {', '.join(keys)}")
    return Finding(check, "warning" if advice else "ok", ", ".join(told), "; ".join(advice))
