"""Pairs of facts about one entity that may say the same or deny each other, judged by their words.

What follows is decided elsewhere: knowledge/consolidation/evidence.py takes the clear
contradictions, knowledge/consolidation/merges.py what says the same,
knowledge/consolidation/validity.py follows values that took each other's place, and what is unsure
waits for a model or a person.
"""

import polars as pl

from cairn.knowledge.consolidation.candidate_pairs import comparable_pairs
from cairn.knowledge.consolidation.templates import TemplatePairs, template_pairs
from cairn.knowledge.engine.diff import difference
from cairn.knowledge.nlp.statements.compare import Verdict, compare
from cairn.knowledge.schema.fact_types import contradictable
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import SIMILAR_FACTS
from cairn.knowledge.vectors.model import Embedder

SAME, OPPOSITE, VALUE, UNSURE = (verdict.value for verdict in Verdict)
APART, DENIED = "apart", "denied"
"""Verdicts that a model puts in the place of one by words: both stay; one denies the other."""


def similar_facts(
    facts: pl.DataFrame, embedder: Embedder, policy: Policy, among: pl.DataFrame | None = None
) -> pl.DataFrame:
    """SIMILAR_FACTS: pairs about one entity that are alike, with what words say of them.

    All pairs above merge_similarity; down to contradiction_similarity, and of the same words
    however little alike, those that say the same, deny each other or give another value: a denial
    is less like what it denies than a paraphrase is, and of a short statement one word is much.
    `among` has namespace and fact_id: only pairs of which one is among these.
    """
    floor = min(policy.merge_similarity, policy.contradiction_similarity)
    pairs = comparable_pairs(facts, contradictable(), floor, embedder, policy, among)
    said = facts.select("namespace", "fact_id", "content")
    for side in ("left", "right"):
        pairs = pairs.join(
            said.rename({"fact_id": side, "content": f"{side}_content"}), on=["namespace", side]
        )
    compared = [
        compare(left, right)
        for left, right in pairs.select("left_content", "right_content").iter_rows()
    ]
    judged = pairs.rename({"left": "left_id", "right": "right_id"}).with_columns(
        pl.Series(name, [getattr(each, name) for each in compared], dtype=pl.String)
        for name in ("verdict", "difference", "slot")
    )
    alike = pl.col("similarity") > policy.merge_similarity
    return SIMILAR_FACTS.frame(judged.filter(alike | (pl.col("verdict") != UNSURE)))


def templates(facts: pl.DataFrame, policy: Policy) -> TemplatePairs:
    """Facts of templates, with which others they are compared, and how many pairs are left out.

    `facts` are all of each canonical entity.
    """
    return template_pairs(facts.with_columns(comparable=contradictable()), policy.template_size)


def moved_in_templates(before: pl.DataFrame, now: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Facts that a template has before or now alone, or that meet another of one then alone.

    `before` and `now` are all FACTS rows of the same entities.

    Returns:
        namespace, fact_id; a fact may come twice, and may be there no more.
    """
    was, has = (templates(facts, policy) for facts in (before, now))
    turned = difference(was.pairs, has.pairs).rows
    return pl.concat(
        [
            difference(was.members, has.members).rows,
            *(turned.select("namespace", fact_id=side) for side in ("left", "right")),
        ]
    )
