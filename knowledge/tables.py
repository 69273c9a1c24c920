"""Every table, declared once: columns with type and meaning, key, partition.

From these come the written schema, Dagster's column metadata, the checks and docs/tables.md.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

TEXT = pl.String()
COUNT = pl.Int64()
REAL = pl.Float64()
FLAG = pl.Boolean()
TIME = pl.Datetime("us", "UTC")
DAY = (
    pl.String()
)  # ISO date of a UTC day; text, so that it can be a Delta partition and a Dagster key
TEXTS = pl.List(pl.String())
VECTOR = pl.List(pl.Float32())


@dataclass(frozen=True)
class Column:
    """One column: its polars type, one sentence, and whether it may be null."""

    type: pl.DataType
    about: str
    null: bool = False


@dataclass(frozen=True)
class Table:
    """One table. `key` is unique; rows are written sorted by it.

    `by_day` tables are partitioned by `day`. `processing` names columns that tell when or where a
    row was processed: they are left out when two builds of the same logs are compared.
    """

    name: str
    about: str
    columns: Mapping[str, Column]
    key: tuple[str, ...]
    by_day: bool = False
    processing: tuple[str, ...] = ()

    @property
    def schema(self) -> pl.Schema:
        """Column names with their polars types, in the written order."""
        return pl.Schema({name: column.type for name, column in self.columns.items()})

    def empty(self) -> pl.DataFrame:
        """A frame with this schema and no rows."""
        return pl.DataFrame(schema=self.schema)

    def frame(self, rows: pl.DataFrame | Iterable[Mapping[str, object]]) -> pl.DataFrame:
        """Rows as this table has them: its columns only, its types, sorted by its key.

        Nullable columns that are missing are filled with nulls.

        Raises:
            ValueError: a column is missing that may not be null, or holds a null.
        """
        if not isinstance(rows, pl.DataFrame):
            rows = list(rows)
            if not rows:
                return self.empty()
            types = dict(self.schema)
            rows = pl.DataFrame(rows, schema_overrides=types, infer_schema_length=None)
        required = [name for name, column in self.columns.items() if not column.null]
        if missing := [name for name in required if name not in rows.columns]:
            raise ValueError(f"{self.name}: columns missing: {', '.join(missing)}")
        frame = rows.select(
            (pl.col(name) if name in rows.columns else pl.lit(None)).cast(column.type).alias(name)
            for name, column in self.columns.items()
        ).sort(self.key)
        if holes := [name for name in required if frame.get_column(name).null_count()]:
            raise ValueError(f"{self.name}: empty values in: {', '.join(holes)}")
        return frame


NAMESPACE = {"namespace": Column(TEXT, "Person or tenant; never mixed.")}
DAY_COLUMN = {"day": Column(DAY, "UTC day on which the conversation began; 2015-01-01 if undated.")}

RECORDS = Table(
    "records",
    "One row per source line, redacted, as JSON. Grows only; it alone cannot be made again.",
    {
        **NAMESPACE,
        "record_key": Column(TEXT, "Digest of namespace, adapter, place and content; never twice."),
        "adapter": Column(TEXT, "The adapter that recognised the source."),
        "thread": Column(TEXT, "Native session id, or the channel that the line belongs to."),
        "session": Column(
            FLAG, "Whether `thread` is a native session (else a channel, cut by silence)."
        ),
        "native_id": Column(
            TEXT, "The source's own id of the line, or its place in a document.", null=True
        ),
        "ordinal": Column(
            COUNT, "Place within its document, for sources that are one document.", null=True
        ),
        "occurred_at": Column(
            TIME, "Time of the line, or of its nearest timed neighbour.", null=True
        ),
        "payload": Column(TEXT, "The line as JSON, redacted, images dropped."),
        "content_hash": Column(TEXT, "Digest of the payload."),
        "size": Column(COUNT, "Bytes of the payload."),
        "redactions": Column(COUNT, "Secrets replaced in this line."),
        "images_dropped": Column(COUNT, "Base64 images left out of this line."),
        "source_file": Column(TEXT, "File that first brought the line."),
        "source_line": Column(COUNT, "Line in that file, from 1."),
        "source_offset": Column(COUNT, "Byte offset in that file."),
        "seen_at": Column(TIME, "When intake read it."),
    },
    key=("namespace", "record_key"),
    processing=("source_file", "source_line", "source_offset", "seen_at"),
)

SOURCE_FILES = Table(
    "source_files",
    "One row per file that intake has read: how far, and what it looked like then.",
    {
        **NAMESPACE,
        "path": Column(TEXT, "The file."),
        "adapter": Column(TEXT, "The adapter that recognised it; empty if none did.", null=True),
        "size": Column(COUNT, "Bytes when it was read."),
        "modified_ns": Column(COUNT, "Modification time when it was read, in nanoseconds."),
        "consumed": Column(COUNT, "Bytes taken in; an unfinished last line is not."),
        "lines": Column(COUNT, "Lines taken in."),
        "digest": Column(TEXT, "Digest of the consumed bytes: tells growth from replacement."),
        "outcome": Column(TEXT, "done, empty, refused (unknown kind) or failed."),
        "reason": Column(TEXT, "Why it was refused or failed.", null=True),
    },
    key=("namespace", "path"),
    processing=("path", "size", "modified_ns", "consumed", "lines", "digest"),
)

RAW_LOGS = Table(
    "raw_logs",
    "One row per message, thought, tool call, result, search, command, reaction, note or summary.",
    {
        "record_id": Column(TEXT, "Id from where the record stands, never from its text."),
        "native_id": Column(TEXT, "The source's own id.", null=True),
        "parent_id": Column(TEXT, "Native id of the record before it in its thread.", null=True),
        "block": Column(COUNT, "Place of this part within its source line, from 0."),
        **NAMESPACE,
        **DAY_COLUMN,
        "source": Column(TEXT, "Adapter: claude_code, codex, gemini_cli, …"),
        "conversation_id": Column(TEXT, "Native session, else cut from its channel."),
        "episode_id": Column(
            TEXT, "The request that this belongs to; none before the first.", null=True
        ),
        "seq": Column(COUNT, "Place in the conversation, from 0."),
        "kind": Column(
            TEXT,
            "message, thinking, tool_call, tool_result, search, command, reaction, note, summary.",
        ),
        "role": Column(TEXT, "Role in the source's own words.", null=True),
        "name": Column(TEXT, "Name of the speaker, where the source has one.", null=True),
        "origin": Column(TEXT, "human, agent, tool, system, recalled or external."),
        "trigger": Column(
            TEXT, "What set it off: user_message, learn_command, enrichment.", null=True
        ),
        "text": Column(TEXT, "What was said or returned; empty for a call."),
        "tool_name": Column(TEXT, "Tool that was called or answered.", null=True),
        "tool_input": Column(
            TEXT, "Input of the call, or attributes of the event, as JSON.", null=True
        ),
        "call_id": Column(TEXT, "Links a tool's call and its result.", null=True),
        "is_error": Column(FLAG, "Whether the tool or the provider reported an error."),
        "model": Column(TEXT, "Model that wrote it.", null=True),
        "cwd": Column(TEXT, "Working folder at that moment.", null=True),
        "project": Column(
            TEXT, "Repository root seen in the conversation, else its first folder.", null=True
        ),
        "sidechain": Column(FLAG, "Whether a sub-agent's thread holds it."),
        "reply_to": Column(TEXT, "Native id of the message that a reaction answers.", null=True),
        "proactive": Column(FLAG, "Whether the system spoke unasked."),
        "occurred_at": Column(TIME, "When it happened; none if undated.", null=True),
        "source_file": Column(TEXT, "File that first brought it."),
        "source_line": Column(COUNT, "Line in that file, from 1."),
        "content_hash": Column(TEXT, "Digest of text and tool input."),
        "redactions": Column(COUNT, "Secrets replaced in its source line."),
    },
    key=("namespace", "record_id"),
    by_day=True,
    processing=("source_file", "source_line"),
)

CONVERSATIONS = Table(
    "conversations",
    "One row per session or stretch of a channel.",
    {
        "conversation_id": Column(TEXT, "Native session id, or digest of place and time."),
        **NAMESPACE,
        **DAY_COLUMN,
        "source": Column(TEXT, "Adapter."),
        "project": Column(TEXT, "Project that it was about.", null=True),
        "title": Column(TEXT, "First line of the first request.", null=True),
        "started_at": Column(TIME, "First event.", null=True),
        "ended_at": Column(TIME, "Last event.", null=True),
        "records": Column(COUNT, "Rows in raw_logs."),
        "messages": Column(COUNT, "Messages of people and agents."),
        "human_messages": Column(COUNT, "Messages of people."),
        "tool_calls": Column(COUNT, "Tool calls."),
        "errors": Column(COUNT, "Tool results that were errors."),
        "tokens": Column(COUNT, "Estimated tokens of all text (characters / 4)."),
        "content_hash": Column(TEXT, "Digest of all its records: changes when it grew."),
    },
    key=("namespace", "conversation_id"),
    by_day=True,
)

EPISODES = Table(
    "episodes",
    "One row per request of a person, with the work up to the next.",
    {
        "episode_id": Column(TEXT, "Its first human record."),
        **NAMESPACE,
        **DAY_COLUMN,
        "conversation_id": Column(TEXT, "Conversation."),
        "seq": Column(COUNT, "Place in the conversation, from 0."),
        "project": Column(TEXT, "Project.", null=True),
        "request": Column(TEXT, "What the person asked."),
        "answer": Column(TEXT, "The agent's last answer in it."),
        "text": Column(
            TEXT, "What is embedded: request, answer, error lines, at most 1,200 characters."
        ),
        "started_at": Column(TIME, "First event.", null=True),
        "ended_at": Column(TIME, "Last event.", null=True),
        "records": Column(COUNT, "Rows of raw_logs in it."),
        "tool_calls": Column(COUNT, "Tool calls."),
        "errors": Column(COUNT, "Results that were errors."),
    },
    key=("namespace", "episode_id"),
    by_day=True,
)

CANDIDATES = Table(
    "candidates",
    "One row per entity or fact that a rule or a model proposed, with its quote.",
    {
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
            "`text`, `tool_name`, `project`, `name`, or `tool_input.<key>`, deeper after dots.",
        ),
        "quote_start": Column(COUNT, "First code point of the quote in that field."),
        "quote_end": Column(COUNT, "End of the quote, exclusive."),
        "confidence": Column(REAL, "Confidence that the rule gives, 0 to 1."),
        "mode": Column(TEXT, "rule, full or known_only."),
        "extractor": Column(TEXT, "Rule with version, or prompt."),
        "origin": Column(TEXT, "Who spoke."),
        "trigger": Column(TEXT, "What set the record off.", null=True),
        "occurred_at": Column(TIME, "When it was said; none if undated.", null=True),
    },
    key=("namespace", "candidate_id"),
    by_day=True,
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
            FLAG, "Whether a command (like, learn) did: it is kept without facts."
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
        "facts": Column(COUNT, "Facts about it."),
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
}

FACTS = Table(
    "facts",
    "One row per statement about an entity, over all its sources.",
    FACT_COLUMNS,
    key=("namespace", "fact_id"),
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
        "persistence": Column(REAL, "Stability of the cluster in the tree."),
        "last_seen": Column(TIME, "Last event of a member.", null=True),
    },
    key=("namespace", "theme_id"),
)

CLUSTERS = Table(
    "clusters",
    "One row per fact and its topic (HDBSCAN over facts).",
    {
        "fact_id": Column(TEXT, "Fact."),
        **NAMESPACE,
        "cluster_id": Column(TEXT, "Digest of the medoid's fact; empty for noise.", null=True),
        "label": Column(TEXT, "Strongest terms of the cluster.", null=True),
        "probability": Column(REAL, "Strength of membership, 0 to 1."),
        "medoid": Column(FLAG, "Whether this fact is the medoid."),
        "x": Column(REAL, "Place on the map."),
        "y": Column(REAL, "Place on the map."),
    },
    key=("namespace", "fact_id"),
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
    key=("namespace", "evidence_id"),
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
        "winner_id": Column(TEXT, "Fact that stays."),
        "loser_ids": Column(TEXTS, "Facts that are merged into it."),
        "similarity": Column(REAL, "Lowest calibrated similarity of a member to the winner."),
        "reason": Column(TEXT, "Rule that decided."),
        "decided_at": Column(TIME, "Event time: the latest first source of a member.", null=True),
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
        "strength": Column(
            REAL, "ln(confidence) + 0.01 * days(last_event_at): static under decay."
        ),
        "status": Column(TEXT, "pending_embed, active, merged_into, quarantined or retracted."),
        "evidence_count": Column(COUNT, "Distinct conversations of the union of its evidence."),
        "valid_from": Column(TIME, "True from.", null=True),
        "valid_to": Column(TIME, "True until; none if it still holds.", null=True),
        "merged_into": Column(TEXT, "Fact that took it up.", null=True),
        "archived_at": Column(TIME, "When it was merged away (event time).", null=True),
        "knowledge_type": Column(
            TEXT, "fact, instruction, preference, procedure, note or episodic."
        ),
        "info_type": Column(TEXT, "user_profile, instructions, context, skills or other."),
        "tags": Column(TEXTS, "Tags."),
    },
    key=("namespace", "fact_id"),
)

MEMORY_ENTITIES = Table(
    "memory_entities",
    "One row per entity as it stands, with what is known about it.",
    {
        **ENTITIES.columns,
        "canonical_id": Column(TEXT, "Entity that it is merged into; itself if none."),
        "active_facts": Column(COUNT, "Facts with status active."),
        "confidence": Column(REAL, "Highest confidence of its facts at their last events."),
    },
    key=("namespace", "entity_id"),
)

LEARNING_CANDIDATES = Table(
    "learning_candidates",
    "One row per conversation: its value, categories and drafts, and what became of them.",
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
        "extractor": Column(TEXT, "Rules with versions."),
    },
    key=("namespace", "conversation_id"),
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
        "category": Column(
            TEXT,
            "pattern, best_practice, anti_pattern, bug_fix, optimization, tool_usage, workflow or "
            "decision.",
        ),
        "title": Column(TEXT, "At most 100 characters."),
        "content": Column(TEXT, "At least 100 characters."),
        "tags": Column(TEXTS, "3 to 10."),
        "confidence": Column(REAL, "Weighted sum of the four factors, unrounded."),
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
            "Each time that it was found, in order of event time.",
        ),
        "signals": Column(TEXTS, "What spoke for the category."),
        "created_at": Column(TIME, "Event time of its last evidence when first found.", null=True),
        "extractor": Column(TEXT, "Rule with version, or prompt."),
    },
    key=("namespace", "learning_id"),
)

EXTRACTORS = Table(
    "extractors",
    "One row per rule, prompt and model in force.",
    {
        "name": Column(TEXT, "Name."),
        "kind": Column(TEXT, "rule, stage, prompt or model."),
        "version": Column(COUNT, "Version number."),
        "fingerprint": Column(TEXT, "Digest of what decides its output."),
        "about": Column(TEXT, "What it finds."),
    },
    key=("name",),
)

WORK = Table(
    "work",
    "One row per unit of work that was done: work to do is what is missing here.",
    {
        **NAMESPACE,
        "stage": Column(TEXT, "Stage or rule."),
        "unit": Column(TEXT, "Conversation, file, or * for a whole table."),
        "unit_hash": Column(TEXT, "Digest of the unit's input."),
        "fingerprint": Column(TEXT, "Fingerprint of what worked on it."),
        "outcome": Column(TEXT, "done, empty, rejected or failed."),
        "attempts": Column(COUNT, "Times tried with this input."),
        "rows": Column(COUNT, "Rows that it gave."),
        "day": Column(DAY, "Day of the unit.", null=True),
    },
    key=("namespace", "stage", "unit"),
    processing=("attempts",),
)

DEAD_LETTERS = Table(
    "dead_letters",
    "One row per thing that could not be read or done, with why and how to try again.",
    {
        **NAMESPACE,
        "letter_id": Column(TEXT, "Digest of stage and place."),
        "stage": Column(TEXT, "Stage that failed."),
        "source_file": Column(TEXT, "File."),
        "source_line": Column(COUNT, "Line, from 1."),
        "source_offset": Column(COUNT, "Byte offset."),
        "unit": Column(TEXT, "Record or conversation, where it is known.", null=True),
        "reason": Column(TEXT, "Why, without text of the log."),
        "replay": Column(TEXT, "Command that tries again."),
    },
    key=("namespace", "letter_id"),
    processing=("letter_id", "source_file", "source_line", "source_offset", "replay"),
)

FUNNEL = Table(
    "funnel",
    "One row per gate: how many came, how many passed.",
    {
        **NAMESPACE,
        "stage": Column(TEXT, "Stage."),
        "gate": Column(TEXT, "Gate."),
        "rows_in": Column(COUNT, "Rows that came."),
        "passed": Column(COUNT, "Rows that passed."),
        "refused": Column(COUNT, "Rows that did not."),
        "rate": Column(REAL, "Passed / came; 1 if none came."),
    },
    key=("namespace", "stage", "gate"),
)

VECTOR_INDEX = Table(
    "vector_index",
    "One row per published generation of vectors.",
    {
        **NAMESPACE,
        "generation": Column(TEXT, "Name: model, dimension and digest of the contents."),
        "model": Column(TEXT, "Embedding model."),
        "dimension": Column(COUNT, "Length of a vector."),
        "points": Column(COUNT, "Points."),
        "dense": Column(COUNT, "Points with a dense vector."),
        "digest": Column(TEXT, "Digest of ids, texts and payloads."),
    },
    key=("namespace",),
)

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        RECORDS, SOURCE_FILES, RAW_LOGS, CONVERSATIONS, EPISODES, CANDIDATES, INTRODUCTIONS,
        REJECTIONS, ENTITIES, FACTS, FACT_SOURCES, EMBEDDINGS, THEMES, CLUSTERS, EVIDENCE,
        CONFIDENCE_UPDATES, MERGES, MEMORY, MEMORY_ENTITIES, LEARNING_CANDIDATES, LEARNINGS,
        EXTRACTORS, WORK, DEAD_LETTERS, FUNNEL, VECTOR_INDEX,
    )
}  # fmt: skip
