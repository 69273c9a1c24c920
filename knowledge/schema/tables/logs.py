"""What was read: records and what adapters make of them."""

from cairn.knowledge.schema.tables.table import (
    COUNT,
    DAY_COLUMN,
    FLAG,
    NAMESPACE,
    TEXT,
    TEXTS,
    TIME,
    Column,
    Table,
)

RECORDS = Table(
    "records",
    "One row per source line, redacted, as JSON. Grows, but for what is forgotten, and for lines "
    "that were read before their file told a time or session; it alone cannot be made again.",
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
        "silent_to": Column(
            TEXT,
            "The adapter and version to which lines of this kind say nothing; empty if they may.",
            null=True,
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
        "lines": Column(COUNT, "Line ends taken in."),
        "digest": Column(TEXT, "Digest of the consumed bytes: tells growth from replacement."),
        "timezone": Column(TEXT, "Timezone that its times without an offset were in.", null=True),
        "outcome": Column(TEXT, "done, empty, refused (unknown kind) or failed."),
        "reason": Column(TEXT, "Why it was refused or failed.", null=True),
    },
    key=("namespace", "path"),
    processing=("path", "size", "modified_ns", "consumed", "lines", "digest", "timezone"),
)

RAW_LOGS = Table(
    "raw_logs",
    "One row per message, thought, tool call, result, search, command, reaction, note, summary, "
    "decision, document, item of knowledge, imported memory or effect of ours.",
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
            "message, thinking, tool_call, tool_result, search, command, reaction, note, summary, "
            "decision, document, knowledge, imported, effect.",
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
        "branch": Column(
            TEXT, "Branch that was checked out at that moment, as the log says.", null=True
        ),
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
        "title": Column(TEXT, "First line that a person typed.", null=True),
        "subject": Column(
            TEXT,
            "Title of the last pull request made in it, else subject of its last commit.",
            null=True,
        ),
        "started_at": Column(TIME, "First event.", null=True),
        "ended_at": Column(TIME, "Last event.", null=True),
        "logged_at": Column(
            TIME,
            "Last event of a log, by which facts fade: none that is said to Cairn, or was found by"
            " a search of its own.",
            null=True,
        ),
        "last_input_at": Column(
            TIME,
            "When Cairn was last told or asked something, or found it: ages no fact.",
            null=True,
        ),
        "records": Column(COUNT, "Rows in raw_logs."),
        "messages": Column(COUNT, "Messages of people and agents."),
        "human_messages": Column(COUNT, "Messages of people."),
        "tool_calls": Column(COUNT, "Tool calls."),
        "errors": Column(COUNT, "Tool results that were errors."),
        "tokens": Column(COUNT, "Estimated tokens of all text (characters / 4)."),
        "content_hash": Column(TEXT, "Digest of its records: changes with anything read of them."),
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
        "speaker": Column(TEXT, "Name of who asked, where the source has one.", null=True),
        "request": Column(TEXT, "What the person asked."),
        "answer": Column(TEXT, "The agent's last answer in it."),
        "text": Column(
            TEXT, "What is embedded: request, answer, error lines, at most 1,200 characters."
        ),
        "passages": Column(
            TEXTS,
            "The rest of a long request and answer, in passages of at most 600 characters, which "
            "are embedded each.",
            null=True,
        ),
        "started_at": Column(TIME, "First event.", null=True),
        "ended_at": Column(TIME, "Last event.", null=True),
        "records": Column(COUNT, "Rows of raw_logs in it."),
        "quarantined": Column(
            COUNT,
            "Records with lines that give orders to a model, which are left out of its texts; none "
            "if there are none.",
            null=True,
        ),
        "tool_calls": Column(COUNT, "Tool calls."),
        "errors": Column(COUNT, "Results that were errors."),
    },
    key=("namespace", "episode_id"),
    by_day=True,
)
