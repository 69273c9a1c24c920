"""What a conversation is called, and what was made in it."""

import json
import time

import pytest

from cairn.knowledge.ingest.sessions import conversations
from cairn.knowledge.ingest.titles import subject, title
from tests.knowledge.extraction.rules.fixtures import bash, human, output, raw_logs


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        (["Mend the crane\nand the quay"], "Mend the crane"),
        (["ada@quay ~/harbour (main)> npx berth\nno berth\n\nPlease mend the berth"],
         "Please mend the berth"),
        (["error: no berth", "why does the crane fail?"], "why does the crane fail?"),
        (["yes"], "yes"),
        ([], None),
    ],
)  # fmt: skip
def test_a_title_is_what_the_person_typed_first(messages: list[str], told: str | None) -> None:
    assert title(messages) == told


@pytest.mark.parametrize(
    ("scripts", "told"),
    [
        (['git commit -m "Mend the tide crane"', "git commit -am 'Paint the old quay'"],
         "Paint the old quay"),
        (["git add -A && git commit -m \"$(cat <<'EOF'\nfeat: mend the crane\n\nBody.\nEOF\n)\""],
         "feat: mend the crane"),
        (['gh pr create --title "Cranes that lift more" --body x', 'git commit -m "fix a typo"'],
         "Cranes that lift more"),
        (['git commit -m "wip"', 'git log -m "Mend the tide crane"', "git commit --amend"], None),
    ],
)  # fmt: skip
def test_the_subject_is_of_the_last_pull_request_or_commit(
    scripts: list[str], told: str | None
) -> None:
    assert subject(json.dumps({"command": script}) for script in scripts) == told


def test_a_commit_that_failed_is_none() -> None:
    made = {**bash('git commit -m "Mend the tide crane"'), "call_id": "t"}
    lines = human("mend the crane"), made
    assert conversations(raw_logs(lines))["subject"].to_list() == ["Mend the tide crane"]
    failed = output("hook failed", call_id="t", is_error=True)
    assert conversations(raw_logs([*lines, failed]))["subject"].to_list() == [None]


@pytest.mark.parametrize("text", ["git commit " * 9_000, "git " * 20_000, "gh pr create " * 9_000])
def test_hostile_text_takes_no_longer(text: str) -> None:
    begin = time.process_time()
    assert subject([json.dumps({"command": text})]) is None
    assert time.process_time() - begin < 2
