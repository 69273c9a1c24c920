"""The funnel: how many come to each gate, and how many pass."""

import polars as pl

from knowledge.learnings.stage import outcomes
from knowledge.stage import Frames
from knowledge.tables import FUNNEL

GATES = ("structural", "not_introduced", "semantic", "no_fact")
"""Gates of names, in their order."""


def funnel(tables: Frames) -> pl.DataFrame:
    """The table `funnel` of one namespace.

    Names are counted as distinct names, statements as candidates, facts and conversations as rows.
    """
    namespaces = tables["candidates"]["namespace"].unique().to_list()
    return FUNNEL.frame(
        {
            "namespace": namespace,
            "stage": stage,
            "gate": gate,
            "rows_in": came,
            "passed": passed,
            "refused": came - passed,
            "rate": passed / came if came else 1.0,
        }
        for namespace in namespaces
        for stage, gate, came, passed in _gates(
            {n: f.filter(pl.col("namespace") == namespace) for n, f in tables.items()}
        )
    )


def _gates(tables: Frames) -> list[tuple[str, str, int, int]]:
    rejections, entities = tables["rejections"], tables["entities"]
    gates: list[tuple[str, str, int, int]] = []
    came = rejections.height + entities.height
    for gate in GATES:
        passed = came - rejections.filter(pl.col("gate") == gate).height
        gates.append(("entities", gate, came, passed))
        came = passed
    stated = sum(
        tables[name].filter(pl.col("kind") != "entity").height
        for name in ("candidates", "known_only_candidates", "theme_facts")
    )
    about_known = tables["fact_sources"]["candidate_id"].n_unique()
    gates.append(("facts", "about_an_entity", stated, about_known))
    memory = tables["memory"]
    merged = memory.filter(pl.col("status") == "merged_into").height
    gates.append(("memory", "not_merged_away", memory.height, memory.height - merged))
    judged = outcomes(tables["learning_candidates"], tables["learnings"])
    left = judged.height
    for gate, outcome in (
        ("value", "low_value"),
        ("categories", "no_categories"),
        ("quality", "low_quality"),
        ("not_known_before", "duplicate"),
    ):
        passed = left - judged.filter(pl.col("outcome") == outcome).height
        gates.append(("learnings", gate, left, passed))
        left = passed
    return gates
