"""What points are found by beside their text."""

from typing import Any

import polars as pl

from cairn.knowledge.retrieval.points import points
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


def _contexts(*rows: dict[str, Any]) -> dict[str, str]:
    told = episodes(*rows)
    made = points(
        MEMORY.empty(), MEMORY_ENTITIES.empty(), told, LEARNINGS.empty(), EMBEDDINGS.empty(),
        FACT_SOURCES.empty(), CONVERSATIONS.empty(), policy=Policy(),
    )  # fmt: skip
    return dict(made.select("id", "context").iter_rows())


def test_an_episode_is_found_by_what_its_conversation_was_about() -> None:
    said = ["What is throat cancer?", "Is it treatable?", "What are its symptoms?"]
    rows = [{"episode_id": str(n), "seq": n, "text": text} for n, text in enumerate(said)]
    other = {"episode_id": "x", "seq": 0, "text": "Hello", "conversation_id": "s3", "project": "p"}
    assert _contexts(*reversed(rows), other) == {
        "0": "",
        "1": said[0],
        "2": f"{said[0]}\n{said[1]}",
        "x": "p",
    }


def test_of_long_texts_before_it_only_the_beginning_and_the_end_count() -> None:
    rows = [
        {"episode_id": str(n), "seq": n, "text": f"start{n} {'word ' * 200}end{n}"}
        for n in range(3)
    ]
    context = _contexts(*rows)["2"]
    assert "start0" in context
    assert "end1" in context
    assert not {"end0", "start1"} & set(context.split())


def test_points_are_the_same_in_any_order_of_episodes() -> None:
    rows = [{"episode_id": str(n), "seq": n, "text": f"text {n}"} for n in range(4)]
    assert _contexts(*rows) == _contexts(*reversed(rows))
    assert pl.Series([*_contexts(*rows)]).is_sorted()
