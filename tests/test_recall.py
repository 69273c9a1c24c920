"""Search finds what answers a question, in two languages, on the labelled sets."""

import json
from pathlib import Path
from statistics import fmean

import pytest

from benchmarks.recall import Memories, by_words, figures, ranks
from benchmarks.recall_sets import RELEVANT, VERBATIM, Question, read_halves, take_in
from cairn.resources.context import open_state


def test_labels_hold_dates_and_numbers_alone() -> None:
    labels = json.loads(RELEVANT.read_text("utf-8"))
    turns = [turn for person in labels["persons"] for own in person for turn in own]
    assert all(
        day.startswith("2023-0") and number.isdecimal()
        for day, number in (turn.split("/") for turn in turns)
    )


def test_each_labelled_question_has_its_turns_and_no_half_shares_any(shared_data: Path) -> None:
    halves = read_halves(shared_data)
    asked = [question for half in halves for question in half.questions]
    assert all(question.relevant for question in asked)
    assert not any(one.relevant for half in halves for one in (*half.strange, *half.others))
    for held_out in (False, True):
        own, other = (
            {one.namespace for half in halves if half.held_out == side for one in half.questions}
            for side in (held_out, not held_out)
        )
        assert own
        assert not own & other


@pytest.mark.slow
def test_what_answers_is_found(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_HOME", str(tmp_path / "home"))
    halves = {
        half.name: half
        for half in read_halves(shared_data)
        if half.held_out or half.name == "LoCoMo"
    }
    people = {f"memorybank-{lang}-{number:02}" for lang in ("en", "cn") for number in (1, 3)}
    state = open_state(tmp_path / "home")
    there = {"cast-2020", *people, "locomo-conv-30"}
    take_in(shared_data, tmp_path, state, there)
    memories = Memories(state, tmp_path)

    def asked(name: str) -> list[Question]:
        return [
            one for one in halves[name].questions if one.namespace in there and one.kind != VERBATIM
        ]

    least_at_5 = {"CAsT 2020": 0.95, "MemoryBank": 0.75, "MemoryBank, Chinese": 0.8, "LoCoMo": 0.65}
    for name, least in least_at_5.items():
        questions = asked(name)
        ships, words, bare = (
            figures(ranks(way, questions))
            for way in (memories.ships(), memories.by(by_words), memories.without_context)
        )
        assert ships["recall at 5"] >= least, name
        assert words["MRR"] > bare["MRR"], name
    way = memories.ships()
    strange = [one for one in halves["MemoryBank"].strange if one.namespace in people]
    assert fmean(bool(way(one)) for one in strange) <= 0.3
