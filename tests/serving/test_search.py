"""What a search gives: the right confidence, at any moment, and nothing twice."""

import pytest

from knowledge.text import words
from tests.serving.conftest import Ask

QUERIES = ["what nuts am I allergic to", "rsync permission denied code 23", "IPv6 docker"]


@pytest.mark.parametrize("query", QUERIES)
def test_nothing_is_said_again_that_stands_in_a_better_result(ask: Ask, query: str) -> None:
    found = ask("search", query, "--json").json["results"]
    said = [f" {' '.join(words(result['text']))} " for result in found]
    assert len(said) > 1
    assert not [text for row, text in enumerate(said) if any(text in one for one in said[:row])]


def test_least_confidence_holds_for_every_kind(ask: Ask) -> None:
    found = ask("search", "backup", "--min-confidence", "0.9", "--json").json["results"]
    assert {result["kind"] for result in found} == {"learning"}
    assert all(result["confidence"] >= 0.9 for result in found)


@pytest.mark.parametrize("as_of", ["2026-02-10", "2026-02-20", "2026-03-20", "2026-05-01"])
def test_a_fact_is_as_sure_as_in_the_list_of_that_moment(ask: Ask, as_of: str) -> None:
    options = ("--limit", "500", "--as-of", as_of, "--json")
    found = ask("search", "backup fails", "--type", "facts", "--min-confidence", "0", *options)
    listed = {fact["fact_id"]: fact for fact in ask("facts", "--all", *options).json["facts"]}
    assert found.json["results"]
    for result in found.json["results"]:
        fact = listed[result["id"]]
        assert result["confidence"] == pytest.approx(fact["effective"], abs=1e-4)
        assert result["status"] == fact["status"]


def test_a_higher_limit_finds_more(ask: Ask) -> None:
    some, more = (
        ask("search", "the backup of the NAS failed", "--limit", limit, "--json").json["results"]
        for limit in ("20", "200")
    )
    assert len(some) <= 20
    assert len(more) > 40
