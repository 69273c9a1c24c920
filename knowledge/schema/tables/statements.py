"""What logs say: candidates, the gates they pass, entities, facts and learnings."""

from dataclasses import replace

import polars as pl

from cairn.knowledge.schema.learning_categories import CATEGORIES
from cairn.knowledge.schema.tables.table import (
    COUNT,
    DAY_COLUMN,
    FLAG,
    NAMESPACE,
    REAL,
    TEXT,
    TEXTS,
    TIME,
    Column,
    Table,
)

CANDIDATE_COLUMNS = {
    "candidate_id": Column(TEXT, "Digest of record, extractor, predicate, object and place."),
    **NAMESPACE,
    **DAY_COLUMN,
    "conversation_id": Column(TEXT, "Conversation."),
    "episode_id": Column(TEXT, "Episode.", null=True),
    "record_id": Column(TEXT, "Record that it was found in."),
    "kind": Column(TEXT, "entity, fact or relation."),
    "subject": Column(TEXT, "The observation: task_<record> or action_<record>."),
    "predicate": Column(TEXT, "What is said; `is` for an entity."),
    "object": Column(TEXT, "Value, or name of the entity."),
    "content": Column(TEXT, "The statement as one readable sentence."),
    "entity_name": Column(TEXT, "Entity that the fact is about, or the entity itself."),
    "entity_type": Column(TEXT, "project, host, path, tool, package, system, person or topic."),
    "quote": Column(TEXT, "Words of the source."),
    "quote_field": Column(
        TEXT,
        "`text`, `tool_name`, `project`, `name`, or `tool_input.<key>`, deeper after dots; "
        "`request` of the episode for what a theme says.",
    ),
    "quote_start": Column(COUNT, "First code point of the quote in that field."),
    "quote_end": Column(COUNT, "End of the quote, exclusive."),
    "confidence": Column(REAL, "Confidence that the rule gives, 0 to 1."),
    "mode": Column(
        TEXT,
        "rule, full, known_only; given for what people ingest; generalised for what a theme says.",
    ),
    "extractor": Column(TEXT, "Rule with version, or prompt."),
    "origin": Column(TEXT, "Who spoke."),
    "trigger": Column(TEXT, "What set the record off.", null=True),
    "occurred_at": Column(TIME, "When it was said; none if undated.", null=True),
    "trust": Column(
        TEXT,
        "Whose word it is, where that is not who spoke: person (who assented), outcome (that bore "
        "it out), agent or outside (where it stood before), pasted (in a message too long to be "
        "typed); vague or retracted, where an agent only guessed or took it back.",
        null=True,
    ),
    "passing": Column(
        FLAG,
        "Of an event that may become knowledge: whether it tells of its moment alone, a plan "
        "follows, it ended with a check that works, or it was taken back.",
        null=True,
    ),
}

CANDIDATES = Table(
    "candidates",
    "One row per entity or fact that a rule or a model proposed, with its quote.",
    CANDIDATE_COLUMNS,
    key=("namespace", "candidate_id"),
    by_day=True,
)

_WHERE_FOUND = {
    name: replace(CANDIDATE_COLUMNS[name], null=True) for name in ("quote_start", "quote_end")
}
_WHY_REFUSED = (
    "question, wish, quotation or hypothetical; not_given, not_in_quote, quote_not_found, "
    "canary, other_speaker, redacted, blank, too_short, too_long, off_context; "
    "a structural rule; instructions: held for review"
)

KNOWN_ONLY_CANDIDATES = Table(
    "known_only_candidates",
    "One row per fact that searches brought about a name known before.",
    {
        **CANDIDATE_COLUMNS,
        **_WHERE_FOUND,
        "reason": Column(TEXT, f"Why it is no fact: {_WHY_REFUSED}; none if it is one.", null=True),
    },
    key=("namespace", "candidate_id"),
    by_day=True,
)

REJECTED_FACTS = Table(
    "rejected_facts",
    "One row per proposal of a model that a check refused or holds, with why.",
    {**CANDIDATE_COLUMNS, **_WHERE_FOUND, "reason": Column(TEXT, f"{_WHY_REFUSED.capitalize()}.")},
    key=("namespace", "candidate_id", "reason"),
    by_day=True,
)

THEME_FACTS = Table(
    "theme_facts",
    "One row per fact that was drawn from a theme. It introduces nothing, and feeds no theme.",
    {
        **CANDIDATE_COLUMNS,
        "theme_id": Column(TEXT, "Theme."),
        "derived_from": Column(TEXTS, "Episodes that bear it out."),
        "reason": Column(
            TEXT,
            "Why it is no fact: canary, not_given, blank, redacted, too_long, too_few_episodes, "
            "instructions (held for review); none if it is one.",
            null=True,
        ),
    },
    key=("namespace", "candidate_id"),
)

INTRODUCTIONS = Table(
    "introductions",
    "One row per name and the first human-triggered event that brought it in.",
    {
        "entity_id": Column(TEXT, "Entity."),
        **NAMESPACE,
        "name": Column(TEXT, "Canonical name."),
        "type": Column(TEXT, "Type."),
        "record_id": Column(TEXT, "Record that introduced it."),
        "introduced_at": Column(TIME, "When; none if undated.", null=True),
        "by_command": Column(
            FLAG, "Whether a command (like, learn) did, or it was loaded: it is kept without facts."
        ),
    },
    key=("namespace", "entity_id"),
)

REJECTIONS = Table(
    "rejections",
    "One row per refused name, with the gate and why.",
    {
        **NAMESPACE,
        "name": Column(TEXT, "Name as proposed."),
        "type": Column(TEXT, "Type as proposed."),
        "gate": Column(TEXT, "structural, semantic, not_introduced or no_fact."),
        "rule": Column(TEXT, "Rule of that gate."),
        "score": Column(REAL, "Similarity to its context, where the gate has one.", null=True),
        "candidates": Column(COUNT, "Candidates that fell with it."),
        "record_id": Column(TEXT, "First record that proposed it."),
    },
    key=("namespace", "name", "type", "gate"),
)

ENTITIES = Table(
    "entities",
    "One row per validated entity, before merging.",
    {
        "entity_id": Column(TEXT, "Digest of namespace, type and canonical name."),
        **NAMESPACE,
        "name": Column(TEXT, "Canonical name."),
        "display_name": Column(TEXT, "Most frequent form as written."),
        "type": Column(TEXT, "project, host, path, tool, package, system, person or topic."),
        "aliases": Column(TEXTS, "Other forms seen."),
        "first_seen": Column(TIME, "First event.", null=True),
        "last_seen": Column(TIME, "Last event.", null=True),
        "introduced_by": Column(TEXT, "Record that introduced it."),
        "mentions": Column(COUNT, "Candidates that name it."),
        "facts": Column(COUNT, "Facts about it, events too."),
    },
    key=("namespace", "entity_id"),
)

FACT_COLUMNS = {
    "fact_id": Column(TEXT, "Digest of namespace, entity, predicate and canonical object."),
    **NAMESPACE,
    "entity_id": Column(TEXT, "Entity that it is about."),
    "predicate": Column(TEXT, "What is said."),
    "object": Column(TEXT, "Value."),
    "content": Column(TEXT, "The statement as one readable sentence."),
    "base_confidence": Column(REAL, "Highest confidence of its first conversation's rules."),
    "source_count": Column(COUNT, "Distinct records."),
    "conversation_count": Column(COUNT, "Distinct conversations."),
    "first_seen": Column(TIME, "First source.", null=True),
    "last_seen": Column(TIME, "Last source.", null=True),
    "source_record_ids": Column(TEXTS, "The first 20 records."),
    "derived_from": Column(TEXTS, "Facts, episodes or records that it was drawn from."),
    "extractor": Column(TEXT, "Extractor of its first source."),
    "trust": Column(
        TEXT,
        "Whose word it is, by the best of its sources: person, outcome (it was seen), pasted, "
        "searched, agent, vague, outside or retracted. Pasted and the last four bound its "
        "confidence.",
    ),
    "event": Column(
        FLAG,
        "Whether it only says what happened. Such a statement is one no more once it was made in "
        "two conversations on two days, passing in neither.",
    ),
}

FACTS = Table(
    "facts",
    "One row per statement about an entity, over all its sources.",
    FACT_COLUMNS,
    key=("namespace", "fact_id"),
)

PROPOSED_OPERATIONS = Table(
    "proposed_operations",
    "One row per pattern of commands that no rule names a kind of, for a person to name.",
    {
        "proposal_id": Column(TEXT, "Digest of the pattern."),
        **NAMESPACE,
        "name": Column(TEXT, "Operation type that is proposed."),
        "pattern": Column(TEXT, "Program, and its first operand where that says what to do."),
        "commands": Column(COUNT, "Different commands."),
        "conversations": Column(COUNT, "Distinct conversations."),
        "example_ids": Column(TEXTS, "Facts of the first three commands."),
        "first_seen": Column(TIME, "First command; none if undated.", null=True),
        "last_seen": Column(TIME, "Last command.", null=True),
    },
    key=("namespace", "proposal_id"),
)

FACT_SOURCES = Table(
    "fact_sources",
    "One row per occurrence of a fact in a record.",
    {
        "fact_id": Column(TEXT, "Fact."),
        "candidate_id": Column(TEXT, "Candidate."),
        "record_id": Column(TEXT, "Record."),
        "conversation_id": Column(TEXT, "Conversation."),
        "confidence": Column(REAL, "Confidence that its rule gave."),
        "occurred_at": Column(TIME, "When it was said.", null=True),
        **DAY_COLUMN,
        **NAMESPACE,
    },
    key=("namespace", "fact_id", "candidate_id"),
    by_day=True,
)

LEARNING_CANDIDATES = Table(
    "learning_candidates",
    "One row per conversation and who judged it, rules or a model: its value, categories and "
    "drafts, and what became of them.",
    {
        "conversation_id": Column(TEXT, "Conversation."),
        **NAMESPACE,
        **DAY_COLUMN,
        "value": Column(REAL, "Value score, 0 to 1."),
        "reasons": Column(TEXTS, "Heuristics that gave it."),
        "categories": Column(TEXTS, "At most two, strongest first."),
        "category_scores": Column(pl.List(pl.Float64()), "Their scores."),
        "signals": Column(TEXTS, "What spoke for them."),
        "spans": Column(TEXTS, "Records chosen within the token budget, in order."),
        "drafts": Column(TEXT, "Drafted learnings with their factors, as JSON."),
        "outcome": Column(
            TEXT, "low_value, no_categories, low_quality, duplicate, stored or failed."
        ),
        "details": Column(TEXT, "Why, in one line.", null=True),
        "content_hash": Column(TEXT, "Digest of the conversation that was judged."),
        "extractor": Column(TEXT, "Rules with versions, or stage and prompt."),
    },
    key=("namespace", "conversation_id", "extractor"),
    by_day=True,
)

QUOTE = pl.Struct({"record_id": TEXT, "text": TEXT, "role": TEXT, "start": COUNT})

LEARNINGS = Table(
    "learnings",
    "One row per reusable lesson, scored, without duplicates, quoted.",
    {
        "learning_id": Column(TEXT, "Digest of namespace and dedupe_hash."),
        **NAMESPACE,
        "conversation_id": Column(TEXT, "Conversation that first gave it."),
        "conversation_ids": Column(TEXTS, "All conversations that bear it out, in that order."),
        "category": Column(TEXT, f"{', '.join(CATEGORIES[:-1])} or {CATEGORIES[-1]}."),
        "title": Column(TEXT, "At most 100 characters."),
        "content": Column(TEXT, "At least 100 characters."),
        "tags": Column(TEXTS, "3 to 10."),
        "confidence": Column(
            REAL, "Weighted sum of the four factors, unrounded, as feedback moved it."
        ),
        "factors": Column(
            pl.Struct(
                {"actionability": REAL, "generalizability": REAL, "clarity": REAL, "evidence": REAL}
            ),
            "The four factors, each 0 to 1.",
        ),
        "source_record_ids": Column(TEXTS, "Evidence, over all duplicates."),
        "quotes": Column(pl.List(QUOTE), "2 to 4 of at most 200 characters, found in the source."),
        "summary": Column(TEXT, "At most 300 characters."),
        "dedupe_hash": Column(TEXT, "SHA-256 of the canonical category, title and content."),
        "simhash": Column(pl.UInt64(), "64-bit SimHash of the content."),
        "runs": Column(
            pl.List(pl.Struct({"occurred_at": TIME, "sources": TEXTS, "confidence": REAL})),
            "Each time that it was found, in order of event time, with the sources that it added.",
        ),
        "feedback": Column(
            pl.List(
                pl.Struct(
                    {"record_id": TEXT, "occurred_at": TIME, "weight": REAL, "confidence": REAL}
                )
            ),
            "What people said of it, in order of event time, and its confidence after each.",
        ),
        "signals": Column(TEXTS, "What spoke for the category."),
        "created_at": Column(TIME, "Event time of its last evidence when first found.", null=True),
        "extractor": Column(TEXT, "Rule with version, or prompt."),
    },
    key=("namespace", "learning_id"),
)
