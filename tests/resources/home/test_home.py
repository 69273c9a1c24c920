"""The state folder: who may use it, and what Dagster gets from it."""

import stat
from pathlib import Path

import pytest
from dagster import DagsterInstance

from cairn.resources.home.home import HomeError, check_namespace, open_home


def test_a_new_home_is_private_and_complete(tmp_path: Path) -> None:
    home = open_home(tmp_path / "a" / "home")
    assert stat.S_IMODE(home.root.stat().st_mode) == 0o700
    assert {path.name for path in home.root.iterdir()} == {
        "dagster", "inbox", "index", "publication", "schema_version", "warehouse",
    }  # fmt: skip
    assert open_home(home.root) == home


def test_a_home_left_open_is_closed_to_others(tmp_path: Path) -> None:
    root = open_home(tmp_path / "home").root
    root.chmod(0o755)
    open_home(root)
    assert stat.S_IMODE(root.stat().st_mode) == 0o700


def test_the_environment_names_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAIRN_HOME", "relative/home")
    assert open_home().root == tmp_path / "relative" / "home"


@pytest.mark.parametrize(("version", "says"), [("99", "make setup"), ("1", "cairn upgrade")])
def test_another_schema_is_refused_with_the_command(
    tmp_path: Path, version: str, says: str
) -> None:
    root = open_home(tmp_path / "home").root
    (root / "schema_version").write_text(version)
    with pytest.raises(HomeError, match=says):
        open_home(root)


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(HomeError, match=r"thesis\.txt"):
        open_home(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_file_is_no_home(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HomeError, match="is a file"):
        open_home(tmp_path / "file")


@pytest.mark.parametrize("name", ["", "..", ".hidden", "a/b", "a'b", "a b", "x" * 65, "a\n"])
def test_what_cannot_be_a_namespace(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be a namespace"):
        check_namespace(name)


def test_dagster_accepts_its_settings_and_keeps_runs_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = open_home(tmp_path / "home")
    for name in ("CAIRN_HOME", "DAGSTER_HOME", "DAGSTER_DISABLE_TELEMETRY"):
        monkeypatch.setenv(name, "to be restored")
    home.dagster_environment()
    settings = home.dagster / "dagster.yaml"
    settings.write_text("telemetry: {enabled: true}")
    open_home(home.root)
    with DagsterInstance.get() as instance:
        assert instance.root_directory == str(home.dagster)
        assert not instance.telemetry_enabled
        assert instance.run_monitoring_enabled
        assert instance.run_monitoring_max_runtime_seconds == 6 * 3600
