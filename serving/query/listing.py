"""Lists of what memory holds, page by page, for every surface.

Each is a function of a reader, what to leave out, and where the page before ended
(`cairn.serving.read.pagination`); it raises BadCursor for a cursor of another list. Rows are dicts
of plain values; times have a timezone.
"""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import Any

import polars as pl
from pydantic import BaseModel

from cairn.knowledge.consolidation.verdicts.standing import ENDED, IN_FORCE, NOT_YET, STANDING
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.tables import CONVERSATIONS, EPISODES, LEARNINGS
from cairn.serving.query.filters import (
    EVERY_ENTITY,
    EVERY_FACT,
    EVERY_LEARNING,
    EVERY_TALK,
    EntityFilter,
    FactFilter,
    LearningFilter,
    Talks,
)
from cairn.serving.read.id_lookup import UnknownId, entities_called
from cairn.serving.read.pagination import Key, Page, newest, page
from cairn.serving.read.reader import Reader

SOURCES = 20
"""Sources that are told of one fact."""

RECENT = ("fact", "learning", "episode")
"""Kinds of what happened lately."""

FACT_FIELDS = (
    "fact_id", "namespace", "entity_id", "entity", "entity_type", "predicate", "object", "content",
    "confidence", "base_confidence", "decay_per_day", "status", "source_count",
    "conversation_count", "evidence_count", "first_seen", "last_seen", "last_event_at",
    "valid_from", "valid_to", "merged_into", "knowledge_type", "info_type", "tags", "extractor",
)  # fmt: skip
"""What a fact tells; `confidence` is that at the reader's `as_of`."""

ENTITY_FIELDS = (
    "entity_id", "namespace", "name", "display_name", "type", "aliases", "first_seen", "last_seen",
    "introduced_by", "mentions", "facts", "canonical_id", "active_facts", "confidence",
)  # fmt: skip

LEARNING_FIELDS = (
    "learning_id", "namespace", "conversation_id", "conversation_ids", "category", "title",
    "content", "summary", "tags", "confidence", "factors", "created_at", "extractor",
)  # fmt: skip

EPISODE_FIELDS = (
    "episode_id", "namespace", "conversation_id", "seq", "project", "request", "answer",
    "started_at", "ended_at", "records", "tool_calls", "errors",
)  # fmt: skip

CONVERSATION_FIELDS = (
    "conversation_id", "namespace", "source", "project", "title", "started_at", "ended_at",
    "records", "human_messages", "tool_calls", "errors",
)  # fmt: skip


def facts(
    reader: Reader, only: FactFilter = EVERY_FACT, limit: int = 20, cursor: str | None = None
) -> Page:
    """Facts: those that hold first; of them sentences before attributes, by support, the newest.

    What is said of somebody or a project, and of topics that it names, stands there once, unless
    one of the topics is asked for.
    """
    known = reader.memory()
    if only.predicate is not None:
        known = known.filter(predicate=only.predicate)
    elif not only.events:
        known = known.filter(~is_event())
    if only.entity is not None:
        known = known.filter(pl.col("entity_id").is_in(named(reader, only.entity)))
    if only.status is not None:
        known = known.filter(status=only.status)
    elif reader.true_at is not None:
        known = known.filter(~pl.col("status").is_in([ENDED, NOT_YET]))
    if only.knowledge_type is not None:
        known = known.filter(knowledge_type=only.knowledge_type)
    if only.min_base > 0:
        known = known.filter(pl.col("base_confidence") >= only.min_base)
    if only.min_confidence > 0:
        known = known.filter(pl.col("effective") >= only.min_confidence)
    known = _within(known, "last_seen", only.since, only.until)
    if only.entity is None:
        known = known.filter(_said_of_no_other())
    if _wanted(FactFilter, only) == _wanted(FactFilter, EVERY_FACT):
        whole = known
        known = reader.made("facts told", "fact_id", whole.collect).lazy()
    keys = [
        Key(pl.col("status").is_in(STANDING), descending=True),
        Key(pl.col("content") == pl.col("object"), descending=True),
        Key(pl.col("conversation_count"), descending=True),
        Key(pl.col("confidence"), descending=True),
        newest("last_seen"),
        Key(pl.col("fact_id")),
    ]
    found = page(
        known, keys, ("facts", reader.namespace, *_wanted(FactFilter, only)), limit, cursor
    )
    return replace(found, rows=[_fact(row) for row in found.rows])


def _said_of_no_other() -> pl.Expr:
    """Whether a fact is no copy about a topic that its words name."""
    of_topic = pl.col("entity_type") == "topic"
    return ~(of_topic & (~of_topic).any().over("namespace", "content"))


def fact(reader: Reader, fact_id: str) -> dict[str, Any] | None:
    """One fact with its first sources: file, line, record_id and quote of each."""
    rows = reader.memory(pl.Series([fact_id])).collect().to_dicts()
    if not rows:
        return None
    return _fact(rows[0]) | {"sources": reader.sources([fact_id], SOURCES).get(fact_id, [])}


def entities(
    reader: Reader, only: EntityFilter = EVERY_ENTITY, limit: int = 20, cursor: str | None = None
) -> Page:
    """Entities that are not merged away, those with the most facts first."""
    known = reader.entities().filter(pl.col("canonical_id") == pl.col("entity_id"))
    if only.type is not None:
        known = known.filter(type=only.type)
    if only.name is not None:
        wanted = only.name.casefold()
        known = known.filter(
            _lower(pl.col("name")).str.contains(wanted, literal=True)
            | _lower(pl.col("display_name")).str.contains(wanted, literal=True)
            | pl.col("aliases")
            .list.eval(_lower(pl.element()).str.contains(wanted, literal=True))
            .list.any()
        )
    keys = [
        Key(pl.col("active_facts"), descending=True),
        Key(pl.col("mentions"), descending=True),
        Key(pl.col("entity_id")),
    ]
    of = ("entities", reader.namespace, *_wanted(EntityFilter, only))
    return page(known.select(ENTITY_FIELDS), keys, of, limit, cursor)


def entity(reader: Reader, entity_id: str, *, events: bool = False) -> dict[str, Any] | None:
    """One entity, with what was merged into it and how many facts it has by predicate.

    Events are counted where they are asked for.
    """
    rows = reader.entities().filter(entity_id=entity_id).select(ENTITY_FIELDS).collect().to_dicts()
    if not rows:
        return None
    merged = (
        reader.entities()
        .filter(pl.col("canonical_id") == entity_id, pl.col("entity_id") != entity_id)
        .select("entity_id", "display_name", "type")
        .sort("entity_id")
        .collect()
    )
    told = reader.about([entity_id]).filter(pl.lit(events) | ~is_event())
    predicates = told.group_by("predicate").len().sort("predicate")
    return rows[0] | {"merged_from": merged.to_dicts(), "predicates": dict(predicates.iter_rows())}


def named(reader: Reader, name: str) -> list[str]:
    """Ids of the entities that stand for whatever has this id, name or alias, in any case."""
    try:
        return sorted(entities_called(reader, name)["canonical_id"].unique())
    except UnknownId:
        return []


def learnings(
    reader: Reader,
    only: LearningFilter = EVERY_LEARNING,
    limit: int = 20,
    cursor: str | None = None,
) -> Page:
    """Learnings, the surest first."""
    known = _by_then(reader, reader.all_rows(LEARNINGS), "created_at")
    if only.category is not None:
        known = known.filter(category=only.category)
    if only.tag is not None:
        known = known.filter(pl.col("tags").list.contains(only.tag.casefold()))
    if only.conversation is not None:
        known = known.filter(pl.col("conversation_ids").list.contains(only.conversation))
    if only.min_confidence > 0:
        known = known.filter(pl.col("confidence") >= only.min_confidence)
    known = _within(known, "created_at", only.since, only.until)
    keys = [
        Key(pl.col("confidence"), descending=True),
        newest("created_at"),
        Key(pl.col("learning_id")),
    ]
    of = ("learnings", reader.namespace, *_wanted(LearningFilter, only))
    return page(known.select(LEARNING_FIELDS), keys, of, limit, cursor)


def learning(reader: Reader, learning_id: str) -> dict[str, Any] | None:
    """One learning with its quotes: file, line, record_id, quote and role of each."""
    rows = reader.rows(LEARNINGS, "learning_id", pl.Series([learning_id])).to_dicts()
    if not rows:
        return None
    quotes = rows[0]["quotes"]
    places = {
        row["record_id"]: {"file": row["source_file"], "line": row["source_line"]}
        for row in reader.places([quote["record_id"] for quote in quotes]).to_dicts()
    }
    return {name: rows[0][name] for name in LEARNING_FIELDS} | {
        "sources": [
            {
                **places[quote["record_id"]],
                "record_id": quote["record_id"],
                "quote": quote["text"],
                "role": quote["role"],
            }
            for quote in quotes
            if quote["record_id"] in places
        ]
    }


def episodes(
    reader: Reader, only: Talks = EVERY_TALK, limit: int = 20, cursor: str | None = None
) -> Page:
    """Episodes, the latest first."""
    return _talks(reader, "episodes", only, limit, cursor)


def episode(reader: Reader, episode_id: str) -> dict[str, Any] | None:
    """One episode, with where its request stands."""
    found = reader.table(EPISODES, EPISODE_FIELDS).filter(episode_id=episode_id).collect()
    if found.is_empty():
        return None
    places = reader.places([episode_id]).to_dicts()
    where = {"file": places[0]["source_file"], "line": places[0]["source_line"]} if places else {}
    return found.to_dicts()[0] | {"file": None, "line": None} | where


def conversations(
    reader: Reader, only: Talks = EVERY_TALK, limit: int = 20, cursor: str | None = None
) -> Page:
    """Conversations, the latest first."""
    return _talks(reader, "conversations", only, limit, cursor)


def recent(
    reader: Reader,
    kinds: Collection[str] = RECENT,
    since: datetime | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Page:
    """What came last: facts that were first said, learnings, episodes; the latest first.

    Rows have kind, id, at, text, and `about`: a fact's entity, a learning's category, an episode's
    project. What was said of several things at once counts once; what is undated never does.
    """
    made = {"fact": _new_facts, "learning": _new_learnings, "episode": _new_episodes}
    wanted = [kind for kind in RECENT if kind in kinds]

    def came_of(kind: str) -> pl.LazyFrame:
        return reader.made(f"recent {kind}", "id", lambda: made[kind](reader).collect()).lazy()

    came = pl.concat([came_of(kind) for kind in wanted] or [_new_facts(reader).clear()])
    came = _within(came.filter(pl.col("at").is_not_null()), "at", since, None)
    keys = [newest("at"), Key(pl.col("kind")), Key(pl.col("id"))]
    return page(came, keys, ("recent", reader.namespace, *wanted, since), limit, cursor)


def _new_facts(reader: Reader) -> pl.LazyFrame:
    return (
        reader.memory()
        .filter(
            pl.col("status").is_in(IN_FORCE),
            ~is_event(),
        )
        # Of a statement about its subject and topics, the row of the subject.
        .sort(pl.col("entity_type") == "topic", "fact_id")
        .unique(["predicate", "content"], keep="first", maintain_order=True)
        .select(
            pl.lit("fact").alias("kind"), id="fact_id", at="first_seen", text="content",
            about="entity",
        )
    )  # fmt: skip


def _new_learnings(reader: Reader) -> pl.LazyFrame:
    return _by_then(reader, reader.all_rows(LEARNINGS), "created_at").select(
        pl.lit("learning").alias("kind"), id="learning_id", at="created_at", text="title",
        about="category",
    )  # fmt: skip


def _new_episodes(reader: Reader) -> pl.LazyFrame:
    columns = ["episode_id", "started_at", "request", "project"]
    return _by_then(reader, reader.table(EPISODES, columns), "started_at").select(
        pl.lit("episode").alias("kind"), id="episode_id", at="started_at", text="request",
        about="project",
    )  # fmt: skip


def _talks(reader: Reader, what: str, only: Talks, limit: int, cursor: str | None) -> Page:
    table, fields = {
        "episodes": (EPISODES, EPISODE_FIELDS),
        "conversations": (CONVERSATIONS, CONVERSATION_FIELDS),
    }[what]
    known = _by_then(reader, reader.all_rows(table).select(fields), "started_at")
    if only.conversation is not None:
        known = known.filter(conversation_id=only.conversation)
    if only.project is not None:
        of = pl.col("project")
        known = known.filter((of == only.project) | of.str.ends_with(f"/{only.project}"))
    known = _within(known, "started_at", only.since, only.until)
    keys = [newest("started_at"), Key(pl.col(fields[0]))]
    return page(known, keys, (what, reader.namespace, *_wanted(Talks, only)), limit, cursor)


def _wanted(filter_: type[BaseModel], only: BaseModel) -> list[Any]:
    """What a list is narrowed to: part of its cursors, which go on in it alone."""
    return [getattr(only, name) for name in filter_.model_fields]


def _fact(row: dict[str, Any]) -> dict[str, Any]:
    told = row | {"confidence": row["effective"]}
    return {name: told[name] for name in FACT_FIELDS}


def _by_then(reader: Reader, rows: pl.LazyFrame, column: str) -> pl.LazyFrame:
    """Rows that were there at the reader's `as_of`."""
    if not reader.past:
        return rows
    return rows.filter((pl.col(column) <= reader.as_of).fill_null(value=True))


def _within(
    rows: pl.LazyFrame, column: str, since: datetime | None, until: datetime | None
) -> pl.LazyFrame:
    if since is not None:
        rows = rows.filter(pl.col(column) >= since)
    if until is not None:
        rows = rows.filter(pl.col(column) < until)
    return rows


def _lower(text: pl.Expr) -> pl.Expr:
    return text.str.to_lowercase()
