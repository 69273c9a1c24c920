"""Do two statements say the same in words? Judged on pairs written and labelled by hand."""

import json
from pathlib import Path

import pytest

from knowledge.wording import agree, difference, opposed

PAIRS = [
    json.loads(line)
    for line in Path(__file__).with_name("wording_pairs.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair['left']} | {pair['right']}")
def test_verdict_on_a_labelled_pair_either_way_round(pair):
    for one, two in ((pair["left"], pair["right"]), (pair["right"], pair["left"])):
        verdict = "same" if agree(one, two) else "opposed" if opposed(one, two) else "different"
        assert verdict == pair["verdict"], difference(one, two)


def test_a_statement_agrees_with_itself():
    for pair in PAIRS:
        assert agree(pair["left"], pair["left"])


def test_the_difference_is_named():
    assert difference("Uses Python 3.11", "Uses Python 3.12") == "version"
    assert difference("Reads /etc/a at start", "Reads /etc/b at start") == "path"
    assert difference("Prefers tabs over spaces", "Prefers spaces over tabs") == "order"
    assert difference("Likes coffee", "Likes tea") == "word"
    assert difference("Likes coffee", "Never likes coffee") == "polarity"


def test_denials_of_a_public_set_are_seen_and_little_else(shared_data):
    lines = (shared_data / "mnli_contradictions" / "mnli_contradicting_examples").read_text()
    rows = [line.split("\t") for line in lines.splitlines() if line.count("\t") == 2]
    struck = [verdict for left, right, verdict in rows if opposed(left, right)]
    assert len(struck) >= 50
    assert struck.count("contradiction") / len(struck) >= 0.95
