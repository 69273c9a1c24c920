"""Namespaces as partitions: every asset has one of each, and a run makes those of one."""

import warnings
from collections.abc import Sequence

import dagster as dg

# Dagster 1.13 calls partitions of checks a preview, once for each check: who starts it need not
# read that some eighty times. `tests/pipelines/test_ui.py` says whether they still run.
warnings.filterwarnings("ignore", "Specifying a partitions_def on an AssetCheckSpec")

NAMESPACES = dg.DynamicPartitionsDefinition(name="namespaces")
"""Days are partitions of the tables, and units of `work`, but not of Dagster: a run makes whatever
days its namespace has pending."""


def make_known(instance: dg.DagsterInstance, namespaces: Sequence[str]) -> None:
    """Has Dagster know some namespaces, so that runs of them can be asked for."""
    known = set(instance.get_dynamic_partitions(NAMESPACES.name or ""))
    if new := [name for name in namespaces if name not in known]:
        instance.add_dynamic_partitions(NAMESPACES.name or "", new)
