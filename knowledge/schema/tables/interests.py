"""What people care about: signs of interest, likes and dislikes, and what follows from them."""

import polars as pl

from cairn.knowledge.schema.tables.table import (
    COUNT,
    FLAG,
    NAMESPACE,
    REAL,
    TEXT,
    TEXTS,
    TIME,
    VECTOR,
    Column,
    Table,
)

CURVE = pl.List(pl.Float64())

PREFERENCES = Table(
    "preferences",
    "One row per stretch in which somebody liked, disliked or muted something.",
    {
        "preference_id": Column(TEXT, "Digest of what is preferred, how, and the first sign."),
        **NAMESPACE,
        "attitude": Column(TEXT, "like, dislike or mute."),
        "name": Column(TEXT, "What it is about, in canonical form."),
        "topic": Column(TEXT, "The same as it was said first; the id, of a muted piece of memory."),
        "person": Column(TEXT, "Whose it is; none where the source does not name them.", null=True),
        "source": Column(TEXT, "command, message, note or reaction: what it was said in first."),
        "record_id": Column(TEXT, "The first sign."),
        "started_at": Column(TIME, "When it began; none if undated.", null=True),
        "ended_at": Column(
            TIME, "When it was taken back, or the opposite said; none while it holds.", null=True
        ),
        "ended_by": Column(TEXT, "Record that ended it.", null=True),
        "model": Column(TEXT, "Model that made the vector."),
        "vector": Column(VECTOR, "Vector of the topic, of length 1."),
    },
    key=("namespace", "preference_id"),
)

ENGAGEMENTS = Table(
    "engagements",
    "One row per sign of interest that a person gave, in an entity or by a preference.",
    {
        "engagement_id": Column(TEXT, "Digest of its type, record and what it is about."),
        **NAMESPACE,
        "engagement_type": Column(
            TEXT,
            "learn, like, dislike, statement, search, follow_up, proactive_reaction, reaction or "
            "mention.",
        ),
        "entity_id": Column(TEXT, "Entity that it is about; none if known by name.", null=True),
        "preference_id": Column(TEXT, "Preference that it belongs to.", null=True),
        "valence": Column(COUNT, "1 for, -1 against."),
        "strength": Column(REAL, "How strong a sign it is, 0 to 1; the sign is the valence's."),
        "source": Column(TEXT, "command, message, note, reaction, search or tool_result."),
        "record_id": Column(TEXT, "Record that shows it."),
        "occurred_at": Column(TIME, "When; none if undated.", null=True),
        "cancelled_at": Column(TIME, "When its preference ended; none while it counts.", null=True),
    },
    key=("namespace", "engagement_id"),
)

INTERESTS = Table(
    "interests",
    "One row per entity that a person engaged with or muted, as of the namespace's latest event.",
    {
        **NAMESPACE,
        "entity_id": Column(TEXT, "Entity; of those that are one, the one that stands for them."),
        "rank": Column(COUNT, "Place by score, from 1; ties by id."),
        "score": Column(REAL, "Sum of valence, strength and decay of what made it."),
        "liked": Column(FLAG, "Whether the person said that they like just this."),
        "sought": Column(FLAG, "Whether it has a sign beside learn prompts and that it was named."),
        "muted": Column(FLAG, "Whether the person muted it."),
        "disliked": Column(FLAG, "Whether the person dislikes it, or what it is like."),
        "engagements": Column(COUNT, "Signs that count."),
        "engagement_ids": Column(TEXTS, "The engagements that weigh most, the heaviest first."),
        "last_engaged_at": Column(TIME, "The latest of its signs.", null=True),
        "curve": Column(CURVE, "Score at the end of each of the last 12 weeks, the latest last."),
    },
    key=("namespace", "entity_id"),
)

NOTIFICATIONS = Table(
    "notifications",
    "One row per entity and batch of new facts: what a person was told unasked, or is to be.",
    {
        "notification_id": Column(TEXT, "Digest of the batch and the entity."),
        **NAMESPACE,
        "effect_id": Column(TEXT, "Names this try of it in intent and receipt: never made twice."),
        "status": Column(
            TEXT,
            "due (the next to be told), waiting (for its turn), blocked, sent, failed, or unknown: "
            "an intent without a receipt.",
        ),
        "blocked_by": Column(
            TEXT,
            "Why it is not told: trigger_off (what its trigger finds is not), switched_off "
            "(nothing was told yet), before_switch, stale, muted, disliked or nothing_new.",
            null=True,
        ),
        "rank": Column(COUNT, "Order in which they are told, from 1; what is over comes last."),
        "entity_id": Column(TEXT, "Entity that it is about."),
        "name": Column(TEXT, "Its name."),
        "batch": Column(TEXT, "Search that found the facts, or conversation in which they stood."),
        "trigger": Column(TEXT, "What set the search off.", null=True),
        "mode": Column(TEXT, "broad, gaps or briefing, by what was known before."),
        "text": Column(TEXT, "What is told: the entity, and how many facts are new."),
        "fact_ids": Column(TEXTS, "Facts that it tells of, those most trusted first."),
        "record_ids": Column(TEXTS, "Records in which they were found first."),
        "image_url": Column(TEXT, "Picture that the source has of it.", null=True),
        "found_at": Column(TIME, "When the first of them was found.", null=True),
        "due_at": Column(TIME, "From when on it may be told, as things stand.", null=True),
        "sent_at": Column(TIME, "When it was told, or begun to be.", null=True),
        "reason": Column(TEXT, "Why it is as it is."),
    },
    key=("namespace", "notification_id"),
)
