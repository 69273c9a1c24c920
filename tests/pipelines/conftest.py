"""A house that is built once, and copies of it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pytest

from cairn.resources.context import State
from cairn.resources.home.home import Home, open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import list_sources
from tests.homes import copy_home, once
from tests.pipelines.house import House, open_house

FILES = (
    "chat/homelab.jsonl",
    "searches/searches.jsonl",
    "claude_code/lantern-shop/726523c3-0f72-49e9-a1f4-c1656b2471d9.jsonl",
    "claude_code/harbor-backup/b7d4e0c2-5a1f-4c36-9e88-3f0a6d21c945.jsonl",
)
"""Samples that are small, and together fill the tables that the tests look at."""


@pytest.fixture(scope="session")
def built(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> House:
    """A house with everything published. Not to be changed: see `house`."""

    def build(place: Path) -> None:
        house = open_house(place)
        for name in FILES:
            shutil.copy(samples / name, house.logs / Path(name).name)
        House(house.state, house.logs, kept_in(house.state.home)).follow()

    state = State(open_home(once(tmp_path_factory, "built", build) / "home"), Settings())
    (source,) = list_sources(state.home)  # of whoever built it
    return House(state, Path(source.path), kept_in(state.home))


def kept_in(home: Home) -> dg.DagsterInstance:
    """Dagster's instance that keeps its files in a home."""
    return dg.DagsterInstance.from_config(str(home.dagster))


@pytest.fixture
def house(built: House, tmp_path: Path) -> House:
    """A copy of the built house that a test may change, with an instance that knows no runs."""
    root = tmp_path / "home"
    copy_home(built.state.home.root, root)
    state = State(open_home(root), Settings())
    return House(state, built.logs)


@pytest.fixture
def new_house(tmp_path: Path) -> Callable[[], House]:
    """Makes an empty house."""
    return lambda: open_house(tmp_path / "new")
