"""Whatever the Dagster UI can select runs, by itself and together."""

from collections.abc import Generator
from pathlib import Path

import pytest

from cairn.knowledge.schema.tables import RAW_LOGS
from cairn.pipelines.checks.frames import CHECKS
from cairn.pipelines.graph import ASSETS
from cairn.resources.home.sources import add_source
from tests.pipelines.house import House, talk
from tests.pipelines.ui import Ui, opened_ui

DAY, EARLIER = "2026-03-15", "2026-03-11"
OK = "SUCCESS"


@pytest.fixture
def ui(house: House, monkeypatch: pytest.MonkeyPatch) -> Generator[Ui]:
    """The UI over a home that has data."""
    monkeypatch.setenv("CAIRN_HOME", str(house.state.home.root))
    monkeypatch.setenv("DAGSTER_HOME", str(house.state.home.dagster))
    with opened_ui() as ui:
        yield ui


@pytest.fixture
def empty_ui(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Ui]:
    """The UI over a home that has nothing."""
    monkeypatch.setenv("CAIRN_HOME", str(tmp_path / "nothing"))
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "nothing" / "dagster"))
    with opened_ui() as ui:
        yield ui


def materialized(ui: Ui, *names: str) -> str:
    by_day = any(ui.assets[name]["isPartitioned"] for name in names)
    return ui.materialize(*names, **({"partition": DAY} if by_day else {}))


def test_each_asset_materializes_by_itself(ui: Ui) -> None:
    """One table of each step; those that share a step are taken together with their group."""
    tables = [max(asset.keys).to_user_string() for asset in ASSETS]
    came = {name: materialized(ui, name) for name in tables}
    assert came == dict.fromkeys(came, OK)
    assert len(came) > 30


def test_each_group_materializes(ui: Ui) -> None:
    came = {name: materialized(ui, *group) for name, group in ui.groups.items()}
    assert came == dict.fromkeys(came, OK)
    assert len(came) == 7


def test_a_home_without_data_can_be_materialized(empty_ui: Ui) -> None:
    assert materialized(empty_ui, *empty_ui.assets) == OK
    assert empty_ui.backfill("candidates", days=[EARLIER, DAY]) == OK
    assert empty_ui.check("facts", *empty_ui.checks("facts")) == OK


def test_each_check_that_shares_a_step_runs_by_itself(ui: Ui) -> None:
    shared = [min(each.check_keys) for each in CHECKS if len([*each.check_keys]) > 1]
    assert len(shared) > 10
    came = {f"{key.asset_key.path[0]}.{key.name}": ui.check(key.asset_key.path[0], key.name)
            for key in shared}  # fmt: skip
    assert came == dict.fromkeys(came, OK)
    assert ui.check("learnings", *ui.checks("learnings")) == OK


def test_days_are_backfilled_whatever_is_selected(ui: Ui) -> None:
    by_day = [name for name, asset in ui.assets.items() if asset["isPartitioned"]]
    assert ui.materialize(
        *by_day, asset_partition_range_start=EARLIER, asset_partition_range_end=DAY
    ) == OK  # fmt: skip
    for selected in (["candidates"], ["episodes", "learning_candidates"], [*ui.assets]):
        assert ui.backfill(*selected, days=[EARLIER, DAY]) == OK, selected
    assert ui.backfill("facts") == OK


def test_what_is_clicked_before_that_which_it_follows_from_rests_on_what_is_there(
    ui: Ui, house: House
) -> None:
    logs = house.state.home.root.parent / "new logs"
    logs.mkdir()
    talk(logs, 7, "Rowan runs Grafana on tower and never on nas.", f"{DAY}T09:00:00Z")
    add_source(house.state.home, logs, "default")
    before = house.state.warehouse.read(RAW_LOGS).collect().height
    clicked = ("records", "raw_logs", "candidates", "introductions", "entities",
               "fact_sources", "memory")  # fmt: skip
    came = {name: materialized(ui, name) for name in clicked}
    assert came == dict.fromkeys(clicked, OK)
    assert house.state.warehouse.read(RAW_LOGS).collect().height == before + 1
