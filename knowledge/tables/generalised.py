"""What themes say: facts that hold beyond the single episode."""

from knowledge.tables.statements import CANDIDATE_COLUMNS
from knowledge.tables.table import TEXT, TEXTS, Column, Table

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
