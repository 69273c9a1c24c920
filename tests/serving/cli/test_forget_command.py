"""`cairn forget` on the command line: what it asks, refuses, and shows without doing it."""

from pathlib import Path

import pytest

from cairn.knowledge.schema.tables import MEMORY, RECORDS
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from tests.homes import copy_home
from tests.serving.conftest import Ask


@pytest.fixture
def state(two_home: Path, tmp_path: Path) -> State:
    return State(open_home(copy_home(two_home, tmp_path / "home")), Settings())


def noted(state: State) -> bool:
    return any(state.home.inbox.rglob("*.jsonl"))


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["f_0000000000000000"], 1, "has the id f_0000000000000000"),
        (["ada-session"], 1, "is the beginning of 2 ids"),
        (["ada-session-1", "--dry-run", "--purge"], 2, "leave --purge out"),
        (["ada-session-1", "--everywhere"], 1, "only an entity, or words, can go everywhere"),
        (["ada", "--everywhere"], 1, "only an entity, or words, can go everywhere"),
        (["of no line", "--everywhere", "--namespace", "ada"], 1, "rests on no record"),
        (["QUINCEPRESS", "--everywhere", "--namespace", "ada"], 130, "lines of ada, for good?"),
        (["quincepress", "--everywhere", "--namespace", "ada", "--json"], 2, "add --yes"),
        (["quincepress", "--everywhere", "--namespace", "bo"], 1, "rests on no record"),
        (["ada", "--json"], 2, "this forgets all of the namespace ada: add --yes"),
        (["ada"], 130, "Forget all of the namespace ada, for good?"),
        (["ada", "--namespace", "nobody"], 1, "nobody"),
        ([], 2, "Missing argument"),
        (["memory", "1", "delete", "--namespace", "ada", "--json"], 2, "what names it: add --yes"),
        (["memory", "1", "--yes", "--namespace", "ada"], 2, "belong to `memory N delete`"),
    ],
)
def test_what_it_refuses_is_noted_nowhere(
    state: State, run_cairn: Ask, arguments: list[str], code: int, message: str
) -> None:
    command = [] if arguments[:1] == ["memory"] else ["forget"]
    told = run_cairn("--home", state.home.root, *command, *arguments)
    assert (told.code, message in told.err) == (code, True), told.err
    assert not noted(state)


def test_a_dry_run_shows_the_receipt_and_changes_nothing(state: State, run_cairn: Ask) -> None:
    ada = state.of("ada").warehouse
    versions = {table.name: ada.version(table) for table in (MEMORY, RECORDS)}
    shown = run_cairn("--home", state.home.root, "forget", "ada", "--dry-run")
    assert shown.code == 0, shown.err
    assert "Would be forgotten: namespace ada" in shown.out
    assert "Nothing was changed." in shown.out
    assert versions == {t.name: ada.version(t) for t in (MEMORY, RECORDS)}
    assert not noted(state)


def test_a_number_of_memory_is_deleted_as_an_entity(state: State, run_cairn: Ask) -> None:
    home = ("--home", state.home.root, "memory")
    rows = run_cairn(*home, "--namespace", "ada", "--json").json["memory"]
    told = run_cairn(*home, "2", "delete", "--namespace", "ada", "--dry-run", "--json")
    assert told.code == 0, told.err
    answer = told.json
    assert (answer["target_type"], answer["id"]) == ("entity", rows[1]["entity_id"])
    assert answer["dry_run"]
    assert {row["effect"] for row in answer["rows"]} <= {"removed", "kept", "revived", "made anew"}
    gone = {row["id"] for row in answer["rows"] if row["effect"] == "removed"}
    assert rows[1]["entity_id"] in gone
    still = {each["where"]: each["rows"] for each in answer["named"]}
    assert still.get("records", 0) == answer["lines_still_naming"]
