"""What a home only reads it keeps within its bound; nothing goes that the store does not have."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from cairn.resources.home.home import open_home
from cairn.resources.home.inbox import append_event
from cairn.resources.home.sources import add_source
from cairn.resources.llm.answer_cache import Answers
from cairn.resources.sharing.shared_files import SharedFiles
from cairn.resources.sharing.sharing import Sharing

SIZE = 100_000
NAMES = ("one", "two", "three")


def _sharing(place: Path, most: int | None = None) -> Sharing:
    place.mkdir(exist_ok=True)
    home = open_home(place)
    answers = Answers(home.answers)
    return Sharing(home, str(place.parent / "store"), answers, cache_bytes=most)


def _table(sharing: Sharing, name: str) -> Path:
    return sharing.of(name).files.tables / "records" / "part.parquet"


@pytest.fixture
def reader(tmp_path: Path) -> Sharing:
    """A home that may keep two of the three namespaces that another one has pushed."""
    writer = _sharing(tmp_path / "writer")
    for name in NAMES:
        with writer.held([name], 0):
            _table(writer, name).parent.mkdir(parents=True)
            _table(writer, name).write_bytes(os.urandom(SIZE))
    return _sharing(tmp_path / "reader", 2 * SIZE + 1000)


def _read(sharing: Sharing, name: str, *, ago: float = 3600) -> None:
    """Reads one, as if that had been some seconds ago."""
    sharing.follow(name)
    used = sharing.of(name).folder / "used"
    used.touch()
    then = time.time() - ago
    os.utime(used, (then, then))


def _here(sharing: Sharing) -> set[str]:
    return {name for name in NAMES if _table(sharing, name).exists()}


def test_what_was_read_longest_ago_gives_way_and_comes_back(reader: Sharing) -> None:
    for ago, name in zip((300, 100, 200), NAMES, strict=True):
        _read(reader, name, ago=ago)
    assert _here(reader) == {"two", "three"}
    assert not reader.of("one").is_here
    reader.follow("one")  # at once, though it was looked for just now
    assert _here(reader) == {"one", "two"}
    assert _table(reader, "one").stat().st_size == SIZE


def test_what_is_read_now_stays_though_it_is_too_much(reader: Sharing) -> None:
    for name in NAMES:
        _read(reader, name, ago=10)
    assert _here(reader) == {*NAMES}


def test_what_is_not_in_the_store_stays(reader: Sharing, tmp_path: Path) -> None:
    reader.cache_bytes = SIZE
    (tmp_path / "logs").mkdir()
    add_source(reader.home, tmp_path / "logs", "two")  # it is made here
    _read(reader, "one")
    note = {"type": "note", "namespace": "one", "text": "A word."}
    append_event(reader.home, note, redact=lambda text: (text, 0))
    for name in ("two", "three"):
        _read(reader, name)
    assert reader.cache.trim() == ["three"], "neither what was told here nor what is made here"
    assert _here(reader) == {"one", "two"}
    assert not reader.of("one").drop()
    with reader.of("two").at_work():
        assert not reader.of("two").drop(), "a run works on it"
    assert reader.of("two").drop()


def test_what_was_told_here_and_pushed_keeps_its_tables(reader: Sharing) -> None:
    """Without them, its inbox would be taken in and the namespace pulled again, for ever."""
    _read(reader, "one")
    note = {"type": "note", "namespace": "one", "text": "A word."}
    append_event(reader.home, note, redact=lambda text: (text, 0))
    with reader.held(["one"], 0):
        pass
    assert not reader.of("one").drop()
    assert _here(reader) == {"one"}
    assert not reader.owes("one")


def test_who_asks_while_it_comes_back_waits_for_it(
    reader: Sharing, monkeypatch: pytest.MonkeyPatch
) -> None:
    _read(reader, "one")
    assert reader.of("one").drop()
    reader._looked.clear()
    comes = SharedFiles.write

    def slowly(*given: Any) -> None:
        time.sleep(0.2)
        comes(*given)

    monkeypatch.setattr(SharedFiles, "write", slowly)

    def found(_: int) -> bool:
        reader.follow("one")
        return reader.of("one").is_here

    with ThreadPoolExecutor(4) as asking:
        assert all(asking.map(found, range(4)))


def test_where_the_list_of_sources_cannot_be_read_nothing_is_dropped(reader: Sharing) -> None:
    for name in NAMES[:2]:
        _read(reader, name)
    (reader.home.root / "sources.json").write_text("{")
    reader.follow("three")
    assert not reader.cache.trim()
    assert _here(reader) == {*NAMES}


def test_a_drop_that_was_killed_is_made_up_by_the_next_pull(
    reader: Sharing, monkeypatch: pytest.MonkeyPatch
) -> None:
    _read(reader, "one")
    with monkeypatch.context() as dying:
        dying.setattr(SharedFiles, "drop_all_but", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            reader.of("one").drop()
    assert reader.of("one").is_cut
    assert not reader.of("one").has_unpushed(), "it is not taken for work of this home"
    assert not _here(reader), "who looks meanwhile finds no table that lacks files"
    reader.finish_pulls()
    assert _here(reader) == {"one"}
    assert not reader.of("one").is_cut
    assert not list(reader.of("one").folder.rglob("part.parquet")), "nor is any left aside"
