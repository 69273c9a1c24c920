"""The registry, its reference page, and what holds every rule to its version."""

import json

import pytest

from cairn.knowledge.extraction.candidates import candidates
from cairn.knowledge.extraction.rules import RULES, Rule
from cairn.knowledge.extraction.rules.reference import reference
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.extraction.rules.fixtures import agent, bash, call, human, order, raw_logs
from tests.knowledge.extraction.rules.regenerate import DIGESTS, REFERENCE, digests


def test_output_changes_only_with_a_new_version() -> None:
    kept = json.loads(DIGESTS.read_text())
    found = digests()
    changed = [
        name
        for name, now in found.items()
        if name in kept
        and now["digest"] != kept[name]["digest"]
        and now["version"] == kept[name]["version"]
    ]
    assert not changed, (
        f"the output of {', '.join(changed)} changed: raise the rule's version, or restore what it "
        "found; then run `make rule-digests`"
    )
    assert found == kept, "rules came, went or have a new version: run `make rule-digests`"


def test_every_rule_finds_something_in_the_fixtures() -> None:
    assert [name for name, now in digests().items() if not now["rows"]] == []


def test_the_reference_is_what_the_registry_says() -> None:
    assert REFERENCE.read_text() == reference(), "run `make rule-digests`"


def test_names_are_unique_and_confidences_fixed() -> None:
    names = [rule.name for rule in RULES]
    assert len(set(names)) == len(names)
    fixed = {rule.name: rule.confidence for rule in RULES if rule.kind == "fact"}
    assert fixed == {
        "used_tool": 1.0,
        "executed_command": 1.0,
        "connects_to_host": 0.9,
        "operation_type": 0.8,
        "mentions_path": 0.8,
        "states": 0.8,
        "directs": 0.8,
        "asks": 0.8,
        "decides": 0.8,
        "refuses": 0.8,
        "refused_call": 1.0,
        "redirects": 0.8,
        "explains": 0.8,
        "salient": 0.7,
        "written_down": 0.8,
        "chooses": 0.8,
        "correction": 0.8,
        "targets_system": 0.7,
        "provides_solution": 0.7,
        "identifies_issue": 0.7,
        "discovery": 0.6,
    }


@pytest.mark.parametrize(
    "rule", [rule for rule in RULES if rule.examples], ids=lambda rule: rule.name
)
def test_the_examples_of_a_rule_hold(rule: Rule) -> None:
    for example in rule.examples:
        text = example.text
        lines = [human(text), agent(text), bash(text), order(text)]
        found = candidates(raw_logs(lines), Policy(), [rule]).candidates["object"]
        assert set(found) == set(example.objects), example.text


def test_one_rule_alone_finds_what_it_finds_among_others() -> None:
    logs = raw_logs(
        [
            human("I prefer tabs over spaces."),
            bash("ssh nas ls"),
            call("Read", file_path="/srv/a.py"),
        ]
    )
    together = candidates(logs, Policy()).candidates
    for rule in RULES:
        alone = candidates(logs, Policy(), [rule]).candidates
        label = rule.extractor.label
        assert alone.equals(together.filter(together["extractor"] == label)), label
