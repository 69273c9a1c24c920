"""The file of answers: what is kept, found, forgotten, and what a broken file says."""

import sqlite3
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cairn.resources.llm.answer_cache import Answers, AnswersError, CachedAnswer, Call

KEPT = CachedAnswer(
    "k1", "me", "candidates", "find", "f1", "openai/x", "done", None, '{"name": "kiwi"}',
    10, 5, 0, 0.25, 1.5, 1, "2026-01-02T03:04:05+00:00",
)  # fmt: skip
CALL = Call(
    "me", "candidates", "find", "f1", "openai/x", "done", None,
    10, 5, 0, 0.25, 1.5, "2026-01-02T03:04:05.000006+00:00",
)  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


def _bytes(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob("answers.sqlite*")))


def test_an_answer_is_found_by_its_key_in_another_process(path: Path) -> None:
    answers = Answers(path)
    answers.put(KEPT, ["r1", "r2"])
    answers.put(KEPT._replace(key="k2", outcome="failed", reason="blank", text=None), [])
    answers.put(KEPT._replace(attempts=2), ["r3"])
    other = Answers(path)
    assert other.read(["k1", "k0"]) == {"k1": KEPT._replace(attempts=2)}
    assert other.read(["k2"])["k2"].reason == "blank"
    assert other.records(["k1", "k2"]) == {"k1": ("r1", "r2", "r3")}
    assert [row.key for row in other.failed("me")] == ["k2"]


def test_the_file_is_its_owners_alone_and_reading_makes_none(path: Path) -> None:
    answers = Answers(path)
    assert answers.read(["k1"]) == {}
    assert answers.ledger().height == answers.paid(datetime(2026, 1, 1, tzinfo=UTC)) == 0
    assert answers.delete("me", ["r1"]) == answers.clear_failed() == 0
    assert not path.exists()
    answers.put(KEPT, [])
    assert {file.stat().st_mode & 0o777 for file in path.parent.glob("answers*")} == {0o600}


def test_forgetting_a_record_takes_each_answer_that_saw_it_bytes_and_all(path: Path) -> None:
    answers = Answers(path)
    answers.put(KEPT, ["r1"])
    answers.put(KEPT._replace(key="k2", text='{"name": "plum"}'), ["r2"])
    answers.put(KEPT._replace(key="k3", namespace="you", text='{"name": "pear"}'), ["r2"])
    answers.see([("k1", "r2"), ("k1", "r1"), ("k0", "r2")])  # the same question of another record
    answers.pay(CALL)
    assert b"kiwi" in _bytes(path)
    assert answers.delete("me", ["r2"]) == 2
    assert list(answers.read(["k1", "k2", "k3"])) == ["k3"]
    assert answers.records(["k1", "k2"]) == {}
    assert b"kiwi" not in _bytes(path)
    assert b"plum" not in _bytes(path)
    assert answers.ledger().height == 1


def test_failed_answers_are_cleared_by_namespace(path: Path) -> None:
    answers = Answers(path)
    failed = KEPT._replace(outcome="failed", reason="blank", attempts=3)
    answers.put(KEPT, [])
    answers.put(failed._replace(key="k2"), [])
    answers.put(failed._replace(key="k3", namespace="you"), [])
    assert answers.clear_failed("me") == 1
    assert sorted(answers.read(["k1", "k2", "k3"])) == ["k1", "k3"]
    assert answers.clear_failed() == 1


def test_failed_answers_are_cleared_by_the_records_that_they_saw(path: Path) -> None:
    answers = Answers(path)
    answers.put(KEPT, ["r1"])
    failed = KEPT._replace(outcome="failed", reason="blank")
    answers.put(failed._replace(key="k2"), ["r1", "r2"])
    answers.put(failed._replace(key="k3"), ["r3"])
    assert answers.clear_failed("you", ["r1"]) == answers.clear_failed("me", []) == 0
    assert answers.clear_failed("me", ["r1", "r2"]) == 1
    assert sorted(answers.read(["k1", "k2", "k3"])) == ["k1", "k3"]


def test_the_ledger_is_a_table(path: Path) -> None:
    answers = Answers(path)
    answers.pay(CALL)
    answers.pay(CALL._replace(cost=None, called_at="2026-01-03T00:00:00+00:00"))
    frame = answers.ledger()
    assert frame["day"].to_list() == ["2026-01-02", "2026-01-03"]
    assert frame["called_at"][0] == datetime(2026, 1, 2, 3, 4, 5, 6, UTC)
    assert frame["cost"].to_list() == [0.25, None]
    assert answers.paid(datetime(2026, 1, 2, tzinfo=UTC)) == 0.25
    assert answers.paid(datetime(2026, 1, 3, tzinfo=UTC)) == 0.0


def test_threads_may_share_it(path: Path) -> None:
    answers = Answers(path)

    def keep(first: int) -> None:
        for number in range(first, first + 25):
            answers.put(KEPT._replace(key=f"k{number}"), [f"r{number}"])

    threads = [threading.Thread(target=keep, args=[first]) for first in (0, 25, 50, 75)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers.read(f"k{number}" for number in range(100))) == 100


def test_a_damaged_file_is_one_clear_error(path: Path) -> None:
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(AnswersError, match=r"answers\.sqlite is damaged .*backup"):
        Answers(path).read(["k1"])


def test_damage_within_the_file_is_one_too(path: Path) -> None:
    answers = Answers(path)
    for number in range(200):
        answers.put(KEPT._replace(key=f"k{number}"), [f"r{number}"])
    answers.close()
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(AnswersError, match="damaged"):
        Answers(path).read(["k1"])


def test_a_locked_file_is_one_clear_error(path: Path) -> None:
    answers = Answers(path, timeout=0.1)
    answers.put(KEPT, [])
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert answers.read(["k1"])  # readers do not wait
    with pytest.raises(AnswersError, match="another process has kept it locked"):
        answers.put(KEPT, [])
    other.close()
    answers.put(KEPT, [])


def test_a_file_of_a_newer_cairn_is_refused(path: Path) -> None:
    Answers(path).put(KEPT, [])
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 9")
    with pytest.raises(AnswersError, match="newer Cairn"):
        Answers(path).read(["k1"])
