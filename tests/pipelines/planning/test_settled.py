"""A namespace in which nothing was pending is not read again until something in it changed."""

import shutil
from collections.abc import Callable

import polars as pl
import pytest

from cairn.knowledge.schema.tables import FACTS, WORK
from cairn.pipelines.planning.pending import is_pending
from cairn.resources.context import State
from cairn.resources.home.settings import Settings
from cairn.resources.warehouse.publication import BlockedPublication, block
from tests.pipelines.house import House


def write(state: State) -> None:
    rows = state.warehouse.read(FACTS).collect()
    state.warehouse.write(FACTS, rows.with_columns(content=pl.lit("another")))


def forget_work(state: State) -> None:
    state.warehouse.write(WORK, state.warehouse.read(WORK).collect().clear())


CHANGES: dict[str, Callable[[State], object]] = {
    "a table": write,
    "work": forget_work,
    "a table is gone": lambda state: shutil.rmtree(state.home.warehouse / "default" / "memory"),
    "the manifest": lambda state: (state.home.publication / "default.json").unlink(),
    "the index": lambda state: shutil.rmtree(state.home.index / "default"),
    "it is blocked": lambda state: block(state.home, "default", BlockedPublication(["why"], {})),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_is_looked_at(
    house: House, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = house.state.of("default")
    assert not is_pending(own, files=[])
    looked: list[str] = []
    monkeypatch.setattr(
        "cairn.pipelines.planning.pending.pending_days", lambda own: looked.append(own.own) or []
    )
    assert not is_pending(own, files=[])
    assert not looked
    CHANGES[name](State(house.state.home, Settings()))
    is_pending(State(house.state.home, Settings()).of("default"), files=[])
    assert looked == ["default"]


def test_a_changed_setting_is_looked_at(house: House) -> None:
    assert not is_pending(house.state, files=[])
    policy = house.state.policy.model_copy(update={"merge_similarity": 0.5})
    changed = house.state.settings.model_copy(update={"policy": policy})
    assert is_pending(State(house.state.home, changed), files=[])
    assert not is_pending(house.state, files=[])
