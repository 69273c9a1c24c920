"""A text that a person gives, and a language model that takes it apart."""

import json
from collections.abc import Callable

import polars as pl
import pytest

from cairn.knowledge.schema.tables import CHECK_INS, DEAD_LETTERS, MEMORY
from cairn.resources.context import State
from cairn.serving.write.documents import ingest, text_given
from tests.journeys.running import UNPUBLISHED, assert_as_built, follow
from tests.resources.model_server import ModelServer, Said

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])

LETTER = "Imker Brandt moved to Ghent. Feed the bees of the old mill in March."
FEED = "Feed the bees of the old mill in March."


def known(state: State) -> dict[str, tuple[str, str, float]]:
    rows = state.warehouse.read(MEMORY).filter(pl.col("extractor").str.starts_with("structuring"))
    columns = ("content", "knowledge_type", "info_type", pl.col("confidence").round(2))
    return {content: tuple(rest) for content, *rest in rows.select(columns).collect().iter_rows()}


def test_a_malformed_answer_is_asked_for_again_and_the_text_is_made_anew_with_no_model(
    opened: Callable[..., State], server: ModelServer
) -> None:
    others = server.script
    asked: list[str] = []

    def script(question: str) -> Said:
        if FEED not in question and "output schema" not in question:
            return others(question)
        asked.append(question)
        if len(asked) == 1:
            return json.dumps({"pieces": "several"})
        place = {"name": "city", "value": "Ghent", "quote": "Imker Brandt moved to Ghent"}
        return json.dumps(
            {
                "metadata": [{"name": "Brandt", "type": "person", "properties": [place]}],
                "pieces": [{"content": FEED, "knowledge_type": "instruction", "quote": FEED}],
            }
        )

    server.script = script
    state = opened()
    ingest(state, "default", text_given(state, LETTER, title="letter"))
    follow(state, UNPUBLISHED)
    assert "pieces" in asked[1], "what was wrong with the first answer is said"
    assert known(state) == {
        FEED: ("instruction", "instructions", 0.6),
        "city of Brandt: Ghent": ("fact", "context", 0.6),
    }
    (check_in,) = state.warehouse.read(CHECK_INS).collect().to_dicts()
    assert (check_in["given"], check_in["outcome"]) == (LETTER, "done")
    assert json.loads(check_in["answer"])["pieces"][0]["content"] == FEED
    assert state.warehouse.read(DEAD_LETTERS).collect().is_empty()
    assert_as_built(state)
    paid = len(asked)

    follow(opened(model=None), until="memory")
    assert known(state) == {
        "Imker Brandt moved to Ghent.": ("note", "context", 0.8),
        FEED: ("note", "context", 0.8),
    }
    follow(opened(), until="memory")
    assert set(known(state)) == {FEED, "city of Brandt: Ghent"}
    assert len(asked) == paid, "what was paid once is kept"
