"""Real agent sessions: counts equal independent counts; what they say is found."""

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from cairn.knowledge.schema.tables import MEMORY, RAW_LOGS, RECORDS, TABLES
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source
from cairn.serving.read.reader import open_reader
from cairn.serving.retrieval.search import search_memory
from tests.journeys.running import follow


def versions(state: State) -> dict[str, int | None]:
    return {name: state.of("default").warehouse.version(table) for name, table in TABLES.items()}


@pytest.fixture(scope="module")
def sessions(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> State:
    state = State(open_home(tmp_path_factory.mktemp("home")), Settings())
    add_source(state.home, shared_data / "cc_spotter", "default")
    follow(state)
    return state


@pytest.fixture(scope="module")
def counts(shared_data: Path) -> dict[str, Any]:
    return json.loads((shared_data / "dev_counts.json").read_text())["datasets"]["cc_spotter"]


@pytest.fixture(scope="module")
def logs(sessions: State) -> pl.DataFrame:
    return sessions.warehouse.read(RAW_LOGS).collect()


def test_counts_equal_the_independent_ones(logs: pl.DataFrame, counts: dict[str, Any]) -> None:
    messages = logs.filter(pl.col("role").is_in(["user", "assistant"]))
    calls = logs.filter(kind="tool_call")
    assert messages["native_id"].n_unique() == counts["messages"]
    assert logs["conversation_id"].n_unique() == counts["sessions"]
    assert (
        dict(calls.group_by("tool_name").len().iter_rows())
        == (counts["tool_use"]["distinct_by_name"])
    )
    bash = calls.filter(tool_name="Bash")
    assert bash["call_id"].n_unique() == counts["bash_commands"]["distinct_tool_use_id"]
    human = logs.filter(origin="human")
    assert human["native_id"].n_unique() == counts["user_tasks"]["human"]["distinct_uuid"]


def test_every_line_is_kept(sessions: State, counts: dict[str, Any]) -> None:
    assert sessions.warehouse.read(RECORDS).collect().height == counts["lines_parsed"]


def test_facts_are_active_and_found_at_the_default_moment(sessions: State) -> None:
    reader = open_reader(sessions)
    assert str(reader.as_of) > "2026-02-12"
    free = reader.memory().filter(pl.col("predicate") == "identifies_issue").collect()
    assert free.height > 20
    taken_back = free.filter(trust="retracted")
    assert (free.join(taken_back, on="fact_id", how="anti")["status"] == "active").all()
    assert (taken_back["status"] == "deprecated").all()
    query = "subagent tests fail because agent_id is missing"
    assert search_memory(reader, query, "facts") == [], "what was seen once is no knowledge"
    found = search_memory(reader, query, "episodes")
    assert found[0].sources[0]["line"] > 0


def test_a_decade_later_they_are_deprecated_but_there(sessions: State) -> None:
    reader = open_reader(sessions)
    later = open_reader(sessions, as_of=reader.as_of.replace(year=reader.as_of.year + 10))
    statuses = later.memory().select(pl.col("status").unique()).collect()["status"].to_list()
    assert statuses == ["deprecated"]
    assert search_memory(later, "subagent tests fail because agent_id is missing", "facts") == []


def test_running_again_writes_nothing(sessions: State) -> None:
    before = versions(sessions)
    assert follow(sessions) == []
    assert versions(sessions) == before


def test_no_fact_stands_on_text_that_is_not_there(sessions: State, logs: pl.DataFrame) -> None:
    sources = sessions.warehouse.read(MEMORY).collect().explode("source_record_ids")
    assert set(sources["source_record_ids"]) <= set(logs["record_id"])


def test_a_file_that_grows_costs_its_day_and_loses_nothing_when_it_goes(
    shared_data: Path, tmp_path: Path
) -> None:
    source = tmp_path / "logs"
    source.mkdir()
    lines = (shared_data / "cc_spotter" / "tool_heavy.jsonl").read_bytes().splitlines(True)
    other = shared_data / "cc_spotter" / "4d5611e5-241a-462a-8d15-5122611a9569.jsonl"
    shutil.copy(other, source / "other.jsonl")
    growing = source / "growing.jsonl"
    growing.write_bytes(b"".join(lines[:-3]))
    state = State(open_home(tmp_path / "home"), Settings())
    add_source(state.home, source, "default")
    assert follow(state, until="observations") == ["2026-02-10", "2026-02-12"]

    growing.write_bytes(b"".join(lines))
    assert follow(state, until="observations") == ["2026-02-10"]
    whole = state.warehouse.read(RECORDS).collect()["record_key"].to_list()

    growing.write_bytes(b"".join(lines[:2]))
    (source / "other.jsonl").unlink()
    assert follow(state, until="observations") == []
    assert sorted(state.warehouse.read(RECORDS).collect()["record_key"]) == sorted(whole)
