"""When facts hold: values that took each other's place, and dates that statements give."""

from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cairn.knowledge.consolidation.validity import last_stretches, valid_times
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import ENTITIES
from tests.knowledge.rows import day, fact_sources, facts

PLACES = {name: f"I live in {name}." for name in ("Berlin", "Rome", "Oslo")}


def entities(**types):
    return ENTITIES.frame(
        {
            "entity_id": name, "namespace": "n", "name": name, "display_name": name.title(),
            "type": type_, "aliases": [], "introduced_by": "r", "mentions": 1, "facts": 1,
        }
        for name, type_ in {"e": "person", **types}.items()
    )  # fmt: skip


def stretches(*said, policy=Policy(), types=None, shuffle=None, doubted=()):  # noqa: B008  frozen
    """Of statements (text, time, conversation, entities that it is about); facts are their texts.

    A conversation of its own each and the entity `e`, unless told. An agent alone says `doubted`.
    """
    sources = [
        {"fact_id": f"{text}|{entity}" if entity != "e" else text, "record_id": f"r{at:02}",
         "conversation_id": (rest[0] if rest else None) or f"s{at}", "occurred_at": when,
         "entity_id": entity, "content": text}
        for at, (text, when, *rest) in enumerate(said)
        for entity in (rest[1] if len(rest) > 1 else ["e"])
    ]  # fmt: skip
    times = {}
    for row in sources:
        times.setdefault(row["fact_id"], []).append(row["occurred_at"])
    known = facts(
        *(
            {"fact_id": row["fact_id"], "content": row["content"], "entity_id": row["entity_id"],
             "first_seen": min(filter(None, times[row["fact_id"]]), default=None),
             "trust": "agent" if row["content"] in doubted else "person"}
            for row in {row["fact_id"]: row for row in sources}.values()
        )
    )  # fmt: skip
    stated = fact_sources(*sources)
    if shuffle is not None:
        order = np.random.default_rng(shuffle)
        known, stated = (frame[order.permutation(frame.height)] for frame in (known, stated))
    return valid_times(known, stated, entities(**(types or {})), policy)


def held(*said, **options):
    """Fact → its stretches as (from, to) in days after the start."""
    rows = stretches(*said, **options)
    found: dict[str, list[tuple[float | None, float | None]]] = {}
    for fact, start, end in rows.select("fact_id", "valid_from", "valid_to").iter_rows():
        found.setdefault(fact, []).append(tuple(
            None if time is None else (time - day(0)).total_seconds() / 86_400
            for time in (start, end)
        ))  # fmt: skip
    return found


def test_what_was_stated_last_holds_and_the_other_held_until_then():
    assert held((PLACES["Berlin"], day(0)), (PLACES["Rome"], day(5))) == {
        PLACES["Berlin"]: [(0, 5)],
        PLACES["Rome"]: [(5, None)],
    }


def test_it_is_event_time_that_counts_and_a_restatement_is_a_statement():
    said = [(PLACES["Rome"], day(5)), (PLACES["Berlin"], day(0)), (PLACES["Berlin"], day(3))]
    assert held(*said)[PLACES["Berlin"]] == [(0, 5)]
    assert held((PLACES["Rome"], day(2)), *said[1:])[PLACES["Berlin"]] == [(0, 2), (3, None)]


def test_a_value_that_is_stated_again_holds_again_in_other_words_too():
    again = "The user lives in Berlin now."
    found = held((PLACES["Berlin"], day(0)), (PLACES["Rome"], day(5)), (again, day(8)))
    assert found == {
        PLACES["Berlin"]: [(0, 5), (8, None)],
        PLACES["Rome"]: [(5, 8)],
        again: [(8, None)],
    }


def test_an_end_says_when_it_became_known_and_by_what():
    rows = stretches((PLACES["Berlin"], day(0)), (PLACES["Rome"], day(5)))
    columns = ["slot", "value", "known_from", "end_known_from", "ended_by"]
    assert rows.select(columns).row(0) == ("liv in *", "berlin", day(0), day(5), PLACES["Rome"])


@pytest.mark.parametrize(
    "other",
    [
        "I lived in Rome.", "I do not live in Rome.", "If I live in Rome, taxes are low.",
        "I wish I lived in Rome.", "Do I live in Rome?", "Mira says I live in Rome.",
    ],
)  # fmt: skip
def test_what_is_past_denied_conditional_wished_or_asked_ends_nothing(other):
    assert held((PLACES["Berlin"], day(0)), (other, day(5))) == {PLACES["Berlin"]: [(0, None)]}


@pytest.mark.parametrize(
    ("before", "change"),
    [
        ("We use Jenkins.", "We switched from Jenkins to Buildkite."),
        ("We use Jenkins for releases.", "We've moved away from Jenkins."),
        ("We use Webpack.", "We replaced Webpack with Vite last month."),
        ("We use Heroku.", "Heroku is deprecated for us."),
        ("I use Chrome.", "I stopped using Chrome because it was slow."),
        ("We use yarn.", "Use pnpm instead of yarn."),
        ("We use Python 3.11.", "We upgraded Python from 3.11 to 3.12."),
        ("I live in Rome.", "I moved to Oslo last year with my wife."),
        ("I live in Rome.", "I no longer live in Rome."),
        ("I work at Quayside.", "I got a new job at Harbourline."),
        ("I work at Quayside.", "I quit my job."),
        ("The default branch is master.", "The default branch was renamed to main."),
        ("The timeout is 30 seconds.", "We raised the timeout from 30 seconds to 60 seconds."),
        ("I am 39 years old.", "I turned 40."),
    ],
)
def test_a_change_ends_what_it_replaces(before, change):
    found = held((before, day(0)), (change, day(5)))
    assert found[before] == [(0, 5)]
    assert found[change] == [(5, None)]
    back = held((change, day(0)), (before, day(5)))
    assert back[before] == [(5, None)]


@pytest.mark.parametrize(
    ("before", "other"),
    [
        ("We use Jenkins.", "We should switch from Jenkins to Buildkite."),
        ("We use Jenkins.", "We are thinking of moving from Jenkins to Buildkite."),
        ("We use Jenkins.", "We switched from Travis to Buildkite."),
        ("We use Jenkins.", "We use Buildkite."),
        ("We use Jenkins.", "Did we switch from Jenkins to Buildkite?"),
        ("I live in Rome.", "I moved to Neovim."),
        ("I live in Rome.", "I no longer live in Berlin."),
        ("I work at Quayside.", "I no longer work at Harbourline."),
        ("I live in Rome.", "I want to move to Oslo."),
    ],
)
def test_what_is_no_change_of_it_ends_nothing(before, other):
    assert held((before, day(0)), (other, day(5)))[before] == [(0, None)]


def test_what_ends_nothing_is_kept_for_what_may_come():
    rows = stretches(("I no longer live in Berlin.", day(5)))
    assert rows.select("slot", "value", "valid_to").rows() == [("liv in *", "ended=berlin", None)]


def test_what_can_hold_beside_each_other_ends_nothing():
    assert held(("I like tea.", day(0)), ("I like coffee.", day(5))) == {}


def test_two_values_at_once_in_one_conversation_are_no_succession():
    rows = stretches((PLACES["Berlin"], day(0), "s"), (PLACES["Rome"], day(0), "s"))
    assert rows["valid_to"].to_list() == [None, None]
    assert rows["parallel_with"].to_list() == [[PLACES["Rome"]], [PLACES["Berlin"]]]
    later = held((PLACES["Berlin"], day(0), "s"), (PLACES["Rome"], day(1), "s"))
    assert later[PLACES["Berlin"]] == [(0, 1)]


def test_ties_between_conversations_go_by_id_and_undated_statements_end_nothing():
    said = [(PLACES["Berlin"], day(0)), (PLACES["Rome"], day(0))]
    assert held(*said) == {PLACES["Berlin"]: [(0, 0)], PLACES["Rome"]: [(0, None)]}
    assert held((PLACES["Berlin"], day(0)), (PLACES["Rome"], None)) == {
        PLACES["Berlin"]: [(0, None)]
    }


def test_any_order_of_rows_gives_the_same():
    random = np.random.default_rng(7)
    names = list(PLACES)
    said = [
        (PLACES[names[random.integers(3)]], day(int(random.integers(9))), f"s{random.integers(4)}")
        for _ in range(40)
    ]
    rows = stretches(*said)
    assert rows.height > 9
    for seed in range(3):
        assert_frame_equal(rows, stretches(*said, shuffle=seed), check_exact=True)


def test_topics_that_a_statement_names_share_its_fate_and_projects_stay_apart():
    main, trunk = "The default branch is main.", "The default branch is trunk."
    found = held(
        (main, day(0), None, ["shop", "branch"]),
        (trunk, day(1), None, ["backup", "branch"]),
        types={"shop": "project", "backup": "project", "branch": "topic"},
    )
    assert all(spans == [(start, None)] for spans in found.values() for start, _ in spans)
    ended = held(
        (main, day(0), None, ["shop", "branch"]),
        (trunk, day(1), None, ["shop"]),
        types={"shop": "project", "branch": "topic"},
    )
    assert ended[f"{main}|branch"] == ended[f"{main}|shop"] == [(0, 1)]


def utc(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_a_stated_time_is_when_it_was_true_and_the_event_when_that_was_known():
    said = "I work at Acme from March 2024 through May 2026."
    row = stretches((said, day(0))).row(0, named=True)
    assert (row["valid_from"], row["valid_to"]) == (utc("2024-03-01"), utc("2026-06-01"))
    assert (row["known_from"], row["end_known_from"]) == (day(0), day(0))


def test_what_had_ended_when_it_was_said_began_nobody_knows_when():
    row = stretches(("I lived in Bonn until May 2025.", day(0))).row(0, named=True)
    assert (row["valid_from"], row["valid_to"], row["slot"]) == (None, utc("2025-05-01"), None)


def test_the_next_value_says_since_when_the_one_before_was_over():
    since = "I live in Rome since 2026-02-03."
    rows = stretches((PLACES["Berlin"], day(0)), (since, day(9)))
    row = rows.filter(fact_id=PLACES["Berlin"]).row(0, named=True)
    assert (row["valid_to"], row["end_known_from"]) == (day(2), day(9))
    # It cannot have been over before it was stated last.
    rows = stretches((PLACES["Berlin"], day(5)), (since, day(9)))
    assert rows.filter(fact_id=PLACES["Berlin"])["valid_to"].item() == day(9)


def test_the_last_stretch_is_the_one_in_force():
    said = [(PLACES["Berlin"], day(0)), (PLACES["Rome"], day(5)), (PLACES["Berlin"], day(8))]
    last = last_stretches(stretches(*said)).sort("fact_id")
    assert last.select(pl.exclude("namespace", "fact_id")).rows() == [
        (day(8), None),
        (day(5), day(8)),
    ]


def test_what_an_agent_says_is_ended_by_a_person_and_ends_nothing_of_theirs():
    berlin, rome, oslo = PLACES.values()
    said = [(berlin, day(0)), (rome, day(5)), (oslo, day(8))]
    assert held(*said, doubted=[rome]) == {
        berlin: [(0, 8)], rome: [(5, 8)], oslo: [(8, None)],
    }  # fmt: skip
    assert held(*said, doubted=[rome, oslo]) == {
        berlin: [(0, None)], rome: [(5, 8)], oslo: [(8, None)],
    }  # fmt: skip
    every = held(*said, doubted=[berlin, rome, oslo])
    assert every == held(*said), "among themselves they follow each other"
    slots = stretches(*said, doubted=[rome])["slot"]
    assert slots.n_unique() == 1
