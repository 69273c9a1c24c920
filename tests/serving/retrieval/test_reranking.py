"""What a reranker does to a search: another order, in time, of what was found anyway."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from cairn.assets.pending.in_force import in_force
from cairn.resources.context import State, open_state
from cairn.resources.home.settings import Settings
from cairn.resources.rerankers.cross_encoder import CrossEncoder
from cairn.serving.http.app import create_app
from cairn.serving.read.reader import Reader
from cairn.serving.retrieval.context import offer
from cairn.serving.retrieval.open_memory import Memory
from cairn.serving.retrieval.search import SearchAnswer, answer
from tests.resources.rerankers.tiny import tiny_cross_encoder
from tests.serving.conftest import Ask

QUERY = "the nightly backup fails"

With = Callable[..., Reader]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_cross_encoder(tmp_path_factory.mktemp("models") / "tiny", ["nightly", "fails"])


@pytest.fixture
def reader(home: Path) -> With:
    """A reader of the samples with some settings."""

    def made(reranker: str, seconds: float | None = None, **policy: Any) -> Reader:
        state = open_state(home)
        settings = state.settings
        values = {"reranker": reranker, **policy}
        update = {
            "policy": settings.policy.model_copy(update=values),
            "reranker_seconds": seconds,
        }
        return Memory(State(state.home, settings.model_copy(update=update))).reader()

    return made


def _ids(its: SearchAnswer) -> list[str]:
    return [one.id for one in its.results]


def _fits(text: str) -> float:
    """What the model of these tests says of a text, up to its curve."""
    return len({"nightly", "fails"} & set(re.findall(r"\w+", text.lower())))


def test_it_orders_what_was_found_by_its_share_of_the_similarity(
    reader: With, folder: Path
) -> None:
    plain = answer(reader("none"), QUERY, "all", 100)
    assert (plain.reranked, plain.not_reranked) == (None, None)
    assert {one.rerank_score for one in plain.results} == {None}
    its = answer(reader(f"onnx:{folder}", 60), QUERY, "all", 100)
    assert (its.reranked, its.not_reranked) == (True, None)
    assert its.near == plain.near
    # Of those that say the same the better one stays, and that may be another now.
    before = {one.id: one for one in plain.results}
    both = [one for one in its.results if one.id in before]
    assert len(both) > 0.8 * len(plain.results)
    assert [one.id for one in both] != [id_ for id_ in before if id_ in set(_ids(its))]
    for one in both[:40]:
        assert one.rerank_score is not None
        change = 0.6 * 0.5 * (one.rerank_score - one.similarity)
        assert one.score == pytest.approx(before[one.id].score + change, abs=2e-4)
        assert one.similarity == before[one.id].similarity
    alone = answer(reader(f"onnx:{folder}", 60, weight_reranker=1.0), QUERY, "episodes", 20)
    fits = [_fits(one.text) for one in alone.results]
    assert fits == sorted(fits, reverse=True)


def test_what_stands_beyond_the_best_counts_as_nothing(reader: With, folder: Path) -> None:
    its = answer(reader(f"onnx:{folder}", 60, reranked=3), QUERY, "all", 100)
    assert sum(one.rerank_score is not None for one in its.results) <= 3
    scores = [one.score for one in its.results]
    assert scores == sorted(scores, reverse=True)


def test_fifty_are_read_where_few_are_wanted_and_no_arm_finds_so_many_by_itself(
    reader: With, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    scores = CrossEncoder.scores

    def counted(self: CrossEncoder, question: str, texts: list[str], seconds: float) -> list[float]:
        read.append(len(texts))
        return scores(self, question, texts, seconds)

    monkeypatch.setattr(CrossEncoder, "scores", counted)
    answer(reader(f"onnx:{folder}", 60, search_per_arm=1), QUERY, "all", 1)
    assert read == [50]


@pytest.mark.parametrize(
    ("reranker", "seconds", "says"),
    [
        ("onnx:/nowhere/at/all", None, "/nowhere/at/all has no model.onnx"),
        ("cohere", None, "unknown reranker 'cohere'"),
        ("tiny", 1e-9, "took longer than 1e-09 s"),
    ],
)
def test_without_scores_a_search_is_as_if_there_were_no_reranker(
    reader: With, folder: Path, reranker: str, seconds: float | None, says: str
) -> None:
    plain = answer(reader("none"), QUERY, "all", 20)
    its = answer(
        reader(f"onnx:{folder}" if reranker == "tiny" else reranker, seconds), QUERY, "all", 20
    )
    assert its.results == plain.results
    assert its.reranked is False
    assert says in (its.not_reranked or "")


def test_where_nothing_is_found_nothing_is_asked(reader: With) -> None:
    its = answer(reader("onnx:/nowhere"), "zebra quantum backup soup", "all")
    assert (its.results, its.reranked, its.not_reranked) == ([], None, None)


def test_passive_recall_is_reranked_within_its_limit_or_not_at_all(
    reader: With, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = reader(f"onnx:{folder}")
    message = "Why does harbor-backup fail at night?"
    offer(mine, message)  # loads what is loaded once
    monkeypatch.setattr("cairn.serving.retrieval.context.PASSIVE_SECONDS", 60.0)
    made = offer(mine, message)
    assert made.reranked is True
    monkeypatch.setattr("cairn.serving.retrieval.context.PASSIVE_SECONDS", 0.0)
    late = offer(mine, message)
    assert (late.reranked, late.not_reranked) == (False, "there was no time left for it")
    assert late.found == offer(reader("none"), message).found
    assert all(one.similarity >= 0.5 for one in made.found)


def test_it_is_a_matter_of_who_reads_and_makes_nothing_stale() -> None:
    plain, set_ = (
        Settings.model_validate({"model": "openai/x", "policy": policy})
        for policy in ({}, {"reranker": "onnx:/nowhere", "weight_reranker": 0.9, "reranked": 7})
    )
    assert [one.fingerprint(plain.policy) for one in in_force(plain)] == [
        one.fingerprint(set_.policy) for one in in_force(set_)
    ]


def test_all_answers_say_whether_it_was_reranked(
    ask: Ask,
    home: Path,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("CAIRN_POLICY__RERANKER", f"onnx:{folder}")
    monkeypatch.setenv("CAIRN_RERANKER_SECONDS", "60")
    told = ask("search", QUERY, "--json").json
    assert told["reranked"] is True
    assert told["results"][0]["rerank_score"] > 0
    with TestClient(create_app(Memory(open_state(home))), base_url="http://127.0.0.1") as client:
        served = client.get("/v1/search", params={"query": QUERY, "type": "all"}).json()
    assert served["reranked"] is True
    assert [one["id"] for one in served["results"]] == [one["id"] for one in told["results"]]
    monkeypatch.setenv("CAIRN_POLICY__RERANKER", "onnx:/nowhere")
    failed = ask("search", QUERY, "--json")
    assert failed.json["reranked"] is False
    assert "has no model.onnx" in failed.json["not_reranked"]
    assert "not reranked: /nowhere has no model.onnx" in caplog.text
    assert json.loads(ask("context", QUERY, "--json").out)["reranked"] is False
