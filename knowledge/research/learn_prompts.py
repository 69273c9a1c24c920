"""Learn prompts: what people want to learn, what is searched for it, and how far that is."""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from cairn.knowledge.engine.stage import stage_of
from cairn.knowledge.extraction.searches import (
    History,
    SearchCommand,
    commands,
    histories,
    of_prompt,
)
from cairn.knowledge.extraction.validation import has_canary
from cairn.knowledge.llm.client import Answer, Ask, LanguageModel
from cairn.knowledge.llm.prompts import SEARCH_QUERIES
from cairn.knowledge.llm.prompts.search_queries import SearchQueries
from cairn.knowledge.schema.failures import FAILURE_SCHEMA
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import LEARN_PROMPTS

LEARN_PROMPTS_EXTRACTOR = stage_of(
    "learn_prompts", 2, "What people want to learn, and the searches for it.", "learn_searches"
)

TEMPLATES = (
    "{topic}", "how does {topic} work", "{topic} best practices", "{topic} common problems",
    "{topic} alternatives compared",
)  # fmt: skip
"""Queries where no model words them."""

FEWEST = 3
OWN = "inbox"
"""Adapter of commands that were given to Cairn itself, and not to what wrote a log."""


class Prompts(NamedTuple):
    """LEARN_PROMPTS, the questions that failed, and whether some answer is waited for."""

    learn_prompts: pl.DataFrame
    failures: pl.DataFrame
    pending: bool


def learn_prompts(raw_logs: pl.DataFrame, model: LanguageModel | None, policy: Policy) -> Prompts:
    """What people want to learn.

    The model words the queries; templates do if there is none, or it fails.
    """
    asked = [one for one in commands(raw_logs) if one.verb == "learn"]
    history = histories(raw_logs)
    worded_by = model.prompts.version(SEARCH_QUERIES) if model else SEARCH_QUERIES
    asks = [
        Ask(worded_by, one.namespace, f"Topic: {one.topic}", (one.id,), LEARN_PROMPTS.name)
        for one in asked
    ]
    answers = model.answers(asks) if model else [Answer("failed")] * len(asks)
    rows = [
        _row(one, answer, history.get(one.namespace, History()), model, policy)
        for one, answer in zip(asked, answers, strict=True)
    ]
    failed = [
        (one.id, SEARCH_QUERIES.name, answer.reason or "", answer.key)
        for one, answer in zip(asked, answers, strict=True)
        if model and answer.outcome == "failed"
    ]
    return Prompts(
        LEARN_PROMPTS.frame(rows),
        _failures(failed, raw_logs),
        pending=any(answer.outcome == "pending" for answer in answers),
    )


def _row(
    prompt: SearchCommand,
    answer: Answer,
    history: History,
    model: LanguageModel | None,
    policy: Policy,
) -> dict[str, object]:
    made = of_prompt(history.made(), prompt)
    label = LEARN_PROMPTS_EXTRACTOR.label
    queries = by_templates(prompt.topic, policy)
    if isinstance(answer.value, SearchQueries) and model:
        if len(told := _cleaned(answer.value.queries)) >= FEWEST:
            worded_by = model.prompts.version(SEARCH_QUERIES)
            queries, label = told, worded_by.label(model.model)
    elif answer.outcome == "pending":
        queries = []
    wanted = len(queries) or policy.learn_searches
    done = len({one.search.query.casefold() for one in made})
    # Somebody else's prompt was searched for by who it was given to.
    remaining = 0 if made and prompt.source != OWN else max(wanted - done, 0)
    times = [time for time in (prompt.at, *(one.at for one in made)) if time]
    return {
        "learn_prompt_id": prompt.id,
        "namespace": prompt.namespace,
        "native_id": prompt.native_id,
        "prompt_text": prompt.topic,
        "status": "active" if remaining else "completed",
        "searches_remaining": remaining,
        "queries": queries,
        "search_ids": sorted({one.record_id for one in made}),
        "source": prompt.source,
        "created_at": prompt.at,
        "updated_at": max(times, default=None),
        "extractor": label,
    }


def by_templates(topic: str, policy: Policy) -> list[str]:
    """Queries about a topic, without a model."""
    return [each.format(topic=topic) for each in TEMPLATES[: policy.learn_searches]]


def _cleaned(queries: Sequence[str]) -> list[str]:
    """Queries of a model, each once and on one line."""
    once: dict[str, str] = {}
    for query in queries:
        line = " ".join(query.split())
        if line and not has_canary(line):
            once.setdefault(line.casefold(), line)
    return list(once.values())


def _failures(
    failed: Sequence[tuple[str, str, str, str | None]], raw_logs: pl.DataFrame
) -> pl.DataFrame:
    lost = pl.DataFrame(
        failed,
        schema={
            "record_id": pl.String, "prompt": pl.String, "reason": pl.String, "answer": pl.String,
        },
        orient="row",
    )  # fmt: skip
    places = raw_logs.select("namespace", "day", "conversation_id", "record_id")
    return lost.join(places, on="record_id").select(FAILURE_SCHEMA.names()).sort(pl.all())


def found(
    prompts: pl.DataFrame, raw_logs: pl.DataFrame, fact_sources: pl.DataFrame, facts: pl.DataFrame
) -> pl.DataFrame:
    """What was found through learn prompts: prompt, searches, facts, entities.

    `facts` has fact_id and entity_id of the facts that count.

    Returns:
        learn_prompt_id, entity_id, facts: how many; the most first, ties by entity_id.
    """
    prompt = pl.col("tool_input").str.json_path_match("$.learn_prompt_id")
    results = raw_logs.filter((pl.col("kind") == "tool_result") & (pl.col("tool_name") == "search"))
    names = pl.concat(
        prompts.select("learn_prompt_id", name=column)
        for column in ("learn_prompt_id", "native_id")
    )
    return (
        names.drop_nulls()
        .unique()
        .join(results.select("record_id", name=prompt), on="name")
        .join(fact_sources.select("fact_id", "record_id"), on="record_id")
        .join(facts.select("fact_id", "entity_id"), on="fact_id")
        .group_by("learn_prompt_id", "entity_id")
        .agg(facts=pl.col("fact_id").n_unique())
        .sort("learn_prompt_id", "facts", "entity_id", descending=[False, True, False])
    )
