"""The receipt of what was forgotten: which rows went, which stay by other evidence, which revived.

It holds ids, and of what stays its words; never those of what went.
"""

from collections.abc import Mapping, Sequence

import polars as pl

from cairn.knowledge.consolidation.verdicts.standing import STANDING
from cairn.knowledge.quality.retraction_guard import struck
from cairn.knowledge.schema.tables import RECORDS, TABLES

REMOVED, KEPT, REVIVED, ANEW = "removed", "kept", "revived", "rebuilt"
EFFECTS = (REMOVED, KEPT, REVIVED, ANEW)
"""What became of a row. Made anew is what tells of what is left, as a theme of another medoid."""

BOOKS = frozenset(
    {
        "source_files", "work", "funnel", "vector_index", "model_calls", "extractors",
        "episode_mst_edges", "fact_mst_edges",
    }
)  # fmt: skip
"""Tables that hold counts and digests alone."""

INBOX = "inbox"
"""Named as the table of what waited for a run, and was a row of none yet."""

SCHEMA = pl.Schema(
    {"table": pl.String(), "id": pl.String(), "effect": pl.String(), "text": pl.String()}
)

Tables = Mapping[str, pl.LazyFrame]


def receipt(before: Tables, after: Tables, records: Sequence[str] = ()) -> pl.DataFrame:
    """What became of the rows of one namespace, and of `records` of a tombstone that had none yet.

    Returns:
        Columns of SCHEMA; sorted by effect, table in its layer (INBOX first), and id.
    """
    names = [name for name in TABLES if name in before and name in after and name not in BOOKS]
    changed = [_changed(name, before[name], after[name]) for name in names]
    there = before["raw_logs"].select("record_id").collect()["record_id"]
    waited = pl.DataFrame(
        [(INBOX, id_, REMOVED, None) for id_ in {*records}.difference(there)],
        schema=SCHEMA,
        orient="row",
    )
    rows = pl.concat([waited, *changed, *_kept(before, after)])
    rows = pl.concat([rows, _revived(before, after)]).unique(["table", "id", "effect"])
    # The tombstone is a record itself.
    rows = rows.filter((pl.col("table") != RECORDS.name) | (pl.col("effect") == REMOVED))
    order = {name: place for place, name in enumerate([INBOX, *names])}
    return rows.sort(
        pl.col("effect").replace_strict(EFFECTS, range(len(EFFECTS))),
        pl.col("table").replace_strict(order),
        "id",
    )


def counts(rows: pl.DataFrame) -> dict[str, dict[str, int]]:
    """Rows of a receipt by effect and table, in their order."""
    found: dict[str, dict[str, int]] = {}
    grouped = rows.group_by("effect", "table", maintain_order=True).len()
    for effect, table, count in grouped.iter_rows():
        found.setdefault(effect, {})[table] = count
    return found


def _changed(name: str, before: pl.LazyFrame, after: pl.LazyFrame) -> pl.DataFrame:
    key = [column for column in TABLES[name].key if column != "namespace"]
    told = pl.concat_str(
        [pl.col(each).cast(pl.String) for each in _shown(name, key)], separator="/"
    )
    old, new = (frame.select(key).unique() for frame in (before, after))
    return pl.concat(
        one.join(other, on=key, how="anti", nulls_equal=True).select(
            table=pl.lit(name), id=told, effect=pl.lit(effect), text=pl.lit(None, pl.String)
        )
        for one, other, effect in ((old, new, REMOVED), (new, old, ANEW))
    ).collect()


def _shown(name: str, key: Sequence[str]) -> Sequence[str]:
    """The columns of a key without words of the log."""
    return ["type", "gate"] if name == "rejections" else key


def _kept(before: Tables, after: Tables) -> list[pl.DataFrame]:
    """Facts, entities and learnings that had a source in what went, and stay."""
    there = after["raw_logs"].select("record_id")
    gone = before["raw_logs"].select("record_id").join(there, on="record_id", how="anti")
    facts = before["fact_sources"].join(gone, on="record_id", how="semi").select("fact_id").unique()
    about = before["facts"].join(facts, on="fact_id", how="semi").select("entity_id").unique()
    taught = (
        before["learnings"]
        .select("learning_id", record_id="source_record_ids")
        .explode("record_id")
        .join(gone, on="record_id", how="semi")
        .select("learning_id")
        .unique()
    )
    return [
        after[name]
        .join(ids, on=key, how="semi")
        .select(table=pl.lit(name), id=key, effect=pl.lit(KEPT), text=text)
        .collect()
        for name, key, ids, text in (
            ("memory", "fact_id", facts, "content"),
            ("memory_entities", "entity_id", about, "display_name"),
            ("learnings", "learning_id", taught, "title"),
        )
    ]


def _revived(before: Tables, after: Tables) -> pl.DataFrame:
    """Facts that something struck out, and nothing strikes out now."""
    down, still = (_down(tables) for tables in (before, after))
    return (
        after["memory"]
        .filter(pl.col("status").is_in(STANDING))
        .join(down.join(still, on="fact_id", how="anti").lazy(), on="fact_id", how="semi")
        .select(table=pl.lit("memory"), id="fact_id", effect=pl.lit(REVIVED), text="content")
        .collect()
    )


def _down(tables: Tables) -> pl.DataFrame:
    fallen = tables["memory"].filter(~pl.col("status").is_in(STANDING)).select("fact_id").collect()
    return pl.concat([fallen, struck(tables).select("fact_id")]).unique()
