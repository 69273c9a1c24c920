"""Digests of what each rule finds in the fixtures: `python -m tests.knowledge.rules.regenerate`."""

import json
from pathlib import Path

from knowledge.candidates import candidates
from knowledge.identity import digest
from knowledge.policy import Policy
from knowledge.rules import RULES
from knowledge.rules.reference import reference
from tests.knowledge.rules.fixtures import everything

DIGESTS = Path(__file__).parent / "digests.json"
REFERENCE = Path(__file__).parents[3] / "docs" / "rules.md"


def digests() -> dict[str, dict[str, object]]:
    """Version and digest of the output of each rule, by its name."""
    logs = everything()
    found: dict[str, dict[str, object]] = {}
    for rule in RULES:
        rows = candidates(logs, Policy(), [rule]).candidates.drop("extractor")
        if rows["trust"].null_count() == rows.height:
            rows = rows.drop("trust")  # most rules find what is no statement
        found[rule.name] = {
            "version": rule.extractor.version,
            "rows": rows.height,
            "digest": digest(rows.write_json()),
        }
    return found


if __name__ == "__main__":
    DIGESTS.write_text(json.dumps(digests(), indent=2) + "\n")
    REFERENCE.write_text(reference())
