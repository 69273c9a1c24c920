"""Homes for tests: copies to be changed, and those that all workers share."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cairn.resources.vector_index.edge import copy_sparse


def once(factory: pytest.TempPathFactory, name: str, build: Callable[[Path], object]) -> Path:
    """A folder that the first worker builds, and each other one has a copy of.

    `build` is given the folder, and puts a `home` in it among other files.
    """
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    made, done = shared / name, shared / f"{name}-built"
    with (shared / f"{name}-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(made, ignore_errors=True)
            made.mkdir()
            build(made)
            done.touch()
            return made
    place = base / name
    shutil.copytree(made, place, ignore=shutil.ignore_patterns("home"))
    copy_home(made / "home", place / "home")
    return place


def copy_home(home: Path, place: Path) -> Path:
    """A home of its own; of the index's files, what the engine only reserves stays a hole."""
    shutil.copytree(
        home, place, ignore=lambda folder, _: {"index"} if Path(folder) == home else set()
    )
    if (home / "index").is_dir():
        copy_sparse(home / "index", place / "index")
    return place
