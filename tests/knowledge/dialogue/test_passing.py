"""Events: what tells of its moment alone, and what becomes knowledge by coming back."""

import polars as pl
import pytest

from cairn.knowledge.dialogue.passing import gives_in, plans, tells_of_its_moment
from cairn.knowledge.resolution.facts import facts
from tests.knowledge.rows import entities
from tests.knowledge.said import stated, statement

FOUND = "The importer drops rows whose tenant has no locale."


@pytest.mark.parametrize(
    ("text", "passing"),
    [
        (FOUND, False),
        ("Postgres refuses enum values that end in a blank.", False),
        ("The build of the importer fails without libxml2.", False),
        ("It turns out that the importer skips rows without a locale.", False),
        ("It skips rows without a locale.", True),
        ("The tests fail because of the missing import.", True),
        ("This fails on line 42.", True),
        ("3 tests failed with a timeout.", True),
        ("It turns out that the cache ignores the locale here.", True),
        ("All tests fail after 12 seconds.", True),
    ],
)
def test_what_points_at_its_moment_is_no_knowledge(text: str, passing: bool) -> None:
    assert tells_of_its_moment(text) is passing


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("Let me check the importer.", True),
        ("Now I'll fix the importer.", True),
        ("Fixing the importer now.", True),
        ("The importer skips such rows.", False),
        ("Letters are sorted by locale.", False),
    ],
)
def test_a_plan_says_what_comes_next(text: str, plan: bool) -> None:
    assert plans(text) is plan
    assert not plans(" " * 100_000)


def test_who_gives_in_takes_back_what_they_said() -> None:
    assert gives_in("You're absolutely right, the locale is set.")
    assert not gives_in("The locale is right.")


@pytest.mark.parametrize(
    ("second", "event"),
    [
        ({}, False),
        ({"conversation_id": "s1"}, True),
        ({"at": 2}, True),
        ({"passing": True}, True),
        ({"passing": None}, True),
    ],
    ids=["came back", "same conversation", "same day", "passing", "nobody looked"],
)
def test_an_event_becomes_knowledge_once_it_proves_itself(
    second: dict[str, object], event: bool
) -> None:
    own = {"passing": False, "record_id": "r2", "conversation_id": "s2", "at": 30, **second}
    said = stated(
        statement(FOUND, passing=False),
        statement(FOUND, **own),
        {"record_id": "r1"},
        {"record_id": "r2", "conversation_id": "s2", "at": 30},
    )
    known = entities({"entity_id": "e1", "display_name": "cairn", "type": "project"}).with_columns(
        introduced_by=pl.lit("r1")
    )
    made = facts(said, known).facts
    by_predicate = dict(made.select("predicate", "event").iter_rows())
    assert by_predicate == {"discovery": event, "used_tool": True}
