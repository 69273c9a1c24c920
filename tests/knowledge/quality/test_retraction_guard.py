"""What a publication would strike out, and when that is too much."""

import pytest

from cairn.knowledge.quality.retraction_guard import READS, Retractions, retractions, too_many
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import MERGES, VALID_TIMES
from tests.knowledge.quality.test_invariants import memory
from tests.knowledge.rows import evidence


def tables(facts=4, denied=(), ended=(), merged=(), **predicates):
    rows = [{"predicate": predicates.get(f"f{at}", "states")} for at in range(facts)]
    none = {"entity_id": "e", "seq": 0, "parallel_with": []}
    return {
        **{table.name: table.empty().lazy() for table in READS},
        **memory(*rows),
        "evidence": evidence(
            *({"evidence_id": f"v{fact}", "fact_id": fact, "kind": "contradiction"}
              for fact in denied)
        ).lazy(),
        "valid_times": VALID_TIMES.frame(
            {"namespace": "n", "fact_id": fact, "ended_by": by, **none} for fact, by in ended
        ).lazy(),
        "merges": MERGES.frame(
            {"merge_id": f"m{fact}", "namespace": "n", "decision": decision, "winner_id": "f0",
             "loser_ids": [fact], "similarity": 0.9, "reason": "words"}
            for fact, decision in merged
        ).lazy(),
    }  # fmt: skip


def test_what_was_published_and_is_struck_now_counts_once_by_its_first_cause():
    now = tables(
        6,
        denied=["f0", "f9"],
        ended=[("f0", "f1"), ("f1", "f0"), ("f2", None)],
        merged=[("f3", "contradiction"), ("f4", "auto_merge")],
    )
    found = retractions(tables(5), now)
    assert found.facts.rows() == [("f0", "contradicted"), ("f1", "ended"), ("f3", "merged away")]
    assert (found.published, found.share) == (5, 0.6)


def test_what_was_struck_out_before_and_names_do_not_count():
    before = tables(4, denied=["f0"], f3="used_tool")
    found = retractions(before, tables(4, denied=["f0", "f1", "f3"]))
    assert found.facts["fact_id"].to_list() == ["f1"]
    assert found.published == 3


@pytest.mark.parametrize(
    ("count", "published", "held"),
    [(20, 20, False), (21, 100, True), (50, 1000, False), (51, 1000, True)],
)
def test_the_bound_is_a_share_above_a_floor(count, published, held):
    found = retractions(tables(count), tables(count, denied=[f"f{at}" for at in range(count)]))
    why = too_many(Retractions(found.facts, published), Policy())
    assert bool(why) == held
    if why:
        assert f"{count:,} of {published:,} published" in why
        assert "policy.max_retraction_ratio = 0.05" in why
        assert "cairn review" in why
