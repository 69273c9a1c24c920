"""Suites as blocking checks, and goals that only warn."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import dagster as dg
import polars as pl

from cairn.assets.engine import plots
from cairn.assets.engine.namespaces import NAMESPACES
from cairn.knowledge.assembly.stages import STAGES
from cairn.knowledge.engine.diff import Change, LazyFrames, difference, rows_with
from cairn.knowledge.engine.stage import Stage, StageContext
from cairn.knowledge.schema.calendar import EPOCH, watermark
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.tables import TABLES, WORK
from cairn.pipelines.checks.engines import CheckEngine, broken
from cairn.pipelines.checks.expectation_check import ReadTable, Suite
from cairn.pipelines.checks.expectations import suites
from cairn.pipelines.checks.goals import GOALS
from cairn.pipelines.checks.oracle import hdbscan_agrees
from cairn.pipelines.checks.rebuild_equal import forget_stage
from cairn.pipelines.checks.retraction_guard import retraction_guard_check
from cairn.resources.context import State
from cairn.resources.llm.verdict_limits import Broken, SuiteVerdicts, told
from cairn.resources.warehouse.publication import blocked_namespaces


class CheckFailed(Exception):  # noqa: N818  what happened
    """Rows of a table break a rule; the message names table, rule and count, and no row."""


class SuiteResult(NamedTuple):
    """What a suite found: rows that were looked at, and rows that break each rule."""

    suite: Suite
    rows: int | None
    """None if it passed before for the same versions."""
    broken: Broken


def run_suite(
    state: State, suite: Suite, verdicts: SuiteVerdicts, engine: CheckEngine
) -> SuiteResult:
    """Runs a suite over the tables of a namespace, unless it passed for just these versions.

    What passed by polars alone is asked of great_expectations, and not the other way about.
    """
    versions = {name: state.warehouse.version(TABLES[name]) for name in suite.reads}
    name, seen = _named(suite, versions)
    by_library = digest(seen, CheckEngine.GREAT_EXPECTATIONS)
    if verdicts.passed(name, by_library) or (
        engine is CheckEngine.POLARS and verdicts.passed(name, seen)
    ):
        return SuiteResult(suite, None, {})

    def read(table: str, *columns: str, days: Sequence[str] | None = None) -> pl.LazyFrame:
        return state.warehouse.read(
            TABLES[table], columns=columns or None, days=days, version=versions[table]
        )

    rows, wrong = _looked_at(suite, read, engine)
    if suite.blocking or not wrong:
        verdicts.keep(name, seen if engine is CheckEngine.POLARS else by_library, wrong)
    return SuiteResult(suite, rows, wrong)


def _named(suite: Suite, versions: Mapping[str, int | None]) -> tuple[str, str]:
    """Name of a suite, and a digest of what it sees."""
    seen = digest(suite.content, *(f"{table}@{version}" for table, version in versions.items()))
    return f"{suite.table}.{suite.name}", seen


def _looked_at(suite: Suite, read: ReadTable, engine: CheckEngine) -> tuple[int, dict[str, int]]:
    rows = 0
    wrong: dict[str, int] = {}
    for batch in suite.batches(read):
        rows += batch.frame.height
        wrong |= broken(batch, engine)
    return rows, wrong


def _result(name: str, found: Sequence[SuiteResult], *, blocking: bool) -> dg.AssetCheckResult:
    """An error stops what is downstream: nothing of the namespace is published."""
    wrong = [told(rule, count) for each in found for rule, count in each.broken.items()]
    shown = [
        {
            "suite": each.suite.name,
            "rows": "as before" if each.rows is None else str(each.rows),
            "broken": sum(each.broken.values()),
            "about": each.suite.about,
        }
        for each in found
    ]
    return dg.AssetCheckResult(
        asset_key=found[0].suite.table,
        check_name=name,
        passed=not wrong,
        severity=dg.AssetCheckSeverity.ERROR if blocking else dg.AssetCheckSeverity.WARN,
        description="; ".join(wrong) or " ".join(each.suite.about for each in found),
        metadata={"suites": plots.table(pl.DataFrame(shown))},
    )


VERIFY = "verify"
"""The job of `cairn verify`; it is quick, and the night is thorough."""

GROUPS = {
    "sources": ("extractors", "records"),
    "logs": ("raw_logs", "conversations", "episodes"),
    "findings": ("candidates", "rejected_facts", "pieces", "check_ins", "learning_candidates",
                 "command_runs", "file_edits", "checkouts", "observations", "failures"),
    "introductions": ("introductions",),
    "known_names": ("known_only_candidates",),
    "names": ("entities", "rejections", "themes", "episode_mst_edges"),
    "theme_facts": ("theme_facts",),
    "facts": ("facts", "fact_sources"),
    "decisions": ("decisions",),
    "learnings": ("learnings", "error_signatures", "proposed_operations", "learn_prompts"),
    "practices": ("projects", "practices", "project_facts", "utility", "briefs"),
    "entity_verdicts": ("entity_verdicts",),
    "entity_merges": ("entity_merges",),
    "vectors": ("embeddings", "similar_facts", "valid_times"),
    "contradictions": ("contradiction_verdicts",),
    "evidence": ("evidence",),
    "changes": ("confidence_updates", "merge_verdicts", "clusters", "fact_mst_edges"),
    "merges": ("merges",),
    "memory": ("memory", "memory_entities"),
    "interests": ("engagements", "preferences"),
    "ranks": ("interests",),
    "end": (
        "enrichment_queue", "notifications", "vector_index", "funnel", "source_files",
        "dead_letters", "work", "model_calls",
    ),
}  # fmt: skip
"""Tables that one step checks: none is made from another one behind the step before it."""

INVARIANTS, DUPLICATES, REBUILD_EQUAL = "invariants", "duplicates", "rebuild_equal"
IS_PUBLISHED = "is_published"
PARTLY = tuple(stage for stage in STAGES if stage.is_incremental)
"""Stages that make anew just what a change touches."""

ALL_AGAIN = 20_000
"""Facts, or episodes, of a namespace up to which all is made of everything to compare."""

SLICES = 50
"""Parts that more facts are looked at in, one for each day of the latest event."""

AS_A_WHOLE = "What was made change by change is what is made of everything."


def _group(name: str, own: Sequence[Suite]) -> dg.AssetChecksDefinition:
    """One step: for each table a check that blocks, and one that warns where there is any."""
    parts: dict[tuple[str, bool], list[Suite]] = {}
    for suite in own:
        parts.setdefault((suite.table, suite.blocking), []).append(suite)

    @dg.multi_asset_check(
        name=f"check_{name}",
        description=f"What must hold of {', '.join(dict.fromkeys(s.table for s in own))}.",
        specs=[
            dg.AssetCheckSpec(
                INVARIANTS if blocking else DUPLICATES,
                asset=table,
                description=" ".join(suite.about for suite in asked),
                blocking=blocking,
                partitions_def=NAMESPACES,
            )
            for (table, blocking), asked in parts.items()
        ],
        can_subset=True,
    )
    def check(
        context: dg.AssetCheckExecutionContext, state: dg.ResourceParam[State]
    ) -> Iterator[dg.AssetCheckResult]:
        own = state.of(context.partition_key)
        verdicts = SuiteVerdicts(state.home, own.own)
        failed: list[str] = []
        engine = (
            CheckEngine.POLARS if context.run.job_name == VERIFY else CheckEngine.GREAT_EXPECTATIONS
        )
        try:
            for (table, blocking), asked in parts.items():
                name = INVARIANTS if blocking else DUPLICATES
                key = dg.AssetCheckKey(dg.AssetKey(table), name)
                if key not in context.selected_asset_check_keys:
                    continue
                found = [run_suite(own, suite, verdicts, engine) for suite in asked]
                result = _result(name, found, blocking=blocking)
                yield result
                if not result.passed and result.severity == dg.AssetCheckSeverity.ERROR:
                    failed.append(f"{table}: {result.description}")
        finally:
            verdicts.save()
        if failed:
            raise CheckFailed("; ".join(failed))

    return check


def run_rebuild_check(state: State, stage: Stage, verdicts: SuiteVerdicts) -> SuiteResult:
    """Makes the tables of a stage of everything, in memory, and compares them with the stored ones.

    Runs make just what a change touches: this proves that the whole gives the same, of many facts a
    slice each day. Where it does not, all is pending again, so that the next run makes it good.
    """
    tables = {table.name: table for table in (*stage.reads, *stage.writes)}
    versions = {name: state.warehouse.version(table) for name, table in tables.items()}
    content = stage.in_force(state.settings.model_in_force).fingerprint(state.policy)
    suite = Suite(stage.name, REBUILD_EQUAL, AS_A_WHOLE, tuple(tables), content, lambda _: ())
    name, seen = _named(suite, versions)
    if verdicts.passed(name, seen):
        return SuiteResult(suite, None, {})
    if _is_behind(state, stage, versions):
        return SuiteResult(suite, 0, {})
    frames = {
        name: stage.counted(name, state.warehouse.read(table, version=versions[name]))
        for name, table in tables.items()
    }
    means = StageContext(state.policy, state.embedder_of(state.own))
    rows, changes = _made_again(stage, frames, means)
    wrong = {
        f"{table.name} as made of everything": count
        for table in stage.writes
        if (count := changes[table.name].rows.select(table.key).unique().height)
    }
    if wrong:
        forget_stage(state, stage.name)
    verdicts.keep(name, seen, wrong)
    verdicts.save()
    return SuiteResult(suite, rows, wrong)


def _made_again(
    stage: Stage, frames: LazyFrames, means: StageContext
) -> tuple[int, Mapping[str, Change]]:
    """Rows that were looked at, and what would come to the tables of a stage and go from them.

    Of many facts, only a slice is rebuilt, as if its facts had just come: nothing may change.
    What has no slice, topics and themes, is rebuilt on one day of as many as there are slices.
    """
    of = stage.reads[0].name
    few = not (stage.update_incremental or stage.sample_check) or _count(frames[of]) <= ALL_AGAIN
    today = 0 if few else _day_of_last(frames["facts" if "facts" in frames else of])
    if few or (stage.sample_check and today % SLICES == 0):
        known = {name: frame.collect() for name, frame in frames.items()}
        made = stage.run(known, means).tables
        changes = {name: difference(known[name], frame) for name, frame in made.items()}
        return sum(frame.height for frame in made.values()), changes
    if stage.update_incremental is None:
        return 0, {table.name: Change(table.empty(), table.empty()) for table in stage.writes}
    mine = pl.col("fact_id").hash(seed=0) % SLICES == today % SLICES
    come = {"facts": frames["facts"].filter(mine).collect()}
    if "entities" in frames:
        entities = come["facts"].select("namespace", "entity_id")
        come["entities"] = rows_with(frames["entities"], entities)
    nothing = {table.name: table.empty() for table in stage.reads}
    as_if = {name: Change(come.get(name, empty), empty) for name, empty in nothing.items()}
    return come["facts"].height, stage.update_incremental(as_if, frames, frames, means)


def _day_of_last(frame: pl.LazyFrame) -> int:
    """Day of the latest event of facts or episodes, counted from 1970."""
    (column,) = {"last_seen", "ended_at"} & set(frame.collect_schema().names())
    last = frame.select(pl.col(column).max()).collect()
    return (watermark(last, column) - EPOCH).days


def _count(frame: pl.LazyFrame) -> int:
    return frame.select(pl.len()).collect().item()


def _is_behind(state: State, stage: Stage, versions: Mapping[str, int | None]) -> bool:
    """Whether somebody wrote what a stage reads since it ran: a run at the same time.

    Its tables are not yet made of that, and whoever wrote it makes them.
    """
    work = state.warehouse.read(WORK).filter(pl.col("stage") == stage.name).collect()
    now = {f"{table.name}@{versions[table.name]}" for table in stage.reads}
    return any(not now <= set(noted.split()) for noted in work["input_hash"])


def _rebuild_check(stage: Stage) -> dg.AssetChecksDefinition:
    @dg.multi_asset_check(
        name=f"check_{stage.name}_{REBUILD_EQUAL}",
        description=AS_A_WHOLE,
        specs=[
            dg.AssetCheckSpec(
                REBUILD_EQUAL,
                asset=stage.name,
                blocking=True,
                description=AS_A_WHOLE,
                partitions_def=NAMESPACES,
            )
        ],
    )
    def check(
        context: dg.AssetCheckExecutionContext, state: dg.ResourceParam[State]
    ) -> Iterator[dg.AssetCheckResult]:
        own = state.of(context.partition_key)
        found = run_rebuild_check(own, stage, SuiteVerdicts(state.home, own.own))
        result = _result(REBUILD_EQUAL, [found], blocking=True)
        yield result
        if not result.passed and result.severity == dg.AssetCheckSeverity.ERROR:
            raise CheckFailed(f"{stage.name}: {result.description}")

    return check


@dg.asset_check(
    asset="publication",
    name=IS_PUBLISHED,
    description="The invariants of the namespace hold, so that it could be published.",
    partitions_def=NAMESPACES,
)
def is_published(
    context: dg.AssetCheckExecutionContext, state: dg.ResourceParam[State]
) -> dg.AssetCheckResult:
    """Says why readers keep what they had, where they do."""
    held = blocked_namespaces(state.home).get(context.partition_key)
    why = "; ".join(held.reasons) if held else ""
    return dg.AssetCheckResult(
        passed=held is None, description=f"Held back: {why}." if held else "It is published."
    )


def checks() -> list[dg.AssetChecksDefinition]:
    """The suites of all tables, in a few steps, and the goals."""
    every = suites()
    groups = [
        _group(name, [suite for table in tables for suite in every if suite.table == table])
        for name, tables in GROUPS.items()
    ]
    return [
        *groups, *map(_rebuild_check, PARTLY), retraction_guard_check, *GOALS, hdbscan_agrees,
        is_published,
    ]  # fmt: skip


CHECKS = checks()
