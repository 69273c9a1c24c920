"""Tables as they are stored, of whatever schema: read, written and erased by their names."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
from deltalake import CommitProperties, write_deltalake
from deltalake.exceptions import DeltaError

from cairn.resources.home.damage import as_damage
from cairn.resources.home.home import remove
from cairn.resources.sharing.store import SharedStore
from cairn.resources.warehouse import delta
from cairn.resources.warehouse.table_files import seal_commit


@dataclass(frozen=True)
class StoredTables:
    """Where tables are: a folder, or an object store with its options."""

    address: str
    options: dict[str, str] | None = field(default=None, repr=False)

    def within(self, folder: str) -> "StoredTables":
        """Those in a folder of it."""
        return StoredTables(self._uri(folder), self.options)

    def opened(self, table: str, version: int | None = None) -> delta.Delta | None:
        """A table as it is, or as it was; None if it is not there."""
        return delta.opened(self._uri(table), self.options, version)

    def rows(self, table: str, version: int) -> pl.LazyFrame:
        """All rows of a table as it was."""
        stored = delta.Delta(self._uri(table), version=version, storage_options=self.options)
        return pl.scan_delta(stored, storage_options=self.options)

    def write(
        self,
        table: str,
        rows: pl.DataFrame,
        *,
        partitions: Sequence[str],
        marks: Mapping[str, str] | None = None,
    ) -> int:
        """Replaces all rows of a table, and its columns; gives the version that it has then.

        What was added to the table since is not asked for. `partitions` are the columns that files
        lie by, and `marks` what the commit says of itself.
        """
        uri = self._uri(table)
        folder = None if "://" in uri else Path(uri)
        if folder is not None:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_deltalake(
            uri,
            rows,
            mode="overwrite",
            schema_mode="overwrite",
            partition_by=list(partitions),
            name=table,
            storage_options=self.options,
            writer_properties=delta.written_as(table),
            commit_properties=CommitProperties(custom_metadata=dict(marks or {})),
            post_commithook_properties=delta.HOOKS,
        )
        version = delta.Delta(uri, storage_options=self.options).version()
        if folder is not None and delta.last_commit(folder, version) is not None:
            seal_commit(folder, version)
        return version

    def erase(self, table: str) -> None:
        """Removes a table, if it is there."""
        if "://" not in self.address:
            remove(Path(self._uri(table)))
        elif there := (store := SharedStore(self.address, self.options or {})).listed(table):
            store.delete([one.name for one in there])

    def _uri(self, name: str) -> str:
        return delta.table_uri(self.address, name)


def readable(read: Callable[[], Any]) -> Any:
    """What `read` gives; None where it is damaged."""
    try:
        return read()
    except DeltaError:
        return None
    except BaseException as error:
        if as_damage(error) is None:
            raise
        return None
