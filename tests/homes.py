"""Homes to be changed by a test."""

import shutil
from pathlib import Path

from resources.index import copy_sparse


def copy_home(home: Path, place: Path) -> Path:
    """A home of its own; of the index's files, what the engine only reserves stays a hole."""
    shutil.copytree(
        home, place, ignore=lambda folder, _: {"index"} if Path(folder) == home else set()
    )
    if (home / "index").is_dir():
        copy_sparse(home / "index", place / "index")
    return place
