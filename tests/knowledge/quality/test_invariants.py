"""What must hold before anything is published: broken tables are named, without their text."""

import polars as pl
import pytest

from cairn.knowledge.quality.invariants import is_looked_into, violations
from cairn.knowledge.schema.tables import MEMORY, RECORDS
from tests.knowledge.rows import START, facts


def memory(*rows: dict[str, object]) -> dict[str, pl.LazyFrame]:
    now = facts(*({"fact_id": f"f{at}", **row} for at, row in enumerate(rows)))
    filled = now.with_columns(
        confidence=pl.lit(0.8), last_event_at=pl.lit(START), strength=pl.lit(1.0),
        decay_per_day=pl.lit(0.01),
        status=pl.lit("active"), evidence_count=1, valid_from=None, valid_to=None,
        merged_into=None, archived_at=None, knowledge_type=pl.lit("fact"),
        info_type=pl.lit("context"), tags=pl.lit([], pl.List(pl.String)),
    )  # fmt: skip
    return {"memory": MEMORY.frame(filled).lazy()}


def test_sound_tables_break_nothing():
    assert violations(memory({}, {})) == []


@pytest.mark.parametrize(
    ("merged_into", "says"),
    [(["f1", "f2", None], "1 are merged into a merged fact"), (["f9", None, None], "1 are not in")],
    ids=["chain", "nowhere"],
)
def test_a_merge_ends_at_a_fact_that_stands(merged_into, says):
    tables = memory({}, {}, {})
    tables["memory"] = tables["memory"].with_columns(
        merged_into=pl.Series(merged_into, dtype=pl.String)
    )
    (found,) = violations(tables)
    assert says in found


def test_confidence_beyond_its_range_is_named_and_no_text_is_told():
    tables = memory({"content": "The blue folder"})
    tables["memory"] = tables["memory"].with_columns(confidence=pl.lit(1.5))
    assert violations(tables) == ["memory.confidence: 1 are outside of 0 to 1"]


def test_what_no_check_looks_into_needs_no_rows_that_changed():
    """As records, whose payload is most of a home, of which keys alone are checked."""
    assert not is_looked_into("records")
    assert is_looked_into("raw_logs")
    assert is_looked_into("similar_facts")  # refers to others
    twice = RECORDS.empty().clear(2).with_columns(pl.lit("same").alias(RECORDS.key[-1]))
    assert violations({"records": twice.lazy()}, {"records": None}) == [
        "records: 1 rows repeat a key"
    ]
