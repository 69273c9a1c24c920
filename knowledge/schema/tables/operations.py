"""What the graph knows of itself: extractors in force, work, failures, gates, generations."""

from cairn.knowledge.schema.tables.table import (
    COUNT,
    DAY,
    NAMESPACE,
    REAL,
    TEXT,
    TIME,
    Column,
    Table,
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
        "input_hash": Column(TEXT, "Digest of the input, versions of its tables."),
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
        "dead_letter_id": Column(TEXT, "Digest of stage and place."),
        "stage": Column(TEXT, "Stage that failed."),
        "source_file": Column(TEXT, "File."),
        "source_line": Column(COUNT, "Line, from 1."),
        "source_offset": Column(COUNT, "Byte offset."),
        "unit": Column(TEXT, "Record or conversation, where it is known.", null=True),
        "reason": Column(TEXT, "Why, without text of the log."),
        "answer": Column(
            TEXT, "Key of the answer of a model that was none, with what it said.", null=True
        ),
        "replay": Column(TEXT, "Command that tries again."),
    },
    key=("namespace", "dead_letter_id"),
    processing=("dead_letter_id", "source_file", "source_line", "source_offset", "replay"),
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
        "rejected": Column(COUNT, "Rows that did not."),
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

MODEL_CALLS = Table(
    "model_calls",
    "One row per call to a language model, those without an answer, too.",
    {
        **NAMESPACE,
        "call_id": Column(COUNT, "Number of the call, rising."),
        "day": Column(DAY, "UTC day of the call."),
        "called_at": Column(TIME, "When it ended."),
        "asset": Column(TEXT, "Table that asked."),
        "prompt": Column(TEXT, "Name of the prompt."),
        "fingerprint": Column(TEXT, "The prompt's, with the model that was asked."),
        "model": Column(TEXT, "Model that was called: the one in force, or a fallback."),
        "outcome": Column(TEXT, "done, failed, or unanswered: of the provider came nothing."),
        "reason": Column(TEXT, "Why; of an unanswered one timeout, or the error.", null=True),
        "tokens_in": Column(COUNT, "Tokens read, if the provider said.", null=True),
        "tokens_out": Column(COUNT, "Tokens written.", null=True),
        "tokens_cached": Column(COUNT, "Tokens read from the provider's cache.", null=True),
        "cost": Column(REAL, "Dollars; empty if the price is not known.", null=True),
        "seconds": Column(REAL, "Wall time."),
    },
    key=("namespace", "call_id"),
    processing=("call_id", "day", "called_at", "seconds"),
)
