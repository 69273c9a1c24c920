"""Digests of what each rule finds in the fixtures.

Written anew by `python -m tests.knowledge.extraction.rules.regenerate`.
"""

import json
from pathlib import Path

from cairn.knowledge.extraction.candidates import candidates
from cairn.knowledge.extraction.rules import RULES
from cairn.knowledge.extraction.rules.reference import reference
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.extraction.rules.fixtures import everything
from tests.places import ROOT

DIGESTS = Path(__file__).parent / "digests.json"
REFERENCE = ROOT / "docs" / "rules.md"


def digests() -> dict[str, dict[str, object]]:
    """Version and digest of the output of each rule, by its name."""
    logs = everything()
    found: dict[str, dict[str, object]] = {}
    for rule in RULES:
        rows = candidates(logs, Policy(), [rule]).candidates.drop("extractor")
        # Most rules find what is no statement, and no event that may become knowledge.
        heard = [rows[name] for name in ("trust", "passing")]
        rows = rows.drop(own.name for own in heard if own.null_count() == rows.height)
        found[rule.name] = {
            "version": rule.extractor.version,
            "rows": rows.height,
            "digest": digest(rows.write_json()),
        }
    return found


if __name__ == "__main__":
    DIGESTS.write_text(json.dumps(digests(), indent=2) + "\n")
    REFERENCE.write_text(reference())
