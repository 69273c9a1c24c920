"""What the rules make of fixed sessions changes only with their version."""

import polars as pl

from cairn.knowledge.learnings.draft import decode
from cairn.knowledge.learnings.stages import EXTRACTOR, learning_candidates
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.conftest import PADDING, Session

HELD = (5, "6e14229752e8c2ed")
"""Version and digest. Where the digest changes, raise the version of the extractor, and of the
rules whose drafts changed, and write both here."""

EDIT = ("edit", "/home/ada/shop-api/web/cart.ts", "bind()", "addEventListener('load', bind)")
SESSIONS = {
    "reported": (
        ("human", "The add-to-cart button does nothing when I tap it on my phone."),
        ("agent", "The handler is bound too early, because the script runs in the head."),
        EDIT,
        ("human", "That works now, thanks."),
    ),
    "wrong": (
        ("run", "python report.py", "2026-03-01  12 orders"),
        ("agent", "The date is wrong: it shows 2026-03-01 instead of 2026-03-02."),
        ("agent", "The report uses UTC, which leads to the date of yesterday after midnight."),
        EDIT,
        ("run", "python report.py", "2026-03-02  3 orders"),
    ),
    "corrected": (
        ("run", "git push", "fatal: The current branch main has no upstream branch.", "error"),
        ("run", "git push --set-upstream origin main", "branch 'main' set up to track"),
    ),
    "decided": (
        ("human", "We went with Postgres instead of SQLite because two processes write."),
        ("ask", "How are orders stored?", "Events=All|Rows=One row for each of the orders", "Rows"),
    ),
    "advised": (
        ("human", "Never store prices as floats, because sums of them drift."),
        ("agent", "The new column has no default, which will fail on Postgres if rows exist."),
        ("agent", "Let me rewrite it with a default."),
        EDIT,
        ("run", "alembic upgrade head", "Running upgrade"),
    ),
    "gained": (
        EDIT,
        ("run", "npm test", "41 passed"),
        ("agent", "The page took 3.1 s and now takes 400 ms, because images load later."),
        ("agent", "I used the circuit breaker pattern because the tax service is often down."),
    ),
    "routine": 3
    * (
        ("run", "ruff check .", "All checks passed!"),
        ("run", "pytest", "9 passed"),
        ("run", "git commit -m 'x'", "1 file changed"),
    ),
}


def test_lessons_change_only_with_the_version_of_their_rules(session: Session, solved) -> None:
    logs = pl.concat(
        [
            session(*events, *PADDING, conversation=name)
            for name, events in (SESSIONS | {"solved": solved}).items()
        ]
    )
    found = learning_candidates(logs, Policy()).sort("conversation_id")
    drafts = [draft for text in found["drafts"] for draft in decode(text)]
    assert {draft.extractor.split(".")[1].split("@")[0] for draft in drafts} == {
        "answered_question", "error_chain", "gain", "reported_fault", "routine", "stated_advice",
        "stated_decision",
    }  # fmt: skip
    shown = found.select("conversation_id", "signals", "categories", "drafts").write_json()
    assert (EXTRACTOR.version, digest(shown)) == HELD
