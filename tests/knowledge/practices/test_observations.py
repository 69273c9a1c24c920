"""What calls tell of a project beside its tasks: versions, commits, branches, ports, systems."""

import polars as pl
import pytest

from cairn.knowledge.practices.observed.examples import EXAMPLES, VERSIONS, ObservedExample
from cairn.knowledge.practices.observed.observations import observations
from cairn.knowledge.practices.observed.requests import EXAMPLES as ASKED
from cairn.knowledge.practices.observed.requests import RequestExample, request_key
from cairn.knowledge.practices.observed.systems import of_folder
from cairn.knowledge.practices.observed.versions import BANNER_RULES, VERSION_RULES

TOLD = ("kind", "name", "value")


def run(session, example: ObservedExample) -> pl.DataFrame:
    """Observations of a call in a folder that tells no system."""
    logs = session(("run", example.command, example.output), project="/srv/tide")
    return observations(logs.with_columns(cwd=pl.lit("/srv/tide")))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.command[:40])
def test_each_example_tells_what_stands_beside_it(session, example):
    told = run(session, example).select(TOLD).rows()
    assert sorted(told, key=str) == sorted(example.told, key=str), example.because


def test_each_version_rule_has_an_example():
    shown = {(name, example.command) for example in VERSIONS for _, name, _ in example.told}
    assert {name for name, _ in shown} == {
        *(rule.name for rule in VERSION_RULES),
        *(name for rule in BANNER_RULES for name in rule.names),
    }


@pytest.mark.parametrize(
    ("folder", "system"),
    [
        ("/Users/ada/tide", "macOS"),
        ("/home/ada/tide", "Linux"),
        ("C:\\code\\tide", "Windows"),
        ("/mnt/c/code/tide", "WSL"),
        ("/home/runner/work/tide", None),
        ("/workspace", None),
        ("/root/tide", None),
    ],
)
def test_a_folder_tells_the_system_unless_a_container_may_have_it(folder, system):
    told = of_folder(folder)
    assert (told.name if told else None) == system


def test_a_log_tells_the_branch_and_the_folder_where_they_come_first(session):
    logs = session(
        ("human", "Show the ebb."),
        ("run", "git status", "clean"),
        ("run", "git status", "clean"),
        project="/home/ada/tide",
    )
    seen = {1: "main", 2: "main", 3: "ada/ebb", 4: "claude/try"}
    here = logs.with_columns(
        cwd=pl.lit("/home/ada/tide"),
        branch=pl.col("seq").replace_strict(seen, default=None, return_dtype=pl.String),
    )
    told = observations(here).sort("seq", "place").select("seq", *TOLD).rows()
    assert told == [
        (0, "system", "Linux", None),
        (1, "main_branch", "main", None),
        (3, "branch", "ada/ebb", None),
    ]
    elsewhere = here.with_columns(cwd=pl.lit("/home/ada/boat"))
    assert observations(elsewhere).is_empty(), "the branch of another repository"


@pytest.mark.parametrize("example", ASKED, ids=lambda example: example.text[:40])
def test_a_person_asks_for_what_stands_beside_it(session, example: RequestExample):
    told = observations(session(("human", example.text))).filter(kind="request")
    assert tuple(told["name"]) == example.asked, example.because


def test_what_others_ask_for_is_not_what_the_person_does(session):
    trace = "Traceback (most recent call last):\n  update the changelog\nKeyError: 1"
    logs = session(
        ("agent", "Please update the changelog."),
        ("prompt", "Update the changelog."),
        ("human", f"I got this:\n\n{trace}"),
    )
    assert observations(logs).is_empty()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("update changelog", "update @docs/CHANGELOG.md"),
        ("add a test", "add some tests"),
        ("add a quay:note", "add notes"),
        ("log a berth note", "add the note"),
    ],
)
def test_one_thing_asked_for_in_other_words_is_one_thing(one, other):
    assert request_key(one) == request_key(other) != request_key("update the test")


def test_to_create_something_is_another_wish_than_to_add_to_it():
    assert request_key("create the logs") != request_key("add logging")


def test_what_a_call_tells_is_known_once_it_ended(session):
    logs = session(("run", "python3 --version", "Python 3.12.1"))
    told = observations(logs).row(0, named=True)
    result = logs.filter(kind="tool_result").row(0, named=True)
    assert told["record_id"] == logs.filter(kind="tool_call")["record_id"].item()
    assert told["occurred_at"] == result["occurred_at"]
    unanswered = logs.filter(kind="tool_call")
    assert observations(unanswered).is_empty()


def test_conversations_are_read_each_by_itself(session):
    one = session(("run", "node -v", "v20.11.0"), conversation="c1")
    other = session(
        ("run", "git checkout -b feat/ebb", "Switched to a new branch 'feat/ebb'"),
        conversation="c2",
    )
    both = observations(pl.concat([other, one]))
    assert both.equals(observations(pl.concat([one, other])))
    assert both.height == observations(one).height + observations(other).height == 2
