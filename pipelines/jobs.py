"""Jobs: parts of the graph that run together."""

import dagster as dg

from cairn.pipelines.checks.oracle import hdbscan_agrees
from cairn.pipelines.dispatch import dispatch
from cairn.pipelines.enrich import enrich
from cairn.pipelines.graph import BOOKS, BY_DAY, WHOLE

_CHECKS = dg.AssetSelection.all_asset_checks()
_HELD_BACK = dg.AssetSelection.checks(
    dg.AssetCheckKey(dg.AssetKey("publication"), "every_namespace")
)
_ORACLE = dg.AssetSelection.checks(*hdbscan_agrees.check_keys)
_CONSOLIDATION = (dg.AssetSelection.assets("extractors", *WHOLE, *BOOKS) | _CHECKS) - _ORACLE

intake = dg.define_asset_job(
    "intake",
    dg.AssetSelection.assets("records") - _CHECKS,
    description="Takes in what is new in the sources.",
)

days = dg.define_asset_job(
    "days",
    dg.AssetSelection.assets("extractors", *BY_DAY) - _CHECKS,
    description="Rebuilds a range of days, and nothing beyond.",
)

refresh = dg.define_asset_job(
    "refresh",
    (dg.AssetSelection.assets("extractors", *BY_DAY, *WHOLE) - _CHECKS) | _HELD_BACK,
    description="Rebuilds a range of days, then what follows from them, and publishes it.",
)

publish = dg.define_asset_job(
    "publish",
    (dg.AssetSelection.assets("extractors", *WHOLE) - _CHECKS) | _HELD_BACK,
    description="Makes what follows from the days as they stand, and publishes it: after Ctrl-C.",
)

consolidate = dg.define_asset_job(
    "consolidate",
    _CONSOLIDATION,
    description="Makes all that is not by day anew, checks everything, and publishes it.",
)

night = dg.define_asset_job(
    "night",
    _CONSOLIDATION | _ORACLE | dg.AssetSelection.assets("maintenance"),
    config={"ops": {"vector_index": {"config": {"rebuild": True}}}},
    description="Consolidates, optimizes the index, and tidies tables that no reader needs.",
)

JOBS = [intake, days, refresh, publish, consolidate, night, enrich, dispatch]
