"""A folder with a sentence encoder: read as sentence-transformers has it, told by its files."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.resources.embedders import choice
from cairn.resources.embedders.calibrations import OWN, Calibrated
from cairn.resources.embedders.choice import load_embedder, pinned, unpinned
from cairn.resources.embedders.files import EmbedderError
from tests.resources.embedders.tiny import WORDS, table, tiny_encoder, write

TOLD = st.lists(st.sampled_from(WORDS[1:]), max_size=9).map(" ".join)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_encoder(tmp_path_factory.mktemp("models") / "tiny")


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows)


def _states(text: str) -> np.ndarray:
    return table()[[WORDS.index(word) for word in text.split()][:6]].astype(np.float64)


@given(texts=st.lists(TOLD, max_size=6), text=TOLD)
def test_a_text_has_one_vector_whatever_the_batch(
    folder: Path, texts: list[str], text: str
) -> None:
    embedder = load_embedder(f"onnx:{folder}")
    together = embedder.embed([*texts, text])
    assert together.dtype == np.float32
    assert np.array_equal(together[-1], embedder.embed([text])[0])


@pytest.mark.parametrize(
    ("pooling", "pooled"),
    [
        ("mean_tokens", lambda states: states.mean(0)),
        ("cls_token", lambda states: states[0]),
        ("max_tokens", lambda states: states.max(0)),
        ("mean_sqrt_len_tokens", lambda states: states.sum(0) / len(states) ** 0.5),
        ("lasttoken", lambda states: states[-1]),
    ],
)
def test_the_states_of_tokens_are_pooled_as_its_config_says(
    tmp_path: Path, pooling: str, pooled: "type[np.ndarray]"
) -> None:
    embedder = load_embedder(f"onnx:{tiny_encoder(tmp_path / 'm', pooling=pooling)}")
    expected = _unit(pooled(_states("passage: backup nas late")))
    assert embedder.embed(["backup nas late"])[0] == pytest.approx(expected, abs=1e-6)


def test_what_is_asked_has_a_prefix_of_its_own_and_long_texts_are_cut(folder: Path) -> None:
    embedder = load_embedder(f"onnx:{folder}")
    asked = _unit(_states("query: tea is late").mean(0))
    assert embedder.embed_query("tea is late") == pytest.approx(asked, abs=1e-6)
    long = embedder.embed(["tea is late backup nas", "tea is late backup nas postgres sleeps"])
    assert np.array_equal(long[0], long[1])
    assert not embedder.embed([" "]).any()
    assert not embedder.embed_query("").any()


def test_another_model_in_the_same_folder_is_another(tmp_path: Path) -> None:
    setting = f"onnx:{tiny_encoder(tmp_path / 'm')}"
    name = pinned(setting)
    assert unpinned(name) == setting != name == pinned(name)
    first = load_embedder(name)
    moved = tiny_encoder(tmp_path / "elsewhere")
    assert load_embedder(f"onnx:{moved}").model == first.model
    tiny_encoder(tmp_path / "other", seed=1).joinpath("model.onnx").replace(
        tmp_path / "m" / "model.onnx"
    )
    assert pinned(setting) != name
    choice._with_files.cache_clear()
    with pytest.raises(EmbedderError, match="another model than before"):
        load_embedder(name)


def test_its_own_calibration_counts_and_without_one_it_says_so(tmp_path: Path) -> None:
    plain = load_embedder(f"onnx:{tiny_encoder(tmp_path / 'plain')}")
    assert plain.calibrated(np.array([-0.5, 0.5])).tolist() == [0.0, 0.5]
    assert isinstance(plain, Calibrated)
    assert not plain.is_calibrated
    folder = tiny_encoder(tmp_path / "own")
    write(folder / OWN, {"model": plain.model, "knots": [[-1, 0], [0.5, 0.9], [1, 1]]})
    own = load_embedder(f"onnx:{folder}")
    assert own.model == plain.model
    assert own.calibrated(np.array([0.5])) == pytest.approx([0.9])
    write(folder / OWN, {"knots": []})
    choice._with_files.cache_clear()
    with pytest.raises(EmbedderError, match="is no calibration"):
        load_embedder(f"onnx:{folder}")


@pytest.mark.parametrize(
    ("file", "holds", "says"),
    [
        ("model.onnx", None, "has no model.onnx"),
        ("tokenizer.json", None, "has no tokenizer.json"),
        ("model.onnx", "no graph", "cannot be read"),
        ("1_Pooling/config.json", {"pooling_mode_weightedmean_tokens": True}, "weightedmean"),
        ("1_Pooling/config.json", "[", "cannot be read"),
        ("modules.json", [{"type": "sentence_transformers.models.Dense"}], "Dense"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, file: str, holds: object, says: str) -> None:
    folder = tiny_encoder(tmp_path / "m")
    place = folder / file
    if holds is None:
        place.unlink()
    else:
        place.write_text(holds if isinstance(holds, str) else json.dumps(holds))
    with pytest.raises(EmbedderError, match=says):
        load_embedder(f"onnx:{folder}")


def test_an_unknown_embedder_is_named_with_the_known_ones() -> None:
    with pytest.raises(EmbedderError, match="unknown embedder 'bert'; known: wordllama, onnx:"):
        load_embedder("bert")
