"""From raw logs to candidates: what each rule finds, in one table, with where it was found."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import polars as pl

from cairn.knowledge.dialogue.hearsay import with_hearsay
from cairn.knowledge.dialogue.typed import typed_words
from cairn.knowledge.engine.extractors import STAGE_OF
from cairn.knowledge.engine.work import OUTCOME_SCHEMA
from cairn.knowledge.extraction.identified import identified
from cairn.knowledge.extraction.rules import RULES, Record, Rule, RuleMatch, field_text
from cairn.knowledge.extraction.rules.entities import project_name
from cairn.knowledge.llm.prompt_injection import (
    QUARANTINED_ORDERS,
    gives_orders,
    order_spans,
    orders_among,
)
from cairn.knowledge.schema.identity import digest_column
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import NOBODY
from cairn.knowledge.schema.tables import CANDIDATES, REJECTED_FACTS

FAILURE_SCHEMA = pl.Schema(
    {
        "namespace": pl.String(),
        "day": pl.String(),
        "conversation_id": pl.String(),
        "record_id": pl.String(),
        "rule": pl.String(),
        "error": pl.String(),
    }
)
_HIT_SCHEMA = pl.Schema(
    {
        "row": pl.UInt32(),
        "object": pl.String(),
        "content": pl.String(),
        "entity_name": pl.String(),
        "entity_type": pl.String(),
        "quote": pl.String(),
        "quote_field": pl.String(),
        "quote_start": pl.Int64(),
        "quote_end": pl.Int64(),
        "predicate": pl.String(),
        "confidence": pl.Float64(),
        "trust": pl.String(),
    }
)
_REDACTED = re.compile(r"\W*(?:\[redacted(?::[^\]]*)?\]\W*)+", re.IGNORECASE)
_OF_ONCE = {"decides": "asks", "directs": "asks"}
"""Predicates of what a customer wants, who speaks of one matter."""

_RECORD = ["namespace", "record_id"]
_CARRIED = ("namespace", "day", "conversation_id", "episode_id", "record_id", "origin", "trigger",
            "occurred_at")  # fmt: skip


class Proposed(NamedTuple):
    """What rules find, where one failed, and what is quarantined.

    A failure has the record and the name of the exception, never its text. In quarantine, as
    REJECTED_FACTS, is what gives orders to a model, or stands in a line that does.
    """

    candidates: pl.DataFrame
    failures: pl.DataFrame
    held: pl.DataFrame


def candidates(raw_logs: pl.DataFrame, policy: Policy, rules: Sequence[Rule] = RULES) -> Proposed:
    """What rules find in raw logs: facts and entities by rule.

    A rule that fails on a record (or on a conversation, if it reads one as a whole) loses what it
    would find there and nothing else. Any order of the rows gives the same candidates; whole
    conversations must be given together. Each rule by itself finds the same as among others.

    Returns:
        Rows of CANDIDATES; failures with namespace, day, conversation_id, record_id, rule and
        error; and rows of REJECTED_FACTS.
    """
    logs = raw_logs.sort("namespace", "conversation_id", "seq", "record_id")
    logs = logs.with_columns(typed_words(logs)).join(
        identified(logs), on=["namespace", "conversation_id"], how="left", maintain_order="left"
    )
    reads = logs.select(rule.reads.fill_null(value=False).alias(rule.name) for rule in rules)
    failures: list[tuple[int, str, str]] = []
    found: list[pl.DataFrame] = []
    for rule in rules:
        rows = reads.get_column(rule.name).arg_true()
        if rows.len():
            found += _found(rule, logs, rows, policy, failures)
    failed = pl.DataFrame(
        failures, schema={"row": pl.UInt32, "rule": pl.String, "error": pl.String}, orient="row"
    )
    places = logs.select("namespace", "day", "conversation_id", "record_id").with_row_index("row")
    proposed = CANDIDATES.frame(pl.concat(found)) if found else CANDIDATES.empty()
    held = _held(proposed, logs)
    return Proposed(
        with_hearsay(proposed.filter(~held), logs),
        failed.join(places, on="row", how="left")
        .select(FAILURE_SCHEMA.names())
        .cast(FAILURE_SCHEMA)
        .sort("namespace", "record_id", "rule"),
        REJECTED_FACTS.frame(proposed.filter(held).with_columns(reason=pl.lit(QUARANTINED_ORDERS))),
    )


def _held(proposed: pl.DataFrame, logs: pl.DataFrame) -> pl.Series:
    """Whether each candidate gives orders to a model, or stands in a line that does."""
    worded = pl.concat_str("content", "entity_name", "quote", separator="\n")
    said = proposed.select("namespace", "record_id", "origin", worded=worded)
    distinct = said.select("origin", "worded").unique()
    odd = distinct.filter(orders_among(distinct["worded"]))
    orders = {row for row in odd.iter_rows() if gives_orders(row[1], row[0])}
    texts = logs.select("namespace", "record_id", "origin", "text").join(
        proposed.filter(pl.col("quote_field") == "text"), on=_RECORD, how="semi"
    )
    spans = {
        (namespace, record): order_spans(text, origin)
        for namespace, record, origin, text in texts.filter(orders_among(texts["text"])).iter_rows()
    }
    places = proposed.select(*_RECORD, "quote_field", "quote_start", "quote_end").iter_rows()
    found = [
        tuple(own) in orders
        or (
            field == "text"
            and any(start < right and left < end for left, right in spans.get((space, record), ()))
        )
        for own, (space, record, field, start, end) in zip(
            said.select("origin", "worded").iter_rows(), places, strict=True
        )
    ]
    return pl.Series(found, dtype=pl.Boolean)


def outcomes(
    conversations: pl.DataFrame, proposed: Proposed, rules: Sequence[Rule] = RULES
) -> pl.DataFrame:
    """What became of each conversation under each rule: done, empty, rejected or failed.

    Args:
        conversations: namespace and conversation_id of what the rules were given (raw_logs do).
        proposed: What they found.
        rules: The rules that ran.

    Returns:
        namespace, stage (name of the rule), unit (conversation_id), outcome, rows; one row per
        conversation and rule, sorted. A conversation of which all is held is rejected.
    """
    unit = ["namespace", "stage", "unit"]
    stages = pl.DataFrame({"stage": [rule.name for rule in rules]}, schema={"stage": pl.String})
    given = conversations.select("namespace", unit="conversation_id").unique()
    rows, held = (
        frame.group_by("namespace", stage=STAGE_OF, unit="conversation_id").agg(
            pl.len().cast(pl.Int64).alias(name)
        )
        for name, frame in (("rows", proposed.candidates), ("held", proposed.held))
    )
    failed = proposed.failures.select(
        "namespace", stage="rule", unit="conversation_id", failed=pl.lit(value=True)
    ).unique()
    return (
        given.join(stages, how="cross")
        .join(rows, on=unit, how="left")
        .join(held, on=unit, how="left")
        .join(failed, on=unit, how="left")
        .with_columns(
            rows=pl.col("rows").fill_null(0),
            outcome=pl.when(pl.col("failed").is_not_null())
            .then(pl.lit("failed"))
            .when(pl.col("rows").is_not_null())
            .then(pl.lit("done"))
            .when(pl.col("held").is_not_null())
            .then(pl.lit("rejected"))
            .otherwise(pl.lit("empty")),
        )
        .select(OUTCOME_SCHEMA.names())
        .sort(unit)
    )


def _found(
    rule: Rule,
    logs: pl.DataFrame,
    rows: pl.Series,
    policy: Policy,
    failures: list[tuple[int, str, str]],
) -> list[pl.DataFrame]:
    """Candidates of one rule on the rows that it reads, if it finds any."""
    given = logs[rows]
    records = [Record(*row) for row in given.select(Record._fields).iter_rows()]
    hits: list[tuple[int, RuleMatch, str]] = []
    numbers = rows.to_list()
    for first, last in _groups(given, whole=rule.whole):
        try:
            hits += [
                (first + found.record, found, _quote(records[first + found.record], found))
                for found in rule.find(records[first:last], policy)
                if _worth(found)
            ]
        except Exception as error:
            failures.append((numbers[first], rule.name, type(error).__name__))
    return [_rows(rule, given, records, hits)] if hits else []


def _groups(given: pl.DataFrame, whole: bool) -> Iterator[tuple[int, int]]:
    """Bounds of the records that a rule gets at once."""
    if not whole:
        yield from ((index, index + 1) for index in range(given.height))
        return
    lengths = given.select(pl.struct("namespace", "conversation_id").rle().struct.field("len"))
    start = 0
    for length in lengths.to_series().to_list():
        yield start, start + length
        start += length


def _worth(found: RuleMatch) -> bool:
    """Whether an object may be kept: not blank, not redacted whole."""
    return bool(found.object.strip()) and not _REDACTED.fullmatch(found.object)


def _quote(record: Record, found: RuleMatch) -> str:
    """The words of the source that a find stands on."""
    source = field_text(found.field, record)
    if not (source and 0 <= found.start < found.end <= len(source)):
        raise ValueError(f"no such place in {found.field}")
    return source[found.start : found.end]


def _rows(
    rule: Rule,
    given: pl.DataFrame,
    records: Sequence[Record],
    hits: Sequence[tuple[int, RuleMatch, str]],
) -> pl.DataFrame:
    """Hits as rows of CANDIDATES: the first place of each object in a record."""
    rows: list[tuple[object, ...]] = []
    seen: set[tuple[int, str, str | None]] = set()
    speakers = given.get_column("speaker").to_list()
    for row, found, quote in hits:
        type_ = found.type or rule.type
        if (row, found.object, type_) in seen:
            continue
        seen.add((row, found.object, type_))
        entity, entity_type = (found.object, type_) if type_ else found.about or about(records[row])
        predicate = found.predicate or rule.predicate
        if speakers[row] and (entity, entity_type) == (NOBODY, "person"):
            # What a customer settles is settled for this once.
            entity, predicate = speakers[row], _OF_ONCE.get(predicate, predicate)
        content = found.object
        if rule.content is not None:
            content = rule.content.format(
                entity=entity, object=found.object, words=found.object.replace("_", " ")
            )
        rows.append(
            (
                row,
                found.object,
                content,
                entity,
                entity_type,
                quote,
                found.field,
                found.start,
                found.end,
                predicate,
                rule.confidence if found.confidence is None else found.confidence,
                found.trust,
            )
        )
    frame = pl.DataFrame(rows, schema=_HIT_SCHEMA, orient="row")
    actor = pl.when(pl.col("origin") == "human").then(pl.lit("task_")).otherwise(pl.lit("action_"))
    return pl.concat(
        [given.select(_CARRIED)[frame.get_column("row")], frame.drop("row")], how="horizontal"
    ).with_columns(
        candidate_id=digest_column(
            "namespace", "record_id", pl.lit(rule.name), pl.lit(rule.predicate), "object",
            "quote_field", "quote_start", prefix="k_",
        ),
        kind=pl.lit(rule.kind),
        subject=actor + pl.col("record_id"),
        mode=pl.lit("rule"),
        extractor=pl.lit(rule.extractor.label),
    )  # fmt: skip


def about(record: Record) -> tuple[str, str]:
    """Name and type of what the facts of a record are about.

    The project; without one the person who speaks, where the source names them; else the user.
    """
    if record.project and (name := project_name(record.project)):
        return name, "project"
    if record.origin == "human" and record.name and record.name.strip():
        return record.name.strip(), "person"
    return NOBODY, "person"
