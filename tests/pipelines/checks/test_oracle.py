"""The oracle of the night: hdbscan agrees with topics and themes, unless they were changed."""

import random
from collections.abc import Iterator

import dagster as dg
import numpy as np
import polars as pl
import pytest

from cairn.knowledge.consolidation.themes import themes
from cairn.knowledge.consolidation.topics import clusters
from cairn.knowledge.schema.tables import CLUSTERS, EPISODES, FACTS, THEMES
from cairn.pipelines.checks.oracle import SAMPLE, adjusted_rand, compared, judged
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from tests.knowledge.rows import episodes, facts

SUBJECTS = (
    "docker container image registry compose volume network restart",
    "invoice customer payment reminder tax receipt overdue amount",
    "piano chord practice melody tempo scale lesson octave",
    "garden tomato soil water sunlight seed harvest compost",
    "flight airport luggage boarding passport ticket window delay",
    "backup disk nas snapshot restore tape schedule checksum",
)
ROWS = 400


def texts() -> Iterator[str]:
    dice = random.Random(7)
    for number in range(ROWS):
        words = dice.sample(SUBJECTS[number % len(SUBJECTS)].split(), 5)
        yield " ".join([*words, *dice.sample(" ".join(SUBJECTS).split(), 2)])


@pytest.fixture
def state(tmp_path) -> State:
    """A home with topics and themes of a few hundred texts."""
    found = State(open_home(tmp_path / "home"), Settings())
    said = list(enumerate(texts()))
    rows = facts(*({"fact_id": f"f{at:03}", "content": text} for at, text in said))
    requests = episodes(*({"episode_id": f"p{at:03}", "text": text} for at, text in said))
    embedder = found.embedder_of("n")
    found.warehouse.write(FACTS, rows)
    found.warehouse.write(CLUSTERS, clusters(rows, embedder, found.policy).clusters)
    found.warehouse.write(EPISODES, requests, days=["2026-02-01"])
    found.warehouse.write(THEMES, themes(requests, embedder, found.policy).themes)
    return found


def checked(state: State) -> dict[str, dg.AssetCheckResult]:
    return {asset: judged(state.of("n"), asset) for asset in ("clusters", "themes")}


def test_it_agrees_with_topics_and_themes_as_they_are_made(state: State) -> None:
    found = checked(state)
    assert found.keys() == {"clusters", "themes"}
    for each in found.values():
        assert each.passed
        assert each.metadata["rows"].value == ROWS
        assert each.metadata["clusters"].value > 5
        assert each.metadata["agreement"].value > 0.95


def test_topics_that_were_tampered_with_are_a_warning(
    state: State,
) -> None:
    rows = state.warehouse.read(CLUSTERS).collect()
    dealt = rows.with_columns(pl.col("cluster_id").shuffle(seed=3))
    state.warehouse.write(CLUSTERS, dealt)
    found = checked(state)
    assert not found["clusters"].passed
    assert found["clusters"].severity == dg.AssetCheckSeverity.WARN
    assert found["clusters"].description.endswith("Not so here.")
    assert found["themes"].passed


def test_of_more_rows_a_sample_is_clustered_by_both(state: State) -> None:
    found = compared(state, "clusters", "n", sample=ROWS // 2)
    assert found.rows == ROWS // 2 < SAMPLE
    assert found.clusters == found.clusters_of_the_library > 2
    assert found.agreement > 0.95


def test_a_home_without_topics_passes(tmp_path) -> None:
    found = checked(State(open_home(tmp_path / "home"), Settings()))
    assert all(each.passed and not each.metadata for each in found.values())


@pytest.mark.parametrize("seed", range(3))
def test_the_index_is_that_of_scikit_learn(seed: int) -> None:
    from sklearn.metrics import adjusted_rand_score

    dice = np.random.default_rng(seed)
    one = dice.integers(-1, 5, 200)
    other = np.where(dice.random(200) < 0.3, dice.integers(-1, 5, 200), one)
    assert adjusted_rand(one, other) == pytest.approx(adjusted_rand_score(one, other))
    assert adjusted_rand(one, one) == adjusted_rand(one * 0, one * 0) == 1.0
