"""Jobs: parts of the graph that run together."""

import dagster as dg

from cairn.pipelines.checks.frames import IS_PUBLISHED, VERIFY
from cairn.pipelines.checks.oracle import hdbscan_agrees
from cairn.pipelines.dispatch import dispatch
from cairn.pipelines.enrich import enrich
from cairn.pipelines.graph import FROM_RECORDS, NIGHT, WHOLE

_CHECKS = dg.AssetSelection.all_asset_checks()
_HELD_BACK = dg.AssetSelection.checks(dg.AssetCheckKey(dg.AssetKey("publication"), IS_PUBLISHED))
_ORACLE = dg.AssetSelection.checks(*hdbscan_agrees.check_keys)
_EVERY = dg.AssetSelection.assets("extractors", "records", *FROM_RECORDS)

update = dg.define_asset_job(
    "update",
    (_EVERY - _CHECKS) | _HELD_BACK,
    description="Takes in what is new, makes what is pending, and publishes it.",
)

refresh = dg.define_asset_job(
    "refresh",
    (dg.AssetSelection.assets("extractors", *FROM_RECORDS) - _CHECKS) | _HELD_BACK,
    description="Makes what is pending of a span of days, and what follows, and publishes it.",
)

publish = dg.define_asset_job(
    "publish",
    (dg.AssetSelection.assets("extractors", *WHOLE) - _CHECKS) | _HELD_BACK,
    description="Makes what follows from the days as they stand, and publishes it: after Ctrl-C.",
)

verify = dg.define_asset_job(
    VERIFY,
    (dg.AssetSelection.assets("extractors", *WHOLE) | _CHECKS) - _ORACLE,
    description="Makes what follows from the days, checks all tables, and publishes it.",
)

night = dg.define_asset_job(
    NIGHT,
    dg.AssetSelection.assets("extractors", *WHOLE, "maintenance") | _CHECKS,
    description="Checks all tables thoroughly, optimizes the index, tidies what no reader needs.",
)

JOBS = [update, refresh, publish, verify, night, enrich, dispatch]
