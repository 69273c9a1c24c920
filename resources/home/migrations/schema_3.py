"""Schema 3: each namespace has tables of its own."""

from cairn.resources.home.migrations.migration import Migration

MIGRATION = Migration(
    version=3,
    by_namespace=True,
    dropped=("checks.json", "nothing_new.json", "records_dated", "verified"),
)
