"""What a model's reply says: an answer of the shape that was asked for, or why it is none."""

import json
import re
from typing import Any, NamedTuple, TypeVar

from json_repair import repair_json
from pydantic import BaseModel, ValidationError

Output = TypeVar("Output", bound=BaseModel)

LONGEST_REPAIRED = 100_000
"""Characters. No answer is that long, and to mend takes the square of its length."""

_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCE = re.compile(r"```[a-zA-Z]*[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)
_NEEDLESS = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u00([2-7][0-9A-Fa-f])|(/))")
_PROBLEMS = 5
_DECODER = json.JSONDecoder()


class Reply(NamedTuple):
    """What came back of one call."""

    text: str | None
    finish: str = "stop"
    """stop, length, content_filter, tool_calls, …: litellm's names for all providers."""
    refused: bool = False
    full: bool = False
    """Whether it is as long as it was allowed to be: some routes say `stop` of a cut answer."""


class Reading(NamedTuple):
    """A reply, read. One of `value` and `reason` is None."""

    value: BaseModel | None = None
    json: str | None = None
    """The answer's own text, without what stood around it."""
    reason: str | None = None
    problems: str = ""
    """What is wrong with its shape, for the model that is asked again; never logged."""


def read_reply(reply: Reply, output: type[Output]) -> Reading:
    """The answer in a reply, or one of `cairn.knowledge.llm.client.FAILURES`.

    JSON is taken out of code fences and from after a preface, and repaired only where the model
    finished by itself: half an answer must not pass for a whole one. Tool calls are not read.
    """
    if reply.refused or reply.finish == "content_filter":
        return Reading(reason="refused")
    if reply.finish == "length":
        return Reading(reason="truncated")
    if reply.text is None:
        return Reading(reason="refused")
    if not reply.text.strip():
        return Reading(reason="blank")
    found = _object(_bare(reply.text), repair=reply.finish == "stop" and not reply.full)
    if found is None:
        return Reading(reason="truncated" if reply.full else "no_json")
    # Lone surrogates cannot be stored; and what is read now must be what a replay reads.
    text = json.dumps(found, ensure_ascii=False).encode("utf-8", "replace").decode()
    try:
        value = output.model_validate_json(text)
    except ValidationError as error:
        return Reading(reason="wrong_shape", problems=_problems(error))
    return Reading(value=value, json=text)


def spelled_out(text: str) -> str:
    """A reply without the escapes of characters that need none: no secret can hide in them."""
    return _NEEDLESS.sub(_unescaped, text)


def _unescaped(found: re.Match[str]) -> str:
    character = found[3] or chr(int(found[2], 16))
    return found[0] if character in '"\\' else found[1] + character


def _bare(text: str) -> str:
    """The text without the thoughts before it and the code fence around it."""
    text = _THOUGHT.sub("", text)
    fenced = _FENCE.search(text)
    # A fence within an answer's own strings is no fence around it.
    return (fenced[1] if fenced and "{" not in text[: fenced.start()] else text).strip()


def _object(text: str, *, repair: bool) -> Any:
    """The JSON value that a text is, or else the first object in it; None if there is none."""
    start = text.find("{")
    if text.startswith("<"):
        return None  # a page, whatever its scripts hold
    for whole in (True, False):
        try:
            return json.loads(text) if whole else _DECODER.raw_decode(text, max(start, 0))[0]
        except (ValueError, RecursionError):
            continue
    if not (repair and start == 0 and len(text) <= LONGEST_REPAIRED):
        return None
    try:
        repaired = repair_json(text, return_objects=True)
    except (ValueError, RecursionError):  # too deep
        return None
    return repaired if isinstance(repaired, dict) and repaired else None


def _problems(error: ValidationError) -> str:
    """Where and what, in lines, without the values."""
    problems = error.errors(include_input=False, include_url=False, include_context=False)
    return "\n".join(
        f"{'.'.join(map(str, problem['loc'])) or 'answer'}: {problem['msg']}"
        for problem in problems[:_PROBLEMS]
    )
