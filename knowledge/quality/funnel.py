"""The funnel: how many come to each gate, and how many pass."""

import polars as pl

from cairn.knowledge.engine.stage import Frames
from cairn.knowledge.extraction.context_gate import OFF_CONTEXT
from cairn.knowledge.learnings.stages import outcomes
from cairn.knowledge.llm.prompt_injection import QUARANTINED_ORDERS
from cairn.knowledge.schema.tables import FUNNEL

GATES = ("structural", "not_introduced", "semantic", "no_fact")
"""Gates of names, in their order."""

CHECKS = {
    "from_the_text": ("canary", "not_given", "quote_not_found", "not_in_quote"),
    "asserted": ("question", "wish", "quotation", "hypothetical"),
    "no_orders": (QUARANTINED_ORDERS,),
    "in_context": (OFF_CONTEXT,),
}
"""Gates of what a model proposes, and the reasons of each; before them `form` has all others."""


def funnel(tables: Frames) -> pl.DataFrame:
    """The table `funnel` of one namespace.

    Names are counted as distinct names, statements and what a model proposes as candidates, facts
    and conversations as rows. Without a model there are no gates of its proposals.
    """
    proposed = pl.concat([tables[name]["namespace"] for name in ("candidates", "rejected_facts")])
    namespaces = proposed.unique().to_list()
    return FUNNEL.frame(
        {
            "namespace": namespace,
            "stage": stage,
            "gate": gate,
            "rows_in": came,
            "passed": passed,
            "rejected": came - passed,
            "rate": passed / came if came else 1.0,
        }
        for namespace in namespaces
        for stage, gate, came, passed in _gates(
            {n: f.filter(pl.col("namespace") == namespace) for n, f in tables.items()}
        )
    )


def _gates(tables: Frames) -> list[tuple[str, str, int, int]]:
    rejections, entities = tables["rejections"], tables["entities"]
    gates = _proposals(tables["candidates"], tables["rejected_facts"])
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


def _proposals(candidates: pl.DataFrame, rejected: pl.DataFrame) -> list[tuple[str, str, int, int]]:
    """What a model proposed in full mode through its checks, names by themselves."""
    gate = pl.lit("form")
    for name, reasons in CHECKS.items():
        gate = pl.when(pl.col("reason").is_in(reasons)).then(pl.lit(name)).otherwise(gate)
    fell = rejected.filter(pl.col("mode") == "full").with_columns(gate=gate)
    accepted = candidates.filter(pl.col("mode") == "full")
    gates: list[tuple[str, str, int, int]] = []
    for kind, stage in (("entity", "full_mode_names"), ("fact", "full_mode_facts")):
        by_gate = dict(fell.filter(pl.col("kind") == kind)["gate"].value_counts().iter_rows())
        came = accepted.filter(pl.col("kind") == kind).height + sum(by_gate.values())
        for name in ("form", *CHECKS) if came else ():
            passed = came - by_gate.get(name, 0)
            gates.append((stage, name, came, passed))
            came = passed
    return gates
