"""What becomes of entities that are one: through all stages of consolidation."""

import polars as pl
import pytest

from cairn.knowledge.consolidation.merges import ONE_STATEMENT, merges
from cairn.knowledge.consolidation.stages import CONSOLIDATION
from cairn.knowledge.consolidation.validity import valid_times
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.quality.invariants import violations
from cairn.knowledge.resolution.resolution import entity_merges
from cairn.knowledge.retrieval.points import points
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import (
    CONVERSATIONS,
    DECISIONS,
    EPISODES,
    LEARNINGS,
    PIECES,
    PROJECTS,
)
from tests.knowledge.rows import day, entities, evidence, fact_sources, facts
from tests.knowledge.toy_embedder import ToyEmbedder

POLICY = Policy()
BOTH = "Kubernetes (k8s) restarts the shop"


@pytest.fixture(scope="module")
def tables():
    """Two topics that are one, a statement that names both, and one of each."""
    said = [
        {"fact_id": "f1", "entity_id": "e1", "content": BOTH, "base_confidence": 0.6},
        {"fact_id": "f2", "entity_id": "e2", "content": f"{BOTH}.", "base_confidence": 0.9},
        {"fact_id": "f3", "entity_id": "e1", "content": "Kubernetes runs on three machines"},
        {"fact_id": "f4", "entity_id": "e2", "content": "Always drain nodes of k8s"},
        {"fact_id": "f5", "entity_id": "e3", "content": "The cat sleeps"},
    ]
    made = {
        "entities": entities(
            {"entity_id": "e1", "display_name": "Kubernetes", "mentions": 5, "facts": 2,
             "first_seen": day(2), "last_seen": day(2)},
            {"entity_id": "e2", "display_name": "k8s", "aliases": ["K8s"], "mentions": 3,
             "facts": 2, "first_seen": day(1), "last_seen": day(4)},
            {"entity_id": "e3", "display_name": "cat"},
        ),
        "facts": facts(*said),
        "fact_sources": fact_sources(
            *(
                {"fact_id": each["fact_id"], "record_id": f"r{at}", "conversation_id": f"s{at}"}
                for at, each in enumerate(said)
            )
        ),
        "episodes": EPISODES.empty(),
        "learnings": LEARNINGS.empty(),
        "decisions": DECISIONS.empty(),
        "pieces": PIECES.empty(),
        "projects": PROJECTS.empty(),
    }  # fmt: skip
    for stage in CONSOLIDATION:
        reads = {table.name: made[table.name] for table in stage.reads}
        made |= stage.run(reads, StageContext(POLICY, ToyEmbedder())).tables
    return made


def test_facts_move_and_keep_their_ids(tables):
    about = dict(tables["memory"].select("fact_id", "entity_id").iter_rows())
    assert about == {"f1": "e1", "f2": "e1", "f3": "e1", "f4": "e1", "f5": "e3"}
    assert tables["facts"]["entity_id"].to_list() == ["e1", "e2", "e1", "e2", "e3"]


def test_equal_facts_become_one_statement_whatever_their_confidence(tables):
    (row,) = tables["merges"].to_dicts()
    assert (row["winner_id"], row["loser_ids"]) == ("f2", ["f1"])
    assert (row["decision"], row["reason"]) == ("auto_merge", ONE_STATEMENT)
    winner = tables["memory"].row(by_predicate=pl.col("fact_id") == "f2", named=True)
    # Of two conversations: a support beside the first source.
    assert winner["evidence_count"] == 2


def test_the_canonical_entity_has_all_names_and_counts(tables):
    rows = {row["entity_id"]: row for row in tables["memory_entities"].to_dicts()}
    one, other = rows["e1"], rows["e2"]
    assert (one["canonical_id"], other["canonical_id"]) == ("e1", "e1")
    assert one["aliases"] == ["K8s", "k8s"]
    assert (one["mentions"], one["facts"], one["active_facts"]) == (8, 3, 3)
    assert (one["first_seen"], one["last_seen"]) == (day(1), day(4))
    assert (other["mentions"], other["active_facts"]) == (3, 0)
    assert rows["e3"]["canonical_id"] == "e3"


def test_the_index_finds_it_by_either_name(tables):
    made = points(
        tables["memory"], tables["memory_entities"], tables["episodes"], tables["learnings"],
        tables["embeddings"], tables["fact_sources"], CONVERSATIONS.empty(), policy=Policy(),
    )  # fmt: skip
    rows = {row["id"]: row for row in made.to_dicts()}
    assert rows["e1"]["text"] == "Kubernetes (k8s)"
    assert rows["e1"]["vector"] is not None
    assert "e2" not in rows
    assert (rows["f4"]["entity_id"], rows["f4"]["context"]) == ("e1", "Kubernetes (k8s)")


def test_the_invariants_hold_and_see_what_breaks_them(tables):
    lazy = {
        name: frame.lazy()
        for name, frame in tables.items()
        if name in ("entities", "entity_merges", "memory", "memory_entities", "embeddings")
    }
    assert violations(lazy) == []
    chained = tables["memory_entities"].with_columns(
        canonical_id=pl.Series(["e2", "e3", "e3"], dtype=pl.String)
    )
    found = violations({**lazy, "memory_entities": chained.lazy()})
    assert found == [
        "memory_entities.canonical_id: 1 are merged into a merged entity",
        "memory.entity_id: 4 are about a merged entity",
    ]


def test_equal_facts_go_where_the_one_that_stands_for_them_goes():
    says = "The nightly backup of the photo archive runs on the old server"
    rows = facts(
        {"fact_id": "f1", "content": f"{says} now", "base_confidence": 0.9},
        {"fact_id": "f2", "content": says, "base_confidence": 0.8},
        {"fact_id": "f3", "content": f"{says}.", "base_confidence": 0.5},
    )
    equal = rows.filter(pl.col("fact_id") != "f1").select(
        "namespace", "entity_id", "fact_id", statement=pl.lit("x")
    )
    similar = pl.DataFrame(
        {
            "namespace": ["n"], "left_id": ["f1"], "right_id": ["f2"], "similarity": [0.95],
            "difference": [None], "verdict": ["same"],
        }
    )  # fmt: skip
    found = merges(rows, evidence(), similar, POLICY, equal=equal)
    taken = {row["reason"]: (row["winner_id"], row["loser_ids"]) for row in found.to_dicts()}
    assert taken[ONE_STATEMENT] == ("f1", ["f3"])
    assert ("f1", ["f2"]) in taken.values()


def test_a_slot_is_one_under_either_name():
    rows = facts(
        {"fact_id": "f1", "entity_id": "e1", "content": "Kubernetes runs on port 8080",
         "first_seen": day(1)},
        {"fact_id": "f2", "entity_id": "e2", "content": "k8s runs on port 8081",
         "first_seen": day(5)},
    )  # fmt: skip
    named = entities(
        {"entity_id": "e1", "display_name": "Kubernetes", "type": "system"},
        {"entity_id": "e2", "display_name": "k8s", "type": "system"},
    )
    sources = fact_sources(
        {"fact_id": "f1", "record_id": "r1", "conversation_id": "s1", "occurred_at": day(1)},
        {"fact_id": "f2", "record_id": "r2", "conversation_id": "s2", "occurred_at": day(5)},
    )
    merged = entity_merges(named, rows, ToyEmbedder(), POLICY)
    assert merged.height == 1
    held = valid_times(rows, sources, named, POLICY, merged)
    ends = dict(held.select("fact_id", "valid_to").iter_rows())
    assert ends == {"f1": day(5), "f2": None}
    assert valid_times(rows, sources, named, POLICY)["valid_to"].null_count() == 2


def test_a_person_merges_entities_and_keeps_others_apart(tables):
    stage = next(each for each in CONSOLIDATION if each.name == "entity_merges")

    def merged(decision, left, right):
        decided = DECISIONS.frame(
            [
                {
                    "decision_id": "d", "namespace": "n", "decision": decision,
                    "target_type": "entity", "requested_ids": [left, right], "ids": [left, right],
                    "facts": [], "text": "",
                    "pairs": [{"left_id": left, "right_id": right}], "decided_at": day(30),
                }
            ]
        )  # fmt: skip
        made = stage.run(
            {**tables, "decisions": decided}, StageContext(POLICY, ToyEmbedder())
        ).tables
        return set(made["entity_merges"]["rule"])

    assert merged("keep_apart", "e1", "e2") == set()
    assert "decided" in merged("merge", "e1", "e3")
