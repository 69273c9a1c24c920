"""An answer within so many bytes: long texts lose their end, long lists their last rows."""

import re
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from cairn.knowledge.llm.fence import CLOSING, defused, fenced, opening
from cairn.serving.mcp_server.answers import ToolAnswer
from cairn.serving.mcp_server.words import lines, minute
from cairn.serving.models.fields import Model

STEPS = ((2_000, 20), (400, 3), (100, 1))
"""Characters of a text, and rows of a list within a row, step by step until the answer fits."""

WHOLE = re.compile(r"(\b|_)ids?$|\b(next|namespaces?|file)$")
"""Fields that say nothing if their end is missing."""

A = TypeVar("A", bound=Model)


def fitted(found: ToolAnswer[A], most: int) -> ToolAnswer[A]:
    """The answer, so that its text has at most so many bytes.

    `left_out` says how many rows are missing from which list. Texts are cut between characters.
    `most` is a few thousand at least.
    """
    told = found
    for step, (longest, rows) in enumerate(STEPS):
        told = _shortened(found, longest, rows)
        # Of each list one row is kept, until texts cannot be any shorter.
        least = 1 if step + 1 < len(STEPS) else 0
        for name in found.answer.CUT:
            if _size(told) <= most:
                break
            told = _without_the_last(told, name, most, least)
        if _size(told) <= most:
            break
    return told


def text_of(told: ToolAnswer[Any]) -> str:
    """The answer in words, within the fence that says whose words these are."""
    return fenced(_in_words(told), told.namespace, told.generation)


def _in_words(told: ToolAnswer[Any]) -> str:
    of = getattr(told.answer, "as_of", None)
    moment = f", as of {minute(of)}" if isinstance(of, datetime) else ""
    missing = [
        f"{count} of {name} left out, for the answer would be too large: ask for less at a time"
        for name, count in told.left_out.items()
    ]
    return "\n".join([f"Namespace {told.namespace}{moment}.", *lines(told.answer), *missing])


def _shortened(found: ToolAnswer[A], longest: int, rows: int) -> ToolAnswer[A]:
    """The answer with texts and inner lists cut; the lists that it names itself stay whole."""
    missing: dict[str, int] = {}

    def cut(value: Any, path: str) -> Any:
        match value:
            case str():
                return defused(_shown(value, path, longest))
            case dict():
                return {key: cut(inner, f"{path}.{key}") for key, inner in value.items()}
            case list():
                kept = len(value) if path in found.answer.CUT else min(rows, len(value))
                if kept < len(value):
                    missing[path] = missing.get(path, 0) + len(value) - kept
                return [cut(inner, path) for inner in value[:kept]]
            case Model():
                return fields(value, f"{path}.")
            case _:
                return value

    def fields(of: Model, path: str) -> Any:
        return of.model_copy(
            update={name: cut(getattr(of, name), f"{path}{name}") for name in of.brief()}
        )

    answer = fields(found.answer, "")
    return replace(found, answer=answer, left_out=found.left_out | missing)


def _shown(text: str, path: str, longest: int) -> str:
    """A text without its end, if it is too long and says something without it."""
    over = len(text) - longest
    if over <= 0 or WHOLE.search(path):
        return text
    return f"{text[:longest].rstrip()} … ({over:,} more characters)"


def _without_the_last(told: ToolAnswer[A], name: str, most: int, least: int) -> ToolAnswer[A]:
    """As many of the first rows of a list as fit; `least`, if not even those do."""
    rows: list[Any] = getattr(told.answer, name) or []
    few, many = min(least, len(rows)), len(rows)

    def keeping(kept: int) -> ToolAnswer[A]:
        missing = {name: len(rows) - kept} if kept < len(rows) else {}
        answer = told.answer.model_copy(update={name: rows[:kept]})
        return replace(told, answer=answer, left_out=told.left_out | missing)

    while few < many:
        half = (few + many + 1) // 2
        few, many = (half, many) if _size(keeping(half)) <= most else (few, half - 1)
    return keeping(few)


def _size(told: ToolAnswer[Any]) -> int:
    """Bytes of it, as `text_of` has it: nothing is longer for it that a line is held."""
    said = (opening(told.namespace, told.generation), defused(_in_words(told)), CLOSING)
    return len("\n".join(said).encode())
