"""Known-only mode: facts that the system's own searches brought, about names known before.

What is known is decided by event time: a name is given if a person's record introduced it before
the text that it occurs in, whatever order the days were processed in. Each record is asked about by
itself, with the names that occur in it; nothing that it is answered can bring a name in.
"""

from datetime import datetime
from typing import NamedTuple

import polars as pl

from knowledge.asking import Ask, LanguageModel
from knowledge.candidates import NOBODY
from knowledge.chunks import LOOKED_UP, Lines, chunks, pieces
from knowledge.extraction import Extraction, extraction, extractor, facts_ask, facts_of
from knowledge.extractors import Extractor
from knowledge.policy import Policy
from knowledge.prompts import KNOWN_FACTS
from knowledge.proposals import Known
from knowledge.questions import asked
from knowledge.quoting import occurring
from knowledge.tables import KNOWN_ONLY_CANDIDATES

KNOWN_ONLY = Extractor(
    "known_only",
    "model",
    3,
    "Facts that a language model finds in the system's own searches, about known names alone.",
    ("chunk_tokens", "model_confidence"),
)

ASSET = "known_only_candidates"

OF_PROSE = ("topic", "person", "system", "package", "host", "project")
"""Types of names that prose is about; tools and paths are known by what is done with them."""

_CANDIDATE = ["namespace", "candidate_id"]


class _Question(NamedTuple):
    lines: Lines
    names: list[Known]


def known_only(
    raw_logs: pl.DataFrame, introductions: pl.DataFrame, model: LanguageModel, policy: Policy
) -> Extraction:
    """Facts about known names, as a model finds them in the system's own searches.

    Args:
        raw_logs: Rows of RAW_LOGS, in any order.
        introductions: The table `introductions`.
        model: Answers.
        policy: Thresholds in force.

    Returns:
        Candidates are of mode `known_only`, each about a name of `introductions`. The outcomes
        are of the stage `known_only`.
    """
    questions = _questions(raw_logs, introductions, policy)
    given = {one.lines[0].chunk_id: one.names for one in questions}

    def ask(lines: Lines) -> Ask | None:
        return facts_ask(KNOWN_FACTS, lines, given[lines[0].chunk_id], ASSET)

    settled = asked((one.lines for one in questions), ask, model)
    label = extractor(KNOWN_ONLY, KNOWN_FACTS, model.model)
    proposals = facts_of(settled, given, label, policy)
    return extraction(KNOWN_ONLY.name, raw_logs, proposals, settled)


def known_only_rows(found: Extraction) -> pl.DataFrame:
    """What a model found, as rows of KNOWN_ONLY_CANDIDATES: refused ones with their reason.

    A fact that is there twice, and refused once, is none that was refused.
    """
    accepted = found.candidates.with_columns(reason=pl.lit(None, pl.String))
    refused = found.refused.sort("reason").unique(_CANDIDATE, keep="first", maintain_order=True)
    others = refused.join(accepted, on=_CANDIDATE, how="anti")
    return KNOWN_ONLY_CANDIDATES.frame(pl.concat([accepted, others]))


def _questions(
    raw_logs: pl.DataFrame, introductions: pl.DataFrame, policy: Policy
) -> list[_Question]:
    """Every chunk of what was looked up, with the names that were known then and occur in it."""
    every = pieces(chunks(raw_logs, LOOKED_UP, policy, within="record_id"))
    known = _known(introductions)
    found: list[_Question] = []
    for namespace in sorted({lines[0].namespace for lines in every}):
        own = [lines for lines in every if lines[0].namespace == namespace]
        texts = ["\n".join(line.text for line in lines) for lines in own]
        since = known.get(namespace, {})
        for lines, names in zip(own, occurring(texts, since), strict=True):
            at = lines[0].occurred_at
            given = [Known(name, since[name][1]) for name in names if at and since[name][0] < at]
            found.append(_Question(lines, sorted(given)))
    return found


def _known(introductions: pl.DataFrame) -> dict[str, dict[str, tuple[datetime, str]]]:
    """By namespace and name: when it was first introduced, and as what; undated ones never were."""
    rows = introductions.filter(
        pl.col("type").is_in(OF_PROSE)
        & pl.col("introduced_at").is_not_null()
        & ~((pl.col("type") == "person") & (pl.col("name") == NOBODY))
    ).sort("introduced_at", "type", descending=True)
    known: dict[str, dict[str, tuple[datetime, str]]] = {}
    for namespace, name, introduced_at, type_ in rows.select(
        "namespace", "name", "introduced_at", "type"
    ).iter_rows():
        # Of a package, `-` and `_` are the same (PEP 503); its name is written with either.
        for spelled in {name, name.replace("-", "_")} if type_ == "package" else {name}:
            known.setdefault(namespace, {})[spelled] = introduced_at, type_
    return known
