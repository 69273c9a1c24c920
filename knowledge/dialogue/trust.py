"""Trust: whose word a statement is, and how far such a word alone is believed.

A statement has the trust of its origin, and a fact that of the best of its sources. What was seen
to happen is no statement: the call itself is there. What an agent says by itself, and what stood in
text from outside before the agent said it, stays below what is passed on unasked, however often it
is said again. Lower still is what an agent only guesses, or says without a name that could be
looked up; lowest, what it took back. And what stood in a person's message too long to be typed may
be another's.
"""

import polars as pl

from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import NAME_PREDICATES

VERSION = 7
"""Rises when statements get another trust, or are passing by other rules; a part of whatever makes
candidates of them."""

RETRACTED, OUTSIDE, VAGUE, AGENT = "retracted", "outside", "vague", "agent"
SEARCHED, PASTED, OUTCOME, PERSON = "searched", "pasted", "outcome", "person"

TRUSTS = (RETRACTED, OUTSIDE, VAGUE, AGENT, SEARCHED, PASTED, OUTCOME, PERSON)
"""From the least to the best: what an agent took back, text from outside, an agent's guess or what
names nothing that its conversation showed, an agent's narration, what a search brought that a
person or their interest set off, what stood in a message too long to be typed, an outcome that was
seen, a person's word."""

_OF_MODE = {"given": PERSON, "known_only": SEARCHED}
"""What people load; what Cairn looked up."""

_OF_ORIGIN = {"human": PERSON, "agent": AGENT, "external": SEARCHED, "system": AGENT}
"""Who speaks. Of pages only those are read that a search of Cairn's brought; what the system says
is what a model made of a theme."""


BOUNDS = (
    "contradiction_factor", "max_agent_confidence", "max_outside_confidence",
    "max_vague_confidence", "max_pasted_confidence",
)  # fmt: skip
"""Settings that `at_most` reads."""


def whose_word() -> pl.Expr:
    """The trust of a candidate: its own, else that of its predicate, its mode or who spoke.

    Wants predicate, origin, mode and trust.
    """
    person = pl.col("origin") == "human"
    observed = pl.when(person).then(pl.lit(PERSON)).otherwise(pl.lit(OUTCOME))
    return pl.coalesce(
        "trust",
        pl.when(pl.col("predicate").is_in(NAME_PREDICATES)).then(observed),
        pl.col("mode").replace_strict(_OF_MODE, default=None, return_dtype=pl.String),
        pl.col("origin").replace_strict(_OF_ORIGIN, default=OUTSIDE, return_dtype=pl.String),
    )


def best() -> pl.Expr:
    """The best of several trusts, as an aggregation of the column `trust`."""
    return pl.col("trust").cast(pl.Enum(TRUSTS)).max().cast(pl.String)


def counts_against(word: str, other: str) -> pl.Expr:
    """Whether a word of one trust counts against a statement of another, by the columns of both.

    An agent's narration and text from outside do not where the statement has better trust.
    """
    rank = {trust: place for place, trust in enumerate(TRUSTS)}
    mine, its = (pl.col(name).replace_strict(rank, default=None) for name in (word, other))
    return ((mine > rank[AGENT]) | (mine >= its)).fill_null(value=True)


def most(trust: str, policy: Policy) -> float:
    """The most confidence that a statement of this trust has by itself."""
    match trust:
        case "retracted":
            return policy.max_agent_confidence * policy.contradiction_factor
        case "outside":
            return policy.max_outside_confidence
        case "vague":
            return policy.max_vague_confidence
        case "agent":
            return policy.max_agent_confidence
        case "pasted":
            return policy.max_pasted_confidence
        case _:
            return 1.0


def at_most(policy: Policy) -> pl.Expr:
    """`most` of the column `trust`."""
    bounds = {trust: most(trust, policy) for trust in TRUSTS}
    return pl.col("trust").replace_strict(bounds, return_dtype=pl.Float64)
