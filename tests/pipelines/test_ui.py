"""Whatever the Dagster UI can select runs, by itself and together."""

from collections.abc import Generator
from pathlib import Path

import pytest

from cairn.knowledge.assembly.run import RUN
from cairn.knowledge.schema.tables import RAW_LOGS
from cairn.pipelines.checks.frames import CHECKS
from cairn.resources.home.sources import add_source
from tests.homes import copy_home
from tests.pipelines.house import House, failure, talk
from tests.pipelines.ui import Ui, forget_definitions, opened_ui

EVERY_ASSET = "__ASSET_JOB"
DAY = "2026-03-15"
OK = "SUCCESS"


@pytest.fixture(scope="module")
def shared_ui(built: House, tmp_path_factory: pytest.TempPathFactory) -> Generator[Ui]:
    """The UI over a home that has data, to which no test adds any."""
    home = copy_home(built.state.home.root, tmp_path_factory.mktemp("ui") / "home")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("CAIRN_HOME", str(home))
        patched.setenv("DAGSTER_HOME", str(home / "dagster"))
        with opened_ui() as ui:
            yield ui


@pytest.fixture
def ui(shared_ui: Ui) -> Ui:
    """That UI, whatever other one a test has opened meanwhile."""
    forget_definitions()
    return shared_ui


@pytest.fixture
def own_ui(house: House, monkeypatch: pytest.MonkeyPatch) -> Generator[Ui]:
    """The UI over a home that a test may change."""
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


def test_each_asset_materializes_by_itself(ui: Ui, house: House) -> None:
    """The last table of each step; those that share one are taken together with their group.

    The UI asks for nothing more, and would start the job of all assets, which is run here without
    its server.
    """
    tables = [step.writes[-1].name if step.writes else step.name for step in RUN]
    asked = [*tables, "work", "maintenance"]
    assert {name: why for name in asked if (why := ui.refusal(name))} == {}
    assert {ui.job(name) for name in asked} == {EVERY_ASSET}
    came = {name: failure(house.run(EVERY_ASSET, assets=[name])) for name in asked}
    assert came == dict.fromkeys(came, "")
    assert len(came) > 30


@pytest.mark.usefixtures("by_polars")
def test_each_group_materializes(ui: Ui) -> None:
    came = {name: ui.materialize(*group) for name, group in ui.groups.items()}
    assert came == dict.fromkeys(came, OK)
    assert len(came) == 10


@pytest.mark.usefixtures("by_polars")
def test_a_home_without_data_can_be_materialized(empty_ui: Ui) -> None:
    assert empty_ui.materialize(*empty_ui.assets) == OK
    assert empty_ui.backfill("candidates") == OK
    assert empty_ui.check("facts", *empty_ui.checks("facts")) == OK


@pytest.mark.usefixtures("by_polars")
def test_each_check_that_shares_a_step_runs_by_itself(own_ui: Ui) -> None:
    """In a home where no check has passed yet: a verdict that is known is not sought again."""
    shared = [min(each.check_keys) for each in CHECKS if len([*each.check_keys]) > 1]
    assert len(shared) > 10
    came = {f"{key.asset_key.path[0]}.{key.name}": own_ui.check(key.asset_key.path[0], key.name)
            for key in shared}  # fmt: skip
    assert came == dict.fromkeys(came, OK)
    assert own_ui.check("learnings", *own_ui.checks("learnings")) == OK


@pytest.mark.usefixtures("by_polars")
def test_backfills_run_whatever_is_selected(ui: Ui) -> None:
    # All assets together: test_ui_backfill.py
    for selected in (["candidates"], ["episodes", "learning_candidates"], ["facts"]):
        assert ui.backfill(*selected) == OK, selected


@pytest.mark.usefixtures("by_polars")
def test_what_is_clicked_before_that_which_it_follows_from_rests_on_what_is_there(
    own_ui: Ui, house: House
) -> None:
    logs = house.state.home.root.parent / "new logs"
    logs.mkdir()
    talk(logs, 7, "Rowan runs Grafana on tower and never on nas.", f"{DAY}T09:00:00Z")
    add_source(house.state.home, logs, "default")
    before = house.state.warehouse.read(RAW_LOGS).collect().height
    clicked = ("records", "raw_logs", "candidates", "introductions", "entities",
               "fact_sources", "memory")  # fmt: skip
    came = {name: own_ui.materialize(name) for name in clicked}
    assert came == dict.fromkeys(clicked, OK)
    assert house.state.warehouse.read(RAW_LOGS).collect().height == before + 1
