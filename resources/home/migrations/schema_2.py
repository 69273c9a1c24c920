"""Schema 2: the words of the field in tables, settings and notes."""

from cairn.resources.home.migrations.migration import Migration

MIGRATION = Migration(
    version=2,
    tables={
        "refusals": "rejected_facts",
        "episode_links": "episode_mst_edges",
        "fact_links": "fact_mst_edges",
    },
    columns={
        "check_ins": {"refused": "rejected"},
        "contradiction_verdicts": {"refused": "rejected_by"},
        "conversations": {"told_at": "last_input_at"},
        "dead_letters": {"letter_id": "dead_letter_id"},
        "decisions": {"thing": "target_type", "meant_ids": "requested_ids"},
        "enrichment_queue": {"held": "blocked_by"},
        "episodes": {"held": "quarantined"},
        "funnel": {"refused": "rejected"},
        "interests": {"made_of": "engagement_ids"},
        "merge_verdicts": {"refused": "rejected_by"},
        "notifications": {"held": "blocked_by"},
        "valid_times": {"beside": "parallel_with"},
        "work": {"unit_hash": "input_hash"},
    },
    values={
        ("notifications", "status"): {"held": "blocked", "waits": "waiting"},
        ("notifications", "blocked_by"): {"not_told": "trigger_off"},
        ("source_files", "outcome"): {"refused": "rejected"},
    },
    input_hashes={"work": "input_hash"},
    settings={
        "policy.agent_at_most": "policy.max_agent_confidence",
        "policy.learning_bar": "policy.min_learning_confidence",
        "policy.learning_bar_strict": "policy.min_advice_confidence",
        "policy.learning_category_bar": "policy.min_category_score",
        "policy.learning_value_bar": "policy.min_conversation_value",
        "policy.merge_confidence_floor": "policy.min_merge_confidence",
        "policy.outside_at_most": "policy.max_outside_confidence",
        "policy.research_floor": "policy.min_research_interest",
        "policy.search_floor": "policy.min_search_relevance",
        "policy.semantic_floor": "policy.min_name_similarity",
        "policy.struck_out_floor": "policy.max_retraction_count",
        "policy.struck_out_share": "policy.max_retraction_ratio",
    },
    manifest={"told_at": "last_input_at"},
    files={"held.json": "blocked.json"},
    dropped=("checks.json",),
)
