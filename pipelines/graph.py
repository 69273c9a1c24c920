"""The asset graph: all stages, and the version of the code that each one is made by."""

from collections.abc import Sequence

import dagster as dg

from cairn.assets.by_rules import BY_RULES_ASSETS
from cairn.assets.candidates import candidates_asset
from cairn.assets.extractors import extractors
from cairn.assets.learning_candidates import learning_candidates_asset
from cairn.assets.maintenance import maintenance
from cairn.assets.model_calls import model_calls
from cairn.assets.pending.in_force import in_force
from cairn.assets.pending.raw_logs import fingerprint
from cairn.assets.pending.steps import BY_CONVERSATION
from cairn.assets.publication import publication_asset
from cairn.assets.raw_logs import raw_logs_asset
from cairn.assets.records import records_asset
from cairn.assets.stages import STAGE_ASSETS
from cairn.assets.vector_index import vector_index_asset
from cairn.assets.work import work_asset
from cairn.knowledge.assembly.run import RUN, STEPS
from cairn.knowledge.assembly.stages import STAGES
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.tables import CHECK_INS, PIECES
from cairn.resources.home.settings import Settings

ASSETS: Sequence[dg.AssetsDefinition] = (
    extractors, records_asset, raw_logs_asset, candidates_asset, learning_candidates_asset,
    *BY_RULES_ASSETS, *STAGE_ASSETS,
    vector_index_asset, work_asset, model_calls, publication_asset, maintenance,
)  # fmt: skip

BY_DAY = tuple(table.name for step in RUN if step.by_day for table in step.writes)

BOOKS = ("dead_letters", "source_files", "work")
"""Tables that all stages write to as they go, shown beside those of the stages."""

WHOLE = tuple(
    sorted(
        key.to_user_string()
        for asset in ASSETS
        for key in asset.keys
        if key.to_user_string() not in {*BY_DAY, *BOOKS, "records", "extractors", "maintenance"}
    )
)
"""Assets that are not by day, below those that are."""


def versioned(
    assets: Sequence[dg.AssetsDefinition], settings: Settings
) -> list[dg.AssetsDefinition]:
    """Assets with code versions: digests of the fingerprints that they use.

    A changed rule, prompt or threshold then shows in the UI at `extractors`, and at what it makes.
    """
    policy = settings.policy
    stages = {e.name: e.fingerprint(policy) for e in in_force(settings)}
    all_of_them = digest(*(f"{name}={value}" for name, value in sorted(stages.items())))
    by_name = {
        **{table.name: stages[stage.name] for stage in STAGES for table in stage.writes},
        **dict.fromkeys(("raw_logs", "conversations", "episodes"), fingerprint(policy)),
        **{
            table.name: digest(*sorted(e.fingerprint(policy) for e in step.extractors(settings)))
            for step in BY_CONVERSATION
            for table in STEPS[step.name].writes
            if table not in (PIECES, CHECK_INS)  # of what was ingested, and of no rule
        },
        "extractors": all_of_them,
    }

    def version(spec: dg.AssetSpec) -> dg.AssetSpec:
        name = spec.key.to_user_string()
        return spec.replace_attributes(code_version=by_name.get(name, "1"))

    return [asset.map_asset_specs(version) for asset in assets]
