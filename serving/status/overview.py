"""What is there, in a few numbers and the best of each kind: for the end of a run, HTTP and MCP."""

from typing import Any

from cairn.knowledge.schema.tables import THEMES
from cairn.serving.query.interests import interests
from cairn.serving.query.notifications import notifications
from cairn.serving.query.research import prompts
from cairn.serving.read.reader import Reader
from cairn.serving.retrieval.search import search_memory
from cairn.serving.status.totals import totals


def overview(reader: Reader) -> dict[str, Any]:
    """The best of a namespace: learnings, entities, what is cared about, one search."""
    learnings = reader.learnings().head(5).drop("simhash").collect().to_dicts()
    entities = reader.top_entities().head(10).collect().to_dicts()
    query = example_query(reader, learnings, entities)
    return {
        "namespace": reader.namespace,
        "as_of": reader.as_of,
        "totals": totals(reader),
        "learnings": learnings,
        "entities": entities,
        "interests": [row for row in interests(reader, 3).rows if row["score"] > 0],
        "learn_prompts": prompts(reader, 5).rows,
        "notifications": notifications(reader, 3).rows,
        "example": {
            "query": query,
            "results": search_memory(reader, query, "all", 3, seconds=0) if query else [],
        },
    }


def example_query(
    reader: Reader, learnings: list[dict[str, Any]], entities: list[dict[str, Any]]
) -> str | None:
    """Words that find something: the largest theme's, the best learning's, an entity's name."""
    themes = reader.table(THEMES).sort("size", "theme_id", descending=[True, False])
    largest = themes.head(1).collect()
    if largest.height:
        return " ".join(largest["terms"][0][:3])
    if learnings:
        return str(learnings[0]["title"])
    return str(entities[0]["display_name"]) if entities else None
