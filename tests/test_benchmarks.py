"""The benchmarks run, and the sessions that they make are new ones of the same kind."""

import re
from pathlib import Path

import pytest

from benchmarks.__main__ import figures, lessons, measured, table
from benchmarks.sessions import sessions
from benchmarks.tasks import TASKS, run

UUID = re.compile(rb'"uuid": ?"([^"]+)"')
PARENT = re.compile(rb'"parentUuid": ?"([^"]+)"')
DAY = re.compile(rb'"timestamp": ?"(\d{4}-\d\d-\d\d)')


@pytest.fixture(scope="module")
def source(samples: Path) -> Path:
    return samples / "claude_code"


def _copies(folder: Path) -> list[bytes]:
    return [
        b"".join(path.read_bytes() for path in sorted(copy.rglob("*.jsonl")))
        for copy in sorted(folder.iterdir())
    ]


def test_each_copy_of_a_session_is_another_session(source: Path, tmp_path: Path) -> None:
    once = sum(path.stat().st_size for path in source.rglob("*.jsonl"))
    written = sessions(source, tmp_path, 2 * once)
    first, second, *_ = _copies(tmp_path)
    assert written >= 2 * once
    assert not set(UUID.findall(first)) & set(UUID.findall(second))
    assert len(set(UUID.findall(first))) == len(set(UUID.findall(second)))
    assert max(DAY.findall(second)) < max(DAY.findall(first))
    # Threads hold together: as many parents are found as before.
    found = [set(PARENT.findall(data)) & set(UUID.findall(data)) for data in (first, second)]
    assert found[0]
    assert len(found[0]) == len(found[1])


def test_making_sessions_twice_gives_the_same_bytes(source: Path, tmp_path: Path) -> None:
    sessions(source, tmp_path / "a", 300_000)
    sessions(source, tmp_path / "b", 300_000)
    assert _copies(tmp_path / "a") == _copies(tmp_path / "b")


def test_no_sessions_can_be_made_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no log files"):
        sessions(tmp_path, tmp_path / "made", 1000)


@pytest.mark.slow
def test_every_benchmark_runs_on_a_few_kilobytes(source: Path) -> None:
    result = measured(source, 60_000, 1, [1_500], [400], run)
    assert all(figure.ours for figure in figures(result))
    assert {"records", "raw_logs", "publication"} <= result["stages"]["stages"].keys()
    assert all(
        result[task]["peak_mb"] > 0
        for task in {*TASKS}
        & {*result} - {"pairs", "clusters", "topic_nights", "simhash", "search"}
    )
    assert result["pairs"][0]["lost"] == 0 < result["pairs"][0]["pairs"]
    assert result["simhash"][0]["same"]
    assert result["evidence"]["same"]
    assert result["search"][0]["recall"] > 0.99
    assert result["http"]["added"] == pytest.approx(
        result["http"]["http"]["p50"] - result["http"]["in_process"]["p50"]
    )
    assert result["http"]["while_publishing"]["busy"]["asked"] > 0
    assert all(found["runs"][0]["agreement"] > 0.99 for found in result["clusters"])
    within = [figure.ratio for figure in lessons(result["lessons"]) if figure.goal]
    assert len(within) == 4
    assert all(ratio and ratio >= 1 for ratio in within)
    assert len([*table(result)]) > len(result["stages"]["stages"])
