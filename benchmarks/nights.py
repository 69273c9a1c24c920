"""A first night, and a night that brings a hundredth more, through the stages and their tables."""

import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from assets.stage import run_stage
from benchmarks.made_up import NAMESPACE, world
from knowledge.consolidation import CLUSTERS_STAGE, CONSOLIDATION
from knowledge.stage import Frames, Stage
from knowledge.tables import TABLES
from resources.state import State, open_state

GROWING = tuple(stage for stage in CONSOLIDATION if stage.amend)


def nights(count: int, *, clusters: bool = False) -> dict[str, object]:
    """CPU seconds of each stage in both nights, and the most memory held up to the end of each.

    Each night opens the home anew, as a run of its own would: what it remembers it has read.
    """
    stages = (*GROWING, CLUSTERS_STAGE) if clusters else GROWING
    made = world(count)
    with tempfile.TemporaryDirectory() as home:
        rows: dict[str, int] = {}
        seconds: dict[str, dict[str, float]] = {}
        peaks: dict[str, float] = {}
        for name, tables in (("first", made.before), ("second", made.after)):
            _put(open_state(Path(home)), tables)
            seconds[name] = _night(open_state(Path(home)), stages)
            peaks[name] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            rows[name] = tables["facts"].height
        first, second = (sum(each.values()) for each in seconds.values())
        return {
            "facts": rows,
            "seconds": seconds,
            "total": {"first": first, "second": second},
            "share": second / first,
            "peaks": peaks,
        }


def _put(state: State, tables: Frames) -> None:
    """Writes the tables above consolidation, as their stages do."""
    for name, frame in tables.items():
        state.warehouse.write(TABLES[name], frame, namespaces=[NAMESPACE])


def _night(state: State, stages: Sequence[Stage]) -> dict[str, float]:
    seconds: dict[str, float] = {}
    begin = time.process_time()
    _ = state.embedder
    seconds["embedder"] = time.process_time() - begin
    for stage in stages:
        begin = time.process_time()
        run_stage(state, stage)
        seconds[stage.name] = time.process_time() - begin
    return seconds


if __name__ == "__main__":
    import json

    sys.stdout.write(json.dumps(nights(int(sys.argv[1]), clusters=len(sys.argv) > 2), indent=1))
