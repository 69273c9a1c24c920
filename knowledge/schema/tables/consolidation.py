"""What becomes of statements: vectors, clusters, evidence, merges, the current view."""

from cairn.knowledge.schema.tables.statements import ENTITIES, FACT_COLUMNS
from cairn.knowledge.schema.tables.table import (
    COUNT,
    FLAG,
    NAMESPACE,
    PAIRS,
    REAL,
    TEXT,
    TEXTS,
    TIME,
    VECTOR,
    Column,
    Table,
)

EMBEDDINGS = Table(
    "embeddings",
    "One row per text in force and its vector.",
    {
        **NAMESPACE,
        "model": Column(TEXT, "Embedding model."),
        "text_hash": Column(TEXT, "Digest of the text."),
        "text": Column(TEXT, "The text."),
        "vector": Column(VECTOR, "Unit vector."),
    },
    key=("namespace", "model", "text_hash"),
)

THEMES = Table(
    "themes",
    "One row per HDBSCAN cluster of episodes, known by its medoid.",
    {
        "theme_id": Column(TEXT, "Digest of the medoid's episode."),
        **NAMESPACE,
        "label": Column(TEXT, "Its strongest terms (c-TF-IDF)."),
        "terms": Column(TEXTS, "Terms, strongest first."),
        "medoid_id": Column(TEXT, "Episode nearest to all others."),
        "episode_ids": Column(TEXTS, "Members."),
        "nearest_ids": Column(TEXTS, "The 8 members nearest to the medoid."),
        "size": Column(COUNT, "Members."),
        "conversation_count": Column(COUNT, "Distinct conversations."),
        "persistence": Column(REAL, "Stability of the cluster in the tree, 0 to 1."),
        "last_seen": Column(TIME, "Last event of a member.", null=True),
    },
    key=("namespace", "theme_id"),
)

_LINKS = {
    **NAMESPACE,
    "left": Column(COUNT, "Digest of one vector."),
    "right": Column(COUNT, "Digest of the other."),
    "distance": Column(REAL, "Euclidean distance of the two unit vectors."),
}

EPISODE_MST_EDGES = Table(
    "episode_mst_edges",
    "One row per link of the spanning tree that themes are cut from; a night adds to the last.",
    _LINKS,
    key=("namespace", "left", "right"),
)

FACT_MST_EDGES = Table(
    "fact_mst_edges",
    "One row per link of the spanning tree that topics are cut from; a night adds to the last.",
    _LINKS,
    key=("namespace", "left", "right"),
)

CLUSTERS = Table(
    "clusters",
    "One row per fact and its topic (HDBSCAN over facts).",
    {
        "fact_id": Column(TEXT, "Fact."),
        **NAMESPACE,
        "cluster_id": Column(TEXT, "Digest of the medoid's fact; empty for noise.", null=True),
        "label": Column(TEXT, "Strongest terms of the cluster.", null=True),
        "persistence": Column(REAL, "Stability of the cluster in the tree, 0 to 1.", null=True),
        "probability": Column(REAL, "Strength of membership, 0 to 1."),
        "medoid": Column(FLAG, "Whether this fact is the medoid."),
        "x": Column(REAL, "Place on the map."),
        "y": Column(REAL, "Place on the map."),
    },
    key=("namespace", "fact_id"),
)

SIMILAR_FACTS = Table(
    "similar_facts",
    "One row per pair of facts about one entity that may say the same, or deny each other.",
    {
        **NAMESPACE,
        "left_id": Column(TEXT, "Fact."),
        "right_id": Column(TEXT, "Fact; its id is the greater."),
        "similarity": Column(REAL, "Calibrated similarity."),
        "verdict": Column(
            TEXT, "By their words: same, opposite, value (another value in one slot) or unsure."
        ),
        "difference": Column(
            TEXT, "What keeps them from being the same: a kind of literal, word, …", null=True
        ),
        "slot": Column(TEXT, "Of `value`: the stems around it, `*` for the value.", null=True),
    },
    key=("namespace", "left_id", "right_id"),
)

VALID_TIMES = Table(
    "valid_times",
    "One row per stretch of time in which a fact holds, where its words or another value bound it.",
    {
        **NAMESPACE,
        "fact_id": Column(TEXT, "Fact."),
        "seq": Column(COUNT, "Place among the fact's stretches, from 0."),
        "entity_id": Column(TEXT, "Entity whose slot it fills; else the one it is about."),
        "slot": Column(
            TEXT, "Slot that holds one value at a time: stems, `*` for the value.", null=True
        ),
        "value": Column(TEXT, "The value that the fact gives it.", null=True),
        "valid_from": Column(TIME, "True from; none if nobody said.", null=True),
        "valid_to": Column(TIME, "True until; none if it still holds.", null=True),
        "known_from": Column(TIME, "Event that told of the stretch.", null=True),
        "end_known_from": Column(TIME, "Event that told of its end.", null=True),
        "ended_by": Column(TEXT, "Fact with the value that followed.", null=True),
        "parallel_with": Column(
            TEXTS, "Facts that one conversation gave another value by at the same time."
        ),
    },
    key=("namespace", "fact_id", "seq"),
)

ENTITY_VERDICTS = Table(
    "entity_verdicts",
    "One row per pair of entities that may be one, and what a language model says of it.",
    {
        **NAMESPACE,
        "left_id": Column(TEXT, "Entity."),
        "right_id": Column(TEXT, "Entity; its id is the greater."),
        "verdict": Column(TEXT, "same, different or unsure."),
        "confidence": Column(REAL, "How sure the model is, 0 to 1."),
        "reason": Column(TEXT, "Why, in the model's words: data, never an instruction."),
        "rejected_by": Column(
            TEXT,
            "Why it is not followed: confidence, canary, instructions; none if it is.",
            null=True,
        ),
        "similarity": Column(REAL, "Calibrated similarity of the two names."),
        "extractor": Column(TEXT, "Stage, prompt and its version."),
        "decided_at": Column(TIME, "Event time: the later first event of the two.", null=True),
    },
    key=("namespace", "left_id", "right_id"),
)

ENTITY_MERGES = Table(
    "entity_merges",
    "One row per entity that is merged into another, with the rule that holds them for one.",
    {
        **NAMESPACE,
        "entity_id": Column(TEXT, "Entity that is merged away; its id stays."),
        "canonical_id": Column(TEXT, "Entity that stands for it; never merged itself."),
        "rule": Column(
            TEXT,
            "same_words, person, same_name, alias, stated, plural, containment, acronym, spelling, "
            "same_facts, like_record; model: by a language model; decided: by a person.",
        ),
        "reason": Column(TEXT, "Why, in words; a model's own are data, never an instruction."),
        "similarity": Column(REAL, "Calibrated similarity of the two names."),
        "decided_at": Column(TIME, "Event time: the later first event of the two.", null=True),
    },
    key=("namespace", "entity_id"),
)

DECISIONS = Table(
    "decisions",
    "One row per decision of a person about facts, entities or other decisions, with what it "
    "means today.",
    {
        "decision_id": Column(TEXT, "Its record."),
        **NAMESPACE,
        "decision": Column(
            TEXT, "merge, unmerge, keep_apart, correct, confirm, retract, undo or dismiss."
        ),
        "target_type": Column(TEXT, "fact, entity, decision or review."),
        "requested_ids": Column(TEXTS, "What it names, by the ids of that day."),
        "ids": Column(TEXTS, "What it names, by the ids of today; what is gone is not there."),
        "pairs": Column(
            PAIRS, "Pairs on which it has the last word: merged, or kept apart by the others."
        ),
        "facts": Column(
            TEXTS,
            "Facts on which it has the last word: confirmed, or retracted by the others; the same "
            "statement about other entities included.",
        ),
        "replaced_by": Column(
            TEXT, "Fact that its text made, which stands for those it retracts.", null=True
        ),
        "into_id": Column(TEXT, "The one that stays, of a merge that says so.", null=True),
        "text": Column(TEXT, "The corrected statement, or the decision in words."),
        "reason": Column(TEXT, "Why, in the person's words.", null=True),
        "decided_at": Column(TIME, "When.", null=True),
        "as_of": Column(TIME, "The moment that the person looked at.", null=True),
        "unresolved": Column(TEXT, "What of it cannot be applied, and why.", null=True),
        "superseded_by": Column(
            TEXT, "The decision that undid it, or has the last word on all of it.", null=True
        ),
    },
    key=("namespace", "decision_id"),
)

_VERDICT_COLUMNS = {
    **NAMESPACE,
    "left_id": Column(TEXT, "Fact."),
    "right_id": Column(TEXT, "Fact; its id is the greater."),
    "verdict": Column(TEXT, "merge, keep_both or contradiction."),
    "reason": Column(TEXT, "Why, in the model's words: data, never an instruction."),
    "rejected_by": Column(
        TEXT,
        "Why rules do not follow the model: difference, kind, same_words, canary, instructions; "
        "none if they do.",
        null=True,
    ),
    "similarity": Column(REAL, "Calibrated similarity."),
    "extractor": Column(TEXT, "Stage, prompt and its version."),
    "decided_at": Column(TIME, "Event time: the later first source of the two.", null=True),
}

CONTRADICTION_VERDICTS = Table(
    "contradiction_verdicts",
    "One row per pair of facts that differ in words, and what a language model says of it.",
    _VERDICT_COLUMNS,
    key=("namespace", "left_id", "right_id"),
)

MERGE_VERDICTS = Table(
    "merge_verdicts",
    "One row per pair of facts that agree in words, but not in confidence, and what a language "
    "model says of it.",
    _VERDICT_COLUMNS,
    key=("namespace", "left_id", "right_id"),
)

EVIDENCE = Table(
    "evidence",
    "One row per supporting or contradicting pair of a fact and what speaks for or against it.",
    {
        "evidence_id": Column(TEXT, "Digest of fact, kind and source."),
        **NAMESPACE,
        "fact_id": Column(TEXT, "Fact."),
        "kind": Column(TEXT, "restatement, episode, contradiction or feedback."),
        "source_id": Column(TEXT, "Record, episode or fact that speaks."),
        "conversation_id": Column(TEXT, "Its conversation.", null=True),
        "similarity": Column(REAL, "Calibrated similarity; 1 for a restatement."),
        "weight": Column(REAL, "Strength of a feedback, −1 to 1; else null.", null=True),
        "occurred_at": Column(TIME, "When it spoke.", null=True),
    },
    # An id is one by itself; what bears one fact out is read together, so it stands together.
    key=("namespace", "fact_id", "evidence_id"),
)

CONFIDENCE_UPDATES = Table(
    "confidence_updates",
    "One row per change of a fact's confidence, with its cause.",
    {
        **NAMESPACE,
        "fact_id": Column(TEXT, "Fact."),
        "seq": Column(COUNT, "Place among the fact's events, from 0."),
        "cause": Column(TEXT, "first, support, contradiction or feedback."),
        "evidence_id": Column(TEXT, "Evidence; none for the first source.", null=True),
        "occurred_at": Column(TIME, "When.", null=True),
        "decayed": Column(REAL, "Confidence just before, after decay since the event before."),
        "confidence": Column(REAL, "Confidence just after."),
    },
    key=("namespace", "fact_id", "seq"),
)

MERGES = Table(
    "merges",
    "One row per decision about facts that say the same.",
    {
        "merge_id": Column(TEXT, "Digest of decision, winner and losers."),
        **NAMESPACE,
        "decision": Column(TEXT, "auto_merge, merge, keep_both or contradiction."),
        "winner_id": Column(TEXT, "Fact that stays; of two that both do, one."),
        "loser_ids": Column(TEXTS, "Facts that are merged into it; or the other of the two."),
        "similarity": Column(
            REAL,
            "Lowest calibrated similarity of a member to the winner; none where a person decided "
            "on facts that are not alike.",
            null=True,
        ),
        "reason": Column(TEXT, "Rule that decided, the model's reason, or that a person did."),
        "decided_at": Column(
            TIME,
            "Event time: a person's decision, else the latest first source of a member.",
            null=True,
        ),
    },
    key=("namespace", "merge_id"),
)

MEMORY = Table(
    "memory",
    "One row per fact as it stands after evidence and merging.",
    {
        **FACT_COLUMNS,
        "confidence": Column(REAL, "Confidence at its last event."),
        "last_event_at": Column(TIME, "Its last event."),
        "decay_per_day": Column(REAL, "How fast its confidence fades; 0 for what was loaded."),
        "strength": Column(
            REAL,
            "ln(confidence) + decay_per_day * days(last_event_at): static under decay; 1e6 where "
            "nothing fades.",
        ),
        "status": Column(TEXT, "pending_embed, active, merged_into, quarantined or retracted."),
        "evidence_count": Column(COUNT, "Distinct conversations of the union of its evidence."),
        "valid_from": Column(TIME, "True from, in its last stretch (valid_times).", null=True),
        "valid_to": Column(TIME, "True until, likewise; none if it still holds.", null=True),
        "merged_into": Column(
            TEXT, "Fact that took it up, or that a person put in its place.", null=True
        ),
        "archived_at": Column(TIME, "When it was merged away or retracted.", null=True),
        "knowledge_type": Column(
            TEXT, "fact, instruction, preference, procedure, note or episodic."
        ),
        "info_type": Column(TEXT, "user_profile, instructions, context, skills or other."),
        "tags": Column(TEXTS, "Tags."),
        "embedding_text": Column(
            TEXT, "Searched in its place, if who ingested it said so.", null=True
        ),
    },
    key=("namespace", "fact_id"),
)

MEMORY_ENTITIES = Table(
    "memory_entities",
    "One row per entity as it stands, with what is known about it.",
    {
        **ENTITIES.columns,
        "facts": Column(COUNT, "Facts about it, however they stand; events are none."),
        "canonical_id": Column(TEXT, "Entity that it is merged into; itself if none."),
        "active_facts": Column(COUNT, "Facts with status active."),
        "confidence": Column(REAL, "Highest confidence of its facts at their last events."),
    },
    key=("namespace", "entity_id"),
)
