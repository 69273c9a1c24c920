"""A run, declared once: its steps in the order of the data, and the tables each reads and writes.

The asset graph, a run without Dagster, the build in memory and the report of a run go by this list.
"""

from typing import NamedTuple

from cairn.knowledge.assembly.stages import BY_RULES, STAGES
from cairn.knowledge.engine.stage import Stage
from cairn.knowledge.schema.tables import (
    CANDIDATES,
    CHECK_INS,
    CONVERSATIONS,
    EMBEDDINGS,
    EPISODES,
    EXTRACTORS,
    FACT_SOURCES,
    LEARNING_CANDIDATES,
    LEARNINGS,
    MEMORY,
    MEMORY_ENTITIES,
    PIECES,
    RAW_LOGS,
    RECORDS,
    REJECTED_FACTS,
    VECTOR_INDEX,
    Table,
)


class RunStep(NamedTuple):
    """One step of a run; its name is that of its report."""

    name: str
    reads: tuple[Table, ...] = ()
    """Tables whose change it follows."""
    writes: tuple[Table, ...] = ()
    by_day: bool = False
    """Whether it makes some days; else it makes whole tables."""
    stage: Stage | None = None
    """What it runs, of STAGES."""


RUN: tuple[RunStep, ...] = (
    RunStep("extractors", (), (EXTRACTORS,)),
    RunStep("records", (), (RECORDS,)),
    RunStep("raw_logs", (RECORDS,), (RAW_LOGS, CONVERSATIONS, EPISODES), by_day=True),
    RunStep(
        "candidates", (RAW_LOGS,), (CANDIDATES, REJECTED_FACTS, PIECES, CHECK_INS), by_day=True
    ),
    RunStep("learning_candidates", (RAW_LOGS,), (LEARNING_CANDIDATES,), by_day=True),
    *(RunStep(stage.name, (RAW_LOGS,), stage.writes, by_day=True) for stage in BY_RULES),
    *(RunStep(stage.name, stage.reads, stage.writes, stage=stage) for stage in STAGES),
    RunStep(
        "vector_index",
        (MEMORY, MEMORY_ENTITIES, EPISODES, LEARNINGS, EMBEDDINGS, FACT_SOURCES, CONVERSATIONS),
        (VECTOR_INDEX,),
    ),
    RunStep("publication"),
)

STEPS = {step.name: step for step in RUN}
