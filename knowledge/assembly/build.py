"""The whole: all stages composed, from records to what is known. Properties are tested on it."""

from collections.abc import Callable, Mapping, Sequence

import polars as pl

from cairn.knowledge.assembly.run import RUN
from cairn.knowledge.assembly.stages import BY_RULES, INTRODUCTIONS_STAGE
from cairn.knowledge.dialogue.turns import CONVERSATION
from cairn.knowledge.engine.stage import ConversationStage, Frames, Stage, StageContext
from cairn.knowledge.extraction.candidates import candidates
from cairn.knowledge.extraction.documents import structuring
from cairn.knowledge.extraction.introductions import first_introductions
from cairn.knowledge.extraction.llm_extraction import full_mode
from cairn.knowledge.extraction.rules import RULES, Rule
from cairn.knowledge.ingest.events import HEAD_COLUMNS, PLACE, placed, raw_logs
from cairn.knowledge.ingest.sessions import conversations, episodes
from cairn.knowledge.learnings.llm.extraction import asked_learnings
from cairn.knowledge.learnings.stages import learning_candidates
from cairn.knowledge.schema.tables import INTRODUCTIONS, RECORDS, TABLES

LAST = RUN[-1].name


def build(
    records: pl.DataFrame,
    means: StageContext,
    rules: Sequence[Rule] = RULES,
    introduced: pl.DataFrame | None = None,
    until: str = LAST,
) -> dict[str, pl.DataFrame]:
    """Every derived table by name, as the graph makes them of these records.

    `records` may come in any order. Each namespace is made by itself, each conversation taken for
    finished. `introduced` are INTRODUCTIONS of names that other records brought in. Of the steps
    behind the one named by `until` there are no tables.
    """
    before = INTRODUCTIONS.empty() if introduced is None else introduced
    made = [
        _build(own, means, rules, before.filter(pl.col("namespace") == namespace), until)
        for (namespace,), own in sorted(records.group_by("namespace"))
    ]
    names = made[0] if made else ()
    return {
        name: pl.concat([tables[name] for tables in made]).sort(TABLES[name].key) for name in names
    }


def _build(
    records: pl.DataFrame,
    means: StageContext,
    rules: Sequence[Rule],
    before: pl.DataFrame,
    until: str,
) -> dict[str, pl.DataFrame]:
    tables = _run({RECORDS.name: records}, means, rules, before, until)
    del tables[RECORDS.name]
    return tables


def build_from_logs(
    raw_logs: pl.DataFrame, means: StageContext, until: str = LAST
) -> dict[str, pl.DataFrame]:
    """Every table that is derived from RAW_LOGS of one namespace; `until` as of `build`."""
    return _run(_of_logs(raw_logs, means), means, RULES, INTRODUCTIONS.empty(), until)


def _run(
    tables: dict[str, pl.DataFrame],
    means: StageContext,
    rules: Sequence[Rule],
    before: pl.DataFrame,
    until: str,
) -> dict[str, pl.DataFrame]:
    """All tables up to a step, those that are there among them."""
    last = [step.name for step in RUN].index(until)
    for step in RUN[: last + 1]:
        if any(table.name in tables for table in step.writes):
            continue
        if step.by_day:
            tables |= _BY_DAY[step.name](tables, means, rules)
        elif step.stage is not None:
            tables |= step.stage.run(_read(step.stage, tables), means).tables
            if step.stage is INTRODUCTIONS_STAGE:
                tables["introductions"] = first_introductions(before, tables["introductions"])
    return tables


def _raw_logs(tables: Frames, means: StageContext, _: Sequence[Rule]) -> dict[str, pl.DataFrame]:
    records = tables[RECORDS.name]
    where = placed(records.select(HEAD_COLUMNS), means.policy)
    belongs = where.select("namespace", "record_key", *PLACE)
    read = records.drop("occurred_at").join(belongs, on=["namespace", "record_key"])
    return _of_logs(raw_logs(read).raw_logs, means)


def _of_logs(logs: pl.DataFrame, means: StageContext) -> dict[str, pl.DataFrame]:
    return {
        "raw_logs": logs,
        "conversations": conversations(logs),
        "episodes": episodes(logs, means.policy),
    }


def _candidates(
    tables: Frames, means: StageContext, rules: Sequence[Rule]
) -> dict[str, pl.DataFrame]:
    logs = tables["raw_logs"]
    proposed = candidates(logs, means.policy, rules)
    ingested = structuring(logs, means.model, means.policy)
    found = [ingested.extraction]
    if means.model is not None:
        found.append(full_mode(logs, means.model, means.embedder, means.policy))
    return {
        "candidates": pl.concat([proposed.candidates, *(one.candidates for one in found)]),
        "rejected_facts": pl.concat([proposed.held, *(one.refused for one in found)]),
        "pieces": ingested.pieces,
        "check_ins": ingested.check_ins,
    }


def _learning_candidates(
    tables: Frames, means: StageContext, _: Sequence[Rule]
) -> dict[str, pl.DataFrame]:
    logs = tables["raw_logs"]
    found = learning_candidates(logs, means.policy)
    if means.model is not None:
        finished = logs.select(CONVERSATION).unique()
        taught = asked_learnings(logs, finished, means.model, means.policy).candidates
        found = pl.concat([found, taught])
    return {"learning_candidates": found}


_Make = Callable[[Frames, StageContext, Sequence[Rule]], dict[str, pl.DataFrame]]


def _by_rules(stage: ConversationStage) -> _Make:
    return lambda tables, _means, _rules: stage.run(tables["raw_logs"])


_BY_DAY: Mapping[str, _Make] = {
    "raw_logs": _raw_logs,
    "candidates": _candidates,
    "learning_candidates": _learning_candidates,
    **{stage.name: _by_rules(stage) for stage in BY_RULES},
}


def _read(stage: Stage, tables: Frames) -> Frames:
    return {table.name: stage.counted(table.name, tables[table.name]) for table in stage.reads}


def comparable(tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Tables without what tells when or where a row was processed, sorted: what must be equal."""
    return {
        name: frame.drop(TABLES[name].processing, strict=False).sort(TABLES[name].key)
        for name, frame in tables.items()
    }
