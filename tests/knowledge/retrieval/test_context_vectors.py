"""Vectors know who speaks or is spoken of, and what was said around."""

from itertools import permutations
from typing import Any

import numpy as np
import polars as pl
import pytest

from cairn.knowledge.consolidation.embeddings import embeddings
from cairn.knowledge.retrieval.context_vectors import fact_vectors, turn_vectors
from tests.knowledge.rows import episodes
from tests.knowledge.toy_embedder import ToyEmbedder

ENCODER = ToyEmbedder()
BOUGHT, BACK, SONG = "I bought a kettle", "I took it back", "We sang all evening"


def _turns(*said: tuple[str, str | None], **more: Any) -> list[dict[str, Any]]:
    return [
        {"episode_id": str(n), "seq": n, "text": text, "speaker": who, "answer": ""} | more
        for n, (text, who) in enumerate(said)
    ]


def _made(rows: list[dict[str, Any]]) -> dict[str, list[float]]:
    told = episodes(*rows)
    texts = pl.concat([told.select("namespace", text=column) for column in ("text", "speaker")])
    known = embeddings(texts.drop_nulls().unique().sort("text"), ENCODER)
    return dict(turn_vectors(told, known).select("id", "vector").iter_rows())


def _near(vector: list[float], text: str) -> float:
    return float(np.dot(vector, ENCODER.embed([text])[0]))


def test_what_two_say_is_near_to_who_said_it_and_to_what_was_said_around() -> None:
    made = _made(_turns((BOUGHT, "Mira"), (BACK, "Tom"), (SONG, "Mira")))
    assert _near(made["1"], "Tom") > _near(made["1"], "Mira") + 0.2
    assert (
        _near(made["1"], BOUGHT)
        > _near(made["1"], SONG) + 0.1
        > _near(ENCODER.embed([BACK])[0].tolist(), SONG)
    )
    assert np.linalg.norm(list(made.values()), axis=1) == pytest.approx(1.0, abs=1e-6)


def test_who_speaks_alone_and_what_is_answered_stand_for_themselves() -> None:
    own = dict(zip("012", ENCODER.embed([BOUGHT, BACK, SONG]).tolist(), strict=True))
    alone = _made(_turns((BOUGHT, "Mira"), (BACK, None), (SONG, "Mira"), answer="Noted."))
    for id_, vector in own.items():
        assert alone[id_] == pytest.approx(vector, abs=1e-6)


def test_conversations_are_apart_and_rows_may_come_in_any_order() -> None:
    rows = [
        *_turns((BOUGHT, "Mira"), (BACK, "Tom")),
        {"episode_id": "x", "seq": 2, "text": SONG, "speaker": "Ann", "answer": "",
         "conversation_id": "other"},
    ]  # fmt: skip
    made = _made(rows)
    assert made["x"] == pytest.approx(ENCODER.embed([SONG])[0].tolist(), abs=1e-6)
    assert all(_made(list(order)) == made for order in permutations(rows))


def test_what_has_no_vector_yet_has_none_and_its_neighbours_do_without() -> None:
    told = episodes(*_turns((BOUGHT, "Mira"), (BACK, "Tom"), (SONG, "Mira")))
    nothing = embeddings(told.select("namespace", "text").clear(), ENCODER)
    assert turn_vectors(told, nothing).is_empty()
    some = embeddings(told.select("namespace", "text")[:1], ENCODER)
    assert turn_vectors(told, some)["id"].to_list() == ["0"]


def test_a_fact_that_does_not_name_what_it_is_of_is_drawn_to_it() -> None:
    entity = {"namespace": "n", "entity_id": "e", "display_name": "Harbor", "text": "Harbor (hb)"}
    facts = pl.DataFrame(
        {
            "namespace": "n", "entity_id": "e", "fact_id": ["bare", "named", "tagged"],
            "content": ["The log is in the attic", "harbor runs at night", "It is old"],
            "embedding_text": [None, None, BACK],
        }
    )  # fmt: skip
    texts = [*facts["content"], BACK, entity["text"]]
    known = embeddings(pl.DataFrame({"namespace": "n", "text": texts}), ENCODER)
    made = dict(fact_vectors(facts, pl.DataFrame(entity), known).select("id", "vector").iter_rows())
    assert made.keys() == {"bare", "tagged"}
    assert _near(made["bare"], entity["text"]) > 0.4
    assert _near(made["tagged"], BACK) > 0.7
