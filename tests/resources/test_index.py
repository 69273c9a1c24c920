"""The embedded index on real Qdrant Edge folders."""

import multiprocessing
import os
import signal
import time
from datetime import UTC, datetime
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import resources.index
from resources.index import EdgeIndex
from resources.vector_index import Filters, Hit, VectorIndexError

SPAWN = multiprocessing.get_context("spawn")
NOON = datetime(2026, 2, 3, 12, tzinfo=UTC)
NORTH, EAST, UP = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]


def _points(*rows: dict[str, Any]) -> pl.DataFrame:
    empty = {
        "context": None, "vector": None, "status": None, "strength": None, "day": None,
        "predicate": None, "tags": None, "last_event_at": None, "first_day": None, "sources": None,
    }  # fmt: skip
    return pl.DataFrame(
        [empty | row for row in rows],
        schema={
            "id": pl.String, "kind": pl.String, "text": pl.String, "context": pl.String,
            "vector": pl.List(pl.Float32), "status": pl.String, "strength": pl.Float64,
            "day": pl.String, "predicate": pl.String, "tags": pl.List(pl.String),
            "last_event_at": pl.Datetime("us", "UTC"), "first_day": pl.String,
            "sources": pl.List(pl.String),
        },
    )  # fmt: skip


POINTS = _points(
    {"id": "f1", "kind": "fact", "text": "The server runs Debian", "vector": NORTH,
     "status": "active", "strength": 100.0, "predicate": "states", "tags": ["os", "server"],
     "last_event_at": NOON, "first_day": "2026-02-03", "day": "2026-02-03",
     "sources": ["chat", "codex"]},
    {"id": "f2", "kind": "fact", "text": "Backups go to the nas", "vector": EAST,
     "status": "merged_into", "strength": 200.0, "predicate": "solves",
     "first_day": "2026-02-05", "day": "2026-02-05", "sources": ["codex"]},
    {"id": "f3", "kind": "fact", "text": "Backups failed twice", "status": "pending_embed",
     "strength": 150.0},
    {"id": "e1", "kind": "episode", "text": "It works now", "context": "nginx would not start",
     "vector": UP, "first_day": "2026-02-04", "day": "2026-02-07"},
)  # fmt: skip


def _publish(index: EdgeIndex, points: pl.DataFrame = POINTS, **more: Any) -> str:
    return index.publish("me", points, model="toy", dimension=3, **more).name


def _ids(found: list[Hit]) -> list[str]:
    return sorted(hit.id for hit in found)


def _shown(found: list[Hit]) -> list[tuple[Any, ...]]:
    """All but the vectors, which are no values to compare."""
    return [hit[:-1] for hit in found]


def test_both_arms_find_and_say_how(tmp_path: Path) -> None:
    index = EdgeIndex(tmp_path)
    name = _publish(index)
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


def test_the_text_before_it_finds_a_point_too(tmp_path: Path) -> None:
    index = EdgeIndex(tmp_path)
    name = _publish(index)
    assert _ids(index.search("me", name, text="nginx")) == ["e1"]
    assert _ids(index.search("me", name, text="the of and")) == []


def test_a_word_of_the_text_itself_weighs_more_than_one_before_it(tmp_path: Path) -> None:
    index = EdgeIndex(tmp_path)
    more = _points(
        {"id": "a", "kind": "episode", "text": "What about nginx", "context": "It broke again"},
        {"id": "b", "kind": "episode", "text": "It broke again", "context": "What about nginx"},
    )
    found = index.search("me", _publish(index, more), text="nginx")
    assert [hit.id for hit in found] == ["a", "b"]
    assert found[0].sparse_score == pytest.approx(2 * (found[1].sparse_score or 0), abs=1e-3)


def test_words_are_found_that_are_written_without_spaces(tmp_path: Path) -> None:
    index = EdgeIndex(tmp_path)
    more = _points(
        {"id": "jazz", "kind": "fact", "text": "我最喜欢的音乐是爵士乐"},
        {"id": "film", "kind": "fact", "text": "昨天我们去看了一部电影"},
    )
    found = index.search("me", _publish(index, more), text="喜欢什么音乐？")
    assert found[0].id == "jazz"


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        (Filters(), ["e1", "f1", "f2"]),
        (Filters(kinds=["fact"]), ["f1", "f2"]),
        (Filters(kinds=[]), []),
        (Filters(statuses=["active", "pending_embed"]), ["e1", "f1"]),
        (Filters(min_strength=150.0), ["e1", "f2"]),
        (Filters(predicates=["solves"]), ["f2"]),
        (Filters(tags=["server", "x"]), ["f1"]),
        (Filters(from_day="2026-02-04"), ["e1", "f2"]),
        (Filters(from_day="2026-02-03", to_day="2026-02-05"), ["e1", "f1", "f2"]),
        (Filters(to_day="2026-02-03"), ["f1"]),
        (Filters(sources=["codex"]), ["f1", "f2"]),
        (Filters(sources=["chat", "none"]), ["f1"]),
        (Filters(kinds=["fact"], to_day="2026-02-04", min_strength=50.0), ["f1"]),
    ],
)
def test_filters(tmp_path: Path, filters: Filters, ids: list[str]) -> None:
    index = EdgeIndex(tmp_path)
    name = _publish(index)
    found = index.search("me", name, text="", vector=NORTH, model="toy", filters=filters)
    assert _ids(found) == ids


def test_the_same_contents_are_the_same_generation_and_write_nothing(tmp_path: Path) -> None:
    index = EdgeIndex(tmp_path)
    first = index.publish("me", POINTS, model="toy", dimension=3)
    assert (first.points, first.dense) == (4, 3)
    assert first.name.startswith("toy-3-")
    before = sorted(tmp_path.rglob("*"))
    assert index.publish("me", POINTS.reverse(), model="toy", dimension=3) == first
    assert sorted(tmp_path.rglob("*")) == before
    assert index.publish("me", POINTS, model="toy2", dimension=3).name != first.name
    changed = POINTS.with_columns(status=pl.lit("active"))
    assert _publish(index, changed) != first.name


def test_a_copy_with_the_difference_answers_as_one_built_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources.index, "FRESH_BELOW", 0)
    index, anew = EdgeIndex(tmp_path / "copied"), EdgeIndex(tmp_path / "anew")
    old = _publish(index)
    more = _points({"id": "f4", "kind": "fact", "text": "Backups run at night", "vector": EAST})
    after = pl.concat([POINTS.filter(pl.col("id") != "f3"), more]).with_columns(
        text=pl.col("text").str.replace("Debian", "Alpine")
    )
    name = _publish(index, after)
    assert _publish(anew, after, rebuild=True) == name
    for text in ("backups", "alpine debian", "nginx server"):
        query: dict[str, Any] = {"text": text, "vector": [0.6, 0.8, 0.0], "model": "toy"}
        assert _shown(index.search("me", name, **query)) == _shown(anew.search("me", name, **query))
    assert _ids(index.search("me", old, text="backups")) == ["f2", "f3"]


def test_the_night_replaces_the_build_of_a_generation_in_use(tmp_path: Path) -> None:
    index, night = EdgeIndex(tmp_path), EdgeIndex(tmp_path)
    name = _publish(index)
    before = index.search("me", name, text="backups")
    made = night.publish("me", POINTS, model="toy", dimension=3, rebuild=True)
    assert (made.name, made.optimized) == (name, True)
    assert _shown(index.search("me", name, text="backups")) == _shown(before)
    assert index.generation("me", name).optimized
    assert index.publish("me", POINTS, model="toy", dimension=3).optimized


def test_namespaces_and_models_do_not_mix(tmp_path: Path) -> None:
    index = EdgeIndex(tmp_path)
    name = _publish(index)
    with pytest.raises(VectorIndexError, match="not there"):
        index.search("you", name, text="backups")
    with pytest.raises(VectorIndexError, match=r"made with toy .3 dimensions.*other"):
        index.search("me", name, text="backups", vector=NORTH, model="other")
    with pytest.raises(VectorIndexError, match="another namespace"):
        _publish(index, POINTS.with_columns(namespace=pl.lit("you")))


@pytest.mark.parametrize(
    ("points", "says"),
    [
        (pl.concat([POINTS, POINTS]), "4 points repeat an id"),
        (POINTS.with_columns(colour=pl.lit("red")), "colour"),
        (POINTS.drop("text"), "text"),
        (_points({"id": "f9", "kind": "fact", "text": "x", "vector": [1.0]}), "fact f9"),
        (
            _points({"id": "f9", "kind": "fact", "text": "x", "vector": [float("nan")] * 3}),
            "finite",
        ),
    ],
)
def test_points_that_are_wrong_are_refused(tmp_path: Path, points: pl.DataFrame, says: str) -> None:
    index = EdgeIndex(tmp_path)
    with pytest.raises(VectorIndexError, match=says):
        _publish(index, points)
    assert index.prune("me", []) == []


def test_a_namespace_without_points_has_an_empty_generation(tmp_path: Path) -> None:
    index = EdgeIndex(tmp_path)
    name = _publish(index, POINTS.clear())
    assert index.search("me", name, text="x", vector=NORTH, model="toy") == []


@pytest.mark.parametrize(("points", "ids"), [(POINTS.clear(), []), (POINTS[2:3], ["f3"])])
def test_a_generation_without_vectors_is_asked_for_words_alone(
    tmp_path: Path, points: pl.DataFrame, ids: list[str]
) -> None:
    index = EdgeIndex(tmp_path)
    name = index.publish("me", points, model="toy", dimension=1).name
    assert _ids(index.search("me", name, text="backups", vector=NORTH, model="toy")) == ids
    with pytest.raises(VectorIndexError, match="other"):
        index.search("me", name, text="backups", vector=NORTH, model="other")


def test_what_is_pruned_stays_readable_to_who_has_it_open(tmp_path: Path) -> None:
    index = EdgeIndex(tmp_path)
    old, new = _publish(index), _publish(index, POINTS.head(3))
    reader = EdgeIndex(tmp_path)
    reader.search("me", new, text="backups")
    assert index.prune("me", [new]) == [old]
    assert _ids(reader.search("me", new, text="backups")) == ["f2", "f3"]
    with pytest.raises(VectorIndexError, match="cairn run"):
        reader.search("me", old, text="backups")


def _read(folder: Path, name: str, answers: "Queue[list[str]]", go_on: Event) -> None:
    index = EdgeIndex(folder)
    answers.put(_ids(index.search("me", name, text="backups")))
    go_on.wait(60)
    answers.put(_ids(index.search("me", name, text="backups")))


def test_two_processes_read_one_generation_at_once(tmp_path: Path) -> None:
    name = _publish(EdgeIndex(tmp_path))
    answers, go_on = SPAWN.Queue(), SPAWN.Event()
    readers = [SPAWN.Process(target=_read, args=(tmp_path, name, answers, go_on)) for _ in "12"]
    for reader in readers:
        reader.start()
    first = [answers.get(timeout=60) for _ in readers]
    go_on.set()  # both have it open now
    second = [answers.get(timeout=60) for _ in readers]
    for reader in readers:
        reader.join()
    assert first + second == [["f2", "f3"]] * 4


def _build(folder: Path, started: Event) -> None:
    rows = [{"id": f"f{n}", "kind": "fact", "text": f"word{n}", "vector": UP} for n in range(8000)]
    points = _points(*rows)
    started.set()
    _publish(EdgeIndex(folder), points)
    time.sleep(60)


@pytest.mark.faults
def test_a_killed_build_is_never_seen_and_is_cleaned_away(tmp_path: Path) -> None:
    index = EdgeIndex(tmp_path)
    name, started = _publish(index), SPAWN.Event()
    builder = SPAWN.Process(target=_build, args=(tmp_path, started))
    builder.start()
    assert started.wait(60)
    while not list(tmp_path.glob("me/*.partial/shard/segments")):
        time.sleep(0.01)
    assert builder.pid
    os.kill(builder.pid, signal.SIGKILL)
    builder.join()
    assert index.prune("me", [name]) == []
    assert [path.name for path in (tmp_path / "me").iterdir()] == [name]
    assert _ids(index.search("me", name, text="backups")) == ["f2", "f3"]


def test_what_has_ended_is_left_out_from_then_on(tmp_path: Path) -> None:
    index = EdgeIndex(tmp_path)
    ends = pl.when(pl.col("id") == "f3").then(pl.lit(NOON)).otherwise(None)
    name = _publish(index, POINTS.with_columns(valid_to=ends.cast(pl.Datetime("us", "UTC"))))

    def found(moment: datetime) -> list[str]:
        return _ids(index.search("me", name, text="backups", filters=Filters(holds_after=moment)))

    assert found(NOON.replace(hour=11)) == ["f2", "f3"]
    assert found(NOON) == ["f2"], "an end is the first moment at which it no longer holds"
