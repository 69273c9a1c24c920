"""What a fact, an entity, a record or a conversation rests on: the lines that go when it does.

A line goes whole, with all blocks that an adapter makes of it. So do decisions of people about a
fact or an entity of which nothing is left, since they repeat what it said, and all that the inbox
has of searches which were made for what goes: its intent, its results, that it was tried again.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from cairn.knowledge.consolidation.verdicts.decisions import DECIDED
from cairn.knowledge.extraction.introductions import WRITTEN, forms
from cairn.knowledge.extraction.searches import SEARCHES
from cairn.knowledge.ingest.inbox_events.decisions import told_of
from cairn.knowledge.ingest.inbox_events.documents import DOCUMENT
from cairn.knowledge.ingest.inbox_events.notifications import NOTICES, notice_of
from cairn.knowledge.ingest.inbox_events.offers import OFFERS, offer_of
from cairn.knowledge.ingest.inbox_events.searches import search_of
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import (
    CANDIDATES,
    ENGAGEMENTS,
    FACT_SOURCES,
    FACTS,
    KNOWN_ONLY_CANDIDATES,
    MEMORY,
    MEMORY_ENTITIES,
    PREFERENCES,
    RAW_LOGS,
    REJECTED_FACTS,
    Table,
)

READS: tuple[Table, ...] = (
    RAW_LOGS, CANDIDATES, KNOWN_ONLY_CANDIDATES, REJECTED_FACTS, FACTS, FACT_SOURCES, MEMORY,
    MEMORY_ENTITIES, PREFERENCES, ENGAGEMENTS,
)  # fmt: skip
"""Tables that are asked."""

Tables = Mapping[str, pl.LazyFrame]

_PLACE = ["source_file", "source_line", "native_id"]
"""What tells the line that a row of raw_logs was made of."""


class Resting(NamedTuple):
    """What goes."""

    lines: pl.DataFrame
    """The rows of `heads` that were given, of these lines; sorted by record_key."""
    record_ids: list[str]
    """Ids of all rows of raw_logs that are made of them, sorted."""


class NamedDependents(NamedTuple):
    """What goes beside it, since it names it."""

    record_keys: pl.Series = pl.Series(dtype=pl.String)
    """Of lines."""
    record_ids: Collection[str] = ()
    """Of rows of raw_logs."""


def resting(
    thing: str,
    ids: Sequence[str],
    heads: pl.DataFrame,
    tables: Tables,
    policy: Policy,
    named: NamedDependents | None = None,
) -> Resting:
    """The lines that things rest on.

    Args:
        thing: fact, entity, record or conversation; what the ids are of. A name has none.
        ids: Facts bring those merged with them, entities likewise.
        heads: Columns namespace, record_key, conversation_id, source_file, source_line, native_id,
            and any other, of all records of the namespace.
        tables: Tables of READS by name, of the namespace; raw_logs with what waits for a run.
        policy: How names are read.
        named: What goes beside it.
    """
    keys, named_ids = named or NamedDependents()
    logs = tables["raw_logs"].select("record_id", "conversation_id", *_PLACE).collect()
    entities: list[str] = []
    match thing:
        case "fact":
            wanted = _of_facts(_united(tables["memory"], "fact_id", "merged_into", ids), tables)
        case "entity":
            entities = _united(tables["memory_entities"], "entity_id", "canonical_id", ids)
            wanted = _of_entities(entities, tables, policy)
        case "record":
            wanted = set(ids)
        case "name":
            wanted = set[str]()
        case _:
            wanted = _offered_in(ids, tables)
            wanted |= set(logs.filter(pl.col("conversation_id").is_in(list(ids)))["record_id"])
    searches, notices = _searches(logs, tables), _notices(tables)
    for done in (searches, notices):
        wanted |= set(done.filter(pl.col("entity_id").is_in(entities))["record_id"])
    wanted |= set(named_ids)
    talk = pl.col("conversation_id").is_in(list(ids)) & (thing == "conversation")
    said = heads.filter(talk | pl.col("record_key").is_in(keys.implode()))
    while True:
        rows = logs.filter(pl.col("record_id").is_in(list(wanted)))
        lines = pl.concat([said, heads.join(rows, on=_PLACE, how="semi", nulls_equal=True)])
        lines = lines.unique("record_key")
        here = logs.join(lines, on=_PLACE, how="semi", nulls_equal=True)
        every = set(here["record_id"])
        more = every | _decided(every, tables, policy) | _made_for(every, searches)
        more |= _told(every, notices) | _missed_in(every, tables)
        if more == wanted:
            return Resting(lines.sort("record_key"), sorted(every))
        wanted = more


def _offered_in(sessions: Collection[str], tables: Tables) -> set[str]:
    """Records of what hooks offered in sessions."""
    rows = tables["raw_logs"].filter(OFFERS).select("record_id", "tool_input").collect()
    return {record for record, told in rows.iter_rows() if offer_of(told).session in sessions}


def _searches(logs: pl.DataFrame, tables: Tables) -> pl.DataFrame:
    """Searches that Cairn made itself, with the records of the commands that they were made for.

    Returns:
        record_id, effect_id, entity_id, of; a command may be named by its native id.
    """
    rows = tables["raw_logs"].filter(SEARCHES).select("record_id", "tool_input").collect()
    told = [
        (record, search.effect_id, search.entity_id, search.learn_prompt_id, search.schedule_id)
        for record, given in rows.iter_rows()
        if (search := search_of(given)) and search.effect_id
    ]
    columns = ["record_id", "effect_id", "entity_id", "prompt", "schedule"]
    found = pl.DataFrame(told, schema=dict.fromkeys(columns, pl.String), orient="row")
    native = logs.drop_nulls("native_id").select(prompt="native_id", named="record_id")
    return found.join(native, on="prompt", how="left").with_columns(
        of=pl.concat_list("prompt", "named", "schedule")
    )


def _made_for(gone: set[str], searches: pl.DataFrame) -> set[str]:
    """Records of searches that were made for a command that goes, or of which something goes."""
    mine = pl.col("of").list.set_intersection(sorted(gone)).list.len() > 0
    own = pl.col("record_id").is_in(sorted(gone))
    made = searches.filter(mine | own).select("effect_id")
    return set(searches.join(made, on="effect_id", how="semi")["record_id"])


def _united(frame: pl.LazyFrame, own: str, into: str, ids: Sequence[str]) -> list[str]:
    """Ids, and those that are one with them."""
    stands = pl.coalesce(into, own)
    known = frame.select(own, stands=stands).collect()
    named = known.filter(pl.col(own).is_in(list(ids)) | pl.col("stands").is_in(list(ids)))
    return known.join(named.select("stands"), on="stands", how="semi")[own].to_list()


def _of_facts(fact_ids: Sequence[str], tables: Tables) -> set[str]:
    """Records that facts were found in, or drawn from."""
    mine = pl.col("fact_id").is_in(list(fact_ids))
    found = tables["fact_sources"].filter(mine).select("record_id").collect()["record_id"]
    drawn = tables["facts"].filter(mine).select(pl.col("derived_from").explode()).collect()
    return {*found, *drawn["derived_from"].drop_nulls()}


def _of_entities(entity_ids: Sequence[str], tables: Tables, policy: Policy) -> set[str]:
    """Records that name entities, or that say something about them."""
    about = tables["facts"].filter(pl.col("entity_id").is_in(list(entity_ids)))
    facts = about.select("fact_id").collect()["fact_id"].to_list()
    named = _naming(tables, policy).filter(pl.col("entity_id").is_in(list(entity_ids)))
    liked = _preferring(entity_ids, tables)
    return _of_facts(facts, tables) | set(named["record_id"]) | liked


def _preferring(entity_ids: Sequence[str], tables: Tables) -> set[str]:
    """Records by which somebody likes, dislikes or mutes what is called as these entities are."""
    mine = pl.col("entity_id").is_in(list(entity_ids))
    called = tables["memory_entities"].filter(mine).select("name", "display_name", "aliases")
    names = {
        each.casefold()
        for name, shown, aliases in called.collect().iter_rows()
        for each in (name, shown, *aliases)
    }
    held = tables["preferences"].filter(pl.col("name").str.to_lowercase().is_in(list(names)))
    found = held.select("preference_id", "record_id", "ended_by").collect()
    of_it = pl.col("preference_id").is_in(found["preference_id"].implode())
    signs = tables["engagements"].filter(of_it).select("record_id").collect()["record_id"]
    return {*found["record_id"], *found["ended_by"].drop_nulls(), *signs}


def _naming(tables: Tables, policy: Policy) -> pl.DataFrame:
    """entity_id and record_id of each candidate."""
    columns = ["record_id", *WRITTEN]
    names = ("candidates", "known_only_candidates", "rejected_facts")
    said = pl.concat([tables[name].select(columns) for name in names]).unique().collect()
    return said.join(forms(said, policy), on=WRITTEN).select("entity_id", "record_id")


def _notices(tables: Tables) -> pl.DataFrame:
    """record_id, entity_id, of: notifications, and the records whose facts they tell."""
    rows = tables["raw_logs"].filter(NOTICES).select("record_id", "tool_input").collect()
    told = [(record, notice_of(given)) for record, given in rows.iter_rows()]
    return pl.DataFrame(
        [(record, notice.entity_id, notice.record_ids) for record, notice in told],
        schema={"record_id": pl.String, "entity_id": pl.String, "of": pl.List(pl.String)},
        orient="row",
    )


def _told(gone: set[str], notices: pl.DataFrame) -> set[str]:
    """Records of notifications that tell of what stood in records that go."""
    mine = pl.col("of").list.set_intersection(sorted(gone)).list.len() > 0
    return set(notices.filter(mine)["record_id"])


def _missed_in(gone: set[str], tables: Tables) -> set[str]:
    """Records of texts that say what should have been learnt from records that go."""
    rows = tables["raw_logs"].filter(
        pl.col("kind") == DOCUMENT, pl.col("reply_to").is_in(sorted(gone))
    )
    return set(rows.select("record_id").collect()["record_id"])


def _decided(gone: set[str], tables: Tables, policy: Policy) -> set[str]:
    """Records of decisions about what is left with nothing once these records are gone."""
    decisions = tables["raw_logs"].filter(DECIDED).select("record_id", "tool_input").collect()
    meant = {
        record: {one.id for one in told.meant}
        for record, given in decisions.iter_rows()
        if (told := told_of(given))
    }
    going, meaning = set[str](), left_with_nothing(gone, tables, policy) if meant else set[str]()
    # What undoes a decision goes with it, and what undoes that.
    while more := {record for record, ids in meant.items() if ids & meaning} - going:
        going |= more
        meaning = more
    return going


def left_with_nothing(gone: Collection[str], tables: Tables, policy: Policy) -> set[str]:
    """Ids of facts and entities that rest on no other records than these."""
    left = pl.col("record_id").is_in(list(gone)).all()
    sources = tables["fact_sources"].select("fact_id", "record_id").collect()
    facts = sources.group_by(id="fact_id").agg(gone=left)
    entities = _naming(tables, policy).group_by(id="entity_id").agg(gone=left)
    return set(pl.concat([facts, entities]).filter("gone")["id"])
