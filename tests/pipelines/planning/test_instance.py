"""Dagster's settings, which a person may change."""

from pathlib import Path

import pytest

from cairn.pipelines.planning.instance import instance_of
from cairn.resources.home.home import HomeError, open_home


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("storage: [", "line 1, column 10"),
        ("storage: {sqlite: 3}", "storage:sqlite must be dict"),
        ("storage: {postgres: {postgres_url: x}}", "import module dagster_postgres"),
        ("harbour: 3", 'unexpected config entry "harbour"'),
    ],
)
def test_settings_that_dagster_cannot_use_are_told_with_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str, told: str
) -> None:
    for name in ("CAIRN_HOME", "DAGSTER_HOME", "DAGSTER_DISABLE_TELEMETRY"):
        monkeypatch.setenv(name, "to be restored")
    home = open_home(tmp_path / "home")
    (home.dagster / "dagster.yaml").write_text(written)
    with pytest.raises(HomeError, match=told) as raised, instance_of(open_home(home.root)):
        pass
    assert str(home.dagster / "dagster.yaml") in str(raised.value)
