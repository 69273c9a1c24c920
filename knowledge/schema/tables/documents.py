"""What people ingest, beside the candidates that it gives."""

from cairn.knowledge.schema.tables.table import (
    COUNT,
    DAY_COLUMN,
    NAMESPACE,
    TEXT,
    TEXTS,
    Column,
    Table,
)

PIECES = Table(
    "pieces",
    "One row per piece of knowledge that somebody ingested: how it is kept and found.",
    {
        "candidate_id": Column(TEXT, "Candidate that states it."),
        **NAMESPACE,
        **DAY_COLUMN,
        "conversation_id": Column(TEXT, "Conversation: what was ingested with it."),
        "record_id": Column(TEXT, "Record."),
        "piece_id": Column(TEXT, "Its id where it came from.", null=True),
        "info_type": Column(TEXT, "Section of a prompt that it goes to."),
        "tags": Column(TEXTS, "Tags."),
        "embedding_text": Column(TEXT, "Searched in its place, if there is one.", null=True),
        "extractor": Column(TEXT, "Stage with version, or prompt."),
    },
    key=("namespace", "candidate_id"),
    by_day=True,
)

CHECK_INS = Table(
    "check_ins",
    "One row per question about an ingested text: what was given, answered and made of it.",
    {
        "check_in_id": Column(TEXT, "Digest of the record, the part of it and who structured it."),
        **NAMESPACE,
        **DAY_COLUMN,
        "conversation_id": Column(TEXT, "Conversation."),
        "record_id": Column(TEXT, "Record: the text that was ingested."),
        "start": Column(COUNT, "First code point of the part of the text that was given."),
        "given": Column(TEXT, "That part, redacted."),
        "answer": Column(
            TEXT, "What the model answered, redacted; none without a model.", null=True
        ),
        "outcome": Column(TEXT, "done, failed or pending."),
        "reason": Column(TEXT, "Why there is no answer.", null=True),
        "loaded": Column(TEXTS, "Candidates that were made of it."),
        "rejected": Column(TEXTS, "Why others were not, a reason each."),
        "extractor": Column(TEXT, "Stage with version, or prompt."),
    },
    key=("namespace", "check_in_id"),
    by_day=True,
)
