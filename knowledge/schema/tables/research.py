"""What people want to learn, and what is to be searched for."""

from cairn.knowledge.schema.tables.table import (
    COUNT,
    NAMESPACE,
    REAL,
    TEXT,
    TEXTS,
    TIME,
    Column,
    Table,
)

LEARN_PROMPTS = Table(
    "learn_prompts",
    "One row per `learn` command: what somebody wants to know, and how far the searches are.",
    {
        "learn_prompt_id": Column(TEXT, "The record of the command."),
        **NAMESPACE,
        "native_id": Column(TEXT, "The source's own id of it: searches may name it so.", null=True),
        "prompt_text": Column(TEXT, "What is to be learnt."),
        "status": Column(TEXT, "active, or completed when no search remains."),
        "searches_remaining": Column(COUNT, "Searches that are still to be made."),
        "queries": Column(TEXTS, "What is searched for, in turn; none before a model was asked."),
        "search_ids": Column(TEXTS, "Records of the searches that were made."),
        "source": Column(TEXT, "Adapter that the command came by."),
        "created_at": Column(TIME, "When it was given; none if undated.", null=True),
        "updated_at": Column(TIME, "Its last search, or when it was given.", null=True),
        "extractor": Column(TEXT, "Stage with version, or prompt: who worded the queries."),
    },
    key=("namespace", "learn_prompt_id"),
)

ENRICHMENT_QUEUE = Table(
    "enrichment_queue",
    "One row per search that is due, or will be: for a learn prompt, a schedule or an entity.",
    {
        "effect_id": Column(TEXT, "Names the search in its intent and receipt: never made twice."),
        **NAMESPACE,
        "unit": Column(TEXT, "What it is a try of; the same when it is tried again."),
        "rank": Column(COUNT, "Order in which they are made, from 1; what is blocked comes last."),
        "trigger": Column(TEXT, "learn_command, user_message (a schedule) or enrichment."),
        "mode": Column(TEXT, "learn, schedule; of an entity broad, gaps or briefing."),
        "topic": Column(TEXT, "What it is about."),
        "query": Column(TEXT, "What is searched for."),
        "entity_id": Column(TEXT, "Entity that it is about.", null=True),
        "learn_prompt_id": Column(TEXT, "Learn prompt that it is for.", null=True),
        "schedule_id": Column(TEXT, "Record of the schedule that it is for.", null=True),
        "interest": Column(REAL, "Interest in the entity.", null=True),
        "facts": Column(COUNT, "Active facts about the entity.", null=True),
        "priority": Column(REAL, "interest / max(facts, 1).", null=True),
        "due_at": Column(TIME, "From when on.", null=True),
        "blocked_by": Column(
            TEXT,
            "Why it is not made: switched_off (no provider yet), before_switch, muted, disliked, "
            "faint, no_interval, unknown (an intent without a receipt) or failed.",
            null=True,
        ),
        "reason": Column(TEXT, "Why it is there."),
    },
    key=("namespace", "effect_id"),
)
