"""Golden conversations, one for each category: a session, and what a model writes of it.

`evidence` and `quotes` are words of the session; the test looks up which message has them.
"""

from typing import Any, NamedTuple

from tests.knowledge.conftest import PADDING, Say


class Golden(NamedTuple):
    events: tuple[Say, ...]
    category: str
    lesson: dict[str, Any]
    evidence: tuple[str, ...]
    quotes: tuple[str, ...]
    summary: str


GOOD = {"actionability": 1.0, "generalizability": 0.7, "clarity": 1.0, "evidence": 0.7}

GOLDEN = [
    Golden(
        (
            ("human", "The nightly export has a problem: it stops halfway, please fix it."),
            ("run", "make export", "OSError: [Errno 28] No space left on device: /tmp", "error"),
            ("agent", "The error is from /tmp, a tmpfs of 512 MB; the export spools 2 GB there."),
            ("run", "TMPDIR=/var/tmp make export", "exported 48 tables, no error"),
            *PADDING,
        ),
        "bug_fix",
        {
            "title": "Exports that spool more than tmpfs holds need TMPDIR on a disk",
            "tags": ["exports", "tmpfs", "disk"],
            "symptom": "`make export` stops with OSError: [Errno 28] No space left on device.",
            "root_cause": "/tmp is a tmpfs of 512 MB and the export spools 2 GB there.",
            "solution": "Run it with TMPDIR=/var/tmp, which lies on a disk.",
        },
        ("No space left on device", "a tmpfs of 512 MB", "exported 48 tables"),
        ("No space left on device", "a tmpfs of 512 MB; the export spools 2 GB there"),
        "Exports need a TMPDIR that is large enough.",
    ),
    Golden(
        (
            ("human", "Problem: where do we keep sessions, in Redis or in signed cookies?"),
            ("agent", "Redis can revoke a session at once; to fix a leaked cookie we rotate keys."),
            ("human", "Redis then, revoking matters more: a stolen laptop is a real problem here."),
            *PADDING,
        ),
        "decision",
        {
            "title": "Sessions in Redis rather than signed cookies where revoking matters",
            "tags": ["sessions", "redis", "cookies"],
            "question": "Where are sessions kept?",
            "options": ["Redis, which can revoke at once", "signed cookies"],
            "choice": "Redis, chosen by the person.",
            "rationale": "A stolen laptop must be locked out at once.",
        },
        ("Redis can revoke", "Redis then"),
        ("Redis can revoke a session at once", "revoking matters more"),
        "Revocable sessions were worth a server.",
    ),
    Golden(
        (
            ("human", "Find the commit that brought the rounding bug."),
            ("run", "git bisect run pytest -x", "error: bisect run failed, exit code 5", "error"),
            ("agent", "Exit code 5 is an error of collection; bisect needs 125 to skip those."),
            ("run", "git bisect run sh -c 'pytest -x; [ $? = 5 ] && exit 125'", "bug found in 4f2"),
            *PADDING,
        ),
        "tool_usage",
        {
            "title": "git bisect run with pytest: turn exit code 5 into 125 to skip",
            "tags": ["git", "bisect", "pytest"],
            "tool": "git bisect run",
            "purpose": "Finding the commit that broke a test when some commits collect none.",
            "how": "Wrap pytest so that exit code 5 becomes 125, which bisect skips.",
        },
        ("bisect run failed", "bisect needs 125"),
        ("bisect needs 125 to skip those",),
        "bisect skips commits on exit code 125.",
    ),
    Golden(
        (
            ("human", "The report page has a problem, it takes 9 seconds."),
            ("run", "time curl -s localhost/report", "9.1 s, no error"),
            ("agent", "To fix it I load the customers in one query instead of one per row."),
            ("run", "time curl -s localhost/report", "0.4 s, no error"),
            *PADDING,
        ),
        "optimization",
        {
            "title": "Load customers in one query for the report page: 9.1 s to 0.4 s",
            "tags": ["sql", "n+1", "reports"],
            "before": "One query per row, 9.1 s for the report page.",
            "after": "0.4 s for the same page.",
            "how": "All customers of the page are loaded in one query.",
            "trade_offs": "",
        },
        ("9.1 s", "one query instead of", "0.4 s"),
        ("I load the customers in one query instead of one per row",),
        "One query instead of many.",
    ),
    Golden(
        (
            ("human", "Make the release of the client, and fix the changelog."),
            ("run", "make changelog", "written"),
            ("run", "git tag -s v2.1", "tagged"),
            ("run", "make publish", "published, no problem"),
            *PADDING,
        ),
        "workflow",
        {
            "title": "Releasing the client: changelog, signed tag, publish",
            "tags": ["releases", "git", "make"],
            "goal": "A published release of the client with its changelog.",
            "when": "A release of the client is asked for.",
            "steps": ["`make changelog`", "`git tag -s v2.1`", "`make publish`"],
        },
        ("make changelog", "git tag -s", "published, no problem"),
        ("published, no problem",),
        "Changelog, tag, publish.",
    ),
    Golden(
        (
            ("human", "Events get lost when the broker restarts, fix that."),
            ("agent", "I write events to an outbox table in the same transaction, so an error of "
             "the broker loses nothing; a worker sends them later."),
            ("human", "Exactly, that is right."),
            *PADDING,
        ),
        "pattern",
        {
            "title": "Write events to an outbox table in the transaction of the data",
            "tags": ["outbox", "events", "transactions"],
            "what": "An outbox table beside the data.",
            "why": "An error of the broker loses nothing.",
            "when": "Data and an event must be written together.",
            "how": "Write both in one transaction; a worker sends what is in the outbox.",
        },
        ("outbox table in the same transaction",),
        ("I write events to an outbox table in the same transaction",),
        "An outbox keeps events safe.",
    ),
    Golden(
        (
            ("human", "From now on always take a snapshot before a migration: last time the fix "
             "took us two days because there was no way back."),
            *PADDING,
        ),
        "best_practice",
        {
            "title": "Take a snapshot before every migration",
            "tags": ["migrations", "snapshots", "databases"],
            "practice": "Take a snapshot of the database before a migration runs.",
            "why": "Without one there is no way back, and the repair took two days.",
            "when": "Before every migration.",
        },
        ("always take a snapshot",),
        ("always take a snapshot before a migration",),
        "Snapshot, then migrate.",
    ),
    Golden(
        (
            ("human", "The service dies under load, what is the problem?"),
            ("agent", "Every request opened its own connection, so the error was 'too many "
             "clients'; a pool of 20 for the process fixes it."),
            ("human", "Yes, that was the cause."),
            *PADDING,
        ),
        "anti_pattern",
        {
            "title": "Do not open a database connection per request: clients run out",
            "tags": ["databases", "pooling", "load"],
            "avoid": "Opening a connection to the database in each request.",
            "problem": "Under load it fails with 'too many clients'.",
            "better": ["One pool of 20 connections for the process."],
        },
        ("Every request opened its own connection",),
        ("Every request opened its own connection", "a pool of 20 for the process fixes it"),
        "Pool connections.",
    ),
]  # fmt: skip
