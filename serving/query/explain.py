"""Any id explained: what it is, what it rests on, and what came of it."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from cairn.knowledge.consolidation.verdicts.standing import STANDING
from cairn.knowledge.schema import tables
from cairn.knowledge.schema.fact_types import is_event
from cairn.serving.query import explain_work
from cairn.serving.query.learning_versions import versions_of
from cairn.serving.query.slot_history import curve, values_of_slot
from cairn.serving.read.id_lookup import PROPOSED, Thing, UnknownId, matching
from cairn.serving.read.reader import Reader, best_first

NEIGHBOURS = 2
"""Records shown before and after one."""

MOST = 20
"""Rows of each list in an explanation."""

BEGAN = ("created_at", "first_seen", "started_at", "occurred_at")
"""Columns, the first that a row has, that tell since when a thing is known."""


def explain(thing: Thing, *, events: bool = False) -> dict[str, Any]:
    """What is known about a thing: `kind`, `id`, `namespace`, and what its kind has.

    Among facts of a record, conversation or entity, `events` are told where they are asked for.

    Raises:
        UnknownId: nothing of it was known at `as_of`.
    """
    if telling := WITH_FACTS.get(thing.kind):
        about = telling(thing.reader, thing.id, events=events)
    else:
        about = EXPLAINED[thing.kind](thing.reader, thing.id)
    own = about.get(thing.kind)
    began = [own[name] for name in BEGAN if own.get(name)] if isinstance(own, dict) else []
    if thing.reader.then and began and began[0] > thing.reader.as_of:
        raise _unknown_then(thing.reader, thing.id)
    return {"kind": thing.kind, "id": thing.id, "namespace": thing.reader.namespace, **about}


def _unknown_then(reader: Reader, id_: str) -> UnknownId:
    return UnknownId(f"{id_}: nothing of it was known at {reader.as_of:%Y-%m-%d %H:%M}")


def _row(reader: Reader, table: tables.Table, column: str, id_: str) -> dict[str, Any]:
    frame = reader.table(table).filter(pl.col(column) == id_).collect()
    return frame.row(0, named=True)


def _fact(reader: Reader, id_: str) -> dict[str, Any]:
    held = reader.memory(pl.Series([id_])).collect()
    if held.is_empty():
        raise _unknown_then(reader, id_)
    row = held.row(0, named=True)
    merges = reader.table(tables.MERGES).filter(
        (pl.col("winner_id") == id_) | pl.col("loser_ids").list.contains(id_)
    )
    rule = re.split("[/@]", row["extractor"])[0]
    about = reader.table(tables.EXTRACTORS).filter(pl.col("name") == rule).collect()
    changes, sources = _changes(reader, id_), reader.sources([id_], MOST).get(id_, [])
    spoken = [row["source_id"] for row in changes if row["source_id"]]
    places = _places(reader, [*spoken, *(str(source["record_id"]) for source in sources)])
    topic = reader.table(tables.CLUSTERS).filter(pl.col("fact_id") == id_).collect().to_dicts()
    replaced = reader.memory().filter(pl.col("merged_into") == id_).collect().lazy()
    return {
        "as_of": reader.as_of,
        "fact": row,
        "history": (history := _history(changes, places)),
        "curve": curve(history, reader.as_of, _rate(reader, row)),
        "values": values_of_slot(reader, id_),
        "sources": _with_messages(places, sources),
        "drawn_from": _drawn_from(reader, id_),
        "merges": merges.sort("merge_id").collect().to_dicts(),
        "merged_from": _in_short(replaced.filter(pl.col("status") != "retracted")),
        "corrected": _in_short(replaced.filter(status="retracted")),
        "stands_in_for_it": _facts(reader, pl.col("fact_id") == row["merged_into"])
        if row["merged_into"]
        else [],
        "decisions": _decisions(reader, id_),
        "topic": topic[0] if topic else None,
        "rule": {"name": row["extractor"], "about": about["about"][0] if about.height else None},
    }


def _rate(reader: Reader, fact: dict[str, Any]) -> float:
    """How fast confidence in a fact fades; tables of an older version do not say."""
    rate = fact["decay_per_day"]
    return reader.state.policy.decay_per_day if rate is None else rate


def _decisions(reader: Reader, id_: str) -> list[dict[str, Any]]:
    """What people decided about a fact or an entity, in their order; `holds` if it still does."""
    either = [pl.element().struct.field(side) == id_ for side in ("left_id", "right_id")]
    paired = pl.col("pairs").list.eval(either[0] | either[1]).list.any().fill_null(value=False)
    brought = ((pl.col("replaced_by") == id_) & pl.col("superseded_by").is_null()).fill_null(
        value=False
    )
    columns = ["decision_id", "decision", "decided_at", "ids", "text", "reason", "unresolved",
               "superseded_by", "holds"]  # fmt: skip
    return (
        reader.table(tables.DECISIONS)
        .with_columns(holds=paired | brought | pl.col("facts").list.contains(id_))
        .filter(
            pl.col("holds")
            | pl.col("ids").list.contains(id_)
            | pl.col("requested_ids").list.contains(id_)
            | (pl.col("replaced_by") == id_).fill_null(value=False)
        )
        .sort("decided_at", "decision_id")
        .select(columns)
        .collect()
        .to_dicts()
    )


def _drawn_from(reader: Reader, fact_id: str) -> list[dict[str, Any]]:
    """Episodes of a theme that bear a fact out; none of one that was only stated."""
    every = reader.once("drawn", lambda: _drawn(reader))
    drawn = every.filter(fact_id=fact_id).select(episode_id=pl.col("derived_from").explode())
    if drawn.is_empty():  # of nearly all: nothing is looked for
        return []
    episodes = reader.table(
        tables.EPISODES, ["episode_id", "conversation_id", "started_at", "request"]
    )
    return (
        episodes.join(drawn.lazy(), on="episode_id", how="semi")
        .sort("started_at", "episode_id")
        .collect()
        .to_dicts()
    )


def _drawn(reader: Reader) -> pl.DataFrame:
    """The few facts that a theme bore out."""
    facts = reader.table(tables.FACTS, ["fact_id", "derived_from"])
    return facts.filter(pl.col("derived_from").list.len() > 0).collect()


def _changes(reader: Reader, fact_id: str) -> list[dict[str, Any]]:
    """Each change of a fact's confidence, with the evidence."""
    then = (pl.col("occurred_at") <= reader.latest).fill_null(value=True)
    updates = reader.table(tables.CONFIDENCE_UPDATES).filter(pl.col("fact_id") == fact_id, then)
    changes = updates.collect()
    both, told = ["fact_id", "evidence_id"], ["kind", "source_id", "similarity", "weight"]
    of = changes.drop_nulls("evidence_id")["fact_id"].unique()
    evidence = reader.rows(tables.EVIDENCE, "fact_id", of, [*both, *told, "conversation_id"])
    return changes.join(evidence, on=both, how="left").sort("seq").to_dicts()


def _history(
    rows: Sequence[dict[str, Any]], places: Mapping[str, dict[str, Any]]
) -> list[dict[str, Any]]:
    """Those changes, each with where its evidence stands."""
    return [
        {key: value for key, value in row.items() if key not in ("namespace", "fact_id")}
        | {"source": places.get(row["source_id"])}
        for row in rows
    ]


def _entity(reader: Reader, id_: str, *, events: bool) -> dict[str, Any]:
    row = _row(reader, tables.MEMORY_ENTITIES, "entity_id", id_)
    told = (pl.col("entity_id") == id_) & _told(events=events)
    facts = reader.memory().filter(told)
    predicates = facts.group_by("predicate").len("facts").sort("predicate").collect()
    return {
        "entity": row,
        "merged_into": _entity_merges(reader, pl.col("entity_id") == id_, "canonical_id"),
        "merged_from": _entity_merges(reader, pl.col("canonical_id") == id_, "entity_id"),
        "introduced_by": _places(reader, [row["introduced_by"]]).get(row["introduced_by"]),
        "decisions": _decisions(reader, id_),
        "predicates": dict(predicates.iter_rows()),
        "facts": _facts(reader, told & pl.col("status").is_in(STANDING)),
    }


def _entity_merges(reader: Reader, which: pl.Expr, other: str) -> list[dict[str, Any]]:
    """Merges of entities, with the name of the one on the other side and why."""
    names = reader.table(tables.MEMORY_ENTITIES, ["entity_id", "display_name"])
    return (
        reader.table(tables.ENTITY_MERGES)
        .filter(which)
        .join(names.rename({"entity_id": other}), on=other, how="left")
        .sort(other)
        .select(other, "display_name", "rule", "reason", "similarity", "decided_at")
        .collect()
        .to_dicts()
    )


def _learning(reader: Reader, id_: str) -> dict[str, Any]:
    own = reader.table(tables.LEARNINGS).filter(pl.col("learning_id") == id_).collect()
    row = own.row(0, named=True)
    places = _places(reader, [quote["record_id"] for quote in row["quotes"]])
    row["quotes"] = [{**quote, **_place(places.get(quote["record_id"]))} for quote in row["quotes"]]
    del row["simhash"]
    ids = pl.Series([row["conversation_id"]])
    columns = ["conversation_id", "title", "day"]
    first = reader.rows(tables.CONVERSATIONS, "conversation_id", ids, columns)
    return {
        "learning": row,
        "conversation": first.to_dicts()[0] if first.height else None,
        "versions": versions_of(reader, own).get(id_, []),
    }


def _record(reader: Reader, id_: str, *, events: bool) -> dict[str, Any]:
    row = reader.rows(tables.RAW_LOGS, "record_id", pl.Series([id_])).row(0, named=True)
    near = (
        reader.table(tables.RAW_LOGS, [
            "record_id", "conversation_id", "seq", "kind", "origin", "tool_name", "text",
            "tool_input", "source_file", "source_line",
        ], [row["day"]])
        .filter(
            (pl.col("conversation_id") == row["conversation_id"])
            & pl.col("seq").is_between(row["seq"] - NEIGHBOURS, row["seq"] + NEIGHBOURS)
        )
        .sort("seq")
        .collect()
    )  # fmt: skip
    episode = reader.table(tables.EPISODES).filter(pl.col("episode_id") == id_).collect().to_dicts()
    drawn = reader.table(tables.FACT_SOURCES, ["fact_id", "record_id"], [row["day"]]).filter(
        pl.col("record_id") == id_
    )
    learnings = reader.learnings().filter(pl.col("source_record_ids").list.contains(id_))
    return {
        "record": row,
        "neighbours": near.to_dicts(),
        "episode": episode[0] if episode else None,
        "facts": _facts(
            reader,
            pl.col("fact_id").is_in(drawn.collect()["fact_id"].unique().to_list())
            & _told(events=events),
        ),
        "learnings": learnings.select("learning_id", "category", "title").collect().to_dicts(),
    }


def _theme(reader: Reader, id_: str) -> dict[str, Any]:
    row = _row(reader, tables.THEMES, "theme_id", id_)
    members = (
        reader.table(tables.EPISODES, ["episode_id", "conversation_id", "started_at", "request"])
        .filter(pl.col("episode_id").is_in(row["episode_ids"]))
        .sort(
            pl.col("episode_id") != row["medoid_id"],
            ~pl.col("episode_id").is_in(row["nearest_ids"]),
            "started_at",
            "episode_id",
        )
    )
    return {"theme": row, "episodes": members.head(MOST).collect().to_dicts()}


def _cluster(reader: Reader, id_: str) -> dict[str, Any]:
    rows = reader.table(tables.CLUSTERS).filter(pl.col("cluster_id") == id_).collect()
    return {
        "label": rows["label"][0],
        "size": rows.height,
        "persistence": rows["persistence"][0],
        "medoid_id": rows.filter("medoid")["fact_id"].first(),
        "facts": _facts(reader, pl.col("fact_id").is_in(rows["fact_id"].to_list())),
    }


def _conversation(reader: Reader, id_: str, *, events: bool) -> dict[str, Any]:
    mine = pl.col("conversation_id") == id_
    judged = (
        reader.table(tables.LEARNING_CANDIDATES).filter(mine).sort("extractor", descending=True)
    )
    columns = ["value", "reasons", "categories", "outcome", "details", "extractor"]
    episodes = (
        reader.table(
            tables.EPISODES, ["episode_id", "conversation_id", "seq", "started_at", "request"]
        )
        .filter(mine)
        .sort("seq")
    )
    facts = reader.table(tables.FACT_SOURCES, ["fact_id", "conversation_id"]).filter(mine)
    shown = ["learning_id", "category", "title"]
    borne_out = reader.learnings().filter(pl.col("conversation_ids").list.contains(id_))
    learnings = borne_out.select(*shown, first=mine).collect()
    # Whether a lesson had been learned before is known only beside all others.
    again = (pl.col("outcome") == "stored") & pl.lit(not learnings["first"].any())
    outcome = pl.when(again).then(pl.lit("duplicate")).otherwise("outcome").alias("outcome")
    return {
        "conversation": _row(reader, tables.CONVERSATIONS, "conversation_id", id_),
        "files": sorted(
            reader.table(tables.RAW_LOGS, ["conversation_id", "source_file"])
            .filter(mine).select("source_file").unique().collect()["source_file"]
        ),
        "episodes": episodes.head(MOST).collect().to_dicts(),
        "facts": _facts(
            reader,
            pl.col("fact_id").is_in(facts.collect()["fact_id"].unique().to_list())
            & _told(events=events),
        ),
        "judged": judged.select(columns).with_columns(outcome).collect().to_dicts(),
        "learnings": learnings.select(shown).to_dicts(),
    }  # fmt: skip


def _candidate(reader: Reader, id_: str) -> dict[str, Any]:
    of = next(table for table in PROPOSED if matching(reader, table, "candidate_id", id_))
    row = _row(reader, of, "candidate_id", id_)
    facts = reader.table(tables.FACT_SOURCES, ["fact_id", "candidate_id"])
    mine = facts.filter(pl.col("candidate_id") == id_).collect()["fact_id"].to_list()
    return {
        "candidate": row,
        "place": _places(reader, [row["record_id"]]).get(row["record_id"]),
        "facts": _facts(reader, pl.col("fact_id").is_in(mine)),
    }


def _merge(reader: Reader, id_: str) -> dict[str, Any]:
    row = _row(reader, tables.MERGES, "merge_id", id_)
    return {
        "merge": row,
        "facts": _facts(reader, pl.col("fact_id").is_in([row["winner_id"], *row["loser_ids"]])),
    }


def _evidence(reader: Reader, id_: str) -> dict[str, Any]:
    row = _row(reader, tables.EVIDENCE, "evidence_id", id_)
    return {
        "evidence": row,
        "source": _places(reader, [row["source_id"]]).get(row["source_id"]),
        "facts": _facts(reader, pl.col("fact_id").is_in([row["fact_id"], row["source_id"]])),
    }


EXPLAINED: dict[str, Callable[[Reader, str], dict[str, Any]]] = {
    "fact": _fact,
    "learning": _learning,
    "theme": _theme,
    "cluster": _cluster,
    "candidate": _candidate,
    "merge": _merge,
    "evidence": _evidence,
    "practice": explain_work.practice,
    "fix": explain_work.fix,
    "project_fact": explain_work.project_fact,
}
WITH_FACTS: dict[str, Callable[..., dict[str, Any]]] = {
    "entity": _entity,
    "conversation": _conversation,
    "record": _record,
}
"""Kinds on which facts hang; events among them are told where they are asked for."""


def _told(*, events: bool) -> pl.Expr:
    return pl.lit(events) | ~is_event()


def _facts(reader: Reader, which: pl.Expr) -> list[dict[str, Any]]:
    """Facts as `_in_short` gives them."""
    return _in_short(reader.memory().filter(which))


def _in_short(facts: pl.LazyFrame) -> list[dict[str, Any]]:
    """Facts in short, the best supported first; the same words about several entities once."""
    columns = ["fact_id", "entity", "predicate", "content", "effective", "status",
               "conversation_count"]  # fmt: skip
    return (
        best_first(facts)
        .unique("content", keep="first", maintain_order=True)
        .select(columns)
        .head(MOST)
        .collect()
        .to_dicts()
    )


def _places(reader: Reader, record_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """File, line, text and speaker of records, by id."""
    return {
        row["record_id"]: {
            "file": row["source_file"],
            "line": row["source_line"],
            "origin": row["origin"],
            "text": row["text"],
        }
        for row in reader.places(record_ids, "text", "origin").iter_rows(named=True)
    }


def _place(place: dict[str, Any] | None) -> dict[str, Any]:
    return {"file": place["file"], "line": place["line"]} if place else {}


def _with_messages(
    places: Mapping[str, dict[str, Any]], sources: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    return [
        {
            **source,
            "origin": places.get(str(source["record_id"]), {}).get("origin"),
            "message": places.get(str(source["record_id"]), {}).get("text"),
        }
        for source in sources
    ]
