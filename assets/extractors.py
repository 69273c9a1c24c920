"""The rules, stages and models in force: what stands above all that they make."""

from typing import Any

import dagster as dg

from cairn.assets.engine.progress import StageReport, timed
from cairn.assets.engine.run_stage import result
from cairn.knowledge.engine.extractors import Extractor, extractors_frame
from cairn.knowledge.schema.tables import EXTRACTORS
from cairn.resources.context import State
from cairn.resources.home.settings import Settings
from cairn.resources.home.write_lock import write_lock


def in_force(settings: Settings) -> list[Extractor]:
    """Everything with a fingerprint: adapters, rules, stages, and prompts if a model is set."""
    from cairn.assets.candidates import extractors as of_candidates
    from cairn.assets.learning_candidates import extractors as of_learnings
    from cairn.assets.raw_logs import STAGE as RAW_LOGS_STAGE
    from cairn.knowledge.assembly.stages import STAGES
    from cairn.knowledge.ingest.adapters import adapters
    from cairn.knowledge.llm.prompts import PROMPTS

    read = [Extractor(a.name, "adapter", a.version, a.about) for a in adapters().values()]
    model = settings.model
    stages = [stage.in_force(model) for stage in STAGES]
    prompts = [
        Extractor(prompt.name, "prompt", 1, prompt.about, parts=(prompt.fingerprint(model),))
        for prompt in PROMPTS.values()
        if model
    ]
    by_day = [*of_candidates(settings), *of_learnings(settings)]
    return [*read, RAW_LOGS_STAGE, *by_day, *stages, *prompts]


def run_extractors(state: State) -> StageReport:
    """Writes what is in force."""
    with write_lock(state.home, "extractors"), timed("extractors") as finished:
        frame = extractors_frame(in_force(state.settings), state.policy)
        written = state.warehouse.write(EXTRACTORS, frame)
        return finished(
            StageReport("extractors", frame.height, done=frame.height, rows=frame.height,
                   written=int(written.changed))
        )  # fmt: skip


@dg.asset(
    description=EXTRACTORS.about,
    group_name="logs",
    kinds={"polars", "deltalake"},
)
def extractors(state: dg.ResourceParam[State]) -> dg.MaterializeResult[Any]:
    """Shows a changed rule, prompt or model, so that what it made reads as stale."""
    return result(state, EXTRACTORS, run_extractors(state))
