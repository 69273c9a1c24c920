"""What any engine of the vector index does: the same cases for the embedded one and for a server.

In place of a server stands the local mode of qdrant-client behind real HTTP. With
CAIRN_TEST_QDRANT_URL, the address of a server that may be written to, the cases are put to it too.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.resources.vector_index import edge
from cairn.resources.vector_index.protocol import Filters, Hit, VectorIndex, VectorIndexError
from tests.resources.engines import SERVERS, Engine, embedded, on_a_server
from tests.resources.points import NOON, NORTH, POINTS, ids_of, points_of, publish, shown
from tests.resources.qdrant_http import QdrantHttp

Published = tuple[VectorIndex, str]


def test_both_arms_find_and_say_how(published: Published) -> None:
    index, name = published
    found = index.search("me", name, text="backups", vector=[0.8, 0.6, 0.0], model="toy", limit=2)
    assert {hit.id: (hit.dense_score, hit.dense_rank) for hit in found} == {
        "f1": (0.8, 1), "f2": (0.6, 2), "f3": (None, None),
    }  # fmt: skip
    by_words = sorted((hit.sparse_rank, hit.id) for hit in found if hit.sparse_rank)
    assert [rank for rank, _ in by_words] == [1, 2]
    assert {id_ for _, id_ in by_words} == {"f2", "f3"}
    (payload,) = (hit.payload for hit in found if hit.id == "f1")
    assert (payload["last_event_at"], payload["tags"], payload["predicate"]) == (
        "2026-02-03T12:00:00.000000Z", ["os", "server"], "states",
    )  # fmt: skip


def test_the_text_before_it_finds_a_point_too(published: Published) -> None:
    index, name = published
    assert ids_of(index.search("me", name, text="nginx")) == ["e1"]
    assert ids_of(index.search("me", name, text="the of and")) == []


def test_a_word_of_the_text_itself_weighs_more_than_one_before_it(engine: Engine) -> None:
    index = engine()
    more = points_of(
        {"id": "a", "kind": "episode", "text": "What about nginx", "context": "It broke again"},
        {"id": "b", "kind": "episode", "text": "It broke again", "context": "What about nginx"},
    )
    found = index.search("me", publish(index, more), text="nginx")
    assert [hit.id for hit in found] == ["a", "b"]
    assert found[0].sparse_score == pytest.approx(2 * (found[1].sparse_score or 0), abs=1e-3)


def test_words_are_found_that_are_written_without_spaces(engine: Engine) -> None:
    index = engine()
    more = points_of(
        {"id": "jazz", "kind": "fact", "text": "我最喜欢的音乐是爵士乐"},
        {"id": "film", "kind": "fact", "text": "昨天我们去看了一部电影"},
    )
    found = index.search("me", publish(index, more), text="喜欢什么音乐？")
    assert found[0].id == "jazz"


FILTERED = [
    (Filters(), ["e1", "f1", "f2"]),
    (Filters(kinds=["fact"]), ["f1", "f2"]),
    (Filters(kinds=[]), []),
    (Filters(statuses=["active", "pending_embed"]), ["e1", "f1"]),
    (Filters(statuses=[]), ["e1"]),
    (Filters(kinds=["fact"], statuses=["active"]), ["f1"]),
    (Filters(kinds=["fact"], statuses=[]), []),
    (Filters(min_strength=150.0), ["e1", "f2"]),
    (Filters(predicates=["solves"]), ["f2"]),
    (Filters(tags=["server", "x"]), ["f1"]),
    (Filters(from_day="2026-02-04"), ["e1", "f2"]),
    (Filters(from_day="2026-02-03", to_day="2026-02-05"), ["e1", "f1", "f2"]),
    (Filters(to_day="2026-02-03"), ["f1"]),
    (Filters(sources=["codex"]), ["f1", "f2"]),
    (Filters(sources=["chat", "none"]), ["f1"]),
    (Filters(kinds=["fact"], to_day="2026-02-04", min_strength=50.0), ["f1"]),
]
"""What is asked for → what is found of the points."""


def test_filters(published: Published) -> None:
    index, name = published
    for filters, ids in FILTERED:
        found = index.search("me", name, text="", vector=NORTH, model="toy", filters=filters)
        assert ids_of(found) == ids, filters


def test_namespaces_and_models_do_not_mix(published: Published) -> None:
    index, name = published
    with pytest.raises(VectorIndexError, match="not there"):
        index.search("you", name, text="backups")
    with pytest.raises(VectorIndexError, match=r"made with toy .3 dimensions.*other"):
        index.search("me", name, text="backups", vector=NORTH, model="other")
    with pytest.raises(VectorIndexError, match="another namespace"):
        publish(index, POINTS.with_columns(namespace=pl.lit("you")))


@pytest.mark.parametrize(
    ("points", "says"),
    [
        (pl.concat([POINTS, POINTS]), "4 points repeat an id"),
        (POINTS.with_columns(colour=pl.lit("red")), "colour"),
        (POINTS.drop("text"), "text"),
        (points_of({"id": "f9", "kind": "fact", "text": "x", "vector": [1.0]}), "fact f9"),
        (
            points_of({"id": "f9", "kind": "fact", "text": "x", "vector": [float("nan")] * 3}),
            "finite",
        ),
    ],
)
def test_points_that_are_wrong_are_refused(engine: Engine, points: pl.DataFrame, says: str) -> None:
    index = engine()
    with pytest.raises(VectorIndexError, match=says):
        publish(index, points)
    assert index.prune("me", []) == []


def test_a_namespace_without_points_has_an_empty_generation(engine: Engine) -> None:
    index = engine()
    name = publish(index, POINTS.clear())
    assert index.search("me", name, text="x", vector=NORTH, model="toy") == []


@pytest.mark.parametrize(("points", "ids"), [(POINTS.clear(), []), (POINTS[2:3], ["f3"])])
def test_a_generation_without_vectors_is_asked_for_words_alone(
    engine: Engine, points: pl.DataFrame, ids: list[str]
) -> None:
    index = engine()
    name = index.publish("me", points, model="toy", dimension=1).name
    assert ids_of(index.search("me", name, text="backups", vector=NORTH, model="toy")) == ids
    with pytest.raises(VectorIndexError, match="other"):
        index.search("me", name, text="backups", vector=NORTH, model="other")


def test_what_has_ended_is_left_out_from_then_on(engine: Engine) -> None:
    index = engine()
    ends = pl.when(pl.col("id") == "f3").then(pl.lit(NOON)).otherwise(None)
    name = publish(index, POINTS.with_columns(valid_to=ends.cast(pl.Datetime("us", "UTC"))))

    def found(moment: datetime) -> list[str]:
        return ids_of(index.search("me", name, text="backups", filters=Filters(holds_after=moment)))

    assert found(NOON.replace(hour=11)) == ["f2", "f3"]
    assert found(NOON) == ["f2"], "an end is the first moment at which it no longer holds"


def test_of_equal_points_the_same_are_found_whatever_the_limit(engine: Engine) -> None:
    index = engine()
    equal = [
        {"id": f"f{n}", "kind": "fact", "text": "Backups fail", "vector": NORTH} for n in range(9)
    ]
    name = publish(index, points_of(*equal))
    query: dict[str, Any] = {"text": "backups", "vector": NORTH, "model": "toy"}
    all_of_them = shown(index.search("me", name, **query))
    assert len(all_of_them) == 9
    assert shown(index.search("me", name, limit=3, **query)) == all_of_them[:3]


def test_the_same_contents_are_the_same_generation(engine: Engine) -> None:
    index = engine()
    first = index.publish("me", POINTS, model="toy", dimension=3)
    assert (first.points, first.dense) == (4, 3)
    assert first.name.startswith("toy-3-")
    assert index.publish("me", POINTS.reverse(), model="toy", dimension=3) == first
    assert engine().generation("me", first.name) == first
    assert index.publish("me", POINTS, model="toy2", dimension=3).name != first.name
    changed = POINTS.with_columns(status=pl.lit("active"))
    assert publish(index, changed) != first.name


def test_the_night_optimizes_a_generation_in_use(engine: Engine) -> None:
    index, night = engine(), engine()
    name = publish(index)
    before = index.search("me", name, text="backups")
    made = night.publish("me", POINTS, model="toy", dimension=3, rebuild=True)
    assert (made.name, made.optimized) == (name, True)
    assert shown(index.search("me", name, text="backups")) == shown(before)
    assert index.generation("me", name).optimized
    assert index.publish("me", POINTS, model="toy", dimension=3).optimized


def test_what_is_kept_stays_readable_and_what_is_pruned_is_not(engine: Engine) -> None:
    index = engine()
    old, new = publish(index), publish(index, POINTS.head(3))
    others = index.publish("you", POINTS, model="toy", dimension=3).name
    reader = engine()
    reader.search("me", new, text="backups")
    assert index.prune("me", [new]) == [old]
    assert ids_of(reader.search("me", new, text="backups")) == ["f2", "f3"]
    assert ids_of(reader.search("you", others, text="backups")) == ["f2", "f3"]
    with pytest.raises(VectorIndexError, match="cairn run"):
        reader.search("me", old, text="backups")
    assert index.prune("me", [new]) == []


WORDS = ("backups", "backup", "server", "nas", "fails", "night", "ssh", "the", "nginx")
DAYS = st.sampled_from(["2026-02-03", "2026-02-04", "2026-02-05"])
MOMENTS = st.sampled_from([NOON + timedelta(days=days) for days in range(3)])
LETTER, LETTERS = st.sampled_from("abc"), st.lists(st.sampled_from("abc"), max_size=2, unique=True)
TEXTS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
VECTOR = st.lists(st.integers(-2, 2).map(float), min_size=3, max_size=3)
KEYWORDS = ("status", "entity_id", "predicate", "category", "knowledge_type", "info_type")
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(KEYWORDS, LETTER),
    **dict.fromkeys(("tags", "sources"), LETTERS),
    **dict.fromkeys(("first_day", "day"), DAYS),
    "strength": st.sampled_from([1.0, 2.0, 3.0]),
    "valid_to": MOMENTS,
    "context": TEXTS,
    "vector": VECTOR,
}
ASKED: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(("statuses", "entity_ids", "predicates", "categories"), LETTERS),
    **dict.fromkeys(("knowledge_types", "info_types", "tags", "sources"), LETTERS),
    **dict.fromkeys(("from_day", "to_day"), DAYS),
    "kinds": st.just(["fact"]),
    "min_strength": st.sampled_from([1.0, 1.5, 3.0]),
    "holds_after": MOMENTS,
}


@st.composite
def points(draw: st.DrawFn) -> pl.DataFrame:
    kinds = st.fixed_dictionaries({"kind": st.sampled_from(["fact", "episode"]), "text": TEXTS})
    each = st.tuples(kinds, st.fixed_dictionaries({}, optional=FIELDS))
    rows = draw(st.lists(each, min_size=4, max_size=12))
    return points_of(*({"id": f"p{n}", **one, **more} for n, (one, more) in enumerate(rows)))


@st.composite
def queries(draw: st.DrawFn) -> dict[str, Any]:
    asked = draw(st.lists(st.sampled_from(sorted(ASKED)), min_size=1, max_size=2, unique=True))
    return {
        "text": draw(TEXTS),
        "vector": draw(st.none() | VECTOR),
        "model": "toy",
        "filters": Filters(**{name: draw(ASKED[name]) for name in asked}),
        "limit": draw(st.integers(1, 4)),
        "vectors": draw(st.booleans()),
    }


def _comparable(found: Sequence[Hit]) -> list[Any]:
    """Hits whose scores are as exact as float32; their vectors too."""
    return [
        hit._replace(
            dense_score=pytest.approx(hit.dense_score, abs=2e-6),
            sparse_score=pytest.approx(hit.sparse_score, abs=2e-4),
            vector=None if hit.vector is None else pytest.approx(hit.vector.tolist(), abs=1e-6),
        )
        for hit in found
    ]


@pytest.mark.parametrize("which", SERVERS)
@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(points=points(), asked=st.lists(queries(), min_size=4, max_size=8))
def test_all_engines_give_the_same_hits(
    which: str,
    qdrant: QdrantHttp,
    points: pl.DataFrame,
    asked: list[dict[str, Any]],
) -> None:
    with (
        TemporaryDirectory() as folder,
        on_a_server(which, qdrant) as server,
        pytest.MonkeyPatch.context() as patched,
    ):
        other = server()
        name = publish(other, points)
        same = [
            [
                hit._replace(vector=None if hit.vector is None else hit.vector.tolist())
                for hit in other.search("me", name, **query)
            ]
            for query in asked
        ]
        for form in ("flat", "shard"):
            if form == "shard":
                patched.setattr(edge, "FLAT_BELOW", 0)
            index = embedded(Path(folder, form))()
            assert publish(index, points) == name
            for query, hits in zip(asked, same, strict=True):
                assert hits == _comparable(index.search("me", name, **query)), form
