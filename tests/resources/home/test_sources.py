"""Registered sources: each folder belongs to one namespace."""

from pathlib import Path

import pytest

from resources.home.home import open_home
from resources.home.sources import SourceError, add_source, list_sources, remove_source


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
