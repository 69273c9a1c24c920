"""Tables of what failed, and of what ended it."""

from cairn.knowledge.schema.tables.table import (
    COUNT,
    DAY_COLUMN,
    NAMESPACE,
    REAL,
    TEXT,
    TEXTS,
    TIME,
    Column,
    Table,
)

FAILURES = Table(
    "failures",
    "One row per command that failed with a line that says why, and what became of that error.",
    {
        "failure_id": Column(TEXT, "Digest of namespace and record."),
        **NAMESPACE,
        **DAY_COLUMN,
        "conversation_id": Column(TEXT, "Conversation."),
        "record_id": Column(TEXT, "Result of the command."),
        "seq": Column(COUNT, "Its place in the conversation."),
        "occurred_at": Column(TIME, "When it failed.", null=True),
        "settled_at": Column(TIME, "When the outcome was to be seen.", null=True),
        "project": Column(TEXT, "Folder that it ran in.", null=True),
        "tool_family": Column(TEXT, "Whose error it is: go, pytest, git, …"),
        "command": Column(TEXT, "What was run, shortened."),
        "key_line": Column(TEXT, "The line of the output that says why."),
        "signature": Column(TEXT, "The key line with slots for numbers, hex, paths and names."),
        "names": Column(TEXTS, "What stood in the slots of names and paths."),
        "outcome": Column(TEXT, "fixed, flake, bypassed, open or undone."),
        "fix": Column(
            TEXT, "What was changed; null where no link to the error is seen.", null=True
        ),
        "fix_kind": Column(TEXT, "edit, command, replaced_command, setting, install.", null=True),
        "fix_record_ids": Column(TEXTS, "Calls that changed it."),
        "cause": Column(TEXT, "What was said to be why, in words that name it.", null=True),
        "passed_record_id": Column(TEXT, "Result of the run that passed.", null=True),
        "extractor": Column(TEXT, "Rules with version."),
    },
    key=("namespace", "failure_id"),
    by_day=True,
)

ERROR_SIGNATURES = Table(
    "error_signatures",
    "One row per project, signature and what was done about it: how often that ended the error.",
    {
        **NAMESPACE,
        "project": Column(TEXT, "Folder that it ran in; empty if none is known."),
        "signature_id": Column(TEXT, "Digest of namespace, tool family and signature."),
        "fix_id": Column(TEXT, "Digest of signature_id and the fix; of none if there is none."),
        "tool_family": Column(TEXT, "Whose error it is."),
        "signature": Column(TEXT, "Key line with slots."),
        "key_line": Column(TEXT, "Of a fix the latest key line that it ended; else the usual one."),
        "same_line": Column(COUNT, "In how many conversations the key line was this very one."),
        "names": Column(TEXTS, "What stood in its slots where the fix was seen."),
        "failures": Column(COUNT, "How often it was seen in the project."),
        "conversations": Column(COUNT, "In how many conversations."),
        "first_seen": Column(TIME, "When first.", null=True),
        "last_seen": Column(TIME, "When last.", null=True),
        "fix": Column(TEXT, "What was changed; null for an error that nothing is known to end.",
                      null=True),
        "fix_kind": Column(TEXT, "edit, command, replaced_command, setting, install.", null=True),
        "fix_last_seen": Column(TIME, "When the fix last ended the error.", null=True),
        "wins": Column(COUNT, "How often it ended the error."),
        "losses": Column(COUNT, "How often the error stayed, came back, or it was undone."),
        "rank": Column(REAL, "Lower bound of Wilson's 95 % interval of wins among both."),
        "source_record_ids": Column(TEXTS, "Results and calls that it rests on."),
    },
    key=("namespace", "project", "signature_id", "fix_id"),
)  # fmt: skip
