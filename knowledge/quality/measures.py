"""What the system reports of itself: numbers from its tables, none that was not measured.

Where nothing was measured yet, a measure has no value, and says why.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import polars as pl

from cairn.knowledge.consolidation.verdicts.standing import IN_FORCE
from cairn.knowledge.engine.stage import Frames
from cairn.knowledge.learnings.goals import ALL
from cairn.knowledge.learnings.goals import measures as of_learnings
from cairn.knowledge.llm.costs import costs
from cairn.knowledge.quality.retraction_guard import struck
from cairn.knowledge.schema.fact_types import NAME_PREDICATES, is_event
from cairn.knowledge.schema.tables import (
    CONFIDENCE_UPDATES,
    CONTRADICTION_VERDICTS,
    EVIDENCE,
    FUNNEL,
    LEARNING_CANDIDATES,
    LEARNINGS,
    MERGES,
    MODEL_CALLS,
    RAW_LOGS,
    VALID_TIMES,
    Table,
)

READS = (
    FUNNEL, CONFIDENCE_UPDATES, EVIDENCE, MERGES, VALID_TIMES, CONTRADICTION_VERDICTS,
    LEARNING_CANDIDATES, LEARNINGS, MODEL_CALLS, RAW_LOGS,
)  # fmt: skip
"""Tables that are measured, beside MEMORY; of RAW_LOGS the ids alone."""

WEEK = timedelta(days=7)
COST_GOAL, EMBEDDINGS_GOAL = 0.10, 0.02
"""Dollars a week, at 500 facts, 100 turns and 50 episodes."""


@dataclass(frozen=True)
class Measure:
    """One number about a namespace."""

    name: str
    about: str
    value: float | None
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    """What it is of, where there are several: stage and gate, decision, kind, …"""
    why: str | None = None
    """Why there is no value."""
    goal: str | None = None
    """What it should be."""
    met: bool | None = None
    """Whether it is; None where there is no goal or no value."""


def columns_read(table: Table) -> list[str]:
    """Columns of a table that are measured."""
    return ["record_id"] if table is RAW_LOGS else list(table.columns)


def of_knowledge(tables: Frames, memory: pl.DataFrame, as_of: datetime) -> list[Measure]:
    """What follows from published tables.

    Args:
        tables: Rows of one namespace: READS.
        memory: fact_id, predicate, event and status of MEMORY, `status` as a reader sees it at
            `as_of`.
        as_of: What came later is left out of shares and merges; the funnel is as published.
    """
    return [
        *_funnel(tables["funnel"]),
        *_merges(tables["merges"], as_of),
        *_shares(tables, memory, as_of),
        *_contradictions(tables["evidence"], tables["contradiction_verdicts"], as_of),
        *_learnings(tables),
    ]


def _funnel(funnel: pl.DataFrame) -> list[Measure]:
    about = "Share of what came to a gate that passed it."
    return [
        Measure(
            "gate_pass_rate",
            about,
            row["rate"] if row["rows_in"] else None,
            {"stage": row["stage"], "gate": row["gate"]},
            None if row["rows_in"] else "nothing came to it",
        )
        for row in funnel.iter_rows(named=True)
    ] + [
        Measure(f"gate_{name}", told, row[column], {"stage": row["stage"], "gate": row["gate"]})
        for name, column, told in (
            ("rows_in", "rows_in", "What came to a gate."),
            ("rejected", "rejected", "What a gate refused."),
        )
        for row in funnel.iter_rows(named=True)
    ]


def _merges(merges: pl.DataFrame, as_of: datetime) -> list[Measure]:
    decided = _until(merges, "decided_at", as_of)
    counts = dict(decided["decision"].value_counts().sort("decision").iter_rows())
    last = decided.filter(
        pl.col("decided_at") > as_of - WEEK, pl.col("decision").is_in(["auto_merge", "merge"])
    )
    return [
        *(
            Measure(
                "merges", "Decisions about facts that are alike.", count, {"decision": decision}
            )
            for decision, count in counts.items()
        ),
        Measure(
            "merges_per_night",
            "Facts merged a day, in the week before the latest event and by its time.",
            last.height / WEEK.days,
        ),
    ]


def _shares(tables: Frames, memory: pl.DataFrame, as_of: datetime) -> list[Measure]:
    said = memory.filter(~pl.col("predicate").is_in(list(NAME_PREDICATES)), ~is_event())
    there = said.filter(pl.col("status").is_in(IN_FORCE))
    updates = _until(tables["confidence_updates"], "occurred_at", as_of)
    again = updates.filter(cause="support")["fact_id"].unique()
    out = struck(
        {
            "evidence": _until(tables["evidence"], "occurred_at", as_of).lazy(),
            "valid_times": _until(tables["valid_times"], "end_known_from", as_of).lazy(),
            "merges": _until(tables["merges"], "decided_at", as_of).lazy(),
        }
    ).join(said.select("fact_id"), on="fact_id", how="semi")
    none = "no statement is there yet"
    return [
        _share("statements_decayed_share",
               "Statements in force that faded below the bar.",
               there.filter(status="deprecated").height, there.height, none),
        _share("statements_reinforced_share",
               "Statements in force that another conversation bore out.",
               there.filter(pl.col("fact_id").is_in(again.implode())).height, there.height, none),
        _share("statements_struck_out_share",
               "Statements that were contradicted, ended or merged away by a contradiction.",
               out.height, said.height, none),
    ]  # fmt: skip


def _contradictions(
    evidence: pl.DataFrame, verdicts: pl.DataFrame, as_of: datetime
) -> list[Measure]:
    """Pairs that deny each other, by who said so."""
    left, right = (
        pl.min_horizontal("fact_id", "source_id"),
        pl.max_horizontal("fact_id", "source_id"),
    )
    pairs = (
        _until(evidence, "occurred_at", as_of)
        .filter(kind="contradiction")
        .select(left_id=left, right_id=right)
        .unique()
    )
    by_model = verdicts.filter(
        pl.col("verdict") == "contradiction", pl.col("rejected_by").is_null()
    )
    model = pairs.join(by_model, on=["left_id", "right_id"], how="semi").height
    about = "Pairs of facts that deny each other, by who decided it."
    return [
        Measure("contradictions", about, pairs.height - model, {"by": "rule"}),
        Measure("contradictions", about, model, {"by": "model"}),
    ]


def _learnings(tables: Frames) -> list[Measure]:
    found = of_learnings(
        tables["learning_candidates"],
        tables["learnings"],
        tables["raw_logs"].select("record_id"),
        tables["model_calls"],
    )
    return [
        Measure(
            f"learnings_{goal.name}",
            goal.about,
            found.get(goal.name),
            why=None if goal.name in found else "nothing of it was measured yet",
            goal=f"{goal.least:g} to {goal.most:g}",
            met=goal.least <= found[goal.name] <= goal.most if goal.name in found else None,
        )
        for goal in ALL
    ]


def of_use(uses: pl.DataFrame, calls: pl.DataFrame, now: datetime) -> list[Measure]:
    """What was asked, and what it cost, in the week before a moment of the clock.

    Args:
        uses: at, kind, results, near, redundant: a row for each answer.
        calls: Rows of MODEL_CALLS.
        now: The moment.
    """
    last = uses.filter(pl.col("at") > now - WEEK)
    searches = last.filter(kind="search")
    near, redundant = (int(searches[name].sum()) for name in ("near", "redundant"))
    week, embeds = calls.filter(pl.col("called_at") > now - WEEK), pl.col("asset") == "embeddings"
    paid, embedded = _dollars(week.filter(~embeds)), _dollars(week.filter(embeds))
    return [
        *(
            Measure(
                "answers_week",
                "Answers in the last 7 days: searches, and contexts for a prompt.",
                last.filter(kind=kind).height,
                {"kind": kind},
            )
            for kind in ("search", "context")
        ),
        _share("answers_empty_share", "Answers of the last 7 days in which nothing was found.",
               last.filter(results=0).height, last.height, "nothing was asked in the last 7 days"),
        _share("results_redundant_share",
               "Of what searches found near in 7 days, what said the same as another: left out.",
               redundant, near, "no search found anything in the last 7 days"),
        Measure(
            "cost_week_dollars",
            "Paid to language models in the last 7 days, in dollars.",
            paid,
            why="the price of the model is not known" if paid is None else None,
            goal=f"under {COST_GOAL} at 500 facts, 100 turns and 50 episodes",
            met=None if paid is None else paid < COST_GOAL,
        ),
        Measure(
            "embeddings_week_dollars",
            "Paid for embeddings in the last 7 days, in dollars.",
            embedded,
            why="the price of the embedder is not known" if embedded is None else None,
            goal=f"under {EMBEDDINGS_GOAL} at 500 facts, 100 turns and 50 episodes",
            met=None if embedded is None else embedded < EMBEDDINGS_GOAL,
        ),
    ]  # fmt: skip


def _dollars(calls: pl.DataFrame) -> float | None:
    """What was paid for some calls; None if a price is not known."""
    every = costs(calls).row(0, named=True)
    return every["dollars"] if every["calls"] else 0.0


def _until(rows: pl.DataFrame, column: str, as_of: datetime) -> pl.DataFrame:
    """Rows that are undated, or not later."""
    return rows.filter((pl.col(column) <= as_of).fill_null(value=True))


def _share(name: str, about: str, part: int, of: int, none: str) -> Measure:
    return Measure(name, about, part / of if of else None, why=None if of else none)
