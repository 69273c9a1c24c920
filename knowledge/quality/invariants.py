"""What must hold before anything is published: keys, references, ranges, quotes, no secrets."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

import polars as pl

from cairn.knowledge.engine.diff import Change
from cairn.knowledge.redaction import VERSION as REDACTION
from cairn.knowledge.redaction import redactor
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.tables import TABLES
from cairn.knowledge.schema.tables.table import JSON_COLUMNS

REFERENCES = (
    ("conversations", "conversation_id", "raw_logs", "conversation_id"),
    ("episodes", "conversation_id", "conversations", "conversation_id"),
    ("episodes", "episode_id", "raw_logs", "record_id"),
    ("candidates", "record_id", "raw_logs", "record_id"),
    ("rejected_facts", "record_id", "raw_logs", "record_id"),
    ("pieces", "candidate_id", "candidates", "candidate_id"),
    ("pieces", "record_id", "raw_logs", "record_id"),
    ("check_ins", "record_id", "raw_logs", "record_id"),
    ("check_ins", "loaded", "candidates", "candidate_id"),
    ("introductions", "record_id", "raw_logs", "record_id"),
    ("known_only_candidates", "record_id", "raw_logs", "record_id"),
    ("theme_facts", "record_id", "raw_logs", "record_id"),
    ("theme_facts", "derived_from", "episodes", "episode_id"),
    ("theme_facts", "theme_id", "themes", "theme_id"),
    ("facts", "entity_id", "entities", "entity_id"),
    ("facts", "derived_from", "episodes", "episode_id"),
    ("fact_sources", "fact_id", "facts", "fact_id"),
    ("fact_sources", "record_id", "raw_logs", "record_id"),
    ("facts", "fact_id", "fact_sources", "fact_id"),
    ("entity_verdicts", "left_id", "entities", "entity_id"),
    ("entity_verdicts", "right_id", "entities", "entity_id"),
    ("entity_merges", "entity_id", "entities", "entity_id"),
    ("entity_merges", "canonical_id", "entities", "entity_id"),
    ("memory", "entity_id", "memory_entities", "entity_id"),
    ("decisions", "decision_id", "raw_logs", "record_id"),
    ("decisions", "facts", "facts", "fact_id"),
    ("decisions", "replaced_by", "facts", "fact_id"),
    ("decisions", "superseded_by", "decisions", "decision_id"),
    ("similar_facts", "left_id", "facts", "fact_id"),
    ("similar_facts", "right_id", "facts", "fact_id"),
    ("valid_times", "fact_id", "facts", "fact_id"),
    ("valid_times", "entity_id", "entities", "entity_id"),
    ("valid_times", "ended_by", "facts", "fact_id"),
    ("valid_times", "parallel_with", "facts", "fact_id"),
    ("contradiction_verdicts", "left_id", "facts", "fact_id"),
    ("contradiction_verdicts", "right_id", "facts", "fact_id"),
    ("merge_verdicts", "left_id", "facts", "fact_id"),
    ("merge_verdicts", "right_id", "facts", "fact_id"),
    ("evidence", "fact_id", "facts", "fact_id"),
    ("confidence_updates", "fact_id", "facts", "fact_id"),
    ("clusters", "fact_id", "facts", "fact_id"),
    ("merges", "winner_id", "facts", "fact_id"),
    ("merges", "loser_ids", "facts", "fact_id"),
    ("memory", "fact_id", "facts", "fact_id"),
    ("facts", "fact_id", "memory", "fact_id"),
    ("memory", "merged_into", "memory", "fact_id"),
    ("memory_entities", "entity_id", "entities", "entity_id"),
    ("memory_entities", "canonical_id", "memory_entities", "entity_id"),
    ("themes", "medoid_id", "episodes", "episode_id"),
    ("themes", "episode_ids", "episodes", "episode_id"),
    ("learnings", "source_record_ids", "raw_logs", "record_id"),
    ("learnings", "conversation_id", "conversations", "conversation_id"),
    ("learnings", "conversation_ids", "conversations", "conversation_id"),
    ("learning_candidates", "conversation_id", "conversations", "conversation_id"),
    ("command_runs", "conversation_id", "conversations", "conversation_id"),
    ("command_runs", "record_id", "raw_logs", "record_id"),
    ("file_edits", "conversation_id", "conversations", "conversation_id"),
    ("file_edits", "record_id", "raw_logs", "record_id"),
    ("checkouts", "conversation_id", "conversations", "conversation_id"),
    ("checkouts", "record_id", "raw_logs", "record_id"),
    ("checkouts", "folder", "projects", "folder"),
    ("projects", "project", "projects", "folder"),
    ("observations", "conversation_id", "conversations", "conversation_id"),
    ("observations", "record_id", "raw_logs", "record_id"),
    ("project_facts", "source_record_ids", "raw_logs", "record_id"),
    ("practices", "source_record_ids", "raw_logs", "record_id"),
    ("practices", "replaced_by", "practices", "practice_id"),
    ("practices", "replaces", "practices", "practice_id"),
    ("failures", "record_id", "raw_logs", "record_id"),
    ("failures", "fix_record_ids", "raw_logs", "record_id"),
    ("failures", "passed_record_id", "raw_logs", "record_id"),
    ("error_signatures", "source_record_ids", "raw_logs", "record_id"),
    ("preferences", "record_id", "raw_logs", "record_id"),
    ("preferences", "ended_by", "raw_logs", "record_id"),
    ("engagements", "record_id", "raw_logs", "record_id"),
    ("engagements", "entity_id", "entities", "entity_id"),
    ("engagements", "preference_id", "preferences", "preference_id"),
    ("interests", "entity_id", "entities", "entity_id"),
    ("interests", "engagement_ids", "engagements", "engagement_id"),
    ("learn_prompts", "learn_prompt_id", "raw_logs", "record_id"),
    ("learn_prompts", "search_ids", "raw_logs", "record_id"),
    ("enrichment_queue", "learn_prompt_id", "learn_prompts", "learn_prompt_id"),
    ("enrichment_queue", "schedule_id", "raw_logs", "record_id"),
    ("enrichment_queue", "entity_id", "memory_entities", "entity_id"),
)
"""Column of a table whose every value stands in a column of another."""


def _named(columns: str) -> tuple[tuple[str, str], ...]:
    """Tables and columns of a text: `facts.base_confidence memory.confidence`."""
    return tuple(
        (table, name) for table, _, name in (one.partition(".") for one in columns.split())
    )


UNIT_RANGES = _named(
    """
    candidates.confidence known_only_candidates.confidence theme_facts.confidence
    facts.base_confidence memory.confidence confidence_updates.confidence confidence_updates.decayed
    evidence.similarity entity_merges.similarity entity_verdicts.similarity
    entity_verdicts.confidence similar_facts.similarity learnings.confidence
    learning_candidates.value project_facts.share error_signatures.rank clusters.probability
    engagements.strength
    """
)
"""Columns between 0 and 1."""

TEXTS = _named(
    """
    raw_logs.text raw_logs.tool_input episodes.text candidates.quote candidates.object
    rejected_facts.quote rejected_facts.object pieces.embedding_text check_ins.given
    check_ins.answer known_only_candidates.quote known_only_candidates.object theme_facts.quote
    theme_facts.object valid_times.value contradiction_verdicts.reason merge_verdicts.reason
    merges.reason entity_verdicts.reason entity_merges.reason memory.content
    memory_entities.display_name learnings.title learnings.content
    command_runs.command practices.command file_edits.path checkouts.folder checkouts.value
    projects.folder observations.name observations.value project_facts.name project_facts.other
    preferences.topic preferences.name preferences.person learn_prompts.prompt_text
    enrichment_queue.topic enrichment_queue.query notifications.name notifications.text
    """
)
"""Columns that hold words of logs, in which no secret may stand."""

QUOTED = ("candidates", "known_only_candidates", "theme_facts")
"""Tables whose rows quote their record; a refused one may quote what stands nowhere."""


_LOOKED_INTO = frozenset(
    [
        *(table for table, _ in (*UNIT_RANGES, *TEXTS)),
        *(table for source, _, target, _ in REFERENCES for table in (source, target)),
    ]
)


def is_looked_into(name: str) -> bool:
    """Whether more of a table is looked at than that no key is repeated."""
    return name in _LOOKED_INTO


def quoted(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Rows of a table of QUOTED that no check refused."""
    if "reason" not in rows.collect_schema():
        return rows
    return rows.filter(pl.col("reason").is_null())


FEW = 10_000
"""Rows of a table up to which it is read once, and not anew for each question."""

VERSION = 1
"""Rises when something else is checked: what was published before is then checked whole."""


def fingerprint() -> str:
    """Of all that is checked here."""
    return digest(VERSION, REDACTION, REFERENCES, UNIT_RANGES, TEXTS, QUOTED)


Changed = Mapping[str, Change | None]
"""What changed in tables, by name; None where all rows of one may be others."""


_Invariant = tuple[str, pl.LazyFrame]
"""What is wrong, with `{}` for in how many rows, and what counts them: one row, one column."""

_AT_ONCE = 8
"""Invariants counted together: one by one they take five times as long, all at once more memory."""


def violations(tables: Mapping[str, pl.LazyFrame], changed: Changed | None = None) -> list[str]:
    """What is broken in the tables of one namespace, in words without text of logs.

    Args:
        tables: All of them, by name.
        changed: What changed since nothing was broken: just that, and what refers to it, is looked
            at. Everything if it is not given.
    """
    of = _Tables(tables, dict.fromkeys(tables) if changed is None else changed)
    rules = [
        rule
        for kind in (_repeated, _dangling, _chains, _out_of_range, _false_quotes)
        for rule in kind(of)
    ]
    found: list[str] = []
    for first in range(0, len(rules), _AT_ONCE):
        asked = rules[first : first + _AT_ONCE]
        counts = pl.collect_all([count for _, count in asked])
        found += [
            what.format(count.item())
            for (what, _), count in zip(asked, counts, strict=True)
            if count.item()
        ]
    return [*found, *_secrets(of)]


@dataclass(frozen=True)
class _Tables:
    """Tables as they are, and what changed in them."""

    given: Mapping[str, pl.LazyFrame]
    changed: Changed
    _read: dict[str, pl.LazyFrame | None] = field(default_factory=dict[str, pl.LazyFrame | None])

    def rows(self, name: str) -> pl.LazyFrame | None:
        """All rows of a table without its texts, small ones read once; None if it has none."""
        if name not in self._read and name in self.given:
            rows = self.given[name].select(_columns(name))
            first = rows.head(FEW + 1).collect()
            few = first.lazy() if first.height <= FEW else rows
            self._read[name] = few if first.height else None
        return self._read.get(name)

    def new(self, name: str, *, texts: bool = False) -> pl.LazyFrame | None:
        """Rows that came, with its texts if they are asked for; None if there are none."""
        if name not in self.changed:
            return None
        change = self.changed[name]
        if change is None:
            rows = self.rows(name)
            return self.given[name] if texts and rows is not None else rows
        if change.come.is_empty():
            return None
        return change.come.lazy() if texts else change.come.lazy().select(_columns(name))

    def suspects(self, name: str, column: str, target: str, to: str) -> pl.LazyFrame | None:
        """Rows that came, and older ones whose row of another table may be gone, or another."""
        if name not in self.changed and target not in self.changed:
            return None
        rows, new, change = self.rows(name), self.new(name), self.changed.get(target)
        if rows is None or (target in self.changed and change is None):
            return rows
        is_whole = name in self.changed and self.changed[name] is None
        if is_whole or change is None or change.gone.is_empty():
            return new
        gone = change.gone[to].unique().implode()
        value = pl.col(column)
        refers = (
            value.list.eval(pl.element().is_in(gone)).list.any()
            if TABLES[name].columns[column].type.is_nested()
            else value.is_in(gone)
        )
        if new is None:
            return rows.filter(refers)
        return pl.concat([new, rows.filter(refers).join(new, on=TABLES[name].key, how="anti")])


@cache
def _columns(name: str) -> list[str]:
    """Columns of a table that are looked at in all its rows."""
    found = {*TABLES[name].key, *(column for of, column in UNIT_RANGES if of == name)}
    for table, column, target, to in REFERENCES:
        found |= ({column} if table == name else set()) | ({to} if target == name else set())
    if name in QUOTED:
        quotes = ("record_id", "quote", "quote_start", "quote_end", "quote_field", "reason")
        found |= {column for column in quotes if column in TABLES[name].columns}
    return sorted(found)


def _repeated(of: _Tables) -> Iterator[_Invariant]:
    """Keys that occur twice; of a row that came once more, what came does not tell."""
    for name in of.changed:
        if (rows := of.rows(name)) is not None:
            repeats = pl.len() - pl.struct(TABLES[name].key).n_unique()
            yield f"{name}: {{}} rows repeat a key", rows.select(repeats)


def _dangling(of: _Tables) -> Iterator[_Invariant]:
    for name, column, target, target_column in REFERENCES:
        if target not in of.given:
            continue
        rows = of.suspects(name, column, target, target_column)
        if rows is None:
            continue
        values = rows.select(column)
        if TABLES[name].columns[column].type.is_nested():
            values = values.explode(column)
        missing = values.drop_nulls()
        if (there := of.rows(target)) is not None:
            there = there.select(target_column)
            missing = missing.join(there, left_on=column, right_on=target_column, how="anti")
        yield f"{name}.{column}: {{}} are not in {target}.{target_column}", _count(missing)


def _chains(of: _Tables) -> Iterator[_Invariant]:
    """Facts and entities that were merged into one that was merged away itself; facts of such."""
    if not {"memory", "memory_entities"} & of.changed.keys():
        return
    memory, entities = of.rows("memory"), of.rows("memory_entities")
    if memory is not None:
        merged = memory.drop_nulls("merged_into")
        chained = merged.join(merged, left_on="merged_into", right_on="fact_id", how="semi")
        yield "memory.merged_into: {} are merged into a merged fact", _count(chained)
    if entities is not None:
        gone = entities.filter(pl.col("canonical_id") != pl.col("entity_id"))
        chained = gone.join(gone, left_on="canonical_id", right_on="entity_id", how="semi")
        yield "memory_entities.canonical_id: {} are merged into a merged entity", _count(chained)
        if memory is not None:
            of_gone = memory.join(gone, on="entity_id", how="semi")
            yield "memory.entity_id: {} are about a merged entity", _count(of_gone)


def _count(frame: pl.LazyFrame) -> pl.LazyFrame:
    return frame.select(pl.len())


def _out_of_range(of: _Tables) -> Iterator[_Invariant]:
    for name, column in UNIT_RANGES:
        if (new := of.new(name)) is not None:
            outside = ~pl.col(column).is_between(0, 1) | pl.col(column).is_nan()
            yield f"{name}.{column}: {{}} are outside of 0 to 1", new.select(outside.sum())


def _false_quotes(of: _Tables) -> Iterator[_Invariant]:
    """Quotes of text that do not stand where they say. Those of tool input are checked at night."""
    for name in QUOTED:
        rows = of.suspects(name, "record_id", "raw_logs", "record_id")
        if rows is None or of.rows("raw_logs") is None:
            continue
        wrong = (
            quoted(rows)
            .filter(pl.col("quote_field") == "text")
            .select("record_id", "quote", "quote_start", "quote_end")
            .join(of.given["raw_logs"].select("record_id", "text"), on="record_id")
            .filter(
                pl.col("text").str.slice("quote_start", pl.col("quote_end") - pl.col("quote_start"))
                != pl.col("quote")
            )
        )
        yield f"{name}.quote: {{}} do not stand in their source", _count(wrong)


def _secrets(of: _Tables) -> list[str]:
    found: list[str] = []
    for name, column in TEXTS:
        if (new := of.new(name, texts=True)) is not None:
            texts = new.select(column).drop_nulls().unique().collect()[column]
            if count := redactor().secrets_in(texts, as_json=column in JSON_COLUMNS).sum():
                found.append(f"{name}.{column}: {count} hold what looks like a secret")
    return found
