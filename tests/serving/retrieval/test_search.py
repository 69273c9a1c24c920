"""What a search gives: the right confidence, at any moment, and nothing twice."""

import json
from pathlib import Path

import polars as pl
import pytest

from cairn.knowledge.nlp.text import words
from cairn.resources.context import open_state
from cairn.resources.vector_index.protocol import Filters
from cairn.serving.retrieval.open_memory import Memory
from cairn.serving.retrieval.search import search_memory
from tests.serving.conftest import Ask

QUERIES = ["what nuts am I allergic to", "rsync permission denied code 23", "IPv6 docker"]


@pytest.mark.parametrize("query", QUERIES)
def test_nothing_is_said_again_that_stands_in_a_better_result(ask: Ask, query: str) -> None:
    found = ask("search", query, "--json").json["results"]
    said = [f" {' '.join(words(result['text']))} " for result in found]
    assert len(said) > 1
    assert not [text for row, text in enumerate(said) if any(text in one for one in said[:row])]


def test_least_confidence_holds_for_every_kind(ask: Ask) -> None:
    found = ask("search", "backup", "--min-confidence", "0.85", "--json").json["results"]
    assert {result["kind"] for result in found} == {"learning"}
    assert all(result["confidence"] >= 0.85 for result in found)


@pytest.mark.parametrize("as_of", ["2026-02-10", "2026-02-20", "2026-03-20", "2026-05-01"])
def test_a_fact_is_as_sure_as_in_the_list_of_that_moment(ask: Ask, as_of: str) -> None:
    options = ("--limit", "500", "--as-of", as_of, "--json")
    found = ask("search", "backup fails", "--type", "facts", "--min-confidence", "0", *options)
    listed = {fact["fact_id"]: fact for fact in ask("facts", "--events", *options).json["items"]}
    assert found.json["results"]
    for result in found.json["results"]:
        fact = listed[result["id"]]
        assert result["confidence"] == pytest.approx(fact["confidence"], abs=1e-4)
        assert result["status"] == fact["status"]


def test_a_higher_limit_finds_more(ask: Ask) -> None:
    some, more = (
        ask("search", "the backup of the NAS failed", "--limit", limit, "--json").json["results"]
        for limit in ("20", "200")
    )
    assert len(some) <= 20
    assert len(more) > 40


def days(results: list[dict[str, str]]) -> list[str]:
    return sorted(result["timestamp"][:10] for result in results)


def test_words_that_say_when_are_days(ask: Ask) -> None:
    options = ("--type", "episodes", "--limit", "50", "--json")
    found = ask("search", "what did we do about the backup in February?", *options).json
    assert (found["time_expression"], found["from_day"], found["to_day"]) == (
        "in February", "2026-02-01", "2026-02-28",
    )  # fmt: skip
    assert days(found["results"])[0] >= "2026-02-01"
    assert days(found["results"])[-1] <= "2026-02-28"
    plain = ask("search", "what did we do about the backup?", *options).json
    assert plain["time_expression"] is None
    assert days(plain["results"])[-1] > "2026-02-28"
    told = ask("search", "what did we do about the backup in February?")
    assert "“in February” read as 2026-02-01 to 2026-02-28" in told.out


def test_days_of_which_nothing_is_known_hide_nothing(ask: Ask) -> None:
    found = ask("search", "the backup fails since March 2020, until April 2020", "--json").json
    assert found["time_expression"] is None
    assert found["results"]


def test_results_are_what_the_options_ask_for(ask: Ask) -> None:
    every = ("--type", "facts", "--limit", "50", "--min-confidence", "0", "--json")

    def found(*options: str) -> list[dict[str, str]]:
        return ask("search", "the nightly backup fails", *every, *options).json["results"]

    everything = found()
    of_one = found("--entity", "Harbor-Backup")
    assert (
        {result["entity"] for result in of_one}
        == {"harbor-backup"}
        < {result["entity"] for result in everything}
    )
    chat = found("--source", "chat")
    assert chat
    assert all("/chat/" in source["file"] for source in chat[0]["sources"])
    late = found("--from", "2026-03-01")
    assert late
    assert days(late)[0] >= "2026-03-01" > days(everything)[0]
    (predicate,) = {result["predicate"] for result in found("--predicate", "states")}
    assert predicate == "states"
    assert ask("search", "x", "--entity", "nobody").err.startswith("cairn: no entity is called")


def test_a_file_of_queries_is_answered_in_one_process(ask: Ask, tmp_path: Path) -> None:
    queries = ["rsync permission denied", "the nightly backup fails", "zebra"]
    file = tmp_path / "queries.jsonl"
    file.write_text("".join(json.dumps({"query": query}) + "\n\n" for query in queries))
    answers = ask("search", "--file", str(file), "--type", "both", "--json").json
    assert [answer["query"] for answer in answers] == queries
    for answer in answers:
        alone = ask("search", answer["query"], "--type", "both", "--json").json
        assert answer["results"] == alone["results"]
    assert answers[2]["results"] == []
    source = answers[0]["results"][0]["sources"][0]
    assert source.keys() >= {"file", "line", "record_id", "quote"}


@pytest.mark.parametrize("line", ["no json", '{"question": "x"}', '{"query": " "}', "[1]"])
def test_a_line_without_a_query_is_named(ask: Ask, tmp_path: Path, line: str) -> None:
    file = tmp_path / "queries.jsonl"
    file.write_text(f'{{"query": "backup"}}\n{line}\n')
    told = ask("search", "--file", str(file))
    assert told.code == 1
    assert f"{file}:2: no query" in told.err


def test_anything_of_a_few_days_is_an_answer_and_nothing_of_many(home: Path) -> None:
    reader = Memory(open_state(home)).reader()
    asked = "zeppelins over an archipelago"
    day, year = (
        Filters(from_day="2026-02-20", to_day=last) for last in ("2026-02-20", "2026-12-31")
    )
    assert not search_memory(reader, asked)
    assert not search_memory(reader, asked, only=year)
    found = search_memory(reader, asked, "episodes", only=day)
    assert found
    assert {f"{one.timestamp:%Y-%m-%d}" for one in found} == {"2026-02-20"}


def test_an_entity_is_found_by_another_of_its_names(home: Path) -> None:
    reader = Memory(open_state(home)).reader()
    named = reader.entities().filter(pl.col("aliases").list.len() > 0).collect()
    row = named.row(0, named=True)
    assert row["entity_id"] in {
        one.id for one in search_memory(reader, row["aliases"][0], "entities", 20, 0.0)
    }
