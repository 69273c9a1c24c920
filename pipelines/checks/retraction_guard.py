"""The check that bounds what one night may strike out of what readers have."""

from collections.abc import Iterator

import dagster as dg

from cairn.knowledge.quality.retraction_guard import too_many
from cairn.knowledge.schema.tables import CONVERSATIONS
from cairn.resources.context import State
from cairn.resources.retraction_guard import retractions_now
from cairn.resources.warehouse.publication import namespaces

ABOUT = (
    "Of what was published, no more than policy.max_retraction_ratio is contradicted, ended or"
    " merged away at once."
)


class TooMuchStruckOut(Exception):  # noqa: N818  what happened
    """No namespace may be published; the message says why, and what to do."""


@dg.multi_asset_check(
    name="check_retraction_guard",
    description=ABOUT,
    specs=[dg.AssetCheckSpec("retraction_guard", asset="memory", blocking=True, description=ABOUT)],
)
def retraction_guard_check(state: dg.ResourceParam[State]) -> Iterator[dg.AssetCheckResult]:
    """Counts what each namespace would lose; only if none is left that may, it stops the run.

    Publication itself holds a namespace back, in every run: this shows the share of each.
    """
    held = state.warehouse.read(CONVERSATIONS, columns=["namespace"]).unique().collect()
    names = sorted({*held["namespace"], *namespaces(state.home)})
    found = {name: retractions_now(state, name) for name in names}
    struck = {name: each for name, each in found.items() if each is not None}
    refused = {name: why for name, each in struck.items() if (why := too_many(each, state.policy))}
    all_refused = bool(refused) and len(refused) == len(names)
    told = "; ".join(f"{name}: {why}" for name, why in refused.items())
    yield dg.AssetCheckResult(
        asset_key="memory",
        check_name="retraction_guard",
        passed=not refused,
        severity=dg.AssetCheckSeverity.ERROR if all_refused else dg.AssetCheckSeverity.WARN,
        description=told or ABOUT,
        metadata={
            f"{name}/{key}": value
            for name, each in struck.items()
            for key, value in (
                ("retractions", each.facts.height),
                ("published", each.published),
                ("share", round(each.share, 4)),
            )
        },
    )
    if all_refused:
        raise TooMuchStruckOut(told)
