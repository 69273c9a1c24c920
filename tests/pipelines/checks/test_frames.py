"""The suites: what breaks a rule is named by table, rule and count, and is not published."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cairn.knowledge.assembly.run import RUN
from cairn.knowledge.assembly.stages import FACTS_STAGE
from cairn.knowledge.consolidation.stages import CLUSTERS_STAGE
from cairn.knowledge.learnings.goals import (
    ALL,
    CONFIDENCE,
    SOURCED,
    TOKENS_IN,
    TOKENS_OUT,
    YIELD,
    measures,
    missed,
)
from cairn.knowledge.schema.calendar import EPOCH
from cairn.knowledge.schema.tables import (
    CANDIDATES,
    CLUSTERS,
    CONVERSATIONS,
    ENTITIES,
    FACT_SOURCES,
    FACTS,
    LEARNINGS,
    MEMORY,
    MODEL_CALLS,
    RAW_LOGS,
    TABLES,
    WORK,
    Table,
)
from cairn.pipelines import follow as run
from cairn.pipelines.checks.engines import CheckEngine
from cairn.pipelines.checks.expectation_check import Suite
from cairn.pipelines.checks.expectations import suites
from cairn.pipelines.checks.frames import GROUPS, PARTLY, run_rebuild_check, run_suite
from cairn.pipelines.runner import run_graph
from cairn.resources.context import State
from cairn.resources.home.sources import add_source
from cairn.resources.llm.verdict_limits import Broken, SuiteVerdicts, kept_verdicts
from cairn.resources.warehouse.publication import blocked_namespaces, published
from tests.pipelines.house import House, failure
from tests.pipelines.test_sensors import line

OF_THE_NIGHT = ("great_expectations", "hdbscan", "sklearn")
SECRET = "ghp_" + "x7Qm2Lk9Tz4Rw8Vb1Nc6Ys3Pd5Hf0Jg2KaEu"


def mine(house: House) -> State:
    """The one namespace of a house."""
    return house.state.of("default")


def verdicts_of(house: House) -> SuiteVerdicts:
    return SuiteVerdicts(house.state.home, "default")


def named(name: str) -> Suite:
    """A suite by its table and name."""
    (suite,) = (each for each in suites() if f"{each.table}.{each.name}" == name)
    return suite


def broken(house: House, name: str) -> Broken:
    """Rules of a suite that do not hold, and the rows that break them."""
    return run_suite(mine(house), named(name), verdicts_of(house), CheckEngine.POLARS).broken


def change(house: House, table: Table, how: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
    rows = house.state.warehouse.read(table).collect().sort(table.key)
    days = rows["day"].unique().to_list() if table.by_day else None
    house.state.warehouse.write(table, how(rows), days=days)


def first(column: str, value: pl.Expr) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """Changes a column in the first row."""
    row = pl.int_range(pl.len()) == 0
    return lambda rows: rows.with_columns(pl.when(row).then(value).otherwise(column).alias(column))


def test_every_table_is_checked_in_one_step() -> None:
    grouped = [name for tables in GROUPS.values() for name in tables]
    assert sorted(grouped) == sorted(TABLES)


def test_every_column_that_may_hold_words_is_looked_at_for_secrets() -> None:
    from cairn.knowledge.quality.invariants import TEXTS

    assert all(column in TABLES[name].words for name, column in TEXTS)


@pytest.mark.usefixtures("by_polars")
def test_what_passed_by_polars_alone_is_asked_of_the_library(house: House) -> None:
    verdicts = verdicts_of(house)
    ran = [
        run_suite(mine(house), named("work.outcomes"), verdicts, engine).rows is not None
        for engine in [*CheckEngine, *CheckEngine]
    ]
    assert ran == [True, True, False, False]


@pytest.mark.parametrize(
    ("table", "how", "suite", "rule"),
    [
        (CANDIDATES, first("quote_start", pl.col("quote_start") + 1), "candidates.quotes",
         "quote stands in its source"),
        (CANDIDATES, first("confidence", pl.lit(1.5)), "candidates.range",
         "confidence lies within 0 and 1"),
        (CANDIDATES, lambda rows: rows.slice(1), "candidates.balance", "counts add up"),
        (MEMORY, first("confidence", pl.lit(float("nan"))), "memory.range",
         "confidence is a number"),
        (MEMORY, lambda rows: rows.slice(1), "memory.references",
         "facts.fact_id is in memory.fact_id"),
        (ENTITIES, first("mentions", pl.col("mentions") + 1), "entities.balance",
         "counts add up"),
        (FACTS, first("source_count", pl.col("source_count") + 1), "fact_sources.balance",
         "counts add up"),
        (FACT_SOURCES, first("record_id", pl.lit("r_nowhere")), "fact_sources.references",
         "fact_sources.record_id is in raw_logs.record_id"),
        (FACTS, first("derived_from", pl.lit(["r_nowhere"], pl.List(pl.String))),
         "facts.references", "facts.derived_from is in episodes.episode_id"),
        (CONVERSATIONS, first("records", pl.col("records") + 1), "conversations.balance",
         "counts add up"),
        (LEARNINGS, first("content", pl.col("content") + f" token {SECRET}"),
         "learnings.no_secret", "no secret in content"),
        (WORK, first("outcome", pl.lit("lost")), "work.outcomes",
         "outcome is one of done, empty, rejected, failed"),
    ],
)  # fmt: skip
def test_a_broken_row_is_counted_under_its_rule(
    house: House, table: Table, how: Callable[[pl.DataFrame], pl.DataFrame], suite: str, rule: str
) -> None:
    change(house, table, how)
    assert broken(house, suite) == {rule: 1}


def test_a_repeated_key_is_found(house: House) -> None:
    rows = house.state.warehouse.read(CONVERSATIONS).collect().sort(CONVERSATIONS.key)
    house.state.warehouse.append(CONVERSATIONS, rows.head(1))
    found = broken(house, "conversations.unique_key")
    assert found == {"namespace, conversation_id never twice": 2}


def test_facts_that_say_the_same_only_warn(house: House) -> None:
    change(house, FACTS, lambda rows: rows.with_columns(
        entity_id=pl.col("entity_id").first(), predicate=pl.lit("p"), content=pl.lit("The same.")
    ))  # fmt: skip
    assert broken(house, "facts.duplicates")
    assert not named("facts.duplicates").blocking


def test_a_suite_that_passed_is_not_run_again_for_the_same_versions(house: House) -> None:
    verdicts = verdicts_of(house)
    found = [run_suite(mine(house), suite, verdicts, CheckEngine.POLARS) for suite in suites()]
    assert not any(each.broken for each in found)
    verdicts.save()
    verdicts = verdicts_of(house)
    assert {
        run_suite(mine(house), suite, verdicts, CheckEngine.POLARS).rows for suite in suites()
    } == {None}
    change(house, ENTITIES, first("mentions", pl.col("mentions") + 0))
    assert {
        run_suite(mine(house), suite, verdicts, CheckEngine.POLARS).rows for suite in suites()
    } == {None}
    change(house, ENTITIES, first("display_name", pl.lit("Another")))
    again = [run_suite(mine(house), suite, verdicts, CheckEngine.POLARS) for suite in suites()]
    looked_at = {found.suite.table for found in again if found.rows is not None}
    of_entities = {"entities", "entity_merges", "entity_verdicts", "memory_entities"}
    assert looked_at == {*of_entities, "facts", "valid_times", "engagements", "interests"}


@pytest.mark.usefixtures("by_polars")
def test_failing_checks_stop_publication_not_intake_and_no_other_namespace(
    house: House, tmp_path: Path
) -> None:
    wrong = [
        (RAW_LOGS, "text", pl.lit(f"token {SECRET}"), "no secret in text"),
        (CONVERSATIONS, "records", pl.col("records") + 1, "counts add up"),  # only a suite looks
    ]
    path = tmp_path / "b.jsonl"
    path.write_bytes(line("2026-02-01T10:00:00Z", 1, "Set up the project."))
    add_source(house.state.home, path, "other")
    before = published(house.state.home, "default")
    good = {table.name: house.state.warehouse.read(table).collect() for table, *_ in wrong}
    for table, column, value, _ in wrong:
        spoilt = first(column, value)
        change(house, table, lambda rows, t=table, how=spoilt: how(rows.sort("namespace", *t.key)))

    looks = {"assets": ["publication"], "checks": [
        dg.AssetCheckKey(dg.AssetKey(table.name), "invariants") for table, *_ in wrong
    ]}  # fmt: skip
    result = house.run("verify", **looks)
    assert not result.success
    reasons = sorted(f"{table.name}: {rule}: not so in 1 row" for table, _, _, rule in wrong)
    assert all(reason in failure(result) for reason in reasons)
    failed = {(e.asset_key.to_user_string(), e.check_name)
              for e in result.get_asset_check_evaluations() if not e.passed}  # fmt: skip
    assert {("raw_logs", "invariants"), ("conversations", "invariants")} <= failed

    run.follow(house.state)
    held = blocked_namespaces(house.state.home)
    assert {name: sorted(each.reasons) for name, each in held.items()} == {"default": reasons}
    assert published(house.state.home, "default") == before
    assert published(house.state.home, "other")
    assert house.tick() == "nothing new", "nothing is tried in vain"

    own = pl.col("namespace") == "default"
    for table, *_ in wrong:
        mended = good[table.name].filter(own)
        change(house, table, lambda rows, kept=mended: pl.concat([rows.filter(~own), kept]))
    assert house.run("verify", **looks).success
    assert blocked_namespaces(house.state.home) == {}
    assert published(house.state.home, "default") != before


@pytest.mark.usefixtures("by_polars")
def test_a_row_that_everything_does_not_give_is_made_good_and_goals_are_measured(
    house: House,
) -> None:
    good = house.state.warehouse.read(FACTS).collect().sort(FACTS.key)
    change(house, FACTS, first("extractor", pl.lit("by hand")))
    verdicts = verdicts_of(house)
    broken = {
        stage.name: run_rebuild_check(mine(house), stage, verdicts).broken for stage in PARTLY
    }
    found = {name: rules for name, rules in broken.items() if rules}
    assert found == {"facts": {"facts as made of everything": 1}}
    assert verdicts.reasons == ["facts: facts as made of everything: not so in 1 row"]

    result = house.run("verify")
    assert result.success, failure(result)
    assert_frame_equal(house.state.warehouse.read(FACTS).collect().sort(FACTS.key), good)
    assert verdicts_of(house).reasons == []
    assert run_rebuild_check(house.state.of("default"), PARTLY[0], verdicts_of(house)).rows is None
    assert_goals_are_measured_and_only_warn(result)


def assert_goals_are_measured_and_only_warn(result: dg.ExecuteInProcessResult) -> None:
    goals = {e.check_name: e for e in result.get_asset_check_evaluations()
             if e.check_name in {goal.name for goal in ALL}}  # fmt: skip
    assert goals.keys() == {"yield", "mean_confidence", "sourced", "tokens_in", "tokens_out"}
    assert all(goal.severity.name == "WARN" for goal in goals.values())
    assert goals["sourced"].passed


@pytest.mark.usefixtures("by_polars")
def test_of_many_facts_the_slice_of_the_day_is_looked_at(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cairn.pipelines.checks.frames.ALL_AGAIN", 0)
    following = [stage for stage in PARTLY if stage.update_incremental]

    def broken() -> dict[str, dict[str, int]]:
        found = {
            s.name: run_rebuild_check(house.state.of("default"), s, verdicts_of(house))
            for s in following
        }
        return {name: each.broken for name, each in found.items() if each.broken}

    monkeypatch.setattr("cairn.pipelines.checks.frames.SLICES", 1)
    assert broken() == {}
    change(house, MEMORY, first("confidence", pl.lit(0.123)))
    assert broken() == {"memory": {"memory as made of everything": 1}}
    run.follow(house.state, until="memory")
    assert broken() == {}


def test_of_many_facts_topics_are_looked_at_on_one_day_of_some(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cairn.pipelines.checks.frames.ALL_AGAIN", 0)
    change(house, CLUSTERS, first("x", pl.lit(99.0)))
    last = house.state.warehouse.read(FACTS).select(pl.col("last_seen").max()).collect().item()
    day = (last - EPOCH).days

    def remade() -> tuple[int | None, dict[str, int]]:
        found = run_rebuild_check(house.state.of("default"), CLUSTERS_STAGE, verdicts_of(house))
        return found.rows, found.broken

    monkeypatch.setattr("cairn.pipelines.checks.frames.SLICES", day + 1)
    assert remade() == (0, {})
    change(house, CLUSTERS, first("y", pl.lit(99.0)))
    monkeypatch.setattr("cairn.pipelines.checks.frames.SLICES", day)
    assert remade()[1] == {"clusters as made of everything": 1}


def test_what_another_run_just_wrote_is_not_held_against_what_was_made_before(
    house: House,
) -> None:
    change(house, CANDIDATES, pl.DataFrame.clear)  # no run has followed from it yet
    found = [
        run_rebuild_check(house.state.of("default"), stage, verdicts_of(house)) for stage in PARTLY
    ]
    assert not any(each.broken for each in found)


@pytest.mark.usefixtures("by_polars")
def test_parts_that_do_not_make_the_whole_are_not_published(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgetful(*given: Any) -> dict[str, pl.DataFrame]:
        assert FACTS_STAGE.after
        made = FACTS_STAGE.after(*given)
        return {**made, "facts": first("source_record_ids", pl.lit([]))(made["facts"])}

    forgets = replace(FACTS_STAGE, after=forgetful)
    steps = [step._replace(stage=forgets) if step.name == "facts" else step for step in RUN]
    monkeypatch.setattr("cairn.pipelines.follow.RUN", steps)
    path = tmp_path / "new.jsonl"
    path.write_bytes(line("2026-03-01T10:00:00Z", 1, "Restart docker on the nas."))
    add_source(house.state.home, path, "default")
    before = published(house.state.home, "default")
    run.follow(house.state, until="facts")
    result = house.run("verify")
    assert not result.success
    assert failure(result).strip().endswith("facts: facts as made of everything: not so in 1 row")
    assert published(house.state.home, "default") == before


def test_tables_are_checked_without_loading_great_expectations(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an earlier version held back is judged again by a run, though nothing is new."""
    loaded = [name for name in sys.modules if name.partition(".")[0] in OF_THE_NIGHT]
    for name in (*OF_THE_NIGHT, *loaded):
        monkeypatch.setitem(sys.modules, name, None)  # to import it fails
    monkeypatch.setenv("CAIRN_HOME", str(house.state.home.root))
    broken = {"no secret in payload": 1}
    verdicts_of(house).keep("records.no_secret", "", broken)
    assert run_graph(house.state).runs
    verdicts = kept_verdicts(house.state.home.root / "checks/default.json")
    assert not verdicts.broken
    assert "work.outcomes" in verdicts.passed


def test_tokens_are_counted_per_conversation_that_was_asked_about() -> None:
    judged = [{"outcome": "low_quality", "extractor": name, "conversation_id": str(number)}
              for number, name in enumerate(["learning_model/a@1", "learning_model/a@1",
                                             "learning_rules@3"])]  # fmt: skip
    candidates = pl.DataFrame(judged).with_columns(namespace=pl.lit("me"))
    calls = pl.DataFrame(
        {"asset": ["learning_candidates"] * 3 + ["candidates"],
         "outcome": ["done", "failed", "unanswered", "done"],
         "tokens_in": [5000, 2000, None, 9], "tokens_out": [600, None, None, 9]}
    )  # fmt: skip
    found = measures(candidates, LEARNINGS.empty(), RAW_LOGS.empty(), calls)
    assert found[TOKENS_IN.name] == 3500
    assert TOKENS_OUT.name not in found
    assert missed(TOKENS_IN, {"me": 3500, "you": 4000}) == ["you"]


def test_goals_are_between_their_bounds(built: House) -> None:
    read = built.state.warehouse.read
    learnings = read(LEARNINGS).collect()
    found = measures(
        read(TABLES["learning_candidates"]).collect(),
        learnings,
        read(RAW_LOGS, columns=["record_id"]).collect().head(0),
        MODEL_CALLS.empty(),
    )
    assert TOKENS_IN.name not in found
    assert found[SOURCED.name] == 0.0
    assert missed(SOURCED, {"default": 0.99}) == ["default"]
    assert missed(CONFIDENCE, {"default": 0.75}) == []
    assert missed(YIELD, {"default": 0.31, "other": 0.2}) == ["default"]
