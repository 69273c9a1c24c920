"""What changed in what a home holds: one module of data per schema version, old names and new.

`resources/upgrade` applies them to a home, `resources/home/settings.py` reads settings by them.
"""

from itertools import chain

from cairn.resources.home.migrations import schema_2, schema_3
from cairn.resources.home.migrations.migration import Migration

MIGRATIONS: tuple[Migration, ...] = (schema_2.MIGRATION, schema_3.MIGRATION)
"""In order, each to the version after the one before it."""

RENAMED_SETTINGS: dict[str, str] = dict(
    chain.from_iterable(each.settings.items() for each in MIGRATIONS)
)
"""Old names of settings, as in cairn.toml with a dot before what is nested, and the new ones."""

__all__ = ["MIGRATIONS", "RENAMED_SETTINGS", "Migration"]
