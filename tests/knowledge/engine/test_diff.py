"""After a change: what is made of the change alone is what is made of everything."""

import random

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from cairn.knowledge.assembly.stages import ENTITIES_STAGE, FACTS_STAGE, INTRODUCTIONS_STAGE
from cairn.knowledge.engine.diff import difference
from cairn.knowledge.engine.stage import Frames, StageContext
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import KNOWN_ONLY_CANDIDATES, TABLES, THEME_FACTS, Table
from tests.knowledge.rows import episodes
from tests.knowledge.said import candidates, statement, topic
from tests.knowledge.toy_embedder import ToyEmbedder

MEANS = StageContext(Policy(), ToyEmbedder())
TOPICS = ("login bug", "Login Bug", "rate limiter", "Tomatoes", "cache", "2024-03-01")
SAID = (
    "Found that the login bug is in the cache.",
    "found that the login bug is in the cache",
    "Found that a rate limiter helps.",
    "Found that nothing helps.",
)
REQUESTS = (
    "Please look at the login bug in the rate limiter. The cache is cold.",
    "The login bug is in the cache, so please look at the cache. " * 3 + "Tomatoes rot.",
)
HOSTS = ("nas", "NAS", "-")


def row(dice: random.Random) -> dict[str, object]:
    """One candidate of few records, so that rows touch each other in many ways."""
    number = dice.randrange(6)
    record: dict[str, object] = {
        "record_id": f"r{number}", "conversation_id": f"s{number // 2}", "at": number // 2 or None,
        "day": f"2026-02-0{number // 2 + 1}",
    }  # fmt: skip
    place: dict[str, object] = {
        "quote_field": "tool_input.command", "quote": "ssh nas", "quote_end": 7
    }  # fmt: skip
    project = {"entity_name": dice.choice(["cairn", "harbor"])}
    match dice.randrange(5):
        case 0:
            name = dice.choice(TOPICS)
            who = {"origin": dice.choice(["human", "human", "agent"])}
            command = {"extractor": "commanded_topic@1"} if dice.random() < 0.1 else {}
            if dice.random() < 0.1:  # a model's, which is not judged again
                command = {"mode": "full", "extractor": "full_mode/names@1"}
            said = dice.choice(REQUESTS)
            text = said if name in said else f"{name}. {said}"
            return topic(name, text, **record, **who, **command)
        case 1:
            return statement(dice.choice(SAID), **record, **project)
        case 2:
            host = dice.choice(HOSTS)
            named = {"kind": "entity", "entity_name": host, "entity_type": "host"}
            return {**record, **place, **named, "quote_start": 4, "predicate": "is", "object": host}
        case 3:
            object_ = dice.choice(HOSTS[:2])
            place["trigger"] = dice.choice(["user_message", "enrichment"])
            return {**record, **project, **place, "predicate": "connects_to_host",
                    "object": object_, "content": f"connects to {object_}"}  # fmt: skip
        case _:
            place = {"quote_field": "project", "quote": project["entity_name"]}
            named = {"kind": "entity", "entity_type": "project", "predicate": "is"}
            trigger = dice.choice(["user_message", "enrichment"])
            return {**record, **project, **place, **named, "trigger": trigger,
                    "object": project["entity_name"]}  # fmt: skip


def world(rows: list[dict[str, object]], dice: random.Random) -> dict[str, pl.DataFrame]:
    """Candidates, facts of both other ways, and one of two requests for each record."""
    some = [each for each in rows if dice.random() < 0.8]
    found = candidates(*some).unique("candidate_id", keep="first", maintain_order=True)
    facts = [each for each in rows if each.get("kind", "fact") == "fact" and dice.random() < 0.2]
    looked_up = [each | {"mode": "known_only", "trigger": "enrichment"} for each in facts[::2]]
    themes = [each | {"mode": "generalised", "origin": "system"} for each in facts[1::2]]
    said = [
        {"episode_id": f"r{number}", "text": dice.choice(REQUESTS)}
        for number in range(6)
        if dice.random() < 0.9
    ]
    return {
        "candidates": found,
        "known_only_candidates": elsewhere(KNOWN_ONLY_CANDIDATES, looked_up),
        "theme_facts": elsewhere(THEME_FACTS, themes),
        "episodes": episodes(*said),
    }


def elsewhere(table: Table, rows: list[dict[str, object]]) -> pl.DataFrame:
    """Rows of candidates in another table, with ids of their own."""
    more = {"reason": None, "theme_id": "t", "derived_from": ["e1", "e2"]}
    ids = pl.concat_str(pl.lit(table.name), "candidate_id")
    own = candidates(*rows).unique("candidate_id", keep="first", maintain_order=True)
    return table.frame(
        {**row, **{name: more[name] for name in more if name in table.columns}}
        for row in own.with_columns(candidate_id=ids).iter_rows(named=True)
    )


STAGES = (INTRODUCTIONS_STAGE, ENTITIES_STAGE, FACTS_STAGE)


def known(reads: Frames) -> tuple[Frames, Frames]:
    """What these stages read and write."""
    made: dict[str, pl.DataFrame] = {}
    for stage in STAGES:
        made |= stage.run({**reads, **made}, MEANS).tables
    return {**reads, **made}, made


def assert_made_of_the_change(before: Frames, now: Frames) -> Frames:
    """That these stages make the same of a change as of everything; gives what they make."""
    before, stored = known(before)
    reads, expected = known(now)
    for stage in STAGES:
        assert stage.after
        changes = {t.name: difference(before[t.name], reads[t.name]) for t in stage.reads}
        made = stage.after(changes, {t.name: stored[t.name] for t in stage.writes}, reads, MEANS)
        for table in stage.writes:
            assert made[table.name].schema == table.schema
            assert_frame_equal(made[table.name], expected[table.name], check_exact=True)
    return expected


@settings(max_examples=16, deadline=None)
@given(seed=st.integers(0, 1_000_000), count=st.integers(0, 40), anything=st.booleans())
@example(seed=0, count=0, anything=False)
def test_what_is_made_of_a_change_is_what_is_made_of_everything(
    seed: int, count: int, anything: bool
) -> None:
    dice = random.Random(seed)
    rows = [row(dice) for _ in range(count)]
    before = world(rows, dice)
    if anything:
        now = world(rows, dice)
    else:  # a name that is far from the change must not be left behind by it
        few = [row(dice) for _ in range(dice.randrange(3))]
        said = pl.concat([before["candidates"], candidates(*few)])
        said = said.unique("candidate_id", keep="first").sample(fraction=0.9, seed=seed)
        now = {**before, "candidates": said}
    assert_made_of_the_change(before, now)


NAS = {"kind": "entity", "entity_name": "nas", "entity_type": "host", "predicate": "is",
       "object": "nas", "quote": "nas", "quote_start": 4, "quote_end": 7,
       "quote_field": "tool_input.command"}  # fmt: skip
SSH = {"entity_name": "harbor", "predicate": "connects_to_host", "object": "nas", "quote_end": 7,
       "quote": "ssh nas", "quote_field": "tool_input.command",
       "trigger": "enrichment"}  # fmt: skip
HARBOR = {"kind": "entity", "entity_name": "harbor", "predicate": "is", "object": "harbor",
          "quote_field": "project", "quote": "harbor", "quote_end": 6}  # fmt: skip
NO_MORE = {table.name: table.empty() for table in (KNOWN_ONLY_CANDIDATES, THEME_FACTS)}
LOGIN = topic("login bug", REQUESTS[0], record_id="r1")
FOUND = statement(SAID[0], entity_name="harbor", record_id="r8")


@pytest.mark.parametrize(
    ("stays", "comes", "name", "facts"),
    [
        ([NAS, SSH], {**HARBOR, "record_id": "r9"}, "nas", 1),
        ([{**HARBOR, "record_id": "r9"}, NAS], SSH, "nas", 1),
        ([{**HARBOR, "record_id": "r9"}, SSH], NAS, "nas", 1),
        ([LOGIN], FOUND, "login bug", 1),
        ([FOUND], LOGIN, "login bug", 1),
    ],
    ids=["its project becomes known", "it is used", "it is named", "it is spoken of",
         "it was spoken of before"],
)  # fmt: skip
def test_a_name_far_from_the_change_is_touched_by_it(
    stays: list[dict[str, object]], comes: dict[str, object], name: str, facts: int
) -> None:
    others = {**NO_MORE, "episodes": episodes({"episode_id": "r1", "text": REQUESTS[0]})}
    without = {"candidates": candidates(*stays), **others}
    together = {"candidates": candidates(*stays, comes), **others}
    named = assert_made_of_the_change(without, together)["entities"]
    assert dict(named.select("name", "facts").iter_rows())[name] == facts
    named = assert_made_of_the_change(together, without)["entities"]
    assert name not in named["name"].to_list()


def test_a_name_is_judged_again_when_its_request_is_read_otherwise() -> None:
    found = statement("Found that Tomatoes rot when wet.", record_id="r2")
    said = candidates(topic("Tomatoes", REQUESTS[1], record_id="r1"), found)
    fits, stray = "Tomatoes rot.", REQUESTS[1]
    worlds = [
        {**NO_MORE, "candidates": said, "episodes": episodes({"episode_id": "r1", "text": text})}
        for text in (fits, stray)
    ]
    assert_made_of_the_change(*reversed(worlds))
    made = assert_made_of_the_change(*worlds)
    assert "tomatoes" not in made["entities"]["name"].to_list()
    assert "semantic" in made["rejections"]["gate"].to_list()


def test_the_worlds_of_these_tests_reach_every_gate() -> None:
    dice = random.Random(5)
    gates: set[str] = set()
    for _ in range(10):
        _, made = known(world([row(dice) for _ in range(20)], dice))
        gates |= set(made["rejections"]["gate"])
        assert set(made["facts"]["entity_id"]) <= set(made["entities"]["entity_id"])
    assert gates == {"structural", "not_introduced", "semantic", "no_fact"}


@pytest.mark.parametrize("name", ["candidates", "entities"])
def test_rows_that_stay_are_no_change(name: str) -> None:
    _, made = known(world([row(random.Random(n)) for n in range(20)], random.Random(7)))
    frame = made["entities"] if name == "entities" else candidates({}, {"record_id": "r2"})
    assert TABLES[name].schema == frame.schema
    same = difference(frame, frame.reverse())
    assert same.come.is_empty()
    assert same.gone.is_empty()
    part = difference(frame.slice(1), frame)
    assert_frame_equal(part.rows, frame.head(1))
