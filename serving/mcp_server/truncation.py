"""An answer within so many bytes: long texts lose their end, long lists their last rows."""

import json
import re
from datetime import datetime
from typing import Any, TypeVar

from knowledge.llm.fence import CLOSING, defused, fenced, opening
from serving.mcp_server.answers import NOTICE, Answered
from serving.mcp_server.things import minute

STEPS = ((2_000, 20), (400, 3), (100, 1))
"""Characters of a text, and rows of a list within a row, step by step until the answer fits."""

WHOLE = re.compile(r"(\b|_)ids?$|\b(next|namespaces?|file)$")
"""Fields that say nothing if their end is missing."""

Some = TypeVar("Some", bound=Answered)


def fitted(answer: Some, most: int) -> Some:
    """The answer, so that its JSON and its text have at most so many bytes each.

    `left_out` says how many rows are missing from which list. Texts are cut between characters.

    Args:
        answer: What a tool found.
        most: Bytes, at least a few thousand.
    """
    told = answer
    for step, (longest, rows) in enumerate(STEPS):
        told = _shortened(answer, longest, rows)
        # Of each list one row is kept, until texts cannot be any shorter.
        least = 1 if step + 1 < len(STEPS) else 0
        for name in answer.CUT:
            if _size(told) <= most:
                break
            told = _without_the_last(told, name, most, least)
        if _size(told) <= most:
            break
    return told


def text_of(answer: Answered) -> str:
    """The answer in words, within the fence that says whose words these are."""
    return fenced(_told(answer), answer.namespace, _generation(answer))


def _told(answer: Answered) -> str:
    """The answer in words."""
    of = getattr(answer, "as_of", None)
    moment = f", as of {minute(of)}" if isinstance(of, datetime) else ""
    missing = [
        f"{count} of {name} left out, for the answer would be too large: ask for less at a time"
        for name, count in answer.left_out.items()
    ]
    return "\n".join([f"Namespace {answer.namespace}{moment}.", *answer.lines(), *missing])


def _generation(answer: Answered) -> str | None:
    return getattr(answer, "generation", None)


def _shortened(answer: Some, longest: int, rows: int) -> Some:
    """The answer with texts and inner lists cut; the lists that it names itself stay whole."""
    missing: dict[str, int] = {}

    def cut(value: Any, path: str) -> Any:
        match value:
            case str():
                return value if value == NOTICE else defused(_shown(value, path, longest))
            case dict():
                return {key: cut(inner, f"{path}.{key}") for key, inner in value.items()}
            case list():
                kept = len(value) if path in answer.CUT else min(rows, len(value))
                if kept < len(value):
                    missing[path] = missing.get(path, 0) + len(value) - kept
                return [cut(inner, path) for inner in value[:kept]]
            case _:
                return value

    told = {name: cut(value, name) for name, value in answer.model_dump().items()}
    return type(answer).model_validate(told | {"left_out": answer.left_out | missing})


def _shown(text: str, path: str, longest: int) -> str:
    """A text without its end, if it is too long and says something without it."""
    over = len(text) - longest
    if over <= 0 or WHOLE.search(path):
        return text
    return f"{text[:longest].rstrip()} … ({over:,} more characters)"


def _without_the_last(answer: Some, name: str, most: int, least: int) -> Some:
    """As many of the first rows of a list as fit; `least`, if not even those do."""
    rows: list[Any] = getattr(answer, name)
    few, many = min(least, len(rows)), len(rows)

    def keeping(kept: int) -> Some:
        missing = answer.left_out | ({name: len(rows) - kept} if kept < len(rows) else {})
        return answer.model_copy(update={name: rows[:kept], "left_out": missing})

    while few < many:
        half = (few + many + 1) // 2
        few, many = (half, many) if _size(keeping(half)) <= most else (few, half - 1)
    return keeping(few)


def _size(answer: Answered) -> int:
    """Bytes of the longer of both forms."""
    as_json = json.dumps(answer.model_dump(mode="json"), ensure_ascii=False)
    # As `text_of` has it: nothing is longer for it that a line is held.
    lines = (opening(answer.namespace, _generation(answer)), defused(_told(answer)), CLOSING)
    return max(len(as_json.encode()), len("\n".join(lines).encode()))
