"""The check that bounds what one night may strike out of what readers have."""

from collections.abc import Iterator

import dagster as dg

from cairn.assets.engine.namespaces import NAMESPACES
from cairn.knowledge.quality.retraction_guard import too_many
from cairn.resources.context import State
from cairn.resources.retraction_guard import retractions_now

ABOUT = (
    "Of what was published, no more than policy.max_retraction_ratio is contradicted, ended or"
    " merged away at once."
)


class TooMuchStruckOut(Exception):  # noqa: N818  what happened
    """The namespace may not be published; the message says why, and what to do."""


@dg.multi_asset_check(
    name="check_retraction_guard",
    description=ABOUT,
    specs=[
        dg.AssetCheckSpec(
            "retraction_guard", asset="memory", blocking=True, description=ABOUT,
            partitions_def=NAMESPACES,
        )
    ],
)  # fmt: skip
def retraction_guard_check(
    context: dg.AssetCheckExecutionContext, state: dg.ResourceParam[State]
) -> Iterator[dg.AssetCheckResult]:
    """Counts what a namespace would lose; where that is too much, it stops the run.

    Publication itself holds the namespace back, in every run: this shows the share.
    """
    struck = retractions_now(state.of(context.partition_key), context.partition_key)
    why = struck and too_many(struck, state.policy)
    yield dg.AssetCheckResult(
        asset_key="memory",
        check_name="retraction_guard",
        passed=not why,
        severity=dg.AssetCheckSeverity.ERROR if why else dg.AssetCheckSeverity.WARN,
        description=why or ABOUT,
        metadata={
            "retractions": struck.facts.height,
            "published": struck.published,
            "share": round(struck.share, 4),
        }
        if struck
        else {},
    )
    if why:
        raise TooMuchStruckOut(why)
