"""What a schema version renames, as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

Names = Mapping[str, str]
"""Old names and the new ones."""


@dataclass(frozen=True)
class Migration:
    """What a version renames. Tables are called by their new names, except in `tables`."""

    version: int
    tables: Names = field(default_factory=dict[str, str])
    columns: Mapping[str, Names] = field(default_factory=dict[str, Names])
    values: Mapping[tuple[str, str], Names] = field(default_factory=dict[tuple[str, str], Names])
    """By table and new name of the column."""
    input_hashes: Mapping[str, str] = field(default_factory=dict[str, str])
    """Columns, by table, that note versions of tables, as in `candidates@3 entities@2`."""
    settings: Names = field(default_factory=dict[str, str])
    manifest: Names = field(default_factory=dict[str, str])
    """Fields of a manifest."""
    files: Names = field(default_factory=dict[str, str])
    """Notes in the home's folder that name tables and settings."""
    by_namespace: bool = False
    """Whether tables of all namespaces become those of each."""
    dropped: tuple[str, ...] = ()
    """Notes that the next run makes again."""

    @cached_property
    def changed_tables(self) -> dict[str, str]:
        """Old and new name of each table that is written in a new form; what notes versions last.

        Versions of all others must be known before.
        """
        before = {new: old for old, new in self.tables.items()}
        names = {*before, *self.columns, *(table for table, _ in self.values), *self.input_hashes}
        ordered = sorted(names, key=lambda name: (name in self.input_hashes, name))
        return {before.get(name, name): name for name in ordered}
