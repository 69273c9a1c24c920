"""What the rules make of fixed sessions changes only with their version."""

import polars as pl

from cairn.knowledge.learnings.draft import decode
from cairn.knowledge.learnings.stages import EXTRACTOR, learning_candidates
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.conftest import PADDING, Session

HELD = (19, "a44876b5b844c4ee")
"""Version and digest. Where the digest changes, raise the version of the extractor, and of the
rules whose drafts changed, and write both here."""

EDIT = ("edit", "/home/ada/shop-api/web/cart.ts", "bind()", "addEventListener('load', bind)")
SESSIONS = {
    "reported": (
        ("human", "The add-to-cart button does nothing when I tap it on my phone."),
        ("agent", "The handler is bound too early, because `bind` runs in the head."),
        EDIT,
        ("human", "That works now, thanks."),
    ),
    "corrected": (
        ("run", "git push", "fatal: The current branch main has no upstream branch.", "error"),
        ("run", "git push --set-upstream origin main", "branch 'main' set up to track"),
    ),
    "decided": (
        ("human", "We went with Postgres instead of SQLite because two processes write."),
        ("ask", "How are orders stored?", "Events=All|Rows=One row for each of the orders", "Rows"),
    ),
    "gained": (
        ("run", "make page", "3.1 s"),
        EDIT,
        ("run", "make page", "400 ms"),
        ("agent", "The page took 3.1 s and now takes 400 ms, because images load later."),
        ("agent", "I used the circuit breaker pattern because the tax service is often down."),
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
        "answered_question", "error_ended", "gain", "stated_decision",
        "stated_pattern",
    }  # fmt: skip
    shown = found.select("conversation_id", "signals", "categories", "drafts").write_json()
    assert (EXTRACTOR.version, digest(shown)) == HELD
