"""How much there is of what was published."""

import polars as pl

from cairn.knowledge.consolidation.verdicts.standing import IN_FORCE
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.tables import CONVERSATIONS, RAW_LOGS, THEMES
from cairn.serving.read.reader import Reader


def totals(reader: Reader) -> dict[str, int]:
    """Rows of what was published; counted once, where tables are held."""
    if reader.is_now:
        return dict(reader.once("totals", lambda: _counted(reader)))
    return _counted(reader)


def _counted(reader: Reader) -> dict[str, int]:
    memory = reader.memory().filter(pl.col("status").is_in(IN_FORCE))
    faded = pl.col("status") == "deprecated"
    counted = {
        "conversations": reader.table(CONVERSATIONS, ["conversation_id"]),
        "records": reader.table(RAW_LOGS, ["record_id"]),
        "entities": reader.top_entities(),
        "facts": memory.filter(~is_event(), ~faded),
        "events": memory.filter(is_event(), ~faded),
        "deprecated_facts": memory.filter(~is_event(), faded),
        "learnings": reader.learnings(),
        "themes": reader.table(THEMES, ["theme_id"]),
    }
    heights = pl.collect_all(frame.select(pl.len()) for frame in counted.values())
    return dict(zip(counted, (int(height.item()) for height in heights), strict=True))
