"""Versions of a learning: what prompts and models, earlier ones too, wrote of the same messages.

They are not stored again. Answers are kept by the fingerprint of their prompt for as long as the
messages are there that they saw; so versions are a function of logs and answers, like all else.
What rules wrote has no versions: earlier rules are not there any more to write it.
"""

import json
from collections.abc import Mapping
from typing import Any

import polars as pl
from pydantic import ValidationError

from cairn.knowledge.learnings.llm.extraction import LEARNING_MODEL, harmless, title_of
from cairn.knowledge.learnings.stages import identified
from cairn.knowledge.llm.prompts import LESSON_PROMPTS
from cairn.knowledge.llm.prompts.learnings.lesson import Lesson, content_of

ANSWERS = pl.Schema(
    {
        "namespace": pl.String(),
        "prompt": pl.String(),
        "fingerprint": pl.String(),
        "model": pl.String(),
        "text": pl.String(),
        "made_at": pl.String(),
        "record_ids": pl.List(pl.String()),
    }
)
"""Kept answers that are asked for versions: `record_ids` are the messages that each saw, of one
conversation, in their order there."""

VERSIONS = pl.Schema(
    {
        "learning_id": pl.String(),
        "version_id": pl.String(),
        "made_at": pl.String(),
        "extractor": pl.String(),
        "model": pl.String(),
        "title": pl.String(),
        "content": pl.String(),
        "stored": pl.Boolean(),
    }
)

_LESSON = {
    "namespace": pl.String(),
    "category": pl.String(),
    "title": pl.String(),
    "content": pl.String(),
    "evidence": pl.List(pl.String()),
    "made_at": pl.String(),
    "extractor": pl.String(),
    "model": pl.String(),
}


def versions(learnings: pl.DataFrame, answers: pl.DataFrame) -> pl.DataFrame:
    """Each wording of a learning that kept answers hold, the oldest first.

    A version is a lesson of the same category that rests on one message, at least, that the
    learning rests on. `version_id` is the id that it has, or had, as a learning; the one that is
    stored is marked. The same words of one prompt and model count once, when they were first said.

    Args:
        learnings: namespace, learning_id, category, source_record_ids.
        answers: Rows of ANSWERS.

    Returns:
        Rows of VERSIONS, by learning and time.
    """
    told = [lesson for answer in answers.iter_rows(named=True) for lesson in _lessons(answer)]
    said = pl.DataFrame(told, schema=_LESSON, orient="row").pipe(identified)
    sources = learnings.select("namespace", "category", "learning_id", record="source_record_ids")
    key = ["learning_id", "version_id", "extractor"]
    return (
        said.rename({"learning_id": "version_id"})
        .explode("evidence")
        .join(
            sources.explode("record"),
            left_on=["namespace", "category", "evidence"],
            right_on=["namespace", "category", "record"],
        )
        .with_columns(stored=pl.col("learning_id") == pl.col("version_id"))
        .sort("learning_id", "made_at", "version_id", "extractor", "model")
        .unique(key, keep="first", maintain_order=True)
        .select(VERSIONS.names())
    )


def _lessons(answer: Mapping[str, Any]) -> list[tuple[object, ...]]:
    """The lessons in an answer, with the messages that they rest on; none that may not be shown."""
    category = str(answer["prompt"]).removeprefix("learning_")
    by = f"{LEARNING_MODEL.name}/{answer['prompt']}@{answer['fingerprint']}"
    shown: list[str] = answer["record_ids"]
    return [
        (
            answer["namespace"], category, title_of(title), content,
            [shown[number - 1] for number in sorted(numbers) if 0 < number <= len(shown)],
            answer["made_at"], by, answer["model"],
        )
        for title, content, numbers in _worded(category, answer["text"])
        if harmless(f"{title}\n{content}")
    ]  # fmt: skip


def _worded(category: str, text: str) -> list[tuple[str, str, set[int]]]:
    """Title, content and numbers of evidence of each lesson, be it of an earlier prompt's shape."""
    prompt = LESSON_PROMPTS.get(category)
    try:
        if prompt is not None:
            today: list[Lesson] = prompt.output.model_validate_json(text).lessons
            return [(each.title, each.content, set(each.evidence)) for each in today]
    except ValidationError:
        pass
    try:
        answer = json.loads(text)
    except ValueError:
        return []
    lessons = answer.get("lessons") if isinstance(answer, dict) else None
    every: list[object] = lessons if isinstance(lessons, list) else []
    found: list[dict[str, object]] = [each for each in every if isinstance(each, dict)]
    return [
        (str(each.get("title", "")), content_of(each), _numbers(each.get("evidence")))
        for each in found
    ]


def _numbers(evidence: object) -> set[int]:
    found: list[object] = evidence if isinstance(evidence, list) else []
    return {number for number in found if isinstance(number, int)}
