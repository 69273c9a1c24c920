"""The sensor: what it starts, and when it waits."""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import dagster as dg
import pytest
from dagster._core.storage.tags import PARTITION_NAME_TAG

from cairn.pipelines import follow as run
from cairn.pipelines.dispatch import news
from cairn.pipelines.planning.in_flight import PROCESS_TAG
from cairn.resources.context import State
from cairn.resources.home.daemon_lock import watch_lock
from cairn.resources.home.inbox import append_event
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source
from cairn.resources.home.write_lock import write_lock
from cairn.resources.processes import process_name
from cairn.resources.warehouse.publication import published
from cairn.serving.read.reader import open_reader
from cairn.serving.retrieval.search import search_memory
from tests.pipelines.house import House, failure
from tests.resources import qdrant_http

NewHouse = Callable[[], House]


def line(time: str, number: int, text: str) -> bytes:
    """A request of a person in a session of its own day."""
    record = {
        "type": "user",
        "uuid": f"00000000-0000-4000-8000-{number:012}",
        "sessionId": f"5e551017-0000-4000-8000-{time[:10].replace('-', ''):0>12}",
        "cwd": "/home/mira/projects/harbor",
        "timestamp": time,
        "message": {"role": "user", "content": text},
    }
    return json.dumps(record).encode() + b"\n"


def job(result: dg.SensorResult | str) -> str | None:
    assert isinstance(result, dg.SensorResult), result
    (request,) = result.run_requests or ()
    return request.job_name


def under_way(house: House, tags: dict[str, str]) -> str:
    run_id = str(uuid4())
    begun = dg.DagsterRun(
        job_name="update", run_id=run_id, status=dg.DagsterRunStatus.STARTED,
        tags={PARTITION_NAME_TAG: "default", **tags},
    )  # fmt: skip
    house.instance.add_run(begun)
    return run_id


def test_nothing_new(house: House) -> None:
    assert house.tick() == "nothing new"


def test_a_tick_over_what_is_idle_opens_no_table(house: House, tmp_path: Path) -> None:
    assert house.tick() == "nothing new"
    assert house.looked(news) == "nothing is due"
    files = [file for file in house.state.home.warehouse.rglob("*") if file.is_file()]
    held = {file: file.read_bytes() for file in files}
    for file in files:
        file.write_bytes(b"")
    assert house.tick() == "nothing new"
    assert house.looked(news) == "nothing is due"
    with write_lock(house.state.home, "who may have written"):
        pass
    anew = House(State(house.state.home, house.state.settings), house.logs, house.instance)
    with pytest.raises(Exception, match="`cairn run` makes it again"):
        anew.tick()
    for file, content in held.items():
        file.write_bytes(content)
    assert anew.tick() == "nothing new"
    (tmp_path / "more.jsonl").write_bytes(line("2026-02-09T10:00:00Z", 9, "Set it up again."))
    add_source(house.state.home, tmp_path / "more.jsonl", "default")
    assert job(anew.tick()) == "update"


def test_what_a_process_watches_is_left_to_it(new_house: NewHouse) -> None:
    house = new_house()
    (house.logs / "a.jsonl").write_bytes(line("2026-02-01T10:00:00Z", 1, "Set up the project."))
    with watch_lock(house.state.home, "cairn run --watch"):
        assert str(house.tick()).startswith("`cairn run --watch` (process ")
    assert job(house.tick()) == "update"


def test_a_new_file_starts_a_run(new_house: NewHouse) -> None:
    house = new_house()
    assert house.tick() == "nothing new"
    (house.logs / "a.jsonl").write_bytes(line("2026-02-01T10:00:00Z", 1, "Set up the project."))
    assert job(house.tick()) == "update"


def test_what_comes_to_the_inbox_starts_a_run(new_house: NewHouse) -> None:
    house = new_house()
    event = {"type": "note", "namespace": "default", "text": "The harbor door code has changed."}
    append_event(house.state.home, event, redact=lambda text: (text, 0))
    assert job(house.tick()) == "update"


def test_each_tick_has_a_key_of_its_own(new_house: NewHouse) -> None:
    """A run key is remembered for ever: one that failed could not be started again."""
    house = new_house()
    (house.logs / "a.jsonl").write_bytes(line("2026-02-01T10:00:00Z", 1, "Set up the project."))
    first = house.tick()
    assert isinstance(first, dg.SensorResult)
    second = house.tick(first.cursor)
    assert isinstance(second, dg.SensorResult)
    assert first.run_requests and second.run_requests  # noqa: PT018
    assert first.run_requests[0].run_key != second.run_requests[0].run_key


def test_an_index_that_is_gone_is_made_again(house: House) -> None:
    shutil.rmtree(house.state.home.index / "default")
    assert job(house.tick()) == "update"
    run.follow(house.state, since="vector_index")
    assert house.tick() == "nothing new"
    manifest = published(house.state.home, "default")
    assert manifest is not None
    assert manifest.generation is not None
    assert house.state.index.search("default", manifest.generation, text="backup")


def test_another_engine_is_filled_by_the_next_run(house: House) -> None:
    with qdrant_http.served() as server:
        state = State(house.state.home, Settings(qdrant_url=server.url))
        moved = House(state, house.logs, house.instance)
        assert job(moved.tick()) == "update"
        run.follow(state, since="vector_index")
        found = search_memory(open_reader(state, "default"), "backup")
        assert found == search_memory(open_reader(house.state, "default"), "backup")
        assert found
        assert moved.tick() == "nothing new"
    assert moved.tick() == "nothing new", "a server that is down has lost nothing"


def test_a_run_under_way_is_waited_for(new_house: NewHouse) -> None:
    house = new_house()
    (house.logs / "a.jsonl").write_bytes(line("2026-02-01T10:00:00Z", 1, "Set up the project."))
    run_id = under_way(house, {PROCESS_TAG: process_name()})
    assert house.tick() == f"default: run {run_id[:8]} is under way"


def test_a_run_whose_process_was_killed_is_not_waited_for(new_house: NewHouse) -> None:
    house = new_house()
    (house.logs / "a.jsonl").write_bytes(line("2026-02-01T10:00:00Z", 1, "Set up the project."))
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        run_id = under_way(house, {PROCESS_TAG: process_name(child.pid)})
        assert house.tick() == f"default: run {run_id[:8]} is under way"
        child.send_signal(signal.SIGKILL)
        child.wait()
    assert str(house.tick()).startswith("default: update failed: tried again in ")
    ended = house.instance.get_run_by_id(run_id)
    assert ended is not None
    assert ended.status == dg.DagsterRunStatus.FAILURE


def test_a_run_that_failed_is_tried_later_and_makes_it_good(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    (house.state.home.publication / "default.json").unlink()
    assert job(house.tick()) == "update"

    def full(*_: object) -> bool:
        raise OSError("no room, on purpose")

    with monkeypatch.context() as patched:
        patched.setattr("cairn.assets.publication.publish", full)
        assert "on purpose" in failure(house.run("update", assets=["publication"]))
    assert str(house.tick()).startswith("default: update failed: tried again in ")
    event = {"type": "note", "namespace": "default", "text": "The harbor door code has changed."}
    append_event(house.state.home, event, redact=lambda text: (text, 0))
    assert str(house.tick()).startswith("default: update failed"), (
        "what is wrong may be in what is taken in"
    )
    later = time.time() + 61
    monkeypatch.setattr("cairn.pipelines.planning.due.time.time", lambda: later)
    assert job(house.tick()) == "update"
    run.follow(house.state, since="publication")
    assert published(house.state.home, "default") is not None


def test_a_new_record_is_searchable_after_some_ticks(house: House, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(line("2026-02-03T10:00:00Z", 2, "The lighthouse lamp needs a new relay."))
    add_source(house.state.home, path, "default")
    assert house.follow() == ["update"]
    found = search_memory(open_reader(house.state, "default"), "lighthouse lamp relay")
    assert any("lighthouse" in result.text for result in found)
    assert house.tick("1") == "nothing new"
