"""What a namespace may take of a day: what is beyond waits, and others never do."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from cairn.assets.pending.records import changed_files
from cairn.assets.records import stretch
from cairn.knowledge.schema.tables import RAW_LOGS, SOURCE_FILES
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.log_files import LogFile
from cairn.resources.home.settings import Limits, Settings
from cairn.resources.home.sources import add_source
from cairn.resources.home.usage import SEARCH, note_use, uses_since_midnight
from cairn.resources.limits.day import LimitReached, check_limit, day_uses, files_held_back
from cairn.serving.status.freshness import freshness
from cairn.serving.write.inbox import add_event, received
from tests.journeys.running import follow
from tests.serving.two_namespaces import SAID, sessions


def test_what_is_said_of_a_namespace_stands_beside_what_is_said_of_all() -> None:
    limits = {"*": Limits(searches=5, log_bytes=9), "ada": Limits(searches=7)}
    settings = Settings(limits=limits)
    assert settings.limits_of("ada") == Limits(searches=7, log_bytes=9)
    assert settings.limits_of("bo") == Limits(searches=5, log_bytes=9)


def test_logs_beyond_the_limit_wait_and_nothing_is_lost(tmp_path: Path) -> None:
    limited = _home(tmp_path / "limited", {"ada": Limits(log_bytes=1000)})
    follow(limited, RAW_LOGS.name)
    (waits,) = files_held_back(limited)
    assert waits.namespace == "ada", "one file is begun, and taken in whole; the other waits"
    assert not changed_files(limited)
    fresh = freshness(limited, "ada")
    assert (fresh.changed_files, fresh.held_back) == (1, 1)
    (use,) = day_uses(limited, "ada")
    assert use.reached
    assert use.words.startswith("limits.ada.log_bytes: 3,")
    assert not day_uses(limited, "bo")
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    assert not any(use.reached for use in day_uses(limited, "ada", tomorrow))

    with pytest.raises(LimitReached, match=r"limits\.ada\.log_bytes.*00:00 UTC"):
        received(limited, "ada", {"type": "note", "text": "The orchard has a gate."})
    add_event(limited, {"type": "command", "namespace": "ada", "text": "/like orchards"})
    follow(limited, RAW_LOGS.name)
    inbox = limited.warehouse.read(SOURCE_FILES, namespace="ada").collect()["path"]
    assert inbox.str.contains("/inbox/ada/").any(), "what people told never waits"

    raised = State(limited.home, Settings())
    follow(raised, RAW_LOGS.name)
    free = _home(tmp_path / "free", {})
    follow(free, RAW_LOGS.name)
    columns = ["record_id", "text"]
    assert_frame_equal(
        raised.warehouse.read(RAW_LOGS).filter(source="claude_code").select(columns).collect(),
        free.warehouse.read(RAW_LOGS).select(columns).collect(),
        check_row_order=False,
    )


def test_one_with_many_logs_keeps_nobody_waiting(tmp_path: Path) -> None:
    sizes = [*[("large", 40)] * 100, *[("small", 5)] * 3, ("huge", 500)]
    files = [
        LogFile(tmp_path / f"{n}", name, "UTC", size, n) for n, (name, size) in enumerate(sizes)
    ]
    assert Counter(file.namespace for file in stretch(files, 100)) == {
        "large": 2, "small": 3, "huge": 1
    }  # fmt: skip
    assert stretch(files, None) == files


def test_answers_of_a_day_are_counted_for_all_processes(tmp_path: Path) -> None:
    home = open_home(tmp_path)
    state = State(home, Settings(limits={"ada": Limits(searches=2)}))
    now = datetime(2026, 3, 2, 23, 59, tzinfo=UTC)
    note_use(home, "ada", SEARCH, 1, at=now - timedelta(days=1))
    for seen in (0, 1, 2):
        assert uses_since_midnight(home, "ada", now) == seen
        note_use(home, "ada", SEARCH, 1, at=now)  # as another process does
    check_limit(state, "bo", "searches", now)
    with pytest.raises(LimitReached, match=r"limits\.ada\.searches: 3 of 2 today") as reached:
        check_limit(state, "ada", "searches", now)
    assert reached.value.seconds == 60
    check_limit(state, "ada", "searches", now + timedelta(minutes=1))


def test_an_answer_that_is_just_being_written_is_counted_with_its_whole_line(
    tmp_path: Path,
) -> None:
    home, now = open_home(tmp_path), datetime(2026, 3, 2, 12, tzinfo=UTC)
    note_use(home, "ada", SEARCH, 1, at=now)
    (file,) = (tmp_path / "usage" / "ada").iterdir()
    line = file.read_bytes()
    for part, seen in ((line[:12], 1), (line[12:], 2)):
        with file.open("ab") as lines:
            lines.write(part)
        assert uses_since_midnight(home, "ada", now) == seen


def test_where_answers_cannot_be_counted_they_are_given(tmp_path: Path) -> None:
    state = State(open_home(tmp_path), Settings(limits={"ada": Limits(searches=2)}))
    (tmp_path / "usage").write_text("")
    note_use(state.home, "ada", SEARCH, 1)
    check_limit(state, "ada", "searches")


def _home(place: Path, limits: dict[str, Limits]) -> State:
    """Two namespaces with two files each, of some 3,000 bytes."""
    state = State(open_home(place / "home"), Settings(limits=limits))
    for name in SAID:
        logs = place.parent / name  # at the same place for each home
        if not logs.exists():
            logs.mkdir()
            sessions(logs, name)
        add_source(state.home, logs, name)
    return state
