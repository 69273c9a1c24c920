"""Which projects were worked on, the latest first."""

import polars as pl

from cairn.knowledge.practices.places.projects import naming
from cairn.knowledge.schema.tables import BRIEFS
from cairn.serving.query.work import known_folders, talks
from cairn.serving.read.pagination import Key, Page, newest, page
from cairn.serving.read.reader import Reader


def projects(reader: Reader, limit: int = 20, cursor: str | None = None) -> Page:
    """Projects: project, conversations, first_seen, last_seen, and lines (of its brief, today).

    Folders of one name are one project, as in its brief.

    Raises:
        BadCursor: the cursor is none of this list.
    """
    rows = reader.made("projects", "project", lambda: _worked_on(reader)).lazy()
    keys = [newest("last_seen"), Key(pl.col("project"))]
    return page(rows, keys, ("projects", reader.namespace), limit, cursor)


def _worked_on(reader: Reader) -> pl.DataFrame:
    placed = known_folders(reader)
    called = naming(placed)
    there = talks(reader, placed).select("project", "started_at", "ended_at")
    names = {folder: called(folder) for folder in there["project"].unique().drop_nulls() if folder}
    lines = reader.table(BRIEFS, ["project"]).group_by("project").agg(lines=pl.len())
    return (
        there.lazy()
        .with_columns(pl.col("project").replace_strict(names, default=None, return_dtype=pl.String))
        .filter(pl.col("project").is_not_null() & (pl.col("project") != ""))
        .group_by("project")
        .agg(
            conversations=pl.len(),
            first_seen=pl.col("started_at").min(),
            last_seen=pl.col("ended_at").max(),
        )
        .join(lines, on="project", how="left")
        .with_columns(pl.col("lines").fill_null(0))
        .collect()
    )
