"""Points as an engine takes them: what they lack is left out of the payload, and nothing else."""

import json
from typing import Any

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from cairn.resources.vector_index.protocol import PAYLOAD, prepared
from tests.resources.points import points_of

NAMES = [*PAYLOAD, "id", "kind"]
PIECES = [*(f'"{name}":null,' for name in NAMES), *(f'"{name}":[]' for name in NAMES),
          '"', "\\", '\\"', ",}", "}", "null", "日", "\u2028", "\n", "a"]  # fmt: skip
TEXT = st.lists(st.sampled_from(PIECES), max_size=4).map("".join)
POINT = st.fixed_dictionaries(
    {
        "status": st.none() | TEXT,
        "predicate": st.none() | TEXT,
        "tags": st.none() | st.lists(TEXT, max_size=3),
        "sources": st.none() | st.lists(TEXT, max_size=2),
        "strength": st.none() | st.floats(allow_nan=False, allow_infinity=False),
    }
)


@given(st.lists(POINT, min_size=1, max_size=5))
def test_a_payload_has_what_a_point_has(given_points: list[dict[str, Any]]) -> None:
    given_points = [
        {"id": f"p{at}", "kind": "fact", "text": "", **point}
        for at, point in enumerate(given_points)
    ]
    rows = prepared("me", points_of(*given_points), 3)
    expected = [
        {"namespace": "me"}
        | {
            name: value
            for name, value in point.items()
            if name != "text" and value not in (None, [])
        }
        for point in given_points
    ]
    assert [json.loads(one) for one in rows.payloads(range(len(rows)))] == expected
    assert [row.payload for row in rows.rows()] == expected
    assert rows.values("valid_from", [0]) is not None
    assert rows.values("no such", [0]) is None
    assert isinstance(rows.values("tags", [0]), pl.Series)
