"""Known-only mode: facts that searches brought, about names known before.

What is known is decided by event time: a name is given if a person's record introduced it before
the text that it occurs in, whatever order the days were processed in. Each record is read by
itself, with the names that occur in it; nothing that it says can bring a name in.

A language model reads what the system looked up by itself; what people's searches brought, it reads
in full mode. Without one the grammar of knowledge/extraction/prose_extraction.py reads both.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import polars as pl

from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.extraction.llm_units import (
    Extraction,
    asked_facts,
    extraction,
    facts_of,
)
from cairn.knowledge.extraction.prose_extraction import said_of, spellings
from cairn.knowledge.extraction.validation import KnownName, judged_facts
from cairn.knowledge.llm.chunks import LOOKED_UP, SEARCH_RESULT, Lines, chunks, pieces
from cairn.knowledge.llm.client import LanguageModel
from cairn.knowledge.llm.prompts import KNOWN_FACTS
from cairn.knowledge.nlp.spans import occurring
from cairn.knowledge.schema.entity_types import OF_PROSE
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import NOBODY
from cairn.knowledge.schema.tables import KNOWN_ONLY_CANDIDATES

KNOWN_ONLY = Extractor(
    "known_only",
    "stage",
    4,
    "Facts in what searches brought, about known names alone.",
    ("chunk_tokens", "model_confidence"),
)

ASSET = "known_only_candidates"


OF_PAGES = ("topic", "system", "package")
"""Those whose names mean the same to strangers; their host `nas` and their Mira are others."""

READ = LOOKED_UP | SEARCH_RESULT
"""What may be read, by a model or without one."""

_CANDIDATE = ["namespace", "candidate_id"]


class _Question(NamedTuple):
    lines: Lines
    names: dict[str, KnownName]
    """Names that were known then and occur, by how they are written."""

    @property
    def given(self) -> list[KnownName]:
        """The names, each once."""
        return sorted(set(self.names.values()))


def known_only(
    raw_logs: pl.DataFrame, introductions: pl.DataFrame, model: LanguageModel, policy: Policy
) -> Extraction:
    """Facts about known names, as a model finds them in the system's own searches.

    Returns:
        Candidates are of mode `known_only`, each about a name of `introductions`. The outcomes
        are of the stage `known_only`.
    """
    logs = raw_logs.filter(LOOKED_UP.fill_null(value=False))
    known = _known(introductions, OF_PROSE, _as_asked)
    questions = _questions(chunks(logs, LOOKED_UP, policy, within="record_id"), known)
    given = {one.lines[0].chunk_id: one.given for one in questions}

    settled = asked_facts(model, KNOWN_FACTS, [one.lines for one in questions], given, ASSET)
    proposals = facts_of(settled, given, KNOWN_ONLY, model.model, policy)
    return extraction(KNOWN_ONLY.name, raw_logs, proposals, settled)


def known_only_by_grammar(
    raw_logs: pl.DataFrame, introductions: pl.DataFrame, policy: Policy
) -> Extraction:
    """Facts about known names, as sentences of search results state them, with no model to ask.

    Returns:
        As `known_only`: each sentence passes the checks that a model's proposal does.
    """
    known = _known(introductions, OF_PAGES, _as_read)
    read = chunks(raw_logs, SEARCH_RESULT, policy, within="record_id")
    proposals = [
        proposal
        for lines, names in _questions(read, known)
        for line in lines
        for proposal in judged_facts(
            list(said_of(line.text, line.number, names)),
            lines,
            {name.key: name for name in names.values()},
            KNOWN_ONLY.label,
            policy,
        )
    ]
    return extraction(KNOWN_ONLY.name, raw_logs, proposals, ())


def known_only_rows(found: Extraction) -> pl.DataFrame:
    """What was found, as rows of KNOWN_ONLY_CANDIDATES: refused ones with their reason.

    A fact that is there twice, and refused once, is none that was refused.
    """
    accepted = found.candidates.with_columns(reason=pl.lit(None, pl.String))
    refused = found.refused.sort("reason").unique(_CANDIDATE, keep="first", maintain_order=True)
    others = refused.join(accepted, on=_CANDIDATE, how="anti")
    return KNOWN_ONLY_CANDIDATES.frame(pl.concat([accepted, others]))


def _questions(
    read: pl.DataFrame, known: dict[str, dict[str, tuple[datetime, KnownName]]]
) -> list[_Question]:
    """Every chunk of what was looked up, with the names that were known then and occur in it."""
    every = pieces(read)
    found: list[_Question] = []
    for namespace in sorted({lines[0].namespace for lines in every}):
        own = [lines for lines in every if lines[0].namespace == namespace]
        texts = ["\n".join(line.text for line in lines) for lines in own]
        since = known.get(namespace, {})
        for lines, names in zip(own, occurring(texts, since), strict=True):
            at = lines[0].occurred_at
            given = {name: since[name][1] for name in names if at and since[name][0] < at}
            found.append(_Question(lines, given))
    return found


def _as_asked(known: KnownName) -> dict[str, KnownName]:
    """The forms of a name, each as a model is asked about it."""
    # Of a package, `-` and `_` are the same (PEP 503); its name is written with either.
    names = {known.name, known.name.replace("-", "_")} if known.type == "package" else {known.name}
    return {name: KnownName(name, known.type) for name in names}


def _as_read(known: KnownName) -> dict[str, KnownName]:
    """The forms that a name may have as a subject, each with the name itself."""
    return dict.fromkeys(spellings(known), known)


def _known(
    introductions: pl.DataFrame,
    types: Sequence[str],
    forms: Callable[[KnownName], Mapping[str, KnownName]],
) -> dict[str, dict[str, tuple[datetime, KnownName]]]:
    """By namespace and form: when the name was first introduced, and as what.

    Undated ones never were.
    """
    rows = introductions.filter(
        pl.col("type").is_in(types)
        & pl.col("introduced_at").is_not_null()
        & ~((pl.col("type") == "person") & (pl.col("name") == NOBODY))
    ).sort("introduced_at", "type", "name", descending=True)
    known: dict[str, dict[str, tuple[datetime, KnownName]]] = {}
    topics = set(rows.filter(type="topic").select("namespace", "name").iter_rows())
    for namespace, name, introduced_at, type_ in rows.select(
        "namespace", "name", "introduced_at", "type"
    ).iter_rows():
        for form, one in forms(KnownName(name, type_)).items():
            if form == name or (namespace, form) not in topics:  # `bees` are not the topic `bee`
                known.setdefault(namespace, {})[form] = introduced_at, one
    return known
