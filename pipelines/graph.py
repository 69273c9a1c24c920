"""The asset graph: all stages, and the version of the code that each one is made by."""

from collections.abc import Sequence

import dagster as dg

from assets.candidates import candidates_asset
from assets.candidates import extractors as of_candidates
from assets.extractors import extractors, in_force
from assets.learning_candidates import extractors as of_learnings
from assets.learning_candidates import learning_candidates_asset
from assets.maintenance import maintenance
from assets.model_calls import model_calls
from assets.publication import publication_asset
from assets.raw_logs import fingerprint, raw_logs_asset
from assets.records import records_asset
from assets.stages.clusters import clusters
from assets.stages.confidence_updates import confidence_updates
from assets.stages.contradiction_verdicts import contradiction_verdicts
from assets.stages.decisions import decisions
from assets.stages.embeddings import embeddings
from assets.stages.engagements import engagements
from assets.stages.enrichment_queue import enrichment_queue
from assets.stages.entities import entities
from assets.stages.entity_merges import entity_merges
from assets.stages.evidence import evidence
from assets.stages.facts import facts
from assets.stages.funnel import funnel
from assets.stages.interests import interests
from assets.stages.introductions import introductions
from assets.stages.known_only_candidates import known_only_candidates
from assets.stages.learn_prompts import learn_prompts
from assets.stages.learnings import learnings
from assets.stages.memory import memory
from assets.stages.merge_verdicts import merge_verdicts
from assets.stages.merges import merges
from assets.stages.notifications import notifications
from assets.stages.proposed_operations import proposed_operations
from assets.stages.similar_facts import similar_facts
from assets.stages.theme_facts import theme_facts
from assets.stages.themes import themes
from assets.stages.valid_times import valid_times
from assets.vector_index import vector_index_asset
from assets.work import work_asset
from knowledge.build.stages import STAGES
from knowledge.schema.identity import digest
from resources.home.settings import Settings

ASSETS: Sequence[dg.AssetsDefinition] = (
    extractors, records_asset, raw_logs_asset, candidates_asset, learning_candidates_asset,
    introductions, known_only_candidates, entities, themes, theme_facts, facts,
    proposed_operations, decisions, learnings, entity_merges, embeddings, clusters, similar_facts,
    valid_times, contradiction_verdicts, evidence, confidence_updates, merge_verdicts, merges,
    memory, engagements, interests, learn_prompts, enrichment_queue, notifications, funnel,
    vector_index_asset, work_asset, model_calls, publication_asset, maintenance,
)  # fmt: skip

BY_DAY = (
    "raw_logs", "conversations", "episodes", "candidates", "refusals", "pieces", "check_ins",
    "learning_candidates",
)  # fmt: skip

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
    found = digest(*sorted(each.fingerprint(policy) for each in of_candidates(settings)))
    taught = digest(*sorted(each.fingerprint(policy) for each in of_learnings(settings)))
    by_name = {
        **{table.name: stages[stage.name] for stage in STAGES for table in stage.writes},
        **dict.fromkeys(("raw_logs", "conversations", "episodes"), fingerprint(policy)),
        **dict.fromkeys(("candidates", "refusals"), found),
        "learning_candidates": taught,
        "extractors": all_of_them,
    }

    def version(spec: dg.AssetSpec) -> dg.AssetSpec:
        name = spec.key.to_user_string()
        return spec.replace_attributes(code_version=by_name.get(name, "1"))

    return [asset.map_asset_specs(version) for asset in assets]
