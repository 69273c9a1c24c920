"""What the tables as they stand would strike out of what was published."""

from cairn.knowledge.quality.retraction_guard import READS, Retractions, retractions
from cairn.resources.context import State
from cairn.resources.home.damage import Damaged
from cairn.resources.warehouse.publication import published, read_published


def retractions_now(state: State, namespace: str) -> Retractions | None:
    """What would be retracted if a namespace were published now; None if nothing can be lost.

    That is so where it never was published, and where the tables were taken away and rebuilt:
    the versions that the manifest names are gone, and nobody can read them any more.
    """
    manifest = published(state.home, namespace)
    if manifest is None:
        return None
    warehouse = state.warehouse
    try:
        before = {table.name: read_published(warehouse, manifest, table) for table in READS}
    except Damaged:
        return None
    return retractions(
        before, {table.name: warehouse.read(table, namespace=namespace) for table in READS}
    )


def bounds(state: State) -> dict[str, float]:
    """The settings that say how much may be struck out at once."""
    policy = state.policy
    return {"share": policy.max_retraction_ratio, "floor": policy.max_retraction_count}
