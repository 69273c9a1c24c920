"""A first night, and a night that brings a hundredth more, through the stages and their tables."""

import time
from pathlib import Path

from benchmarks.made_up import NAMESPACE, world
from cairn.assets.engine.run_stage import run_stage
from cairn.knowledge.consolidation.stages import CONSOLIDATION
from cairn.knowledge.schema.tables import TABLES
from cairn.resources.context import open_state


def put(home: Path, count: int, *, before: bool) -> int:
    """Writes the tables above consolidation as they are before or after the last night.

    Returns:
        How many facts there are.
    """
    made, state = world(count), open_state(home)
    tables = made.before if before else made.after
    for name, frame in tables.items():
        state.warehouse.write(TABLES[name], frame, namespaces=[NAMESPACE])
    return tables["facts"].height


def night(home: Path) -> dict[str, float]:
    """CPU seconds of each stage, reading and writing included."""
    state = open_state(home)
    seconds: dict[str, float] = {}
    begin = time.process_time()
    state.embedder.embed(["first"])
    seconds["loading the embedder"] = time.process_time() - begin
    for stage in CONSOLIDATION:
        begin = time.process_time()
        run_stage(state, stage)
        seconds[stage.name] = time.process_time() - begin
    return seconds
