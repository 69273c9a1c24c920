"""The published tables as Parquet, a file each, with their columns in words."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from cairn.knowledge.schema.tables import (
    DEAD_LETTERS,
    SOURCE_FILES,
    TABLES,
    VECTOR_INDEX,
    WORK,
    Table,
)
from cairn.serving.exchange.exporting import TOMBSTONE_LINE, Tell, WrittenExport
from cairn.serving.exchange.folder import read_manifest, written
from cairn.serving.read.reader import Reader

OF_PROCESSING = frozenset(each.name for each in (WORK, SOURCE_FILES, DEAD_LETTERS, VECTOR_INDEX))
"""What was done when and where: it means nothing outside of its home."""


def export_parquet(reader: Reader, target: Path, *, replace: bool, tell: Tell) -> WrittenExport:
    """Writes every published table of a namespace, as other programs read it.

    Raises:
        ExchangeError: the folder cannot be written to.
    """
    with written(reader, target, "parquet", replace=replace) as folder:
        tables = [table for name, table in TABLES.items() if name not in OF_PROCESSING]
        for table in tables:
            rows = reader.table(table)
            if table.name == "records":
                rows = rows.filter(~TOMBSTONE_LINE)
            file = folder.path / f"{table.name}.parquet"
            rows.sink_parquet(file)
            file.chmod(0o600)
            folder.rows[file.name] = pl.scan_parquet(file).select(pl.len()).collect().item()
            tell(f"{file.name}: {folder.rows[file.name]:,} rows")
        folder.write("README.md", (f"{line}\n".encode() for line in _readme(reader, tables)))
        folder.rows["README.md"] = 1
    target = target.absolute()
    return WrittenExport(target, read_manifest(target))


def _readme(reader: Reader, tables: list[Table]) -> Iterator[str]:
    yield from (
        f"# Namespace {reader.namespace}",
        "",
        "Tables of Cairn as Parquet, as they were published. Times are UTC; ids are text. What was",
        f"done when and where is not here: {', '.join(sorted(OF_PROCESSING))}.",
    )
    for table in tables:
        yield from ("", f"## {table.name}", "", table.about, "")
        yield f"Key: {', '.join(table.key)}."
        yield ""
        yield "| column | type | may be empty | meaning |"
        yield "| --- | --- | --- | --- |"
        for name, column in table.columns.items():
            about = column.about.replace("|", "\\|")
            yield f"| {name} | {column.type} | {'yes' if column.null else ''} | {about} |"
