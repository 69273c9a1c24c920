"""After a night: what consolidation makes of what changed is what it makes of everything."""

import random
from datetime import datetime

import polars as pl
from hypothesis import example, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from cairn.knowledge.consolidation.similar_facts import templates
from cairn.knowledge.consolidation.stages import CONSOLIDATION
from cairn.knowledge.engine.diff import difference, with_change
from cairn.knowledge.engine.stage import Frames, StageContext
from cairn.knowledge.resolution.canonical import about_canonical
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import (
    CONTRADICTION_VERDICTS,
    DECISIONS,
    ENTITIES,
    ENTITY_MERGES,
    LEARNINGS,
    MERGE_VERDICTS,
    PIECES,
    TABLES,
)
from tests.knowledge.rows import day, episodes, fact_sources, facts
from tests.knowledge.toy_embedder import ToyEmbedder

MEANS = StageContext(Policy(template_size=3), ToyEmbedder())
GROWING = tuple(stage for stage in CONSOLIDATION if stage.update_incremental)
SAID = (
    "the user of this house likes very strong black coffee",
    "the user of this house dislikes very strong black coffee",
    "this user of the house likes a very strong black coffee",
    "the user of the house likes very strong black coffee in may",
    "the user of this house likes very strong black tea",
    "use npm for the packages of the web shop",
    "never use npm for the packages of the web shop",
    "use npm for all the packages of the web shop",
    "the port of the proxy of the web shop is 8080",
    "the port of the proxy of the web shop is 9090",
    "I live in Rome.",
    "I live in Oslo.",
    "I lived in Bonn until May 2025.",
)
FACTS = 16
TEMPLATES = (
    "the nightly build {} of the web shop took {} seconds on the old host",
    "the nightly build {} of the web shop took {} seconds on the new host",
    "the nightly build {} of the web shop does not work on the old host",
)
OF_TEMPLATES = 24
"""Facts of templates, that some worlds have."""


def world(dice: random.Random) -> dict[str, pl.DataFrame]:
    """Facts of four entities that say alike things, from few conversations and days.

    Two of these may be names of the others; some facts were judged by a model or by people.
    """
    sources: list[dict[str, object]] = []
    known: list[dict[str, object]] = []

    def when() -> datetime | None:
        return None if dice.random() < 0.1 else day(dice.randint(0, 6))

    for number in range(FACTS):
        if dice.random() < 0.3:
            continue
        fact = f"f{number:02}"
        own = [
            {"fact_id": fact, "record_id": f"r{number // 2}.{at}", "occurred_at": when(),
             "conversation_id": f"s{dice.randint(0, 4)}",
             "confidence": dice.choice([0.6, 0.7, 0.8])}
            for at in range(dice.randint(1, 3))
        ]  # fmt: skip
        sources += own
        times = [row["occurred_at"] for row in own if row["occurred_at"]]
        known.append(
            {
                "fact_id": fact,
                "entity_id": f"e{dice.choice([number % 2, number % 4])}",
                "predicate": {13: "used_tool", 14: "withdraws"}.get(number, "states"),
                "content": dice.choice(SAID[number % len(SAID) : number % len(SAID) + 2]),
                "base_confidence": dice.choice([0.6, 0.7, 0.8]),
                "trust": {3: "agent", 5: "outside"}.get(number % 9, "person"),
                "first_seen": min(times, default=None),
                "source_count": len(own),
                "derived_from": [f"p{dice.randint(0, 7)}"] if dice.random() < 0.15 else [],
                "extractor": dice.choice(["rule@1", "rule@1", "structuring/loaded@1"]),
            }
        )
    known += templated(dice)
    heard = [
        {"episode_id": f"p{number}", "conversation_id": f"s{dice.randint(0, 6)}",
         "started_at": when(), "text": dice.choice([*SAID, ""])}
        for number in range(8)
        if dice.random() < 0.8
    ]  # fmt: skip
    named = [
        {"entity_id": f"e{number}", "namespace": "n", "name": f"e{number}", "display_name": "House",
         "type": dice.choice(["topic", "project"]), "aliases": [], "introduced_by": "r",
         "mentions": dice.randint(1, 2), "facts": 1}
        for number in range(4)
    ]  # fmt: skip
    names = [
        {"namespace": "n", "entity_id": f"e{number}", "canonical_id": f"e{dice.randint(0, 1)}",
         "rule": "same_words", "reason": "", "similarity": 1.0, "decided_at": None}
        for number in (2, 3)
        if dice.random() < 0.6
    ]  # fmt: skip
    by_words, by_confidence = (
        [said_of(dice, *pair) for pair in pairs() if sum(pair) % 2 == at and dice.random() < 0.1]
        for at in (0, 1)
    )
    ingested = [
        {"candidate_id": f"c_{row['record_id']}", "namespace": "n", "day": "2026-02-01",
         "conversation_id": row["conversation_id"], "record_id": row["record_id"],
         "piece_id": None, "info_type": dice.choice(["context", "style"]),
         "tags": dice.choice([[], ["a", "b"]]), "embedding_text": dice.choice([None, *SAID[:2]]),
         "extractor": "structuring/loaded@1"}
        for row in {row["record_id"]: row for row in sources}.values()
        if dice.random() < 0.2
    ]  # fmt: skip
    decided = [decision(dice, number) for number in range(DECIDED) if dice.random() < 0.5]
    return {
        "facts": facts(*known),
        "fact_sources": fact_sources(*sources),
        "episodes": episodes(*heard),
        "entities": ENTITIES.frame(named),
        "learnings": LEARNINGS.empty(),
        "entity_merges": ENTITY_MERGES.frame(names),
        "contradiction_verdicts": CONTRADICTION_VERDICTS.frame(by_words),
        "merge_verdicts": MERGE_VERDICTS.frame(by_confidence),
        "decisions": DECISIONS.frame(decided),
        "pieces": PIECES.frame(ingested),
    }


def templated(dice: random.Random) -> list[dict[str, object]]:
    """Facts of two entities that are the same but for a number or two."""
    share = dice.choice([0.0, 0.2, 0.8])
    return [
        {
            "fact_id": f"t{number:02}",
            "entity_id": f"e{number % 2 * dice.choice([1, 2])}",
            "content": dice.choice(TEMPLATES).format(
                dice.choice([7, 8, 9, 10, "007"]), dice.randint(1, 12)
            ),
        }
        for number in range(OF_TEMPLATES)
        if dice.random() < share
    ]


def pairs() -> list[tuple[int, int]]:
    return [(left, right) for right in range(FACTS) for left in range(right)]


def said_of(dice: random.Random, left: int, right: int) -> dict[str, object]:
    """What a model says of two facts."""
    return {
        "namespace": "n", "left_id": f"f{left:02}", "right_id": f"f{right:02}", "similarity": 0.9,
        "verdict": dice.choice(["merge", "keep_both", "contradiction"]), "reason": "So it is.",
        "rejected_by": dice.choice([None, None, "difference"]), "extractor": "model@1",
        "decided_at": None,
    }  # fmt: skip


DECIDED = 6


def decision(dice: random.Random, number: int) -> dict[str, object]:
    """What a person decides of facts; no two decisions have the last word on the same."""
    kind = dice.choice(["merge", "unmerge", "keep_apart", "correct", "confirm", "retract"])
    own = [pair for pair in pairs() if sum(pair) % DECIDED == number]
    one = dice.randrange(number, FACTS, DECIDED)
    said = dice.sample(own, dice.randint(1, 2)) if kind in PAIRED else []
    ids = [f"f{each:02}" for pair in said for each in pair] or [f"f{one:02}"]
    later = f"f{dice.randrange(one, FACTS - 1) + 1:02}" if one < FACTS - 1 else None
    return {
        "decision_id": f"d{number}", "namespace": "n", "decision": kind, "target_type": "fact",
        "requested_ids": ids, "ids": ids,
        "pairs": [{"left_id": f"f{left:02}", "right_id": f"f{right:02}"} for left, right in said],
        "facts": [] if said else ids,
        "replaced_by": later if kind == "correct" else None,
        "into_id": dice.choice([None, ids[0]]) if kind == "merge" else None,
        "text": "", "reason": dice.choice([None, "I know."]), "decided_at": day(7 + number),
        "as_of": None, "unresolved": None,
    }  # fmt: skip


PAIRED = ("merge", "unmerge", "keep_apart")


def night(before: Frames, dice: random.Random) -> dict[str, pl.DataFrame]:
    """Another world, of which only a little came: each row is one or the other's."""
    other = world(dice)
    few = dice.choice([0.0, 0.1, 0.3, 1.0])
    now: dict[str, pl.DataFrame] = {}
    for name, frame in before.items():
        key = TABLES[name].key
        chosen = pl.concat([frame.select(key), other[name].select(key)]).unique().sort(key)
        turned = chosen.filter(pl.Series([dice.random() < few for _ in range(chosen.height)],
                                         dtype=pl.Boolean))  # fmt: skip
        stays = frame.join(turned, on=key, how="anti")
        comes = other[name].join(turned, on=key, how="semi")
        now[name] = TABLES[name].frame(pl.concat([stays, comes]))
    return now


def made(reads: Frames) -> dict[str, pl.DataFrame]:
    """What consolidation makes of all."""
    tables = dict(reads)
    for stage in CONSOLIDATION:
        if stage.update_incremental:
            tables |= stage.run({t.name: tables[t.name] for t in stage.reads}, MEANS).tables
    return tables


def grown(before: Frames, now: Frames) -> dict[str, pl.DataFrame]:
    """What it makes of what was made before, and of what changed since."""
    tables = dict(now)
    for stage in GROWING:
        assert stage.update_incremental
        changes = {t.name: difference(before[t.name], tables[t.name]) for t in stage.reads}
        stored = {t.name: before[t.name].lazy() for t in stage.writes}
        reads = {t.name: tables[t.name].lazy() for t in stage.reads}
        for name, change in stage.update_incremental(changes, stored, reads, MEANS).items():
            assert change.come.schema == TABLES[name].schema
            touched = before[name].join(change.gone, on=before[name].columns, how="semi",
                                        nulls_equal=True)  # fmt: skip
            assert touched.height == change.gone.height
            tables[name] = TABLES[name].frame(with_change(before[name], change))
    return tables


def come_in_nights(last: Frames, nights: int, dice: random.Random) -> list[Frames]:
    """A world whose rows come in any order, at first none of them; without nights all at once."""
    first = min(nights, 1)
    arrives = {n: pl.Series([dice.randint(first, nights) for _ in range(f.height)], dtype=pl.Int64)
               for n, f in last.items()}  # fmt: skip
    return [
        {name: frame.filter(arrives[name] <= number) for name, frame in last.items()}
        for number in range(nights + 1)
    ]


@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 1_000_000))
@example(seed=27)
def test_what_is_made_of_a_night_is_what_is_made_of_everything(seed: int) -> None:
    """So of any number of nights, and in any order of arrival."""
    dice = random.Random(seed)
    worlds = come_in_nights(world(dice), dice.randint(0, 2), dice)
    for _ in range(2):
        worlds.append(night(worlds[-1], dice))
    found = made(worlds[0])
    for now in worlds[1:]:
        found, expected = grown(found, now), made(now)
        for name, frame in expected.items():
            assert_frame_equal(found[name], frame, check_exact=True)


def test_the_worlds_of_these_tests_reach_what_is_to_be_tested() -> None:
    dice = random.Random(8)
    tables = [made(world(dice)) for _ in range(8)]
    kinds = pl.concat([each["evidence"]["kind"] for each in tables])
    assert set(kinds) == {"restatement", "episode", "contradiction", "feedback"}
    assert sum(each["merges"].height for each in tables) > 20
    merged = pl.concat([each["merges"] for each in tables])
    assert set(merged["decision"]) == {"auto_merge", "merge", "keep_both", "contradiction"}
    assert "one statement of one entity" in set(merged["reason"])
    assert sum(each["valid_times"]["ended_by"].count() for each in tables) > 1
    assert "retracted" in set(pl.concat([each["memory"]["status"] for each in tables]))
    assert set(pl.concat([each["memory"]["info_type"] for each in tables])) > {"context", "style"}
    assert any(each["memory"]["derived_from"].list.len().max() > 1 for each in tables)
    left_out = [
        templates(about_canonical(each["facts"], each["entity_merges"]), MEANS.policy).left_out
        for each in tables
    ]
    assert 1 < sum(each["pairs"].sum() > 0 for each in left_out) < len(tables)


def test_nothing_changes_where_nothing_changed() -> None:
    tables = made(world(random.Random(3)))
    for name, frame in grown(tables, {n: tables[n] for n in world(random.Random(3))}).items():
        assert_frame_equal(frame, tables[name], check_exact=True)
