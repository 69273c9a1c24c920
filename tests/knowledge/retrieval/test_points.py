"""What points are found by beside their text."""

from datetime import UTC, datetime
from typing import Any

import polars as pl

from cairn.knowledge.retrieval.points import episode_of, points
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import (
    CONVERSATIONS,
    EMBEDDINGS,
    FACT_SOURCES,
    LEARNINGS,
    MEMORY,
    MEMORY_ENTITIES,
)
from tests.knowledge.rows import episodes


def _points(*rows: dict[str, Any]) -> pl.DataFrame:
    return points(
        MEMORY.empty(), MEMORY_ENTITIES.empty(), episodes(*rows), LEARNINGS.empty(),
        EMBEDDINGS.empty(), FACT_SOURCES.empty(), CONVERSATIONS.empty(), policy=Policy(),
    )  # fmt: skip


def _beside(*rows: dict[str, Any]) -> dict[str, dict[str, float]]:
    """What stands beside each episode, and what its words weigh; days left out."""
    made = _points(*({"started_at": None} | row for row in rows))
    return {id_: _added(beside) for id_, beside in made.select("id", "beside").iter_rows()}


def _added(beside: list[dict[str, Any]]) -> dict[str, float]:
    """What all words of a text weigh together."""
    return {
        text: round(sum(one["weight"] for one in beside if one["text"] == text), 6)
        for text in {one["text"] for one in beside}
    }


def _talk(*said: str, **more: Any) -> list[dict[str, Any]]:
    return [{"episode_id": str(n), "seq": n, "text": text} | more for n, text in enumerate(said)]


def test_an_episode_is_found_by_what_its_conversation_was_about() -> None:
    said = ["What is throat cancer?", "Is it treatable?", "What are its symptoms?"]
    other = {"episode_id": "x", "seq": 0, "text": "Hello", "conversation_id": "s3", "project": "p"}
    assert _beside(*reversed(_talk(*said)), other) == {
        "0": {said[1]: 0.1},
        "1": {said[0]: 0.5, said[2]: 0.1},
        "2": {said[0]: 0.5 + 0.3, said[1]: 0.5},
        "x": {},
    }
    assert _points(other)["context"].to_list() == ["p"]


def test_an_answer_is_found_by_the_question_of_the_other() -> None:
    asked, answered = "How long have you been married?", "Five years already!"
    rows = _talk(asked, answered)
    for speakers, weight in ((("Ann", "Ben"), 1.0), (("Ann", "Ann"), 0.5), ((None, None), 0.5)):
        named = [row | {"speaker": who} for row, who in zip(rows, speakers, strict=True)]
        assert _beside(*named)["1"] == {asked: weight}
    assert _points(*named)["names"].to_list() == [[], []]
    assert _points(rows[0] | {"speaker": "Ann"})["names"].to_list() == [["Ann"]]


def test_an_episode_with_its_answer_is_found_by_itself_and_the_last_one() -> None:
    said = ["one", "two", "three", "four", "five", "six", "seven"]
    found = {"one": 0.5, "two": 0.1, "three": 0.2, "four": 0.3, "five": 0.5, "seven": 0.1}
    assert _beside(*_talk(*said))["5"] == found
    assert _beside(*_talk(*said, answer="Done."))["5"] == {"one": 0.5, "five": 0.5}


def test_an_episode_is_found_by_the_words_of_its_day() -> None:
    row = {"episode_id": "0", "seq": 0, "text": "Hello"}
    moment = datetime(2026, 3, 9, 8, tzinfo=UTC)
    (beside,) = _points(row | {"started_at": moment})["beside"].to_list()
    assert beside == [{"text": "9 March 2026 Monday", "weight": 0.3}]


def test_of_long_texts_beside_it_only_the_beginning_and_the_end_count() -> None:
    rows = _talk(*(f"start{n} {'word ' * 200}end{n}" for n in range(4)))
    beside = " ".join(_beside(*rows)["2"])
    assert {"start0", "end0", "end1", "start3"} <= {*beside.split()}
    assert not {"start1", "end3"} & {*beside.split()}


def test_points_are_the_same_in_any_order_of_episodes() -> None:
    rows = _talk("text 0", "text 1", "text 2", "text 3")
    assert _beside(*rows) == _beside(*reversed(rows))
    assert pl.Series([*_beside(*rows)]).is_sorted()


def test_a_long_episode_has_a_point_for_each_passage() -> None:
    passages = ["The pump was primed.", "The float is stuck."]
    rows = [{"episode_id": "e", "seq": 0, "text": "The pump.", "passages": passages},
            {"episode_id": "short", "seq": 1, "text": "Thanks.", "passages": None}]  # fmt: skip
    made = _points(*({"started_at": None, "speaker": "Ann"} | row for row in rows))
    found = made.select("id", "text", "names").rows()
    assert found == [
        ("e", "The pump.", ["Ann"]), ("e#1", passages[0], []), ("e#2", passages[1], []),
        ("short", "Thanks.", ["Ann"]),
    ]  # fmt: skip
    assert [episode_of(id_) for id_, *_ in found] == [("e", 0), ("e", 1), ("e", 2), ("short", 0)]
    assert made["beside"].to_list()[2] == [{"text": "The pump.", "weight": 0.5}]
