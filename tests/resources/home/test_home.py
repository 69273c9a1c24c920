"""The state folder: who may use it, and what Dagster gets from it."""

import stat
from pathlib import Path

import pytest
from dagster import DagsterInstance

from cairn.knowledge.schema.identity import digest
from cairn.resources.home.home import Home, HomeError, check_namespace, open_home


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


@pytest.mark.parametrize("folder", ["tenant=acme", "a%20b", "a[1]", "what?", "a|b", "a^b", "a\\b"])
def test_a_folder_that_libraries_misread_is_refused_before_anything_is_written(
    tmp_path: Path, folder: str
) -> None:
    with pytest.raises(HomeError, match="choose another"):
        open_home(tmp_path / folder / "home")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["", "..", ".hidden", "a/b", "a'b", "a b", "x" * 65, "a\n"])
def test_what_cannot_be_a_namespace(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be a namespace"):
        check_namespace(name)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home that Dagster's environment points at."""
    opened = open_home(tmp_path / "home")
    for name in ("CAIRN_HOME", "DAGSTER_HOME", "DAGSTER_DISABLE_TELEMETRY"):
        monkeypatch.setenv(name, "to be restored")
    opened.dagster_environment()
    return opened


def test_dagster_accepts_its_settings_and_keeps_runs_here(home: Home) -> None:
    with DagsterInstance.get() as instance:
        assert instance.root_directory == str(home.dagster)
        assert not instance.telemetry_enabled
        assert instance.run_monitoring_enabled
        assert instance.run_monitoring_max_runtime_seconds == 6 * 3600


def test_what_somebody_set_of_dagster_stays_and_what_it_lacks_is_added(home: Home) -> None:
    settings, elsewhere = home.dagster / "dagster.yaml", home.root.parent / "runs"
    own = (
        f"# ours\nstorage:\n  sqlite:\n    base_dir: {elsewhere}\n"
        "run_queue:\n  max_concurrent_runs: 1"
    )
    settings.write_text(own)
    for _ in range(2):
        open_home(home.root)
        assert settings.read_text().startswith(f"{own}\n")
    assert settings.read_text().count("run_queue:") == 1
    with DagsterInstance.get() as instance:
        assert instance.get_run_records() == []
        assert instance.get_concurrency_config().run_queue_config.max_concurrent_runs == 1
        assert instance.run_monitoring_max_runtime_seconds == 6 * 3600
    assert list(elsewhere.rglob("*.db"))
    assert not list(home.dagster.rglob("*.db"))


def test_settings_of_dagster_that_nobody_changed_follow_the_version(home: Home) -> None:
    settings = home.dagster / "dagster.yaml"
    ours = settings.read_text()
    body = "run_queue:\n  max_concurrent_runs: 99\n"
    before = "# Written by Cairn; changes made here are overwritten.\n"
    for older in (before + body, f"# {digest(body)}\n{body}", "", "\n"):
        settings.write_text(older)
        open_home(home.root)
        assert settings.read_text() == ours
    settings.write_bytes(b"\xff\xfe")
    open_home(home.root)
    assert settings.read_text() == ours
