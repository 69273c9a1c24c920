"""Each command, as a person or a script calls it."""

import json
import re
from pathlib import Path

import click
import pytest
from rich.console import Console

from cairn.knowledge.extraction.rules import RULES
from cairn.serving.cli import terminal
from cairn.serving.cli.terminal import SPARKS
from tests.resources import qdrant_http
from tests.serving.conftest import Ask

STATEMENT = "The checkout tests failed because the cart total was rounded per line"


def test_run_reports_every_stage_and_its_counts_add_up(home: Path) -> None:
    told = json.loads((home.parent / "run.json").read_text())
    stages = {row["stage"]: row for row in told["stages"]}
    assert list(stages)[:4] == ["extractors", "records", "raw_logs", "candidates"]
    assert list(stages)[-1] == "publication"
    assert {"entities", "facts", "learnings", "themes", "evidence", "memory"} <= stages.keys()
    for row in told["stages"]:
        parts = row["done"] + row["empty"] + row["rejected"] + row["failed"]
        assert parts == row["rows_in"], row
    assert told["input"]["files"] == stages["records"]["rows_in"]
    assert told["changed"]
    assert not told["interrupted"]


def test_run_ends_with_the_best_and_a_search_that_finds_some(home: Path) -> None:
    told = json.loads((home.parent / "run.json").read_text())
    (samples,) = told["namespaces"]
    assert samples["namespace"] == "samples"
    assert len(samples["learnings"]) == 5
    assert {"harbor-backup", "lantern-shop"} <= {e["name"] for e in samples["entities"]}
    assert samples["example"]["results"][0]["sources"][0]["file"].endswith((".json", ".jsonl"))


def test_run_tells_what_lies_ahead_and_how_far_it_is_on_stderr(home: Path) -> None:
    log = (home.parent / "run.log").read_text()
    assert "files" in log.splitlines()[0]
    assert re.search(r"; takes \d+ (s|min)( to \d+ (s|min|h))?$", log.splitlines()[0])
    assert "raw_logs:" in log
    assert "published" in log
    assert "alembic" not in log
    assert "Warning" not in log


def test_search_finds_what_was_said_and_where(ask: Ask) -> None:
    found = ask("search", "backup fails NAS asleep", "--json").json["results"]
    assert found
    assert all(result["sources"] for result in found)
    sources = [source for result in found for source in result["sources"]]
    assert all({"file", "line", "record_id", "quote"} <= source.keys() for source in sources)
    source = next(source for source in sources if source["file"].endswith(".jsonl"))
    line = Path(source["file"]).read_text().splitlines()[source["line"] - 1]
    assert source["quote"].split("\n")[0] in json.dumps(json.loads(line), ensure_ascii=False)


@pytest.mark.parametrize(
    "query",
    ["zebra quantum soup", "zebra quantum backup soup", "quarterly revenue report", "the", "?"],
)
def test_search_gives_nothing_rather_than_noise(ask: Ask, query: str) -> None:
    assert ask("search", query, "--json").json["results"] == []
    assert "Nothing about that" in ask("search", query).out


def test_search_finds_by_meaning_where_words_differ(ask: Ask) -> None:
    texts = [r["text"] for r in ask("search", "hazelnut allergy", "--json").json["results"]]
    assert any("allergic to hazelnuts" in text for text in texts)


def test_search_does_not_say_the_same_twice(ask: Ask) -> None:
    texts = [r["text"] for r in ask("search", "NAS asleep", "--json").json["results"]]
    assert len(set(texts)) == len(texts)


def test_search_of_one_kind_gives_that_kind(ask: Ask) -> None:
    found = ask("search", "checkout tests", "--type", "learnings", "--json").json["results"]
    assert {result["kind"] for result in found} == {"learning"}


def test_facts_lead_with_sentences_and_leave_out_the_structural(ask: Ask) -> None:
    told = ask("facts", "--limit", "100", "--json").json
    predicates = {fact["predicate"] for fact in told["items"]}
    assert predicates.isdisjoint({"used_tool", "executed_command", "mentions_path"})
    assert told["items"][0]["content"] == told["items"][0]["object"]
    assert ask("facts", "--events", "--json").json["total"] > told["total"]


def test_facts_are_filtered_by_predicate_confidence_and_entity(ask: Ask) -> None:
    tools = ask("facts", "--predicate", "used_tool", "--json").json["items"]
    assert {fact["predicate"] for fact in tools} == {"used_tool"}
    sure = ask("facts", "--min-confidence", "0.6", "--limit", "500", "--json").json["items"]
    assert sure
    assert all(fact["confidence"] >= 0.6 for fact in sure)
    shop = ask("facts", "--entity", "Lantern-Shop", "--limit", "500", "--json").json["items"]
    assert {fact["entity"] for fact in shop} == {"lantern-shop"}


def test_facts_fade_for_a_later_reader_and_are_called_deprecated(ask: Ask) -> None:
    now = ask("facts", "--events", "--limit", "1000", "--json").json["items"]
    later = ask("facts", "--events", "--limit", "1000", "--as-of", "2027-06-01", "--json").json
    assert any(fact["status"] == "active" for fact in now)
    held = [fact for fact in later["items"] if fact["status"] == "active"]
    assert all(fact["decay_per_day"] < 0.01 for fact in held), "what lasts fades slowly"
    assert len(held) < len(now) / 10


def test_facts_of_the_past_know_nothing_of_what_came_later(ask: Ask) -> None:
    then = ask("facts", "--events", "--limit", "1000", "--as-of", "2026-02-10", "--json").json[
        "items"
    ]
    now = ask("facts", "--events", "--limit", "1000", "--json").json["items"]
    assert 0 < len(then) < len(now)
    assert all(fact["first_seen"][:10] <= "2026-02-10" for fact in then if fact["first_seen"])
    grown = {fact["fact_id"]: fact for fact in now if fact["last_event_at"] > "2026-02-11"}
    both = [(fact, grown[fact["fact_id"]]) for fact in then if fact["fact_id"] in grown]
    assert both
    assert all(early["last_event_at"] < late["last_event_at"] for early, late in both)
    assert ask("facts", "--events", "--as-of", "2001-01-01", "--json").json["total"] == sum(
        fact["first_seen"] is None for fact in now
    )
    found = ask("search", "backup", "--limit", "50", "--as-of", "2026-02-10", "--json").json
    assert found["results"]
    assert all(result["timestamp"][:10] <= "2026-02-10" for result in found["results"])


def test_triples_show_single_observations(ask: Ask) -> None:
    told = ask("facts", "--triples", "--predicate", "connects_to_host", "--json").json
    assert all(triple["subject"].startswith(("task_", "action_")) for triple in told["items"])
    assert {triple["confidence"] for triple in told["items"]} == {0.9}


def test_learnings_and_entities_list_and_filter(ask: Ask) -> None:
    bugs = ask("learnings", "--category", "bug_fix", "--json").json
    assert bugs["items"]
    assert {row["category"] for row in bugs["items"]} == {"bug_fix"}
    assert "simhash" not in bugs["items"][0]
    hosts = ask("entities", "--type", "host", "--limit", "2", "--json").json
    assert {row["type"] for row in hosts["items"]} == {"host"}
    assert len(hosts["items"]) == min(2, hosts["total"])


def test_an_entity_is_shown_with_its_names_and_why_they_are_one(ask: Ask) -> None:
    listed = ask("entities", "--type", "system", "--json").json["items"]
    unraid = next(row for row in listed if row["name"] == "unraid")
    assert unraid["aliases"] == ["Unraid"]
    shown = ask("show", unraid["entity_id"], "--json").json
    (merge,) = shown["merged_from"]
    assert (merge["display_name"], merge["rule"]) == ("Unraid", "same_name")
    told = ask("show", merge["entity_id"]).out
    why = "same_name, the same name, once observed and once spoken of"
    assert f"unraid ({unraid['entity_id']}): {why}" in " ".join(told.split())


def test_a_fact_is_shown_with_its_history_and_its_words(ask: Ask) -> None:
    asked = ("facts", "--events", "--entity", "lantern-shop", "--limit", "200", "--json")
    facts = ask(*asked).json["items"]
    fact = next(f for f in facts if f["content"].startswith(STATEMENT))
    shown = ask("show", fact["fact_id"], "--json").json
    assert shown["kind"] == "fact"
    assert len(shown["history"]) == fact["conversation_count"] > 1
    assert shown["history"][0]["cause"] == "first"
    for source in shown["sources"]:
        assert source["quote"] in source["message"]
    told = ask("show", fact["fact_id"]).out
    assert any(bar in told for bar in SPARKS)
    assert f"{shown['sources'][0]['file']}:{shown['sources'][0]['line']}" in told


def test_the_beginning_of_an_id_is_enough(ask: Ask) -> None:
    learning = ask("learnings", "--json").json["items"][0]
    shown = ask("show", learning["learning_id"][:10], "--json").json
    assert shown["id"] == learning["learning_id"]
    assert shown["learning"]["quotes"][0]["line"] >= 1


def test_everything_that_has_an_id_can_be_shown(ask: Ask) -> None:
    fact = ask("search", "backup fails", "--type", "facts", "--json").json["results"][0]
    shown = ask("show", fact["id"], "--json").json
    record = shown["sources"][0]["record_id"]
    told = ask("show", record, "--json").json
    assert told["kind"] == "record"
    assert fact["text"] in {f["content"] for f in told["facts"]}
    assert record in {near["record_id"] for near in told["neighbours"]}
    entity = ask("show", shown["fact"]["entity_id"], "--json").json
    assert entity["entity"]["entity_id"] == shown["fact"]["entity_id"]
    conversation = told["record"]["conversation_id"]
    assert ask("show", conversation, "--json").json["kind"] == "conversation"
    for id_ in (record, shown["fact"]["entity_id"], conversation):
        answer = ask("show", id_)
        assert answer.code == 0
        assert id_ in answer.out


def test_status_says_what_is_there_and_that_nothing_waits(ask: Ask, home: Path) -> None:
    told = ask("status", "--json").json
    (row,) = told["namespaces"]
    assert row["namespace"] == "samples"
    assert row["lag_seconds"] == 0
    assert row["newest_published"] == row["newest_record"]
    assert row["pending_days"] == []
    assert told["changed_files"] == 0
    assert told["sensor"]["alive"] is False
    assert told["lock"] is None
    assert str(home) in ask("status").out


def test_the_cut_line_of_the_samples_is_a_dead_letter_with_its_place(ask: Ask) -> None:
    (letter,) = ask("dead-letters", "--json").json["dead_letters"]
    assert letter["source_file"].endswith("viewing-with-a-truncated-line.jsonl")
    assert letter["source_line"] == 2
    assert letter["source_offset"] > 0
    assert f"{letter['source_file']}:2:{letter['source_offset']}" in ask("dead-letters").out


def test_nothing_is_stale_after_a_run_and_a_changed_setting_is(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask("stale", "--json").json["changes"] == []
    assert "Nothing is stale" in ask("stale").out
    monkeypatch.setenv("CAIRN_POLICY__TARGET_SYSTEMS", '["toaster"]')
    told = ask("stale", "--json").json
    concerned = {rule.name for rule in RULES if "target_systems" in rule.extractor.policy}
    assert {change["name"] for change in told["changes"]} == concerned
    change = next(each for each in told["changes"] if each["name"] == "targets_system")
    assert change["conversations"] > 10
    assert change["days"] == len(told["stale_days"]) > 10
    assert change["calls"] == 0
    assert told["new"] == {"days": [], "conversations": 0, "files": 0}


def test_doctor_finds_the_home_well(ask: Ask) -> None:
    answer = ask("doctor", "--json")
    assert answer.code == 0, answer.json
    levels = {check["check"]: check["level"] for check in answer.json["checks"]}
    assert levels["home"] == levels["tables of samples"] == levels["index of samples"] == "ok"
    assert levels["embedder"] == "ok"
    assert "qdrant server" not in levels, "none is set"


def test_doctor_asks_the_server_that_holds_the_index(
    run_cairn: Ask, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def checks(home: Path = home) -> dict[str, tuple[str, str, str]]:
        found = run_cairn("--home", home, "doctor", "--json").json["checks"]
        return {each["check"]: (each["level"], each["found"], each["advice"]) for each in found}

    with qdrant_http.served() as server:
        monkeypatch.setenv("CAIRN_QDRANT_URL", server.url)
        monkeypatch.setenv("CAIRN_QDRANT_API_KEY", "hunter2")
        told = checks()
        version = f"{server.url}, version {server.version}, collections of ours: 0"
        assert told["qdrant server"] == ("ok", version, "")
        assert told["index of samples"][0] == "error"
        assert "not there: `cairn run`" in told["index of samples"][1]
        server.held.create_collection("cairn~others~g-1-0", vectors_config={})
        assert "others" in checks(tmp_path / "empty")["qdrant server"][2]
        server.key = "another"
        assert "CAIRN_QDRANT_API_KEY" in checks()["qdrant server"][1]
    level, found, _ = checks()["qdrant server"]
    assert (level, "cannot be reached" in found) == ("error", True)


def test_config_says_where_a_setting_comes_from(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_POLICY__SEARCH_LIMIT", "7")
    (row,) = ask("config", "search_limit", "--json").json["settings"]
    assert (row["value"], row["source"]) == ("7", "CAIRN_POLICY__SEARCH_LIMIT")
    assert "defaults" in ask("config", "--set", "namespace").out


def test_a_search_gives_as_many_as_are_set_and_takes_no_days_the_wrong_way_round(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = ask("search", "coffee", "--from", "2026-03-05", "--to", "2026-03-01")
    assert (told.code, "--from 2026-03-05 is after --to 2026-03-01" in told.err) == (2, True)
    monkeypatch.setenv("CAIRN_POLICY__SEARCH_LIMIT", "2")
    assert len(ask("search", "backup", "--json").json["results"]) == 2
    assert len(ask("search", "backup", "--limit", "3", "--json").json["results"]) == 3
    monkeypatch.setenv("CAIRN_POLICY__SEARCH_LIMIT", "-5")
    assert "greater than or equal to 1" in ask("search", "backup").err


@pytest.mark.parametrize("id_", ["f_df1d071733ef2e3d", "l_7bd6fe39ba5a3bba", "e_a4160f63031a50c7"])
def test_nothing_is_shown_at_a_moment_before_it_was_known(ask: Ask, id_: str) -> None:
    told = ask("show", id_, "--as-of", "2026-01-01")
    assert (told.code, told.out, told.err.count("\n")) == (1, "", 1)
    assert "nothing of it was known at 2026-01-01" in told.err


def test_sources_are_listed_added_and_removed(
    run_cairn: Ask, tmp_path: Path, samples: Path
) -> None:
    home = tmp_path / "home"
    logs = samples / "chat"
    assert run_cairn("--home", home, "sources", "--json").json == {"sources": []}
    added = run_cairn(
        "--home", home, "sources", "add", logs, "--namespace", "chat", "--timezone", "Europe/Berlin"
    )
    assert added.code == 0
    (source,) = run_cairn("--home", home, "sources", "--json").json["sources"]
    known = {"path": str(logs), "namespace": "chat", "timezone": "Europe/Berlin"}
    assert source == known | {"gone": False}
    assert run_cairn("--home", home, "sources", "remove", logs).code == 0
    assert run_cairn("--home", home, "sources", "--json").json == {"sources": []}


def test_a_source_that_is_gone_is_told_where_sources_are(run_cairn: Ask, tmp_path: Path) -> None:
    home, logs = tmp_path / "home", tmp_path / "logs.jsonl"
    logs.write_text('{"role": "user", "content": "We use uv here."}\n')
    assert run_cairn("--home", home, "sources", "add", logs).code == 0
    assert "remove PATH" not in run_cairn("--home", home, "sources").out
    logs.unlink()
    told = run_cairn("--home", home, "sources")
    assert "sources remove PATH`" in told.out
    assert "1 source, 1 gone: see `cairn sources`" in run_cairn("--home", home, "status").out


@pytest.mark.parametrize("width", [80, 100, 160])
def test_a_terminal_shows_ids_whole_and_cuts_no_fact(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    def terminal_of_that_width(*, err: bool = False) -> Console:
        return Console(force_terminal=True, no_color=True, width=width, stderr=err)

    facts = ask("facts", "--entity", "lantern-shop", "--json", "--limit", "5").json["items"]
    monkeypatch.setattr(terminal, "console", terminal_of_that_width)
    told = click.unstyle(ask("facts", "--entity", "lantern-shop", "--limit", "5").out)
    assert all(fact["fact_id"] in told for fact in facts)
    assert all(fact["content"].split()[-1] in told for fact in facts)
    assert "…" not in told
    assert max(map(len, told.splitlines())) <= width
