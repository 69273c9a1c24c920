"""Earlier versions of a learning: what earlier prompts and models wrote of the same messages.

Nothing of them is stored again: answers are kept by the fingerprint of their prompt, for ever.
"""

import json
from typing import Any

import polars as pl

VERSIONS = pl.Schema(
    {
        "made_at": pl.String(),
        "extractor": pl.String(),
        "model": pl.String(),
        "title": pl.String(),
        "parts": pl.String(),
        "in_force": pl.Boolean(),
    }
)


def versions(answers: pl.DataFrame, extractor: str) -> pl.DataFrame:
    """Each lesson that was ever written by the prompt of a learning, of the messages it rests on.

    Args:
        answers: prompt, fingerprint, model, text and made_at of the answers that saw any of the
            learning's `source_record_ids`.
        extractor: The learning's own, `<stage>/<prompt>@<fingerprint>`; a rule's has no versions.

    Returns:
        Rows of VERSIONS, the oldest first; `parts` is all that the answer says of the lesson but
        its title, as JSON, since an earlier prompt may have asked for other parts.
    """
    stage, _, label = extractor.rpartition("/")
    prompt = label.partition("@")[0]
    rows: list[tuple[object, ...]] = []
    kept = (
        answers.filter(pl.col("prompt") == prompt).drop_nulls("text").sort("made_at", "fingerprint")
    )
    columns = ["made_at", "fingerprint", "model", "text"]
    for made_at, fingerprint, model, text in kept.select(columns).iter_rows():
        made_by = f"{stage}/{prompt}@{fingerprint}"
        for lesson in _lessons(text):
            title = " ".join(str(lesson.pop("title", "")).split())
            parts = json.dumps(lesson, ensure_ascii=False)
            rows.append((made_at, made_by, model, title, parts, made_by == extractor))
    return pl.DataFrame(rows, schema=VERSIONS, orient="row")


def _lessons(text: str) -> list[dict[str, Any]]:
    """The lessons in an answer; none in one that is of no use."""
    try:
        answer = json.loads(text)
    except ValueError:
        return []
    lessons = answer.get("lessons") if isinstance(answer, dict) else None
    return [one for one in lessons if isinstance(one, dict)] if isinstance(lessons, list) else []
