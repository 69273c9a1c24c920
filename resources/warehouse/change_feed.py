"""What changed between two versions of a table, by the files that only one of them has."""

from collections.abc import Collection

import polars as pl

from cairn.knowledge.engine.diff import Change
from cairn.knowledge.schema.tables import Table
from cairn.resources.warehouse.delta import declared_as


def rows_of(table: Table, uris: Collection[str]) -> pl.DataFrame:
    """Rows of some files of a table that is not by day."""
    if not uris:
        return table.empty()
    frames = [_scan(uri) for uri in sorted(uris)]
    return pl.concat(
        [
            frame.select(
                declared_as(name, kind)
                if name in frame.collect_schema()
                else pl.lit(None, dtype=kind).alias(name)
                for name, kind in table.schema.items()
            )
            for frame in frames
        ]
    ).collect()


def apart(table: Table, before: pl.DataFrame, after: pl.DataFrame) -> Change:
    """The change between rows of unique keys, by a hash of each: half as dear as by its columns.

    A change is missed where the two rows of one key have the same 64 bits.
    """
    old, new = (each.select(*table.key, _hash=each.hash_rows(seed=0)) for each in (before, after))
    come, gone = (
        one.join(two, on=one.columns, how="anti").select(table.key)
        for one, two in ((new, old), (old, new))
    )
    return Change(
        after.join(come, on=table.key, how="semi"), before.join(gone, on=table.key, how="semi")
    )


def are_spread(uris: Collection[str], ids: pl.Series) -> bool:
    """Whether files with one of some ids hold half of the rows: then all are written again."""
    if len(uris) < 2:
        return True
    hits = [
        _scan(uri).select(rows=pl.len(), hit=pl.col(ids.name).is_in(ids.implode()).any())
        for uri in sorted(uris)
    ]
    of_file = pl.concat(hits).collect()
    return 2 * of_file.filter("hit")["rows"].sum() >= of_file["rows"].sum()


def _scan(uri: str) -> pl.LazyFrame:
    return pl.scan_parquet(uri, hive_partitioning=False)
