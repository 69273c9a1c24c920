"""What must add up: rows that were counted one way, and rows that are there."""

from collections.abc import Callable, Iterable

import polars as pl

from cairn.knowledge.assembly.stages import BY_RULES
from cairn.knowledge.engine.extractors import STAGE_OF
from cairn.knowledge.extraction.documents import STRUCTURING
from cairn.knowledge.extraction.llm_extraction import FULL_MODE
from cairn.knowledge.extraction.rules import RULES
from cairn.knowledge.learnings.llm.extraction import LEARNING_MODEL
from cairn.knowledge.learnings.stages import EXTRACTOR as LEARNING_RULES
from cairn.pipelines.checks.expectation_check import ReadTable

Counts = Callable[[ReadTable], pl.LazyFrame]
"""Gives rows of two counts, `counted` and `expected`, that must be equal."""


def _conversations(read: ReadTable) -> pl.LazyFrame:
    key = ["namespace", "conversation_id"]
    counted = read("raw_logs", *key).group_by(key).agg(pl.len().alias("counted"))
    stored = read("conversations", *key, "records").rename({"records": "expected"})
    return stored.join(counted, on=key, how="full")


def _worked(table: str, stages: Iterable[str]) -> Counts:
    """Rows that units say they gave, and rows that are there."""

    def counts(read: ReadTable) -> pl.LazyFrame:
        key = ["namespace", "stage"]
        said = (
            read("work", *key, "rows")
            .filter(pl.col("stage").is_in(list(stages)))
            .group_by(key)
            .agg(pl.col("rows").sum().alias("expected"))
        )
        stage = STAGE_OF.alias("stage")
        there = read(table, "namespace", "extractor").group_by("namespace", stage)
        return said.join(there.agg(pl.len().alias("counted")), on=key, how="full")

    return counts


def _names(read: ReadTable) -> pl.LazyFrame:
    found = read("known_only_candidates", "namespace", "reason")
    both = pl.concat(
        [
            read("candidates", "namespace"),
            found.filter(pl.col("reason").is_null()).select("namespace"),
        ]
    )
    proposed = both.group_by("namespace").agg(expected=pl.len())
    judged = pl.concat(
        [
            read("entities", "namespace", "mentions").rename({"mentions": "counted"}),
            read("rejections", "namespace", "candidates").rename({"candidates": "counted"}),
        ]
    )
    return proposed.join(
        judged.group_by("namespace").agg(pl.col("counted").sum()), on="namespace", how="full"
    )


def _sources(read: ReadTable) -> pl.LazyFrame:
    key = ["namespace", "fact_id"]
    there = (
        read("fact_sources", *key, "record_id", "conversation_id")
        .group_by(key)
        .agg(
            pl.col("record_id").n_unique().alias("records"),
            pl.col("conversation_id").n_unique().alias("conversations"),
        )
    )
    both = read("facts", *key, "source_count", "conversation_count").join(there, on=key, how="full")
    return pl.concat(
        [
            both.select(counted="records", expected="source_count"),
            both.select(counted="conversations", expected="conversation_count"),
        ]
    )


def _canonical(read: ReadTable) -> pl.LazyFrame:
    """What stands for others counts what all of them were mentioned, and nobody is lost."""
    now = read("memory_entities", "namespace", "entity_id", "canonical_id", "mentions")
    own = pl.col("canonical_id") == pl.col("entity_id")
    gone = read("entity_merges", "namespace").group_by("namespace").agg(expected=pl.len())
    said = read("entities", "namespace", "mentions").group_by("namespace")
    by_name = now.group_by("namespace")
    return pl.concat(
        [
            by_name.agg(counted=(~own).sum())
            .join(gone, on="namespace", how="full")
            .select(pl.col("counted", "expected").cast(pl.Int64)),
            by_name.agg(counted=pl.col("mentions").filter(own).sum())
            .join(said.agg(expected=pl.col("mentions").sum()), on="namespace", how="full")
            .select("counted", "expected"),
        ]
    )


def _gates(read: ReadTable) -> pl.LazyFrame:
    return read("funnel", "rows_in", "passed", "rejected").select(
        counted=pl.col("passed") + pl.col("rejected"), expected="rows_in"
    )


BALANCES: dict[str, tuple[tuple[str, ...], str, Counts]] = {
    "conversations": (
        ("conversations", "raw_logs"),
        "Each conversation counts its events, and none is left over.",
        _conversations,
    ),
    "candidates": (
        ("candidates", "work"),
        "Rows of each rule, and of full mode, are those that its units of work say they gave.",
        _worked("candidates", [*(rule.name for rule in RULES), STRUCTURING.name, FULL_MODE.name]),
    ),
    "learning_candidates": (
        ("learning_candidates", "work"),
        "Rows of rules, and of a model, are those that their units of work say they gave.",
        _worked("learning_candidates", [LEARNING_RULES.name, LEARNING_MODEL.name]),
    ),
    **{
        stage.name: (
            (stage.name, "work"),
            "Rows of a conversation are those that its unit of work says it gave.",
            _worked(stage.name, [stage.extractor.name]),
        )
        for stage in BY_RULES
    },
    "entities": (
        ("entities", "rejections", "candidates", "known_only_candidates"),
        "Each candidate names an accepted entity or a rejected one.",
        _names,
    ),
    "fact_sources": (
        ("facts", "fact_sources"),
        "Each fact counts its sources and conversations, and none is left over.",
        _sources,
    ),
    "memory_entities": (
        ("memory_entities", "entity_merges", "entities"),
        "Each merged entity has one that stands for it, which counts its mentions.",
        _canonical,
    ),
    "funnel": (("funnel",), "What came to a gate passed it or was refused.", _gates),
}
"""Of a table: what is read, what must add up in words, and how it is counted."""
