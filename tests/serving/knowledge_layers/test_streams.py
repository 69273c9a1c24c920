"""Knowledge merged into the sections of a prompt."""

from typing import Any

import pytest

from cairn.serving.knowledge_layers.streams import FeedStrategy, feed

ATTRIBUTES = {"system": "Be brief.", "context": "It rains.", "empty": ""}
KNOWLEDGE = {"context": "Ada is out.", "skills": "Brew tea.", "empty": "full", "system": ""}


@pytest.mark.parametrize(
    ("strategy", "context"),
    [
        (FeedStrategy.FEED_ONLY, "Ada is out."),
        ("ATTRIBUTE_ONLY", "It rains."),
        ("merge", "It rains.\nAda is out."),
    ],
)
def test_what_both_have(strategy: FeedStrategy | str, context: str) -> None:
    """What is new is added under any strategy; where one is empty, the other stands."""
    before = dict(ATTRIBUTES)
    merged = feed(ATTRIBUTES, KNOWLEDGE, strategy=strategy)
    assert merged == {
        "system": "Be brief.", "context": context, "empty": "full", "skills": "Brew tea.",
    }  # fmt: skip
    assert list(merged) == ["system", "context", "empty", "skills"]
    assert before == ATTRIBUTES


def test_knowledge_replaces_by_default() -> None:
    assert feed({"context": "old"}, {"context": "new"}) == {"context": "new"}


def test_a_provider_is_none_or_a_dict_or_is_called_with_the_input() -> None:
    assert feed(ATTRIBUTES, None) == ATTRIBUTES
    assert feed({}, lambda said: {"heard": said}, "hello") == {"heard": "hello"}


@pytest.mark.parametrize("wrong", [lambda _: "text", lambda _: {"a": 1}, {1: "a"}, [("a", "b")]])
def test_a_provider_of_anything_else_is_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match="info_type"):
        feed({}, wrong)


def test_an_unknown_strategy_is_refused() -> None:
    with pytest.raises(ValueError, match="both"):
        feed({}, None, strategy="both")
