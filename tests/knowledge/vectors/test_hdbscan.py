"""Themes and topics: found where they are, named well, and the same for any order of rows."""

import random

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cairn.knowledge.consolidation.themes import themes
from cairn.knowledge.consolidation.topics import clusters
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.vectors.hdbscan import (
    NO_LINKS,
    Clustering,
    Folded,
    clustering,
    folded,
    plane,
    strongest_terms,
)
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
    found = themes(requests(), ToyEmbedder(), POLICY).themes
    assert sorted(found["size"]) == [6, 6, 6]
    for row in found.iter_rows(named=True):
        subject = next(name for name in SUBJECTS if name in row["label"])
        texts = [TEXTS[int(episode[1:])] for episode in row["episode_ids"]]
        assert all(subject in text for text in texts)
        assert row["medoid_id"] in row["episode_ids"]
        assert row["medoid_id"] not in row["nearest_ids"]
        assert row["conversation_count"] == 4


def test_topics_cover_every_fact_and_leave_the_odd_ones_out():
    found = clusters(topics(), ToyEmbedder(), POLICY).clusters
    assert found.height == len(TEXTS)
    assert found.tail(2)["cluster_id"].to_list() == [None, None]
    assert found["cluster_id"].drop_nulls().n_unique() == 3
    assert found.filter("medoid").height == 3
    persistence = found.group_by("cluster_id").agg(pl.col("persistence").unique())
    assert persistence["persistence"].list.len().to_list() == [1] * 4
    assert (found["persistence"].is_null() == found["cluster_id"].is_null()).all()
    assert found["persistence"].is_between(0, 1, closed="right").all()


def test_any_order_of_rows_gives_the_same():
    order = np.random.default_rng(5).permutation(len(TEXTS))
    for make, table in ((clusters, topics()), (themes, requests())):
        for one, other in zip(
            make(table, ToyEmbedder(), POLICY),
            make(table[order], ToyEmbedder(), POLICY),
            strict=True,
        ):
            assert_frame_equal(one, other, check_exact=True)


@pytest.mark.parametrize("predicate", ["used_tool", "connects_to_host", "operation_type"])
def test_facts_that_say_a_name_are_left_out(predicate):
    known = topics().with_columns(predicate=pl.lit(predicate))
    assert clusters(known, ToyEmbedder(), POLICY).clusters.is_empty()


@pytest.mark.parametrize("rows", range(6))
def test_few_texts_make_no_cluster_and_no_error(rows):
    assert themes(requests().head(rows), ToyEmbedder(), POLICY).themes.is_empty()
    found = clusters(topics().head(rows), ToyEmbedder(), POLICY).clusters
    assert found["cluster_id"].null_count() == rows


def of(vectors: np.ndarray) -> Folded:
    rows = [str(row) for row in range(len(vectors))]
    return folded(rows, lambda some: vectors[list(map(int, some))])


def test_repeating_one_text_makes_no_topic():
    repeated = np.repeat(ToyEmbedder().embed(["the same again", "and another"]), 50, axis=0)
    assert clustering(of(repeated), 3).labels.max() == -1


def test_a_label_does_not_say_a_word_and_its_plural():
    texts = ["museum museums visit", "museum museums tour", "museums museum guide", "x y", "z w"]
    found = Clustering(np.array([0, 0, 0, -1, -1]), np.ones(5), np.ones(1), NO_LINKS)
    ((first, *others),) = strongest_terms(texts, found)
    assert "museum" in first
    assert not any("museum" in term for term in others)


def test_what_stands_in_one_text_names_nothing():
    texts = ["tunnel x7f3a9 dug", "tunnel q2b8c1 lit", "tunnel k5d0e2 wide", "x y", "z w"]
    found = Clustering(np.array([0, 0, 0, -1, -1]), np.ones(5), np.ones(1), NO_LINKS)
    assert strongest_terms(texts, found)[0][0] == "tunnel"


def test_a_label_of_a_script_without_spaces_is_no_sentence():
    texts = ["我喜欢看电影", "昨天的电影很好", "你喜欢什么电影", "x y", "今天天气很好"]
    found = Clustering(np.array([0, 0, 0, -1, -1]), np.ones(5), np.ones(1), NO_LINKS)
    assert strongest_terms(texts, found)[0][:2] == ["电影", "喜欢"]


def test_texts_without_a_known_word_are_noise():
    vectors = np.vstack([np.zeros((20, 512), np.float32), ToyEmbedder().embed(TEXTS)])
    assert set(clustering(of(vectors), 3).labels[:20]) == {-1}


def test_the_map_does_not_flip():
    vectors = ToyEmbedder().embed(TEXTS)
    forward, backward = plane(of(vectors)), plane(of(vectors[::-1]))[::-1]
    assert np.allclose(forward, backward, atol=1e-5)


def test_of_few_rows_the_map_is_that_of_many():
    vectors = ToyEmbedder().embed(TEXTS)
    many = 1 + vectors.shape[1] // len(vectors)
    assert len(vectors) < vectors.shape[1] <= many * len(vectors)
    repeated = plane(of(np.tile(vectors, (many, 1))))
    assert np.allclose(plane(of(vectors)), repeated[: len(vectors)], atol=1e-5)


def worded(seed: int, count: int) -> list[str]:
    """Texts of some words about a dozen topics, some said twice."""
    dice = random.Random(seed)
    topics = [[f"t{topic}w{word}" for word in range(6)] for topic in range(12)]
    texts = [
        " ".join(dice.choices(dice.choice(topics), k=4) + dice.choices(topics[0], k=2))
        for _ in range(count)
    ]
    return texts + dice.sample(texts, count // 20)


@pytest.mark.parametrize(
    ("seed", "count", "size", "neighbours"),
    [
        *((seed, count, *means) for seed, count in ((0, 150), (1, 600))
          for means in ((3, 1), (5, 5), (10, 3))),
        (2, 1100, 5, 5),  # more than are read at once
    ],
)  # fmt: skip
def test_clusters_are_those_of_the_library(seed, count, size, neighbours):
    from hdbscan import HDBSCAN
    from sklearn.metrics import adjusted_rand_score

    # A little apart from what the words give, so that hardly any distances are equal.
    vectors = ToyEmbedder().embed(worded(seed, count)).astype(np.float64)
    vectors += np.random.default_rng(seed).normal(scale=0.02, size=vectors.shape)
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    found = clustering(of(vectors), size, neighbours)
    library = HDBSCAN(
        min_cluster_size=size, min_samples=neighbours, max_cluster_size=max(len(vectors) // 4, 40)
    ).fit(vectors)
    assert found.labels.max() > 0
    # With more neighbours many pairs are as far apart as the core of one: any order is as good.
    enough = 0.99 if neighbours == 1 else 0.8
    assert adjusted_rand_score(library.labels_, found.labels) > enough
    assert ((library.labels_ < 0) == (found.labels < 0)).mean() > enough


def test_a_night_makes_of_the_last_what_all_would_make():
    texts = worded(3, 400)
    rows = [{"fact_id": f"f{at:04}", "content": text} for at, text in enumerate(texts)]
    random.Random(4).shuffle(rows)
    embedder, before = ToyEmbedder(), None
    for first, end in ((0, 340), (0, 370), (5, 370), (5, 420)):
        now = facts(*rows[first:end])
        grown = clusters(now, embedder, POLICY, before)
        before = grown.fact_mst_edges
        for one, other in zip(grown, clusters(now, embedder, POLICY), strict=True):
            assert_frame_equal(one, other, check_exact=True)
    said = [
        {"episode_id": row["fact_id"], "text": row["content"], "conversation_id": "s"}
        for row in rows
    ]
    night = themes(episodes(*said[:370]), embedder, POLICY).episode_mst_edges
    for one, other in zip(
        themes(episodes(*said), embedder, POLICY, night),
        themes(episodes(*said), embedder, POLICY),
        strict=True,
    ):
        assert_frame_equal(one, other, check_exact=True)
