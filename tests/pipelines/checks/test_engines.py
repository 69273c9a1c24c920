"""Both engines count the same rows, whatever stands in a frame."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.pipelines.checks import engines
from cairn.pipelines.checks.engines import CheckEngine, broken
from cairn.pipelines.checks.expectation_check import Batch, expect
from cairn.pipelines.checks.expectations import suites
from cairn.pipelines.checks.frames import run_suite
from cairn.resources.llm.verdict_limits import SuiteVerdicts
from tests.pipelines.house import House

ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "word": st.sampled_from(["a", "b", "", "NaN", None]),
            "other": st.sampled_from(["a", "b", None]),
            "number": st.sampled_from([0.0, 0.5, 1.0, -0.1, 1.5, float("nan"), None]),
            "count": st.integers(0, 2),
            "expected": st.integers(0, 2),
            "holds": st.booleans(),
        }
    ),
    max_size=6,
)
SCHEMA = {"word": pl.String, "other": pl.String, "number": pl.Float64, "count": pl.Int64,
          "expected": pl.Int64, "holds": pl.Boolean}  # fmt: skip
EXPECTATIONS = [
    expect("there", "ExpectColumnValuesToNotBeNull", column="word"),
    expect("a number", "ExpectColumnValuesToNotBeNull", column="number"),
    expect("known", "ExpectColumnValuesToBeInSet", column="word", value_set=["a", "b"]),
    expect("true", "ExpectColumnValuesToBeInSet", column="holds", value_set=[True]),
    expect("within", "ExpectColumnValuesToBeBetween", column="number", min_value=0, max_value=1),
    expect("once", "ExpectColumnValuesToBeUnique", column="word"),
    expect("once together", "ExpectCompoundColumnsToBeUnique", column_list=["word", "other"]),
    expect("equal", "ExpectColumnPairValuesToBeEqual", column_A="count", column_B="expected"),
]
SHARE = expect(
    "varied", "ExpectColumnProportionOfUniqueValuesToBeBetween", column="count", min_value=0.95
)


@settings(max_examples=20)
@given(ROWS)
def test_they_count_the_same_rows(rows: list[dict[str, object]]) -> None:
    frame = pl.DataFrame(rows, schema=SCHEMA)
    batch = Batch(frame, [*EXPECTATIONS, *([SHARE] if rows else [])])
    assert broken(batch, CheckEngine.POLARS) == broken(batch, CheckEngine.GREAT_EXPECTATIONS)


def test_they_pass_what_is_built(built: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch of each kind of rules and types of columns."""
    shapes: dict[tuple[object, ...], Batch] = {}

    def keep(batch: Batch) -> dict[str, int]:
        rules = {(one.kind, batch.frame.schema.get(one.given.get("column", "")))
                 for one in batch.expectations}  # fmt: skip
        shapes.setdefault(tuple(sorted(rules, key=str)), batch)
        return {}

    verdicts = SuiteVerdicts(built.state.home, "default")
    with monkeypatch.context() as patched:
        patched.setattr(engines, "_by_great_expectations", keep)
        for suite in suites():
            run_suite(built.state.of("default"), suite, verdicts, CheckEngine.GREAT_EXPECTATIONS)
    assert len(shapes) > 6
    for shape, batch in shapes.items():
        assert [broken(batch, engine) for engine in CheckEngine] == [{}, {}], shape
