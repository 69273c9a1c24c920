"""What was published of one namespace, as readers see it at a moment."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import polars as pl

from cairn.knowledge.consolidation.memory_entities import memory_entities
from cairn.knowledge.consolidation.verdicts.standing import (
    QUARANTINED,
    STANDING,
    known_stretches,
    seen_at,
)
from cairn.knowledge.resolution.canonical import about_canonical
from cairn.knowledge.resolution.facts import counted
from cairn.knowledge.schema import tables
from cairn.knowledge.schema.calendar import UNDATED
from cairn.knowledge.vectors.model import Embedder
from cairn.resources.context import State
from cairn.resources.rerankers.protocol import Reranker
from cairn.resources.warehouse.publication import Manifest, published, read_published
from cairn.serving.read.cache import CachedTables, Made
from cairn.serving.read.namespaces import Several, to_read

_SAID = (tables.CANDIDATES, tables.KNOWN_ONLY_CANDIDATES, tables.THEME_FACTS)
"""Tables of what facts are made of."""


class NothingPublished(Exception):  # noqa: N818  what a reader is told
    """There is nothing to read; the message says what to run."""


@dataclass(frozen=True)
class Reader:
    """One namespace's published tables, at `as_of` (its latest event unless told)."""

    state: State
    manifest: Manifest
    as_of: datetime
    """What is known: by events up to here."""
    true_at: datetime | None = None
    """Of what is known, what was true at this moment; at `as_of` if None."""
    cached: CachedTables | None = None
    """The tables in memory, for whoever asks often."""
    then: bool = False
    """Whether `as_of` was asked for: what was told later, beside the logs, is then not known."""

    @property
    def namespace(self) -> str:
        """Whose tables these are."""
        return self.manifest.namespace

    @property
    def embedder(self) -> Embedder:
        """The model by which what was published was embedded, whatever is set since.

        Raises:
            EmbedderError: it cannot be used here.
        """
        return self.state.embedder_named(self.manifest.embedder)

    @property
    def reranker(self) -> Reranker | None:
        """What orders results once more; None if nothing does.

        Raises:
            RerankerError: it cannot be used here.
        """
        return self.state.reranker_of(self.namespace)

    def table(
        self,
        table: tables.Table,
        columns: Sequence[str] | None = None,
        days: Sequence[str] | None = None,
    ) -> pl.LazyFrame:
        """Rows of a table as it was published; of `days` alone, no other days' files are opened."""
        if days is None:
            return read_published(self.state.warehouse, self.manifest, table, columns=columns)
        of_days = pl.col("day").is_in(sorted({*days}))
        found = read_published(self.state.warehouse, self.manifest, table).filter(of_days)
        return found if columns is None else found.select(columns)

    def all_rows(self, table: tables.Table) -> pl.LazyFrame:
        """Rows of a table as it was published; from memory where they are held."""
        held = self.cached.rows(table, table.key[-1], None) if self.cached else None
        return self.table(table) if held is None else held.lazy()

    def rows(
        self,
        table: tables.Table,
        column: str,
        values: pl.Series,
        columns: Sequence[str] | None = None,
    ) -> pl.DataFrame:
        """Rows of a table whose column has one of some texts."""
        if values.is_empty():
            nothing = table.empty()
            return nothing if columns is None else nothing.select(columns)
        if self.cached and (found := self.cached.rows(table, column, values, columns)) is not None:
            return found
        known = self.table(table, columns, self._days(table, column, values))
        # Files say between which values their groups lie, so that most of them are not read.
        least, most = (pl.lit(end, pl.String) for end in (values.min(), values.max()))
        near = pl.col(column).is_between(least, most)
        return known.filter(near, pl.col(column).is_in(values.implode())).collect()

    def _days(self, table: tables.Table, column: str, values: pl.Series) -> list[str] | None:
        """Days of the rows whose column has one of some texts; None if memory does not tell."""
        if not (self.cached and table.by_day):
            return None
        held = self.cached.rows(table, column, values, [column, "day"])
        return None if held is None else held["day"].unique().to_list()

    def _of(
        self, table: tables.Table, fact_ids: pl.Series | None, columns: Sequence[str] | None = None
    ) -> pl.LazyFrame:
        """Rows of a table about some facts, or about all."""
        if fact_ids is None:
            return self.table(table, columns)
        return self.rows(table, "fact_id", fact_ids, columns).lazy()

    def memory(self, fact_ids: pl.Series | None = None) -> pl.LazyFrame:
        """Facts as they stand, some or all, with `effective` confidence and `status` at `as_of`.

        What has faded below the bar is shown as deprecated, what is over as ended, what is only
        to come as not_yet: that is how it looks from here, and is stored nowhere. What came after
        `as_of` has not happened yet: facts that were first seen later are left out, and so is the
        evidence of later events, and an end that was told of later.
        """
        if self.cached and self.is_now:
            return self.cached.made(
                "memory", "fact_id", fact_ids, lambda: self._memory(None).collect()
            ).lazy()
        return self._memory(fact_ids)

    def about(self, entity_ids: Sequence[str]) -> pl.DataFrame:
        """Facts about some entities, as `memory` has them."""
        ids = pl.Series(entity_ids, dtype=pl.String)
        if self.is_now and self.cached:
            return self.cached.made(
                "memory by entity", "entity_id", ids, lambda: self.memory().collect()
            )
        return self.memory().filter(pl.col("entity_id").is_in(ids.implode())).collect()

    def made(self, name: str, column: str, make: Callable[[], pl.DataFrame]) -> pl.DataFrame:
        """What is made of all of `memory`, in the order of a column; once, where it is held."""
        if self.is_now and self.cached:
            return self.cached.made(name, column, None, make)
        return make().sort(column, maintain_order=True)

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """What is made of what was published, whatever time it is asked for; once, where held."""
        return self.cached.once(name, make) if self.cached else make()

    @property
    def moment(self) -> datetime:
        """What is asked is what was true then: `true_at`, else the latest that is known."""
        return self.true_at or self.latest

    @property
    def latest(self) -> datetime:
        """`as_of`; seen from the latest event, what was told since holds, too."""
        last_input_at = self.manifest.last_input_at
        return self.as_of if self.past or last_input_at is None else max(self.as_of, last_input_at)

    @property
    def is_now(self) -> bool:
        """Whether the reader looks from the latest event, as most do."""
        now = self.as_of == (self.manifest.watermark or UNDATED)
        return now and self.true_at is None and not self.past

    def _memory(self, fact_ids: pl.Series | None) -> pl.LazyFrame:
        names = self.table(tables.MEMORY_ENTITIES, ["entity_id", "display_name", "type"])
        known, stretches = self._known(fact_ids), self.stretches(fact_ids)
        return seen_at(known, stretches, names, self.as_of, self.moment, self.state.policy)

    def stretches(self, fact_ids: pl.Series | None = None) -> pl.LazyFrame:
        """Rows of VALID_TIMES that were known at `as_of`; an end that was not, is none."""
        return known_stretches(self._of(tables.VALID_TIMES, fact_ids), self.latest)

    def _known(self, fact_ids: pl.Series | None) -> pl.LazyFrame:
        """Rows of MEMORY with what was known of them at `as_of`."""
        facts = self._of(tables.MEMORY, fact_ids).filter(pl.col("status") != QUARANTINED)
        if not self.past:
            return facts
        said_of = self._of(tables.FACTS, fact_ids, ["namespace", "fact_id", "entity_id"])
        about = about_canonical(said_of.collect(), self.merged()).select("fact_id", "entity_id")
        facts = self._said_by_then(facts)
        facts = facts.drop("entity_id").join(about.lazy(), on="fact_id", how="left")
        before = pl.col("occurred_at") <= self.as_of
        then = (
            self._of(tables.CONFIDENCE_UPDATES, fact_ids)
            .filter(before)
            .sort("fact_id", "seq")
            .group_by("fact_id")
            .agg(then=pl.col("confidence").last(), then_at=pl.col("occurred_at").last())
        )
        later = pl.col("last_event_at") > self.as_of
        unmerged = pl.col("archived_at") > self.as_of
        return (
            facts.filter((pl.col("first_seen") <= self.as_of).fill_null(value=True))
            .join(then, on="fact_id", how="left")
            .with_columns(
                confidence=pl.when(later)
                .then(pl.col("then").fill_null(pl.col("base_confidence")))
                .otherwise("confidence"),
                last_event_at=pl.when(later)
                .then(pl.col("then_at").fill_null(pl.col("first_seen")))
                .otherwise("last_event_at"),
                status=pl.when(unmerged).then(pl.lit("active")).otherwise("status"),
                merged_into=pl.when(~unmerged.fill_null(value=False)).then("merged_into"),
            )
            .drop("then", "then_at")
        )

    def _said_by_then(self, facts: pl.LazyFrame) -> pl.LazyFrame:
        """Facts as what was said of them up to `as_of` has them, where more was said later."""
        said_again = facts.filter(pl.col("last_seen") > self.as_of)
        grown = said_again.select("namespace", "fact_id", "predicate").collect()
        columns = ["fact_id", "candidate_id", "record_id", "conversation_id", "occurred_at"]
        sources = self.rows(tables.FACT_SOURCES, "fact_id", grown["fact_id"], columns).filter(
            (pl.col("occurred_at") <= self.as_of).fill_null(value=True)
        )
        told = ["candidate_id", "passing", "origin", "mode", "trust", "object", "content"]
        said = [self.rows(table, "candidate_id", sources["candidate_id"].unique(), told)
                for table in _SAID]  # fmt: skip
        then = counted(
            sources.join(grown, on="fact_id").join(pl.concat(said), on="candidate_id")
        ).drop("namespace")
        changed = [name for name in then.columns if name != "fact_id"]
        return (
            facts.join(then.lazy(), on="fact_id", how="left", suffix="_then")
            .with_columns(
                pl.coalesce(f"{name}_then", name).cast(tables.MEMORY.schema[name]).alias(name)
                for name in changed
            )
            .drop(f"{name}_then" for name in changed)
        )

    @property
    def past(self) -> bool:
        """Whether more was published than was known at `as_of`."""
        ends = [self.manifest.watermark, self.manifest.last_input_at if self.then else None]
        return any(end is not None and self.as_of < end for end in ends)

    def merged(self) -> pl.DataFrame:
        """Rows of ENTITY_MERGES: which entities were known to be one at `as_of`."""
        return self.table(tables.ENTITY_MERGES).filter(pl.col("decided_at") <= self.as_of).collect()

    def entities(self) -> pl.LazyFrame:
        """Entities as they stand; of an earlier `as_of`, with what was known of them then."""
        if not self.past:
            return self.all_rows(tables.MEMORY_ENTITIES)
        seen = (pl.col("first_seen") <= self.as_of).fill_null(value=True)
        known = self.table(tables.ENTITIES).filter(seen).collect()
        return memory_entities(known, self.merged(), self.memory().collect()).lazy()

    def top_entities(self) -> pl.LazyFrame:
        """Entities that are not merged away, those with the most facts first."""
        return (
            self.entities()
            .filter(pl.col("canonical_id") == pl.col("entity_id"))
            .sort("active_facts", "mentions", "entity_id", descending=[True, True, False])
        )

    def learnings(self) -> pl.LazyFrame:
        """Learnings, the surest first."""
        return self.all_rows(tables.LEARNINGS).sort(
            "confidence", "created_at", "learning_id", descending=[True, True, False]
        )

    def sources(self, fact_ids: Sequence[str], most: int = 5) -> dict[str, list[dict[str, object]]]:
        """Where facts come from: file, line, record and quote, the first `most` of each."""
        ids = pl.Series(fact_ids, dtype=pl.String)
        found = (
            self.cached.made("sources", "fact_id", ids, lambda: self._sources(None, None))
            if self.cached
            else self._sources(ids, most)
        )
        by_fact: dict[str, list[dict[str, object]]] = {}
        for row in found.iter_rows(named=True):
            listed = by_fact.setdefault(row.pop("fact_id"), [])
            if len(listed) < most:
                listed.append(row)
        return by_fact

    def _sources(self, fact_ids: pl.Series | None, most: int | None) -> pl.DataFrame:
        """fact_id, file, line, record_id, quote, occurred_at: of each fact in their order."""
        columns = ["fact_id", "candidate_id", "record_id", "occurred_at"]
        found = (
            self._of(tables.FACT_SOURCES, fact_ids, columns)
            .collect()
            .sort("fact_id", "occurred_at", "record_id", nulls_last=True)
        )
        if most is not None:
            found = found.group_by("fact_id", maintain_order=True).head(most)
        candidates = found["candidate_id"].unique()
        said = [
            self.rows(table, "candidate_id", candidates, ["candidate_id", "quote"])
            for table in _SAID
        ]
        places = self.places(found["record_id"].to_list())
        return (
            found.join(pl.concat(said), on="candidate_id", how="left", maintain_order="left")
            .join(places, on="record_id", how="left", maintain_order="left")
            .select(
                "fact_id",
                pl.col("source_file").alias("file"),
                pl.col("source_line").alias("line"),
                "record_id",
                "quote",
                "occurred_at",
            )
        )

    def places(self, record_ids: Sequence[str], *more: str) -> pl.DataFrame:
        """Columns record_id, source_file, source_line, and any `more`, of records."""
        ids = pl.Series(record_ids, dtype=pl.String).unique()
        return self.rows(
            tables.RAW_LOGS, "record_id", ids, ["record_id", "source_file", "source_line", *more]
        )


def best_first(facts: pl.LazyFrame) -> pl.LazyFrame:
    """Facts that hold first; of them, sentences before attributes, by support, the newest."""
    return facts.sort(
        pl.col("status").is_in(STANDING),
        pl.col("content") == pl.col("object"),
        "conversation_count",
        "effective",
        "last_seen",
        "fact_id",
        descending=[True, True, True, True, True, False],
        nulls_last=True,
    )


def reader_of(
    state: State,
    manifest: Manifest,
    as_of: datetime | None = None,
    true_at: datetime | None = None,
    cached: CachedTables | None = None,
) -> Reader:
    """The reader of a publication at a moment; without one, at the latest event of its logs."""
    moment = as_of or manifest.watermark or UNDATED
    return Reader(state, manifest, moment, true_at, cached, then=as_of is not None)


def open_reader(
    state: State,
    namespace: str | None = None,
    as_of: datetime | None = None,
    true_at: datetime | None = None,
) -> Reader:
    """Readers of a namespace: the one named, else the only one there is besides the samples.

    Raises:
        NothingPublished: there is none, or there are several to choose from.
    """
    namespace = namespace or _meant(state)
    state.follow(namespace)
    manifest = published(state.home, namespace)
    if manifest is None:
        known = ", ".join(state.readable_namespaces()) or "none"
        raise NothingPublished(
            f"nothing is published for namespace {namespace!r} (there is: {known}); "
            "run `cairn run --source PATH`"
        )
    return reader_of(state, manifest, as_of, true_at)


def _meant(state: State) -> str:
    try:
        found = to_read(state.readable_namespaces(), state.settings.namespace)
    except Several as several:
        raise NothingPublished(str(several)) from None
    if found is None:
        raise NothingPublished(
            "nothing is published yet: run `cairn run --samples`, or `cairn run --source PATH`"
        )
    return found
