"""What people want no agent to be told: entities by name, pieces of memory by id."""

import polars as pl

from cairn.knowledge.interests.preferences import in_force
from cairn.knowledge.schema.tables import PREFERENCES
from cairn.serving.read.reader import Reader

PIECE_ID = r"^[a-z]{1,2}_[0-9a-f]{4,}$"
"""How the id of a piece looks, or its beginning."""


def muted_at(reader: Reader) -> pl.DataFrame:
    """Rows of PREFERENCES by which something is muted at the reader's moment."""
    rows = reader.table(PREFERENCES).filter(attitude="mute").collect()
    return in_force(rows, "started_at", "ended_at", reader.latest)
