"""The changes that CONTRIBUTING tells of: each made in a copy, in the files that it names."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.places import ROOT

ADAPTER = '''
"""A ship's logbook."""

import json

from cairn.knowledge.ingest.adapter import Adapter, Event, Head

ADAPTER = Adapter(
    name="logbook",
    version=1,
    about="a ship's logbook (JSONL: entry, at)",
    recognises=lambda objects: all("entry" in line for line in objects),
    head=lambda payload: Head("logbook", True, None, json.loads(payload).get("at")),
    events=lambda payload: [Event("message", "human", json.loads(payload)["entry"], "user")],
)
'''

RULE = '''
"""What is lent, and to whom."""

import re

from cairn.knowledge.extraction.rules.rule import SAID_BY_PERSON, RuleExample, RuleMatch, each, rule

LENT = re.compile(r"I lent (the \\w+ to \\w+)")

RULES = (
    rule(
        "lent", 1, "What a person lends.", confidence=0.8, reads=SAID_BY_PERSON,
        find=each(lambda record, policy: (
            RuleMatch(found[1], *found.span(1)) for found in LENT.finditer(record.text)
        )),
        content="{entity} lent {object}",
        examples=(RuleExample("I lent the drill to Tom.", ("the drill to Tom",)),),
    ),
)
'''

SEEN = """
import json, sys
from datetime import UTC, datetime
sys.path.insert(0, sys.argv[1])
from cairn.knowledge.assembly.build import build
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.ingest.records import read_records
from cairn.knowledge.llm.prompts import PROMPTS
from cairn.knowledge.redaction import redactor
from cairn.knowledge.schema.policy import Policy
from cairn.resources.embedders.choice import load_embedder
read = read_records(
    b'{"entry": "I lent the drill to Tom.", "at": "2026-03-01T10:00:00Z"}\\n', namespace="me",
    source_file="log", timezone="UTC", seen_at=datetime(2026, 6, 1, tzinfo=UTC),
    redactor=redactor(),
)
means = StageContext(Policy(), load_embedder("wordllama"))
facts = build(read.records, means, until="facts")["facts"]
print(json.dumps({
    "adapter": read.adapter, "facts": facts.select("predicate", "content").rows(),
    "prompt": PROMPTS["names"].fingerprint("a model"),
}))
"""


def edited(path: Path, before: str, after: str) -> None:
    text = path.read_text()
    assert before in text, path
    path.write_text(text.replace(before, after, 1))


@pytest.mark.slow
def test_an_adapter_a_predicate_and_a_prompt_take_the_files_that_contributing_names(
    tmp_path: Path,
) -> None:
    from cairn.knowledge.llm.prompts import PROMPTS

    for name in ("cairn", "assets", "knowledge", "pipelines", "resources", "serving"):
        shutil.copytree(
            ROOT / name, tmp_path / name, symlinks=True,
            ignore=shutil.ignore_patterns("__pycache__"),
        )  # fmt: skip
    knowledge = tmp_path / "knowledge"
    (knowledge / "ingest/adapters/logbook.py").write_text(ADAPTER)
    (knowledge / "extraction/rules/lending.py").write_text(RULE)
    registry = knowledge / "extraction/rules/__init__.py"
    edited(registry, "    keywords,\n", "    keywords,\n    lending,\n")
    edited(registry, "    *keywords.RULES,\n", "    *keywords.RULES,\n    *lending.RULES,\n")
    edited(
        knowledge / "schema/predicates.py",
        "PREDICATES = (\n",
        'PREDICATES = (\n    Predicate("lent", "what is lent", SENTENCE),\n',
    )
    edited(knowledge / "llm/prompts/names.py", "Cairn gathers", "Cairn now gathers")
    done = subprocess.run(
        [sys.executable, "-c", SEEN, str(tmp_path)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["adapter"] == "logbook"
    assert ["lent", "user lent the drill to Tom"] in seen["facts"]
    assert seen["prompt"] != PROMPTS["names"].fingerprint("a model")
