"""What a change costs: a rule its rows, a file its day, nothing nothing."""

import re
from collections.abc import Callable
from dataclasses import replace

import dagster as dg
import polars as pl
import pytest
from deltalake import DeltaTable
from polars.testing import assert_frame_equal

from cairn.assets.engine.progress import LISTENER, Listener
from cairn.assets.pending import by_conversation, candidates
from cairn.knowledge.assembly.build import build, comparable
from cairn.knowledge.assembly.run import RUN
from cairn.knowledge.assembly.stages import ENTITIES_STAGE, FACTS_STAGE, STAGES
from cairn.knowledge.consolidation.stages import MERGES_STAGE as MERGES
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.extraction.rules import RULES
from cairn.knowledge.schema.tables import (
    CANDIDATES,
    CONVERSATIONS,
    ENTITIES,
    EXTRACTORS,
    FACT_SOURCES,
    FACTS,
    INTRODUCTIONS,
    RECORDS,
    REJECTIONS,
    TABLES,
    WORK,
    Table,
)
from cairn.pipelines import follow as run
from cairn.pipelines.graph import ASSETS, versioned
from tests.journeys.running import follow
from tests.pipelines.house import House
from tests.pipelines.test_sensors import line

NewHouse = Callable[[], House]


def code_versions(house: House) -> dict[str, str | None]:
    return {
        key.to_user_string(): version
        for asset in versioned(ASSETS, house.state.settings)
        for key, version in asset.code_versions_by_key.items()
    }


def versions(house: House) -> dict[str, int | None]:
    return {
        name: house.state.of("default").warehouse.version(table) for name, table in TABLES.items()
    }


def bumped(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Puts a rule in force with the next version number."""
    rules = tuple(
        replace(rule, extractor=replace(rule.extractor, version=rule.extractor.version + 1))
        if rule.name == name
        else rule
        for rule in RULES
    )
    monkeypatch.setattr("cairn.knowledge.extraction.rules.RULES", rules)
    monkeypatch.setattr("cairn.assets.candidates.RULES", rules)
    monkeypatch.setattr("cairn.assets.pending.candidates.RULES", rules)


def test_a_changed_rule_redoes_its_rows_and_nothing_else(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "used_tool"
    before = house.state.warehouse.read(CANDIDATES).collect().sort("candidate_id")
    code_before = code_versions(house)
    conversations = house.state.warehouse.read(CONVERSATIONS).collect().height
    bumped(monkeypatch, name)

    owed = by_conversation.pending(house.state, candidates.extractors(house.state.settings))
    assert set(owed["stage"]) == {name}
    assert owed.height == conversations
    code = code_versions(house)
    changed = {asset for asset in code if code[asset] != code_before[asset]}
    assert changed == {"extractors", "candidates", "rejected_facts"}

    listener = Listener()
    token = LISTENER.set(listener)
    assert isinstance(house.tick(), dg.SensorResult), "there is a run to start"
    run.follow(house.state)
    LISTENER.reset(token)

    reports = listener.reports["candidates"]
    after = house.state.warehouse.read(CANDIDATES).collect().sort("candidate_id")
    own = pl.col("extractor").str.starts_with(f"{name}@")
    assert_frame_equal(after.filter(~own), before.filter(~own))
    assert after.filter(own).height == before.filter(own).height > 0
    assert set(after.filter(own)["extractor"]) != set(before.filter(own)["extractor"])
    assert reports.failed == 0
    assert house.tick() == "nothing new"
    stored = house.state.warehouse.read(EXTRACTORS).filter(pl.col("name") == name).collect()
    assert stored["version"].to_list() == [2]


def test_a_changed_stage_is_made_again(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = replace(
        MERGES, extractor=replace(MERGES.extractor, version=MERGES.extractor.version + 1)
    )
    stages = tuple(stage if each is MERGES else each for each in STAGES)
    monkeypatch.setattr("cairn.assets.pending.in_force.STAGES", stages)
    steps = [step._replace(stage=stage) if step.name == stage.name else step for step in RUN]
    monkeypatch.setattr("cairn.pipelines.follow.RUN", steps)
    assert isinstance(house.tick(), dg.SensorResult), "there is a run to start"
    run.follow(house.state)
    assert house.tick() == "nothing new"
    work = house.state.warehouse.read(WORK).filter(pl.col("stage") == stage.name).collect()
    assert set(work["fingerprint"]) == {stage.extractor.fingerprint(house.state.policy)}


def test_a_file_that_grows_costs_its_day_and_makes_of_entities_and_facts_only_what_it_touches(
    new_house: NewHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = new_house()
    path = house.logs / "a.jsonl"
    days = ["2026-02-01", "2026-03-01", "2026-04-01"]
    path.write_bytes(
        b"".join(
            line(f"{day}T10:00:00Z", n, "Restart docker on the nas.") for n, day in enumerate(days)
        )
    )
    follow(house.state)

    def whole(*_: object) -> None:
        raise AssertionError("everything was made anew")

    again = {stage.name: replace(stage, run=whole) for stage in (ENTITIES_STAGE, FACTS_STAGE)}
    steps = [step._replace(stage=again.get(step.name, step.stage)) for step in RUN]
    monkeypatch.setattr("cairn.pipelines.follow.RUN", steps)
    before = files_by_day(house, FACT_SOURCES)
    assert before.keys() == set(days)
    with path.open("ab") as file:
        file.write(line("2026-03-01T10:05:00Z", 9, "Restart nginx on the nas."))
    listener = Listener()
    token = LISTENER.set(listener)
    run.follow(house.state, until="facts")
    LISTENER.reset(token)
    assert listener.reports["raw_logs"].units == 2, "those of one day of three"
    assert listener.reports["candidates"].units == len(RULES) + 1, "and what people ingest"
    after = files_by_day(house, FACT_SOURCES)
    assert {day for day in days if before[day] != after[day]} == {"2026-03-01"}
    records = house.state.warehouse.read(RECORDS).collect()
    means = StageContext(house.state.policy, house.state.embedder)
    expected = comparable(build(records, means, until="facts"))
    for table in (ENTITIES, REJECTIONS, INTRODUCTIONS, FACTS, FACT_SOURCES):
        stored = comparable({table.name: house.state.warehouse.read(table).collect()})
        assert_frame_equal(stored[table.name], expected[table.name], check_exact=True)


def files_by_day(house: House, table: Table) -> dict[str, set[str]]:
    found = DeltaTable(house.state.home.warehouse / "default" / table.name).file_uris()
    days = {day for path in found for day in re.findall(r"day=([\d-]+)/", path)}
    return {day: {path for path in found if f"day={day}/" in path} for day in days}


def test_a_source_that_goes_away_takes_no_record(new_house: NewHouse) -> None:
    house = new_house()
    deleted, shrunk, replaced = (house.logs / f"{name}.jsonl" for name in "abc")
    said = {
        path: [line(f"{day}T10:00:00Z", 10 * at + n, f"Step {n} of plan {at}.") for n in range(4)]
        for at, (path, day) in enumerate(
            {deleted: "2026-02-01", shrunk: "2026-02-02", replaced: "2026-02-03"}.items()
        )
    }
    for path, lines in said.items():
        path.write_bytes(b"".join(lines))
    run.follow(house.state, until="records")
    before = house.state.warehouse.read(RECORDS).collect().sort("record_key")
    assert before.height == 12
    deleted.unlink()
    shrunk.write_bytes(said[shrunk][0])
    replaced.write_bytes(line("2026-02-03T11:00:00Z", 77, "Something else altogether."))
    run.follow(house.state, until="records")
    after = house.state.warehouse.read(RECORDS).collect().sort("record_key")
    kept = after.join(before.select("record_key"), on="record_key", how="semi")
    assert_frame_equal(kept, before)
    (new,) = after.join(before, on="record_key", how="anti")["source_file"]
    assert new == str(replaced)


def test_runs_of_the_sensor_make_what_one_build_makes(built: House) -> None:
    read = built.state.warehouse.read
    whole = build(read(RECORDS).collect(), StageContext(built.state.policy, built.state.embedder))
    for name, expected in comparable(whole).items():
        stored = comparable({name: read(TABLES[name]).collect()})[name]
        assert_frame_equal(stored, expected, check_exact=True)


def test_a_second_run_changes_nothing_that_is_read(house: House) -> None:
    before = versions(house)
    assert house.run("update").success
    assert versions(house) == before
    assert house.tick() == "nothing new"
