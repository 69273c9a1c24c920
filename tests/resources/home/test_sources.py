"""Registered sources: each folder belongs to one namespace."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from cairn.resources.home.home import Home, open_home
from cairn.resources.home.sources import (
    LogSource,
    SourceError,
    add_source,
    copied_sources,
    files_there,
    keep_sources,
    list_sources,
    own_sources,
    remove_source,
)
from cairn.resources.repair.lost_sources import damaged_lists, register_again


def test_sources_are_kept_by_their_real_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = open_home(tmp_path / "home")
    logs = tmp_path / "logs"
    logs.mkdir()
    (tmp_path / "link").symlink_to(logs)
    monkeypatch.chdir(tmp_path)
    first = add_source(home, Path("logs"), "me")
    assert add_source(home, tmp_path / "link", "me") == first
    moved = add_source(home, logs, "me", "Europe/Berlin")
    assert list_sources(home) == [moved]
    assert remove_source(home, logs) == moved
    assert list_sources(home) == []


def test_a_source_that_became_a_link_is_removed_as_it_is_listed(tmp_path: Path) -> None:
    home, logs = open_home(tmp_path / "home"), tmp_path / "logs"
    logs.mkdir()
    listed = add_source(home, logs, "me")
    logs.rename(tmp_path / "elsewhere")
    logs.symlink_to(tmp_path / "elsewhere")
    assert remove_source(home, logs) == listed
    assert list_sources(home) == []


def test_a_source_that_cannot_be_looked_at_stops_no_other(tmp_path: Path) -> None:
    """A folder above it may be closed, or its disk gone: here its name is too long to ask for."""
    home, logs = open_home(tmp_path / "home"), tmp_path / "logs"
    logs.mkdir()
    (logs / "a.jsonl").write_text('{"role": "user", "content": "We use uv."}\n')
    there = add_source(home, logs, "me")
    unseen = LogSource("/" + "x" * 300, "me")
    home.sources.write_text(json.dumps([vars(there), vars(unseen)]))
    assert unseen.is_gone
    assert [file.path.name for file in files_there(home, "me")] == ["a.jsonl"]


def test_a_folder_of_two_namespaces_is_refused(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    inner = tmp_path / "logs" / "project"
    inner.mkdir(parents=True)
    add_source(home, tmp_path / "logs", "me")
    for path in (tmp_path / "logs", inner):
        with pytest.raises(SourceError, match="registered for namespace me"):
            add_source(home, path, "you")
    add_source(home, inner, "me")
    assert len(list_sources(home)) == 2


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    with pytest.raises(SourceError, match="no such file"):
        add_source(home, tmp_path / "gone", "me")
    with pytest.raises(SourceError, match="not registered"):
        remove_source(home, tmp_path / "gone")
    with pytest.raises(SourceError, match="own home"):
        add_source(home, home.inbox, "me")


def flipped(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:40] + bytes(byte ^ 0xFF for byte in content[40:60]) + content[60:])


HARMS: list[Callable[[Path], object]] = [
    Path.unlink,
    flipped,
    lambda path: path.write_bytes(b""),
    lambda path: path.write_bytes(path.read_bytes()[:120]),
    lambda path: path.write_text("{}"),
    lambda path: path.rename(path.with_name("damaged")),
]


@pytest.fixture
def three(tmp_path: Path) -> Home:
    """Two files of one folder for two namespaces, and a folder with a timezone."""
    home = open_home(tmp_path / "home")
    shared = tmp_path / "Ida's logs & $HOME" / "shared"
    (shared.parent / "berlin" / "deep").mkdir(parents=True)
    shared.mkdir()
    for name in ("anna", "bert"):
        (shared / f"{name}.jsonl").touch()
        add_source(home, shared / f"{name}.jsonl", name)
    (shared.parent / "berlin" / "deep" / "cleo.jsonl").touch()
    add_source(home, shared.parent / "berlin", "cleo", "Europe/Berlin")
    return home


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_list_heals_from_its_copy_and_the_copy_from_the_list(
    three: Home, harm: Callable[[Path], object]
) -> None:
    before = list_sources(three)
    for name in ("sources", "sources_copy"):
        harm(getattr(three, name))
        assert list_sources(three) == before
        for path in damaged_lists(three):
            path.unlink()
        keep_sources(three)
        assert (own_sources(three), copied_sources(three)) == (before, before)
    remove_source(three, Path(before[0].path))
    harm(three.sources)
    assert list_sources(three) == before[1:], "what is removed does not come back"


def test_what_a_person_wrote_into_the_list_holds(three: Home) -> None:
    known = json.loads(three.sources.read_text())
    three.sources.write_text(json.dumps(known[:1]))
    assert [source.path for source in list_sources(three)] == [known[0]["path"]]
    keep_sources(three)
    three.sources.unlink()
    assert [source.path for source in list_sources(three)] == [known[0]["path"]]


@pytest.mark.parametrize("harm", HARMS)
def test_without_both_lists_no_file_is_advised_for_another_namespace(
    three: Home, harm: Callable[[Path], object]
) -> None:
    before = list_sources(three)
    read = [(file.namespace, file.name) for file in files_there(three)]
    assert len(read) == 3
    three.sources_copy.unlink()
    harm(three.sources)
    told = register_again(three, read)
    three.sources.unlink(missing_ok=True)
    for wanted in registered(told):
        add_source(three, Path(wanted.path), wanted.namespace, wanted.timezone)
    found = [(file.namespace, file.name) for file in files_there(three)]
    assert sorted(found) == sorted(read)
    assert {source.namespace for source in list_sources(three)} == {one.namespace for one in before}


def registered(advice: str) -> list[LogSource]:
    """What the commands of an advice register, as a shell gives them."""
    found: list[LogSource] = []
    for told in re.findall("`([^`]+)`", advice):
        words = shlex.split(told)
        options = list(zip(words[2::2], words[3::2], strict=True))
        rest = dict(options)
        found += [
            LogSource(value, rest["--namespace"], rest.get("--timezone", "UTC"))
            for option, value in options
            if option == "--source"
        ]
    return found


def test_what_is_left_of_a_list_keeps_its_folder_and_timezone(three: Home) -> None:
    three.sources_copy.unlink()
    three.sources.write_bytes(three.sources.read_bytes()[:-20])
    folder = three.root.parent / "Ida's logs & $HOME" / "berlin"
    wanted = LogSource(str(folder), "cleo", "Europe/Berlin")
    assert wanted in registered(register_again(three, []))
    # Unless what was read in it says otherwise.
    other = str(folder / "deep" / "cleo.jsonl")
    assert wanted not in registered(register_again(three, [("bert", other)]))


def test_a_file_of_two_namespaces_is_left_to_who_knows(three: Home) -> None:
    file = str(three.root.parent / "Ida's logs & $HOME" / "shared" / "anna.jsonl")
    three.sources.unlink()
    three.sources_copy.unlink()
    told = register_again(three, [("anna", file), ("bert", file)])
    assert re.findall("`([^`]+)`", told) == ["cairn run --source PATH"]
    assert f"{file} (anna, bert)" in told
