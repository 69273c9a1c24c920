"""Themes and topics: found where they are, named well, and the same for any order of rows."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from knowledge.clustering import Clustering, clustering, plane, strongest_terms
from knowledge.clusters import clusters
from knowledge.policy import Policy
from knowledge.themes import themes
from tests.knowledge.rows import episodes, facts
from tests.knowledge.toy_embedder import ToyEmbedder

POLICY = Policy()
SUBJECTS = {
    "docker": "docker container image registry",
    "invoice": "invoice customer payment reminder",
    "piano": "piano chord practice melody",
}
DETAILS = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot"]
TEXTS = [f"{words} {detail}" for words in SUBJECTS.values() for detail in DETAILS]
TEXTS += ["quite something else", "lone wolf howling somewhere"]


def topics() -> pl.DataFrame:
    return facts(*({"fact_id": f"f{at:02}", "content": text} for at, text in enumerate(TEXTS)))


def requests() -> pl.DataFrame:
    return episodes(
        *(
            {"episode_id": f"p{at:02}", "text": text, "conversation_id": f"s{at % 4}"}
            for at, text in enumerate(TEXTS)
        )
    )


def test_themes_are_found_and_named():
    found = themes(requests(), ToyEmbedder(), POLICY)
    assert sorted(found["size"]) == [6, 6, 6]
    for row in found.iter_rows(named=True):
        subject = next(name for name in SUBJECTS if name in row["label"])
        texts = [TEXTS[int(episode[1:])] for episode in row["episode_ids"]]
        assert all(subject in text for text in texts)
        assert row["medoid_id"] in row["episode_ids"]
        assert row["medoid_id"] not in row["nearest_ids"]
        assert row["conversation_count"] == 4


def test_topics_cover_every_fact_and_leave_the_odd_ones_out():
    found = clusters(topics(), ToyEmbedder(), POLICY)
    assert found.height == len(TEXTS)
    assert found.tail(2)["cluster_id"].to_list() == [None, None]
    assert found["cluster_id"].drop_nulls().n_unique() == 3
    assert found.filter("medoid").height == 3


def test_any_order_of_rows_gives_the_same():
    order = np.random.default_rng(5).permutation(len(TEXTS))
    for make, table in ((clusters, topics()), (themes, requests())):
        assert_frame_equal(
            make(table, ToyEmbedder(), POLICY),
            make(table[order], ToyEmbedder(), POLICY),
            check_exact=True,
        )


def test_structural_facts_are_left_out():
    known = topics().with_columns(predicate=pl.lit("used_tool"))
    assert clusters(known, ToyEmbedder(), POLICY).is_empty()


@pytest.mark.parametrize("rows", range(6))
def test_few_texts_make_no_cluster_and_no_error(rows):
    assert themes(requests().head(rows), ToyEmbedder(), POLICY).is_empty()
    assert clusters(topics().head(rows), ToyEmbedder(), POLICY)["cluster_id"].null_count() == rows


def test_repeating_one_text_makes_no_topic():
    repeated = np.repeat(ToyEmbedder().embed(["the same again", "and another"]), 50, axis=0)
    assert clustering(repeated, 3).labels.max() == -1


def test_a_label_does_not_say_a_word_and_its_plural():
    texts = ["museum museums visit", "museum museums tour", "museums museum guide", "x y", "z w"]
    found = Clustering(np.array([0, 0, 0, -1, -1]), np.ones(5), np.ones(1))
    ((first, *others),) = strongest_terms(texts, found)
    assert "museum" in first
    assert not any("museum" in term for term in others)


def test_texts_without_a_known_word_are_noise():
    vectors = np.vstack([np.zeros((20, 512), np.float32), ToyEmbedder().embed(TEXTS)])
    assert set(clustering(vectors, 3).labels[:20]) == {-1}


def test_the_map_does_not_flip():
    vectors = ToyEmbedder().embed(TEXTS)
    forward, backward = plane(vectors), plane(vectors[::-1].copy())[::-1]
    assert np.allclose(forward, backward, atol=1e-5)
