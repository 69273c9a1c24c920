"""The asset graph: all tables in a few phases, and the version of the code that each is made by.

A phase is one step of Dagster, which makes the steps of RUN that lie in it, and any of its tables
can be asked for alone. A step costs Dagster some 25 ms and half a dozen events, whatever it does:
one for each of forty stages took longer than the stages do where ten lines are new.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

import dagster as dg

from cairn.assets.engine.namespaces import NAMESPACES
from cairn.assets.engine.progress import StageReport
from cairn.assets.engine.run_stage import result, specs
from cairn.assets.maintenance import maintenance
from cairn.assets.model_calls import run_model_calls
from cairn.assets.pending.in_force import in_force
from cairn.assets.pending.raw_logs import fingerprint
from cairn.assets.pending.steps import BY_CONVERSATION
from cairn.assets.publication import publication_shown
from cairn.assets.records import files_of_run, intake
from cairn.assets.stages import GROUPS, SHOWN
from cairn.assets.vector_index import run_vector_index
from cairn.assets.work import noted_at_once
from cairn.knowledge.assembly.run import RUN, STEPS, RunStep
from cairn.knowledge.assembly.stages import STAGES
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.tables import (
    CHECK_INS,
    DEAD_LETTERS,
    MODEL_CALLS,
    PIECES,
    SOURCE_FILES,
    WORK,
    Table,
)
from cairn.pipelines.follow import take
from cairn.pipelines.planning.asked_again import asked_again_shown
from cairn.resources.context import State
from cairn.resources.home.settings import Settings

_FIRST_STEPS = {
    "intake": "extractors",
    "read": "raw_logs",
    "find": "candidates",
    "know": "introductions",
    "consolidate": "entity_merges",
    "serve": "engagements",
    "index": "vector_index",
}
"""Phases in their order, each with its first step: it ends before the first one of the next."""


def _phases() -> dict[str, list[str]]:
    names = list(STEPS)
    bounds = [*map(names.index, _FIRST_STEPS.values()), len(names)]
    return {
        phase: names[begin:end]
        for phase, begin, end in zip(_FIRST_STEPS, bounds, bounds[1:], strict=False)
    }


PHASES = _phases()
"""Names of the steps in each; a step is looked up when it is taken."""

NIGHT = "night"
"""The job that builds the index anew, in whatever parts Dagster takes the phases there."""

BOOKS = (SOURCE_FILES, DEAD_LETTERS, WORK, MODEL_CALLS)
"""Tables that all steps write to as they go, shown by the last phase beside its own."""

MANIFEST = dg.AssetSpec(
    "publication",
    deps=["vector_index", "briefs", "utility", "funnel"],
    description="The manifest of a namespace: the versions that its readers follow.",
    group_name="serving",
    partitions_def=NAMESPACES,
)


class RunConfig(dg.Config):
    """What a run is asked for; nothing of it, for all that is pending."""

    max_bytes: int | None = None
    """Bytes of the newest changed files that are taken in; all of them if none."""
    inbox_alone: bool = False
    """Takes in only what people told Cairn."""
    since: str | None = None
    """First day whose conversations are made, as 2026-03-01; else from the first of all."""
    until: str | None = None
    """Last one."""
    rebuild: bool = False
    """Builds the index anew and optimizes it, as the night does, even where nothing changed."""

    def takes(self, day: str) -> bool:
        """Whether conversations of a day are made."""
        return (self.since or day) <= day <= (self.until or day)


def _make(state: State, step: RunStep, config: RunConfig) -> StageReport:
    """Takes one step as it is asked for."""
    if step.name == "records":
        files = files_of_run(state, config.max_bytes, inbox_alone=config.inbox_alone)
        return intake(state, files)
    if step.name == "vector_index":
        return run_vector_index(state, rebuild=config.rebuild)
    return take(state, step, config.takes)[0]


def _taken(state: State, step: RunStep, config: RunConfig) -> Iterator[dg.MaterializeResult[Any]]:
    # Before it is noted what is in force: by then nothing has changed any more.
    stale = asked_again_shown(state) if step.name == "extractors" else {}
    report = _make(state, step, config)
    for table in step.writes:
        yield _told(state, table, report, stale)
    if step.name == "publication":
        shown = publication_shown(state, report)
        yield dg.MaterializeResult(asset_key=step.name, metadata=shown)


def _books(state: State, asked: Set[str]) -> Iterator[dg.MaterializeResult[Any]]:
    if asked.isdisjoint(table.name for table in BOOKS):
        return
    calls = run_model_calls(state)
    for table in BOOKS:
        yield _told(state, table, calls if table is MODEL_CALLS else StageReport(table.name))


def _told(
    state: State, table: Table, report: StageReport, extra: Mapping[str, Any] | None = None
) -> dg.MaterializeResult[Any]:
    more = SHOWN.get(table.name)
    return result(state, table, report, more(state) if more else extra)


def _phase(name: str, parts: Sequence[str]) -> dg.AssetsDefinition:
    group = {step: group for group, names in GROUPS.items() for step in names}
    steps = [STEPS[part] for part in parts]
    has_books = "publication" in parts
    own = [
        spec
        for step in steps
        if step.writes
        for spec in specs(
            step.writes,
            step.reads,
            group[step.writes[0].name],
            checked=bool(step.reads),
        )
    ]
    if has_books:
        own += [*specs(BOOKS, [], "books", checked=False), MANIFEST]

    @dg.multi_asset(
        name=name,
        specs=own,
        can_subset=True,
        description=f"Makes {', '.join(parts)}, as far as they are pending.",
    )
    def phase(
        context: dg.AssetExecutionContext, config: RunConfig, state: dg.ResourceParam[State]
    ) -> Iterator[dg.MaterializeResult[Any]]:
        own = state.of(context.partition_key)
        asked = {key.to_user_string() for key in context.selected_asset_keys}
        if context.run.job_name == NIGHT:
            config = RunConfig(rebuild=True)
        with noted_at_once(own) as note:
            for step in map(STEPS.__getitem__, parts):
                if step.name == "publication":
                    note()
                    yield from _of(asked, _books(own, asked))
                # All tables of a step are one piece of work; Dagster hears of those asked for.
                if not asked.isdisjoint([table.name for table in step.writes] or [step.name]):
                    yield from _of(asked, _taken(own, step, config))

    return phase


def _of(
    asked: set[str], results: Iterator[dg.MaterializeResult[Any]]
) -> Iterator[dg.MaterializeResult[Any]]:
    for each in results:
        if each.asset_key is not None and each.asset_key.to_user_string() in asked:
            yield each


ASSETS: Sequence[dg.AssetsDefinition] = (
    *(_phase(name, parts) for name, parts in PHASES.items()), maintenance,
)  # fmt: skip

FROM_RECORDS = tuple(
    key.to_user_string()
    for asset in ASSETS[1:]
    for key in asset.keys
    if key.to_user_string() != "maintenance"
)
"""Assets of all phases after intake."""

WHOLE = tuple(
    name for name in FROM_RECORDS
    if name not in {table.name for step in RUN if step.by_day for table in step.writes}
)  # fmt: skip
"""Assets that are made of all days."""


def versioned(
    assets: Sequence[dg.AssetsDefinition], settings: Settings
) -> list[dg.AssetsDefinition]:
    """Assets with code versions: digests of the fingerprints that they use.

    A changed rule, prompt or threshold then shows in the UI at `extractors`, and at what it makes.
    """
    policy = settings.policy
    stages = {e.name: e.fingerprint(policy) for e in in_force(settings)}
    all_of_them = digest(*(f"{name}={value}" for name, value in sorted(stages.items())))
    by_name = {
        **{table.name: stages[stage.name] for stage in STAGES for table in stage.writes},
        **dict.fromkeys(("raw_logs", "conversations", "episodes"), fingerprint(policy)),
        **{
            table.name: digest(*sorted(e.fingerprint(policy) for e in step.extractors(settings)))
            for step in BY_CONVERSATION
            for table in STEPS[step.name].writes
            if table not in (PIECES, CHECK_INS)  # of what was ingested, and of no rule
        },
        "extractors": all_of_them,
    }

    def version(spec: dg.AssetSpec) -> dg.AssetSpec:
        name = spec.key.to_user_string()
        return spec.replace_attributes(code_version=by_name.get(name, "1"))

    return [asset.map_asset_specs(version) for asset in assets]
