"""The embedded index on real Qdrant Edge folders: what `test_vector_index` does not ask of both."""

import multiprocessing
import os
import signal
import time
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import cairn.resources.vector_index.edge
from cairn.resources.vector_index.edge import EdgeIndex
from cairn.resources.vector_index.flat import FlatIndex
from tests.resources.points import EAST, POINTS, UP, ids_of, points_of, publish, shown

SPAWN = multiprocessing.get_context("spawn")


def test_the_same_contents_write_nothing(tmp_path: Path) -> None:
    index = EdgeIndex(tmp_path)
    publish(index)
    before = sorted(tmp_path.rglob("*"))
    publish(index, POINTS.reverse())
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("flat", [True, False])
def test_a_copy_with_the_difference_answers_as_one_built_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flat: bool
) -> None:
    if not flat:
        monkeypatch.setattr(cairn.resources.vector_index.edge, "FLAT_BELOW", 0)
    index, anew = EdgeIndex(tmp_path / "copied"), EdgeIndex(tmp_path / "anew")
    old = publish(index)
    more = points_of({"id": "f4", "kind": "fact", "text": "Backups run at night", "vector": EAST})
    after = pl.concat([POINTS.filter(pl.col("id") != "f3"), more]).with_columns(
        text=pl.col("text").str.replace("Debian", "Alpine")
    )
    name = publish(index, after)
    assert index.generation("me", name).anew == flat
    assert publish(anew, after, rebuild=True) == name
    for text in ("backups", "alpine debian", "nginx server"):
        query: dict[str, Any] = {"text": text, "vector": [0.6, 0.8, 0.0], "model": "toy"}
        assert shown(index.search("me", name, **query)) == shown(anew.search("me", name, **query))
    assert ids_of(index.search("me", old, text="backups")) == ["f2", "f3"]


def test_what_was_asked_for_longest_ago_gives_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, loaded = EdgeIndex(tmp_path), list[str]()
    load = FlatIndex.load

    def noted(file: Path) -> FlatIndex:
        loaded.append(file.parents[2].name)
        return load(file)

    monkeypatch.setattr(FlatIndex, "load", noted)
    names = {each: index.publish(each, POINTS, model="toy", dimension=3).name for each in "abc"}
    size = sum(file.stat().st_size for file in tmp_path.glob("a/*/*/[!_]*"))
    monkeypatch.setattr(cairn.resources.vector_index.edge, "OPEN_BYTES", 2 * size)

    def asked(namespaces: str) -> str:
        loaded.clear()
        for each in namespaces:
            assert ids_of(index.search(each, names[each], text="backups")) == ["f2", "f3"]
        return "".join(loaded)

    assert asked("abab") == "ab"
    assert asked("ac") == "c"
    assert asked("acb") == "b"
    monkeypatch.setattr(cairn.resources.vector_index.edge, "OPEN_BYTES", 1)
    assert asked("bbab") == "ab", "one stays open, however large"


def _read(folder: Path, name: str, answers: "Queue[list[str]]", go_on: Event) -> None:
    index = EdgeIndex(folder)
    answers.put(ids_of(index.search("me", name, text="backups")))
    go_on.wait(60)
    answers.put(ids_of(index.search("me", name, text="backups")))


def test_two_processes_read_one_generation_at_once(tmp_path: Path) -> None:
    name = publish(EdgeIndex(tmp_path))
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
    points = points_of(*rows)
    cairn.resources.vector_index.edge.FLAT_BELOW = 0
    started.set()
    publish(EdgeIndex(folder), points)
    time.sleep(60)


@pytest.mark.faults
def test_a_killed_build_is_never_seen_and_is_cleaned_away(tmp_path: Path) -> None:
    index = EdgeIndex(tmp_path)
    name, started = publish(index), SPAWN.Event()
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
    assert ids_of(index.search("me", name, text="backups")) == ["f2", "f3"]
