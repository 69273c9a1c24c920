"""What the tables as they stand would strike out of what was published."""

from knowledge.struck_out import READS, StruckOut, struck_out
from resources.publication import published, read_published
from resources.state import State


def struck_out_now(state: State, namespace: str) -> StruckOut | None:
    """What would be struck out if a namespace were published now; None if it never was."""
    manifest = published(state.home, namespace)
    if manifest is None:
        return None
    warehouse = state.warehouse
    return struck_out(
        {table.name: read_published(warehouse, manifest, table) for table in READS},
        {table.name: warehouse.read(table, namespace=namespace) for table in READS},
    )


def bounds(state: State) -> dict[str, float]:
    """The settings that say how much may be struck out at once."""
    policy = state.policy
    return {"share": policy.struck_out_share, "floor": policy.struck_out_floor}
