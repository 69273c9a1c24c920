"""Replies of a model: what is an answer, and why the others are none."""

import pytest
from pydantic import BaseModel

from cairn.knowledge.llm.parsing import Reply, read_reply


class Shape(BaseModel):
    name: str
    sizes: tuple[int, ...] = ()


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "kiwi", "sizes": [1, 2]}',
        ' \n```json\n{"name": "kiwi", "sizes": [1, 2]}\n```\n',
        'Here it is:\n```\n{"name": "kiwi", "sizes": [1, 2]}\n```\nAnything else?',
        'Sure! {"name": "kiwi", "sizes": [1, 2]} Anything else?',
        '<think>a {name}?</think>{"name": "kiwi", "sizes": [1, 2]}',
        "{'name': 'kiwi', 'sizes': [1, 2,],}",
        '{"name": "kiwi", "sizes": [1, 2]',
    ],
    ids=["plain", "fence", "fence in prose", "prose", "thoughts", "python", "brace forgotten"],
)
def test_an_answer_is_taken_out_of_what_stands_around_it(text: str) -> None:
    reading = read_reply(Reply(text), Shape)
    assert reading.value == Shape(name="kiwi", sizes=(1, 2))
    assert Shape.model_validate_json(reading.json or "") == reading.value


def test_a_fence_within_an_answer_is_part_of_it() -> None:
    text = '{"name": "```sh\\nls\\n```\\n", "sizes": []}'
    assert read_reply(Reply(text), Shape).value == Shape(name="```sh\nls\n```\n")
    raw = '{"name": "see\n```sh\nls\n```\n", "sizes": []}'  # raw line ends: needs repair
    assert "ls" in (read_reply(Reply(raw), Shape).json or "")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply('{"name": "kiwi"}', "length"), "truncated"),
        (Reply('{"name": "kiwi', "stop", full=True), "truncated"),
        (Reply('{"name": "kiwi', "tool_calls"), "no_json"),
        (Reply(None), "refused"),
        (Reply(None, "tool_calls"), "refused"),
        (Reply("", "content_filter"), "refused"),
        (Reply('{"name": "kiwi"}', refused=True), "refused"),
        (Reply(" \n"), "blank"),
        (Reply('<html><script>{"name": "kiwi"}</script></html>'), "no_json"),
        (Reply("I cannot find any {names} in it."), "no_json"),
        (Reply("[" * 100_000), "no_json"),
        (Reply('{"name": ' + '{"a": ' * 300), "no_json"),
        (Reply('{"name": ' + "[" * 5_000), "no_json"),
        (Reply('{"name": ' + '{"a": ' * 5_000 + "1" + "}" * 5_001), "no_json"),
        (Reply("{" * 1_000_000), "no_json"),
        (Reply('{"nom": "kiwi"}'), "wrong_shape"),
        (Reply('[{"name": "kiwi"}]'), "wrong_shape"),
        (Reply("17"), "wrong_shape"),
    ],
)
def test_what_is_no_answer_is_told_apart(reply: Reply, reason: str) -> None:
    assert read_reply(reply, Shape)[:3] == (None, None, reason)


def test_a_whole_answer_of_full_length_is_one() -> None:
    assert read_reply(Reply('{"name": "kiwi"}', full=True), Shape).value == Shape(name="kiwi")


def test_what_is_wrong_is_said_without_the_values() -> None:
    problems = read_reply(Reply('{"name": 7, "sizes": ["kiwi"]}'), Shape).problems
    assert "sizes.0" in problems
    assert "kiwi" not in problems


def test_half_characters_can_be_stored() -> None:
    reading = read_reply(Reply('{"name": "a\\ud800b"}'), Shape)
    assert reading.value == Shape(name="a?b")
    assert (reading.json or "").encode()
