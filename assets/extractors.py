"""The rules, stages and models in force: what stands above all that they make."""

from typing import Any

import dagster as dg

from assets.progress import Report, timed
from assets.stage import result
from knowledge.extractors import Extractor, extractors_frame
from knowledge.tables import EXTRACTORS
from resources.lock import write_lock
from resources.state import State


def in_force() -> list[Extractor]:
    """Everything with a fingerprint: adapters, rules, stages."""
    from assets.raw_logs import STAGE as RAW_LOGS_STAGE
    from knowledge.adapters import adapters
    from knowledge.learnings.stage import EXTRACTOR as LEARNING_RULES
    from knowledge.rules import RULES
    from knowledge.stages import STAGES

    read = [Extractor(a.name, "adapter", a.version, a.about) for a in adapters().values()]
    rules = [rule.extractor for rule in RULES]
    stages = [stage.extractor for stage in STAGES]
    return [*read, RAW_LOGS_STAGE, *rules, LEARNING_RULES, *stages]


@dg.asset(
    description=EXTRACTORS.about,
    group_name="logs",
    kinds={"polars", "deltalake"},
)
def extractors(state: dg.ResourceParam[State]) -> dg.MaterializeResult[Any]:
    """Shows a changed rule, prompt or model, so that what it made reads as stale."""
    with write_lock(state.home, "extractors"), timed("extractors") as finished:
        frame = extractors_frame(in_force(), state.policy)
        written = state.warehouse.write(EXTRACTORS, frame)
        report = finished(
            Report("extractors", frame.height, done=frame.height, rows=frame.height,
                   written=int(written.changed))
        )  # fmt: skip
    return result(state, EXTRACTORS, report)
