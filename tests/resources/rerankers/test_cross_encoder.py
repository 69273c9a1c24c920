"""A folder with a cross-encoder: question and text are read as one, within a time."""

from math import exp
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.resources.home.settings import Settings
from cairn.resources.llm.answer_cache import Answers
from cairn.resources.rerankers.choice import load_reranker
from cairn.resources.rerankers.protocol import Reranker, RerankerError
from tests.resources.rerankers.tiny import SLOPE, WORDS, tiny_cross_encoder

TOLD = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
ASKED = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)


def loaded(folder: Path | str) -> Reranker:
    return load_reranker(f"onnx:{folder}", Settings(), Answers(Path("none")), "n")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Reranker:
    return loaded(tiny_cross_encoder(tmp_path_factory.mktemp("models") / "tiny"))


def _score(asked: str, text: str) -> float:
    share = sum(word in text.split() for word in asked.split()) / len(asked.split())
    return 1 / (1 + exp(-SLOPE * (share - 0.5)))


@given(asked=ASKED, texts=st.lists(TOLD, max_size=9))
def test_each_pair_has_its_score_whatever_stands_beside_it(
    tiny: Reranker, asked: str, texts: list[str]
) -> None:
    expected = [_score(asked, text) for text in texts]
    assert tiny.scores(asked, texts, 60) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("options", [{"labels": 2}, {"typed": False}])
def test_models_that_tell_it_otherwise_say_the_same(
    tiny: Reranker, tmp_path: Path, options: dict[str, int]
) -> None:
    other = loaded(tiny_cross_encoder(tmp_path / "m", **options))
    asked, texts = "which sport does ada do", ["sport", "ada is late", "\ud800 tea", ""]
    assert other.scores(asked, texts, 60) == pytest.approx(tiny.scores(asked, texts, 60), abs=1e-6)


def test_the_text_is_cut_and_the_question_stays(tmp_path: Path) -> None:
    short = loaded(tiny_cross_encoder(tmp_path / "m", most_tokens=10))
    # Three marks and two words of question leave five of the text.
    first, last, cut = short.scores(
        "ada sport",
        ["sport ada is late tea", "is late tea sport ada", "is late tea is late sport ada"],
        60,
    )
    assert first == last == pytest.approx(_score("ada sport", "ada sport"))
    assert cut == pytest.approx(_score("ada sport", "tea"))
    (long,) = short.scores("is late tea do does " + "ada " * 500, ["is late"], 60)
    assert long == pytest.approx(_score("is late tea do does", "is late"))


def test_it_ends_in_time(tiny: Reranker) -> None:
    with pytest.raises(RerankerError, match="50 texts took longer than 0 s"):
        tiny.scores("ada", ["tea"] * 50, 0)


@pytest.mark.parametrize(
    ("file", "holds", "says"),
    [
        ("model.onnx", None, "has no model.onnx: is it a cross-encoder as ONNX?"),
        ("tokenizer.json", None, "has no tokenizer.json"),
        ("model.onnx", "no graph", "cannot be read"),
        ("tokenizer.json", "{", "cannot be read"),
        ("tokenizer_config.json", "[", "cannot be read"),
    ],
)
def test_what_cannot_be_used_is_named(
    tmp_path: Path, file: str, holds: str | None, says: str
) -> None:
    place = tiny_cross_encoder(tmp_path / "m") / file
    place.unlink()
    if holds is not None:
        place.write_text(holds)
    with pytest.raises(RerankerError, match=says):
        loaded(tmp_path / "m")


def test_what_gives_three_scores_is_no_reranker(tmp_path: Path) -> None:
    with pytest.raises(RerankerError, match="gives 3 scores"):
        loaded(tiny_cross_encoder(tmp_path / "nli", labels=3))


def test_an_unknown_reranker_is_named_with_the_known_ones() -> None:
    with pytest.raises(RerankerError, match="unknown reranker 'bge'; known: none, onnx:FOLDER"):
        load_reranker("bge", Settings(), Answers(Path("none")), "n")
