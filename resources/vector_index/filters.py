"""Filters as conditions on fields, the same for every engine of the vector index."""

from typing import Any, Literal, NamedTuple

from cairn.resources.vector_index.protocol import Filters

INDEXED: dict[str, Literal["keyword", "number", "time"]] = {
    "namespace": "keyword", "kind": "keyword", "status": "keyword", "strength": "number",
    "lasting_strength": "number",
    "valid_to": "time", "first_day": "time", "day": "time", "sources": "keyword",
    "entity_id": "keyword", "predicate": "keyword", "category": "keyword",
    "knowledge_type": "keyword", "info_type": "keyword", "tags": "keyword",
}  # fmt: skip
"""What is filtered by, and how; the namespace is the tenant."""


class Condition(NamedTuple):
    """What one field of a point must be."""

    field: str
    """Of `INDEXED`."""
    test: Literal["any", "gt", "gte", "lte"]
    value: Any
    """Of a keyword the values of which one must be there, sorted; else a number, or ISO text."""
    or_absent: bool = False
    """Whether a point without the field passes."""


def conditions(filters: Filters) -> list[Condition] | None:
    """All that must hold; None if nothing can."""
    # Each condition takes a tenth of a search: what another one implies is left out. Facts alone
    # have a status and strengths, and every fact has both.
    facts = filters.kinds is not None and set(filters.kinds) == {"fact"}
    keywords = {
        "kind": None if facts and filters.statuses else filters.kinds,
        "entity_id": filters.entity_ids,
        "predicate": filters.predicates,
        "category": filters.categories,
        "knowledge_type": filters.knowledge_types,
        "info_type": filters.info_types,
        "tags": filters.tags,
        "sources": filters.sources,
    }
    found: list[Condition] = []
    for field, values in keywords.items():
        if values is not None:
            if not values:
                return None
            found.append(Condition(field, "any", sorted(values)))
    if filters.statuses is not None:
        found.append(Condition("status", "any", sorted(filters.statuses), or_absent=not facts))
    if filters.min_strength is not None:
        found.append(Condition("strength", "gte", filters.min_strength, or_absent=not facts))
    if filters.min_lasting_strength is not None:
        least = filters.min_lasting_strength
        found.append(Condition("lasting_strength", "gte", least, or_absent=not facts))
    if filters.holds_after is not None:
        found.append(Condition("valid_to", "gt", filters.holds_after.isoformat(), or_absent=True))
    if filters.from_day:
        found.append(Condition("day", "gte", filters.from_day))
    if filters.to_day:
        found.append(Condition("first_day", "lte", filters.to_day))
    return found
