import csv
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.knowledge.vectors.similarity import pair_similarity, raw_floor
from cairn.resources.embedders.calibrations import CALIBRATION
from cairn.resources.embedders.choice import load_embedder
from tests.places import ROOT

PAIRS = ROOT / "benchmarks" / "sanity_pairs.tsv"
WORDLLAMA = load_embedder("wordllama")


@given(
    st.lists(st.text(max_size=30) | st.sampled_from(["fix the login bug", "ok"]), max_size=12),
    st.text(max_size=200),
)
@settings(max_examples=50, deadline=None)
def test_a_text_has_one_vector_whatever_the_batch(texts: list[str], text: str) -> None:
    alone = WORDLLAMA.embed([text])
    together = WORDLLAMA.embed([*texts, text])
    assert together.dtype == np.float32
    assert np.array_equal(together[-1], alone[0])


def test_rows_are_unit_vectors_and_empty_text_is_zero() -> None:
    vectors = WORDLLAMA.embed(["restart nginx", "", "x" * 50_000, "word " * 10_000])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 1, 1], abs=1e-6)
    assert WORDLLAMA.embed([]).shape == (0, vectors.shape[1])


def test_the_shipped_calibration_belongs_to_the_model_and_puts_thresholds_in_reach() -> None:
    numbers = json.loads((CALIBRATION / "wordllama.json").read_text(encoding="utf-8"))
    assert numbers["model"] == WORDLLAMA.model
    floors = [raw_floor(WORDLLAMA, threshold) for threshold in (0.35, 0.75, 0.85)]
    assert floors == sorted(floors)
    assert 0.3 < floors[0] < 0.5
    assert floors[2] < 0.95


def test_calibrated_similarity_tells_paraphrases_from_the_unrelated() -> None:
    with PAIRS.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    a, b = (WORDLLAMA.embed([row[side] for row in rows]) for side in (1, 2))
    i = np.arange(len(rows))
    similarity = pair_similarity(a, b, i, i, WORDLLAMA)
    kind = np.array([row[0] for row in rows])
    assert similarity[kind == "unrelated"].max() < 0.35
    assert np.mean(similarity[kind == "paraphrase"] >= 0.35) >= 0.9
    assert np.median(similarity[kind == "paraphrase"]) >= 0.6


def test_calibration_keeps_the_order_that_people_gave(shared_data: Path) -> None:
    with (shared_data / "sts_b_dev" / "stsb-en-dev.csv").open(
        encoding="utf-8", newline=""
    ) as lines:
        rows = list(csv.reader(lines))
    a, b = (WORDLLAMA.embed([row[side] for row in rows]) for side in (0, 1))
    i = np.arange(len(rows))
    similarity = pair_similarity(a, b, i, i, WORDLLAMA)
    grade = np.array([float(row[2]) / 5 for row in rows])
    assert abs(float((similarity - grade).mean())) < 0.01
    assert np.corrcoef(similarity, grade)[0, 1] > 0.8
