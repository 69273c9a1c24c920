"""Jobs: parts of the graph that run together."""

import dagster as dg

from pipelines.graph import BY_DAY, WHOLE

intake = dg.define_asset_job(
    "intake",
    dg.AssetSelection.assets("records"),
    description="Takes in what is new in the sources.",
)

refresh = dg.define_asset_job(
    "refresh",
    dg.AssetSelection.assets("extractors", *BY_DAY, *WHOLE) - dg.AssetSelection.all_asset_checks(),
    description="Makes a range of days anew, then what follows from them, and publishes it.",
)

days = dg.define_asset_job(
    "days",
    dg.AssetSelection.assets("extractors", *BY_DAY) - dg.AssetSelection.all_asset_checks(),
    description="Makes a range of days anew, and nothing beyond.",
)

consolidate = dg.define_asset_job(
    "consolidate",
    dg.AssetSelection.assets("extractors", *WHOLE)
    | dg.AssetSelection.checks_for_assets(*(dg.AssetKey(name) for name in [*BY_DAY, *WHOLE])),
    description="Makes all that is not by day anew, checks everything, and publishes it.",
)

JOBS = [intake, days, refresh, consolidate]
