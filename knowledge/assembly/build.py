"""The whole: all stages composed, from records to what is known. Properties are tested on it."""

from collections.abc import Sequence

import polars as pl

from knowledge.assembly.stages import INTRODUCTIONS_STAGE, STAGES
from knowledge.dialogue.turns import CONVERSATION
from knowledge.engine.stage import Frames, Means, Stage
from knowledge.extraction.candidates import candidates
from knowledge.extraction.documents import structuring
from knowledge.extraction.introductions import first_introductions
from knowledge.extraction.llm_extraction import full_mode
from knowledge.extraction.rules import RULES, Rule
from knowledge.ingest.events import HEAD_COLUMNS, PLACE, placed, raw_logs
from knowledge.ingest.sessions import conversations, episodes
from knowledge.learnings.llm.extraction import asked_learnings
from knowledge.learnings.stages import learning_candidates
from knowledge.schema.tables import INTRODUCTIONS, TABLES


def build(
    records: pl.DataFrame,
    means: Means,
    rules: Sequence[Rule] = RULES,
    introduced: pl.DataFrame | None = None,
) -> dict[str, pl.DataFrame]:
    """Every derived table by name, as the graph makes them of these records.

    `records` may come in any order. Each namespace is made by itself, each conversation taken for
    finished. `introduced` are INTRODUCTIONS of names that other records brought in.
    """
    before = INTRODUCTIONS.empty() if introduced is None else introduced
    made = [
        _build(own, means, rules, before.filter(pl.col("namespace") == namespace))
        for (namespace,), own in sorted(records.group_by("namespace"))
    ]
    names = made[0] if made else ()
    return {
        name: pl.concat([tables[name] for tables in made]).sort(TABLES[name].key) for name in names
    }


def _build(
    records: pl.DataFrame, means: Means, rules: Sequence[Rule], before: pl.DataFrame
) -> dict[str, pl.DataFrame]:
    where = placed(records.select(HEAD_COLUMNS), means.policy)
    belongs = where.select("namespace", "record_key", *PLACE)
    read = records.drop("occurred_at").join(belongs, on=["namespace", "record_key"])
    logs = raw_logs(read).raw_logs
    proposed = candidates(logs, means.policy, rules)
    ingested = structuring(logs, means.model, means.policy)
    tables = {
        "raw_logs": logs,
        "conversations": conversations(logs),
        "episodes": episodes(logs, means.policy),
        "candidates": pl.concat([proposed.candidates, ingested.extraction.candidates]),
        "refusals": pl.concat([proposed.held, ingested.extraction.refused]),
        "pieces": ingested.pieces,
        "check_ins": ingested.check_ins,
        "learning_candidates": learning_candidates(logs, means.policy),
    }
    if means.model is not None:
        asked = full_mode(logs, means.model, means.embedder, means.policy)
        tables["candidates"] = pl.concat([tables["candidates"], asked.candidates])
        tables["refusals"] = pl.concat([tables["refusals"], asked.refused])
        finished = logs.select(CONVERSATION).unique()
        taught = asked_learnings(logs, finished, means.model, means.policy).candidates
        tables["learning_candidates"] = pl.concat([tables["learning_candidates"], taught])
    for stage in STAGES:
        tables |= stage.run(_read(stage, tables), means).tables
        if stage is INTRODUCTIONS_STAGE:
            tables["introductions"] = first_introductions(before, tables["introductions"])
    return tables


def _read(stage: Stage, tables: Frames) -> Frames:
    return {
        table.name: tables[table.name].filter(stage.rows_of(table.name)) for table in stage.reads
    }


def comparable(tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Tables without what tells when or where a row was processed, sorted: what must be equal."""
    return {
        name: frame.drop(TABLES[name].processing, strict=False).sort(TABLES[name].key)
        for name, frame in tables.items()
    }
