"""What ended an error before, for every surface."""

from typing import Any

import polars as pl

from cairn.knowledge.failures.lookup import lesson as lesson_of
from cairn.knowledge.practices.places.projects import naming
from cairn.serving.query.work import known_errors, known_folders, project_called
from cairn.serving.read.reader import Reader


def lesson(
    reader: Reader, error: str, project: str | None = None, limit: int = 3
) -> dict[str, Any]:
    """What ended an error before `as_of`; see `cairn.knowledge.failures.lookup.lesson`.

    Raises:
        UnknownId: no project is called that, or has a folder there.
    """
    known = known_errors(reader)
    if project is not None:
        folders = known["project"].unique().to_list()
        name = project_called(reader, project, folders)
        called = naming(known_folders(reader))
        there = [folder for folder in folders if called(folder) == name]
        known = known.filter(pl.col("project").is_in(there))
    return lesson_of(known, error, limit=limit)
