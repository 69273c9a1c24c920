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
from tests.resources.points import EAST, POINTS, UP, ids_of, points_of, publish, shown

SPAWN = multiprocessing.get_context("spawn")


def test_the_same_contents_write_nothing(tmp_path: Path) -> None:
    index = EdgeIndex(tmp_path)
    publish(index)
    before = sorted(tmp_path.rglob("*"))
    publish(index, POINTS.reverse())
    assert sorted(tmp_path.rglob("*")) == before


def test_a_copy_with_the_difference_answers_as_one_built_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cairn.resources.vector_index.edge, "INDEXED_FROM", 0)
    index, anew = EdgeIndex(tmp_path / "copied"), EdgeIndex(tmp_path / "anew")
    old = publish(index)
    more = points_of({"id": "f4", "kind": "fact", "text": "Backups run at night", "vector": EAST})
    after = pl.concat([POINTS.filter(pl.col("id") != "f3"), more]).with_columns(
        text=pl.col("text").str.replace("Debian", "Alpine")
    )
    name = publish(index, after)
    assert not index.generation("me", name).anew
    assert publish(anew, after, rebuild=True) == name
    for text in ("backups", "alpine debian", "nginx server"):
        query: dict[str, Any] = {"text": text, "vector": [0.6, 0.8, 0.0], "model": "toy"}
        assert shown(index.search("me", name, **query)) == shown(anew.search("me", name, **query))
    assert ids_of(index.search("me", old, text="backups")) == ["f2", "f3"]


def test_what_has_no_indexes_of_fields_is_not_copied_into_what_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cairn.resources.vector_index.edge, "INDEXED_FROM", POINTS.height + 1)
    index = EdgeIndex(tmp_path)
    small = publish(index)
    more = points_of({"id": "f4", "kind": "fact", "text": "Backups run at night", "vector": EAST})
    name = publish(index, pl.concat([POINTS, more]))
    assert index.generation("me", name).anew
    fields = {
        kept: len(list((tmp_path / "me" / kept).rglob("payload_index/*-kind-map")))
        for kept in (small, name)
    }
    assert fields == {small: 0, name: 1}


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
