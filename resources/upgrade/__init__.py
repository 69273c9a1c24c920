"""Bringing a home of an older schema to this one: renames, and tables to a folder per namespace.

It uses the home and its tables. Whoever opens a home calls it, and nothing else needs it.
"""

from cairn.resources.upgrade.upgrade import JOURNAL, TableUpgrade, Upgrade, upgrade_home

__all__ = ["JOURNAL", "TableUpgrade", "Upgrade", "upgrade_home"]
