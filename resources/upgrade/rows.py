"""Rows of a table written as they are: what was added to the table since is not asked for."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
from deltalake import CommitProperties, DeltaTable, write_deltalake

from cairn.resources.warehouse.delta import HOOKS, folder_of, last_commit, written_as
from cairn.resources.warehouse.table_files import seal_commit


def write_rows(
    uri: str,
    table: str,
    rows: pl.DataFrame,
    *,
    partitions: Sequence[str],
    options: dict[str, str] | None,
    marks: Mapping[str, str] | None = None,
) -> int:
    """Replaces all rows of a table, and its columns; gives the version that it has then.

    Args:
        uri: Where it is, or will be.
        table: What it is called.
        rows: As they are stored.
        partitions: Columns that files lie by.
        options: Of its object store.
        marks: What the commit says of itself.
    """
    folder = folder_of(uri)
    if folder is not None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_deltalake(
        uri,
        rows,
        mode="overwrite",
        schema_mode="overwrite",
        partition_by=list(partitions),
        name=table,
        storage_options=options,
        writer_properties=written_as(table),
        commit_properties=CommitProperties(custom_metadata=dict(marks or {})),
        post_commithook_properties=HOOKS,
    )
    version = DeltaTable(uri, storage_options=options).version()
    if folder is not None and last_commit(Path(folder), version) is not None:
        seal_commit(folder, version)
    return version
