"""How much there is of what was published."""

import polars as pl

from cairn.knowledge.consolidation.standing import IN_FORCE
from cairn.knowledge.schema.predicates import STRUCTURAL_PREDICATES
from cairn.knowledge.schema.tables import CONVERSATIONS, RAW_LOGS, THEMES
from cairn.serving.read.reader import Reader


def totals(reader: Reader) -> dict[str, int]:
    """Rows of what was published."""
    every = reader.memory().filter(pl.col("status").is_in(IN_FORCE))
    memory = every.filter(pl.col("status") != "deprecated")
    structural = memory.filter(pl.col("predicate").is_in(list(STRUCTURAL_PREDICATES)))
    counted = {
        "conversations": reader.table(CONVERSATIONS, ["conversation_id"]),
        "records": reader.table(RAW_LOGS, ["record_id"]),
        "entities": reader.top_entities(),
        "in_force": every,
        "current": memory,
        "structural_facts": structural,
        "learnings": reader.learnings(),
        "themes": reader.table(THEMES, ["theme_id"]),
    }
    heights = pl.collect_all(frame.select(pl.len()) for frame in counted.values())
    rows = dict(zip(counted, (int(height.item()) for height in heights), strict=True))
    return {
        "conversations": rows["conversations"],
        "records": rows["records"],
        "entities": rows["entities"],
        "facts": rows["current"] - rows["structural_facts"],
        "structural_facts": rows["structural_facts"],
        "deprecated_facts": rows["in_force"] - rows["current"],
        "learnings": rows["learnings"],
        "themes": rows["themes"],
    }
