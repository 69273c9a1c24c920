"""The rules, stages and models in force: what stands above all that they make."""

from cairn.assets.engine.progress import StageReport, timed
from cairn.assets.pending.in_force import in_force
from cairn.knowledge.engine.extractors import extractors_frame
from cairn.knowledge.schema.tables import EXTRACTORS
from cairn.resources.context import State


def run_extractors(state: State) -> StageReport:
    """Writes what is in force."""
    with state.writing("extractors"), timed("extractors", state.namespace) as finished:
        frame = extractors_frame(in_force(state.settings), state.policy)
        written = state.warehouse.write(EXTRACTORS, frame, namespaces=state.namespaces())
        return finished(
            StageReport("extractors", frame.height, done=frame.height, rows=frame.height,
                   written=int(written.changed))
        )  # fmt: skip
