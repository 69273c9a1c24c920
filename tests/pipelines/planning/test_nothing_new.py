"""Nothing is new until anything that decides it has changed, however little shows of that."""

import json
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from cairn.knowledge.schema.tables import SOURCE_FILES
from cairn.pipelines.follow import follow
from cairn.pipelines.planning.nothing_new import note_if_done
from cairn.pipelines.planning.pending import is_pending
from cairn.resources.context import State, open_state
from cairn.resources.deletion.tombstones import note
from cairn.resources.home.home import Home, open_home
from cairn.resources.home.inbox import append_event
from cairn.resources.home.nothing_new import (
    NothingNew,
    look,
    note_nothing_new,
    since_last_run,
)
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source, remove_source
from cairn.resources.repair.home_damage import home_damage
from cairn.serving.cli.main import cairn
from cairn.serving.read.reader import open_reader
from cairn.serving.retrieval.search import search_memory
from tests.homes import copy_home


class Place(NamedTuple):
    """A home in which nothing is new, its logs, and code of another's that decides, too."""

    home: Home
    logs: Path
    plugin: Path


def talk(minute: int, text: str) -> str:
    at = f"2026-03-01T10:{minute:02}:00Z"
    return json.dumps({"role": "user", "content": text, "timestamp": at}) + "\n"


def state_of(home: Home) -> State:
    return State(home, Settings())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("made")
    (folder / "logs").mkdir()
    (folder / "logs" / "chat.jsonl").write_text(
        talk(0, "We use pnpm here, never npm install.")
        + talk(1, "We decided to use gzip instead of zstd for the archives.")
    )
    home = open_home(folder / "home")
    add_source(home, folder / "logs", "me")
    follow(state_of(home))
    return Place(home, folder / "logs", folder / "logbook.py")


@pytest.fixture
def place(made: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.chdir(tmp_path)
    home = Home(copy_home(made.home.root, tmp_path / "home"))
    logs, plugin = tmp_path / "logs", tmp_path / "logbook.py"
    shutil.copytree(made.logs, logs)
    plugin.write_text("VERSION = 1\n")
    remove_source(home, made.logs)
    add_source(home, logs, "me")
    found = NothingNew(look(home, [str(plugin)]), [str(plugin)], None, {}, [], 0, 0)
    note_nothing_new(home, found)
    assert since_last_run(home).found == found
    return Place(home, logs, plugin)


def grown(place: Place) -> None:
    with (place.logs / "chat.jsonl").open("a") as file:
        file.write(talk(2, "Never push to main."))


def rotten(file: Path) -> None:
    """Another byte, and nothing shows that it was written."""
    before = file.stat()
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def file_of(home: Home, pattern: str) -> Path:
    return max(home.root.glob(pattern), key=lambda file: (file.stat().st_size, file))


def told(place: Place) -> None:
    event = {"type": "note", "namespace": "me", "text": "The NAS wakes at six."}
    append_event(place.home, event, redact=lambda text: (text, 0))


def forgotten(place: Place) -> None:
    note(place.home, {"type": "tombstone", "namespace": "me", "conversation_id": "c_1"})


def linked(place: Place) -> None:
    """What a link leads to may change, and its name does not."""
    folder = place.home.warehouse / "me" / "facts"
    folder.rename(place.home.root.parent / "facts")
    folder.symlink_to(place.home.root.parent / "facts")


CHANGES: dict[str, Callable[[Place], object]] = {
    "a log has grown": grown,
    "a log is new": lambda place: (place.logs / "new.jsonl").write_text(talk(3, "Hello.")),
    "a log is gone": lambda place: (place.logs / "chat.jsonl").unlink(),
    "a log was replaced": lambda place: (place.logs / "chat.jsonl").touch(),
    "a source was added": lambda place: add_source(place.home, place.plugin.parent / "home2", "b"),
    "a source was removed": lambda place: remove_source(place.home, place.logs),
    "a source has another timezone": lambda place: add_source(
        place.home, place.logs, "me", "Europe/Berlin"
    ),
    "something was told": told,
    "something is to be forgotten": forgotten,
    "a setting of the home": lambda place: (place.home.root / "cairn.toml").write_text(
        "policy.search_limit = 7\n"
    ),
    "a setting of this folder": lambda _: Path("cairn.toml").write_text("timezone = 'UTC'\n"),
    "code of a plug-in": lambda place: place.plugin.write_text("VERSION = 2\n"),
    "code of a plug-in is gone": lambda place: place.plugin.unlink(),
    "a table is gone": lambda place: shutil.rmtree(place.home.warehouse / "me" / "facts"),
    "a table is elsewhere": linked,
    "a file of a table is gone": lambda place: file_of(
        place.home, "warehouse/me/records/**/*.parquet"
    ).unlink(),
    "a file of a table is rotten": lambda place: rotten(
        file_of(place.home, "warehouse/me/records/**/*.parquet")
    ),
    "a commit came": lambda place: file_of(
        place.home, "warehouse/me/work/_delta_log/*.json"
    ).with_name("00000000000000009999.json").write_text("{}"),
    "the index is rotten": lambda place: rotten(file_of(place.home, "index/me/*/*/flat")),
    "the index is gone": lambda place: shutil.rmtree(place.home.index / "me"),
    "the manifest is gone": lambda place: (place.home.publication / "me.json").unlink(),
    "a mark of the model": lambda place: (place.home.root / "model_goes_on").write_text("facts"),
    "a mode": lambda place: (place.home.warehouse / "me" / "facts").chmod(0o500),
    "the history of runs is gone": lambda place: shutil.rmtree(place.home.dagster),
    "the note itself is cut": lambda place: (place.home.root / "nothing_new.json").write_text("{"),
}  # fmt: skip


ELSEWHERE = {"a source was added", "the history of runs is gone"}
"""Changes by which nothing is pending in a namespace that was there."""


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_looked_at(place: Place, change: str) -> None:
    (place.plugin.parent / "home2").mkdir()
    assert since_last_run(place.home).quiet == {"me"}
    CHANGES[change](place)
    since = since_last_run(place.home)
    assert since.found is None
    assert since.quiet == ({"me"} if change in ELSEWHERE else set())


def test_a_quiet_namespace_is_passed_over(place: Place) -> None:
    grown(place)
    state = state_of(place.home)
    assert is_pending(state)
    rest = state.without(frozenset({"me"}))
    assert not is_pending(rest)
    assert (rest.namespaces(), rest.warehouse.namespaces()) == ([], set())
    assert is_pending(rest.of("me"))


def test_a_source_that_is_given_is_read_in_a_quiet_namespace(place: Place, tmp_path: Path) -> None:
    (more := tmp_path / "more.jsonl").write_text(talk(5, "Never push to main."))
    note_nothing_new(place.home, NothingNew(look(place.home), [], None, {}, [], 0, 0))
    given = ["--home", str(place.home.root), "run", "--source", str(more), "--namespace", "me"]
    assert CliRunner().invoke(cairn, given).exit_code == 0
    known = state_of(place.home).warehouse.read(SOURCE_FILES).collect()
    assert str(more) in set(known["path"])


def test_a_home_is_sound_that_is_as_the_last_run_left_it(place: Place) -> None:
    grown(place)
    mine = frozenset({"me"})
    new = len(talk(2, "Never push to main."))
    since = since_last_run(place.home)
    assert (since.is_sound, since.sound, since.new_bytes) == (True, mine, new)
    (place.plugin.parent / "another").mkdir()
    add_source(place.home, place.plugin.parent / "another", "other")
    since = since_last_run(place.home)
    assert (since.is_sound, since.sound, since.new_bytes) == (False, mine, new)
    state = open_state(place.home.root)
    rotten(file_of(place.home, "warehouse/me/records/**/*.parquet"))
    since = since_last_run(place.home)
    assert (since.is_sound, since.sound, since.new_bytes) == (False, set(), new)
    assert [one.kind for one in home_damage(state, deep=True)] == ["records"]
    assert home_damage(state, deep=True, sound=mine) == []


@pytest.mark.parametrize(
    "change", ["a setting of the home", "a setting of this folder", "code of a plug-in"]
)
def test_how_much_is_new_is_not_known_where_old_logs_may_be_read_anew(
    place: Place, change: str
) -> None:
    grown(place)
    CHANGES[change](place)
    assert since_last_run(place.home).new_bytes is None


def test_all_is_new_in_a_new_home(tmp_path: Path) -> None:
    place = tmp_path / "home"
    assert since_last_run(Home(place)).new_bytes == 0  # it is not there yet
    state = open_state(place)
    (tmp_path / "chat.jsonl").write_text(talk(1, "Never push to main."))
    add_source(state.home, tmp_path / "chat.jsonl", "me")
    new = (tmp_path / "chat.jsonl").stat().st_size
    assert since_last_run(state.home).new_bytes == new
    follow(state)
    assert since_last_run(state.home).new_bytes is None  # it was run, and nothing is noted


def test_a_variable_changed(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_POLICY__SEARCH_LIMIT", "7")
    assert since_last_run(place.home).found is None


def test_a_package_was_installed(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = tmp_path / "site-packages"
    found.mkdir()
    monkeypatch.syspath_prepend(tmp_path)  # the first is that of the command
    monkeypatch.setattr("sys.path", [str(tmp_path), str(found)])
    note_nothing_new(place.home, NothingNew(look(place.home), [], None, {}, [], 0, 0))
    assert since_last_run(place.home).found
    (found / "logbook-1.dist-info").mkdir()
    assert since_last_run(place.home).found is None


def test_who_reads_changes_nothing(place: Place) -> None:
    state = state_of(place.home)
    assert search_memory(open_reader(state, "me"), "pnpm", "all", 3)
    (place.home.root / "sensor_alive").touch()
    (place.home.root / "usage").mkdir(exist_ok=True)
    (place.home.root / "usage" / "me.jsonl").write_text("{}")
    assert since_last_run(place.home).found


def test_time_passes(place: Place) -> None:
    noted = since_last_run(place.home).found
    assert noted
    note_nothing_new(place.home, replace(noted, until=time.time() + 60))
    assert since_last_run(place.home).found
    note_nothing_new(place.home, replace(noted, until=time.time()))
    assert since_last_run(place.home).found is None


def test_only_a_home_that_owes_nothing_is_noted(place: Place, tmp_path: Path) -> None:
    (place.home.root / "nothing_new.json").unlink()
    follow(state_of(place.home))

    def noted(name: str, harm: Callable[[Home], object], **settings: str) -> bool:
        """Whether a copy of the home, which is harmed, is noted."""
        home = Home(copy_home(place.home.root, tmp_path / name))
        harm(home)
        state = State(home, Settings.model_validate(settings))
        note_if_done(state, {}, [], refused=0, earlier_answers=0)
        return since_last_run(home).found is not None

    assert noted("as it is", lambda _: None)
    assert not noted("setting", lambda _: None, qdrant_url="http://127.0.0.1:1")
    assert not noted("file", lambda home: shutil.rmtree(home.index / "me"))
    assert not noted("mark", lambda home: (home.root / "model_goes_on").write_text("facts"))
    assert not noted("log", lambda _: grown(place))


def test_who_is_untouched_is_not_looked_at_again_and_found_if_it_was_touched(place: Place) -> None:
    home = place.home
    before = look(home)
    assert look(home, (), before, {"me"}) == before
    file = next((home.warehouse / "me" / "facts").glob("**/*.parquet"))
    file.chmod(0o400)
    after = look(home, (), before, {"me"})
    assert (after.tables, after.index) == (before.tables, before.index)
    note_nothing_new(home, NothingNew(after, [], None, {}, [], 0, 0))
    assert since_last_run(home).sound == set()
    assert not since_last_run(home).is_sound


def test_modes_in_a_sound_namespace_are_not_looked_at(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []

    def access(path: str, mode: int) -> bool:
        asked.append(Path(path))
        return bool(mode)

    monkeypatch.setattr(os, "access", access)
    state, table = state_of(place.home), place.home.warehouse / "me" / "facts"
    assert home_damage(state, first=True) == []
    assert table in asked
    asked.clear()
    assert home_damage(state, first=True, sound={"me"}) == []
    assert table.parent in asked
    assert table not in asked
