"""What works here: the commands of a project, each time one was run, and which are in force."""

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

COMMAND_RUNS = Table(
    "command_runs",
    "One row per command that an agent ran for a task of its project, or to set something up.",
    {
        **NAMESPACE,
        **DAY_COLUMN,
        "conversation_id": Column(TEXT, "Conversation."),
        "record_id": Column(TEXT, "The call."),
        "place": Column(COUNT, "Place of the command in its line, from 0."),
        "seq": Column(COUNT, "Place of the call in the conversation."),
        "occurred_at": Column(TIME, "When it was called; none if undated.", null=True),
        "ended_at": Column(TIME, "When its result came; none if none came, or undated.", null=True),
        "project": Column(TEXT, "Project of the conversation.", null=True),
        "folder": Column(TEXT, "Working folder in the repository; empty for its root."),
        "env": Column(
            TEXTS, "What it was run with: NAME=value if harmless; what activates its environment."
        ),
        "command": Column(
            TEXT, "Its stable form: no single tests, files, messages, nor plumbing of output."
        ),
        "task": Column(
            TEXT,
            "test, lint, format, type_check, build, run, install, deploy, commit or release; none "
            "for what sets something up.",
            null=True,
        ),
        "passed": Column(
            FLAG, "Whether status and output say that it passed; none if nothing tells.", null=True
        ),
        "narrowed": Column(
            FLAG, "Whether it checked a part: some tests, one file, a package.", null=True
        ),
        "extractor": Column(TEXT, "Rule with version."),
    },
    key=("namespace", "record_id", "place"),
    by_day=True,
)

PRACTICES = Table(
    "practices",
    "One row per command of a project for a task, with how often it was run and passed.",
    {
        "practice_id": Column(TEXT, "Digest of namespace, project, task, command and folder."),
        **NAMESPACE,
        "project": Column(TEXT, "Project."),
        "task": Column(TEXT, "test, lint, format, type_check, build, run, install, deploy, …"),
        "command": Column(TEXT, "Stable form."),
        "folder": Column(TEXT, "Working folder in the repository; empty for its root."),
        "env": Column(TEXTS, "What half of its runs or more were run with."),
        "runs": Column(COUNT, "Times that it was run; on a part only where never on the whole."),
        "passed": Column(COUNT, "Runs that passed."),
        "failed": Column(COUNT, "Runs that failed; nothing tells of the others."),
        "conversations": Column(COUNT, "Conversations in which it was run."),
        "share_passed": Column(REAL, "passed / (passed + failed); none if unknown.", null=True),
        "first_seen": Column(TIME, "First run.", null=True),
        "last_seen": Column(TIME, "Latest run.", null=True),
        "before": Column(TEXT, "Command that comes just before it half of the times.", null=True),
        "after": Column(TEXT, "Command that comes just after it half of the times.", null=True),
        "replaced_by": Column(TEXT, "The practice that came in its place.", null=True),
        "replaces": Column(TEXT, "The practice in whose place it came.", null=True),
        "rank": Column(COUNT, "Among those of its project and task, from 1; the best first."),
        "source_record_ids": Column(TEXTS, "Newest runs, at most five."),
    },
    key=("namespace", "practice_id"),
)

FILE_EDITS = Table(
    "file_edits",
    "One row per call of an agent and file of its project that it edited.",
    {
        **NAMESPACE,
        **DAY_COLUMN,
        "conversation_id": Column(TEXT, "Conversation."),
        "path": Column(TEXT, "The file, from the root of the repository."),
        "project": Column(TEXT, "Project of the conversation."),
        "record_id": Column(TEXT, "The call."),
        "seq": Column(COUNT, "Place of the call in the conversation."),
        "occurred_at": Column(TIME, "When it was edited; none if undated.", null=True),
        "extractor": Column(TEXT, "Rule with version."),
    },
    key=("namespace", "record_id", "path"),
    by_day=True,
)

OBSERVATIONS = Table(
    "observations",
    "One row per call, working folder or request, and thing that it tells of its project.",
    {
        **NAMESPACE,
        **DAY_COLUMN,
        "conversation_id": Column(TEXT, "Conversation."),
        "record_id": Column(
            TEXT, "The call, the request, or the first record of the folder or branch."
        ),
        "place": Column(COUNT, "Place among what the record tells; below 0 if the log tells it."),
        "seq": Column(COUNT, "Place of the record in the conversation."),
        "occurred_at": Column(TIME, "When it was known; none if undated.", null=True),
        "project": Column(TEXT, "Project of the conversation."),
        "kind": Column(
            TEXT, "version, commit, branch, main_branch, remote, port, service, system or request."
        ),
        "name": Column(
            TEXT,
            "What has the version; first line of the commit; branch; host with owner and name; "
            "number of the port; service; system; what is asked for.",
        ),
        "value": Column(
            TEXT,
            "Version; trailers of the commit; what git calls the remote; what listens at the port, "
            "or runs the service; digest of the long message that asks.",
            null=True,
        ),
        "rule": Column(TEXT, "What told it: asked, banner, made, logged, pushed, printed, …"),
        "extractor": Column(TEXT, "Rule with version."),
    },
    key=("namespace", "record_id", "place"),
    by_day=True,
)

PROJECT_FACTS = Table(
    "project_facts",
    "One row per thing that counting tells of a project.",
    {
        "project_fact_id": Column(TEXT, "Digest of namespace, project, kind and names."),
        **NAMESPACE,
        "project": Column(TEXT, "Project."),
        "kind": Column(
            TEXT,
            "package_manager, edited_file, edited_together, version, commit_form, commit_trailer, "
            "branch_form, main_branch, remote, port, service, system or request.",
        ),
        "name": Column(
            TEXT,
            "The manager, file, language or tool, form, trailer, branch, host with owner and name, "
            "port, service, system, or what is asked for.",
        ),
        "other": Column(
            TEXT,
            "The file that is edited together with it; version in force; types that the form is "
            "used with; what git calls the remote; what listens at the port or runs the service.",
            null=True,
        ),
        "conversations": Column(COUNT, "Conversations that bear it out."),
        "share": Column(
            REAL,
            "Of the conversations that edited a file, used a manager of the language, or told "
            "anything of the kind.",
        ),
        "having": Column(COUNT, "Commits or branches that have the form.", null=True),
        "among": Column(COUNT, "Commits or branches that were looked at for it.", null=True),
        "first_seen": Column(TIME, "First time.", null=True),
        "last_seen": Column(TIME, "Latest time.", null=True),
        "rank": Column(COUNT, "Among those of its project and kind, from 1."),
        "source_record_ids": Column(TEXTS, "Calls of the newest conversations, at most five."),
    },
    key=("namespace", "project_fact_id"),
)

BRIEFS = Table(
    "briefs",
    "One row per line of the brief of a project: what to know before work on it starts.",
    {
        **NAMESPACE,
        "project": Column(TEXT, "Project by its name, as `projects` has it."),
        "place": Column(COUNT, "Place in the order in which lines are given room, from 0."),
        "line_id": Column(TEXT, "Practice, fact, fix, project fact or conversation."),
        "kind": Column(TEXT, "practice, directive, refusal, error, fact, place or recent."),
        "text": Column(TEXT, "The line."),
        "support": Column(COUNT, "Runs, statements, commits, or times that a fix ended it."),
        "conversations": Column(COUNT, "Conversations that bear it out."),
        "last_seen": Column(TIME, "Latest time.", null=True),
    },
    key=("namespace", "project", "place"),
)

CHECKOUTS = Table(
    "checkouts",
    "One row per conversation, folder and thing that was seen there of its repository.",
    {
        **NAMESPACE,
        **DAY_COLUMN,
        "conversation_id": Column(TEXT, "Conversation."),
        "folder": Column(TEXT, "The folder, with `~` for the home folder."),
        "evidence": Column(
            TEXT,
            "project: it was worked on there; remote: where it is fetched from; worktree: git told "
            "so; layout: its path says that it is a worktree; top: a checkout begins there; file: "
            "one deep in it was given to a tool.",
        ),
        "value": Column(
            TEXT,
            "The remote (host/owner/name), the repository of a worktree, or the file from the root "
            "of its repository; else empty.",
        ),
        "record_id": Column(TEXT, "The first record that shows it."),
        "occurred_at": Column(TIME, "When; none if undated.", null=True),
        "extractor": Column(TEXT, "Rule with version."),
    },
    key=("namespace", "conversation_id", "folder", "evidence", "value"),
    by_day=True,
)

PROJECTS = Table(
    "projects",
    "One row per folder of a repository, with the project that it belongs to.",
    {
        **NAMESPACE,
        "folder": Column(TEXT, "The folder of a checkout or worktree."),
        "project": Column(TEXT, "The folder that stands for all checkouts of the repository."),
        "name": Column(TEXT, "Its last folder; owner/name of the remote where that is not enough."),
        "remote": Column(TEXT, "Where it is fetched from, if that was seen.", null=True),
        "inside": Column(TEXT, "Where the folder is in its checkout; empty for a checkout."),
        "evidence": Column(
            TEXT,
            "By what it belongs to the project: itself, worktree (git told so), layout (its path "
            "does), remote (the same one), tree (the same files).",
        ),
        "conversations": Column(COUNT, "Conversations that worked there."),
        "first_seen": Column(TIME, "When it was first seen; none if undated.", null=True),
    },
    key=("namespace", "folder"),
)
