"""When a fact holds: from its own words, and from values that took each other's place.

Two times are kept apart. When something was true (`valid_from`, `valid_to`), and when that became
known (`known_from`, `end_known_from`): "I live in Rome since March" said in May is true from March
and known from May. Both are event times, taken from the statements; nothing is decided by when a
row was processed.

Values of a slot that holds one at a time (knowledge/nlp/statements/cardinality.py) follow each
other in the order of their statements: what was stated last holds, and each other value held until
the next one was stated. What only an agent or a text from outside says ends nothing that has better
trust, and is ended by it. That a value was replaced is no evidence against having been true, so it
costs no confidence; and a value that is stated again holds again, in a further stretch.
"""

import polars as pl

from cairn.knowledge.consolidation.verdicts.decision_effects import (
    as_corrected,
    both_hold,
    facts_named,
    still_held,
)
from cairn.knowledge.dialogue.trust import AGENT, OUTSIDE
from cairn.knowledge.engine.diff import Change, LazyFrames, difference, rows_with
from cairn.knowledge.engine.stage import Changes, StageContext
from cairn.knowledge.nlp.dates.intervals import stated_time
from cairn.knowledge.nlp.statements.cardinality import Filled, filled
from cairn.knowledge.nlp.statements.changes import ENDED
from cairn.knowledge.resolution.canonical import about_canonical
from cairn.knowledge.schema.fact_types import NAME_PREDICATES
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import WITHDRAWS
from cairn.knowledge.schema.tables import VALID_TIMES
from cairn.knowledge.schema.tables.table import TEXT, TIME

_FACT = ["namespace", "fact_id"]
_SLOT = ["namespace", "owner", "slot"]
_LINE = ["namespace", "entity_id", "object"]
"""Whose line a fact is, in its words: what takes a line out names it by them."""
_STANDS = "stands"
"""The one value of the slot that a line is, once it was taken out somewhere."""
_ALONE = "\x1f"
"""Ends a slot as it is to what is not trusted: there all values follow each other."""
_READ = pl.Schema(
    {"namespace": TEXT, "fact_id": TEXT, "entity_id": TEXT, "first_seen": TIME, "topic": pl.Boolean,
     "believed": pl.Boolean, "slot": TEXT, "value": TEXT, "start": TIME, "end": TIME}
)  # fmt: skip


def valid_times(
    facts: pl.DataFrame,
    fact_sources: pl.DataFrame,
    entities: pl.DataFrame,
    policy: Policy,
    entity_merges: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """VALID_TIMES: stretches of facts that fill a slot of one value, or give a time of their own.

    Any other fact holds from its first source on, without an end. Names of one thing share their
    slots (`entity_merges`); each sentence is read by the name that it was said of.
    """
    read = _read(facts, entities, policy)
    if entity_merges is not None:
        read = about_canonical(read, entity_merges)
    if read.is_empty():
        return VALID_TIMES.empty()
    said = _statements(read, fact_sources)
    beside = _at_once(said)
    clear = said.join(beside, on=[*_SLOT, "conversation_id", "occurred_at"], how="anti")
    held = _held(clear.filter("own"), _runs(clear))
    # What ends nothing now is read again when what it may end comes in: it keeps its slot.
    ending = pl.col("value").str.starts_with(ENDED) & pl.col("first_seen").is_not_null()
    placed = (
        read.with_columns(
            ending_slot=pl.when(ending).then("slot"), ending_value=pl.when(ending).then("value")
        )
        .drop("slot", "value", "believed")
        .join(held, on=_FACT, how="left")
        .join(_disputes(said, beside), on=_FACT, how="left")
        .with_columns(
            pl.col("seq").fill_null(0),
            pl.col("parallel_with").fill_null([]),
            pl.coalesce("slot", "disputed", "ending_slot").str.strip_suffix(_ALONE).alias("slot"),
            pl.coalesce("value", "disputed_value", "ending_value").alias("value"),
            entity_id=pl.coalesce("owner", "disputed_owner", "entity_id"),
            known_from=pl.coalesce("known_from", "first_seen"),
        )
        # A fact that only an undated source states, and that gives no time, has none.
        .filter(pl.any_horizontal(pl.col("slot", "start", "end").is_not_null()))
    )
    return VALID_TIMES.frame(_bounded(placed))


def decided_times(
    facts: pl.DataFrame,
    fact_sources: pl.DataFrame,
    entities: pl.DataFrame,
    entity_merges: pl.DataFrame,
    decisions: pl.DataFrame,
    policy: Policy,
) -> pl.DataFrame:
    """`valid_times` as people's decisions leave them.

    What was taken back holds never, what was corrected was said right at once, and what is kept
    beside another does not end it.
    """
    said = as_corrected(fact_sources, decisions)
    found = valid_times(still_held(facts, decisions), said, entities, policy, entity_merges)
    return VALID_TIMES.frame(both_hold(found, decisions))


def valid_times_after(
    changes: Changes, stored: LazyFrames, reads: LazyFrames, means: StageContext
) -> dict[str, Change]:
    """VALID_TIMES: of facts that changed, that have stretches already, or that a person decided on.

    To read sentences is what takes time, and few fill a slot. What a sentence fills depends on the
    fact and the name of its entity alone; so only facts that changed are read, those that gained or
    lost a source or whose entity changed, and those that have stretches already. Which names are
    one decides who owns the slots of these, and no others.
    """
    before, decisions = stored["valid_times"].collect(), reads["decisions"].collect()
    renamed = changes["entities"].of("namespace", "entity_id", "display_name", "type").rows
    lean = reads["facts"].select(*_FACT, "entity_id")
    wanted = pl.concat(
        [
            frame.select(_FACT)
            for frame in (
                changes["facts"].rows,
                changes["fact_sources"].rows,
                rows_with(lean, renamed.select("namespace", "entity_id")),
                facts_named(decisions),
                facts_named(changes["decisions"].gone),
                before,
                _withdrawn(reads["facts"]),
            )
        ]
    ).unique()
    # Facts about topics share the statements of their subject.
    candidates = rows_with(reads["fact_sources"], wanted, "namespace", "candidate_id", "fact_id")
    candidates = candidates.select("namespace", "candidate_id")
    shared = rows_with(reads["fact_sources"], candidates, *_FACT, "candidate_id")
    near = pl.concat([wanted, shared.select(_FACT)]).unique()
    facts = rows_with(reads["facts"], near)
    now = decided_times(
        facts,
        rows_with(reads["fact_sources"], near),
        rows_with(reads["entities"], facts.select("namespace", "entity_id")),
        reads["entity_merges"].collect(),
        decisions,
        means.policy,
    )
    return {"valid_times": difference(before, now)}


def last_stretches(stretches: pl.DataFrame) -> pl.DataFrame:
    """namespace, fact_id, valid_from, valid_to of the last stretch of each fact."""
    return (
        stretches.sort(*_FACT, "seq")
        .unique(_FACT, keep="last", maintain_order=True)
        .select(*_FACT, "valid_from", "valid_to")
    )


def _read(facts: pl.DataFrame, entities: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Facts whose sentence fills a slot or gives a time, each read by itself."""
    named = entities.select(
        "namespace", "entity_id", "display_name", topic=pl.col("type") == "topic"
    )
    withdrawn = {*facts.filter(predicate=WITHDRAWS).select(_LINE).iter_rows()}
    sentences = (
        facts.filter(~pl.col("predicate").is_in(NAME_PREDICATES))
        .join(named, on=["namespace", "entity_id"], how="left")
        .select(
            *_FACT, "entity_id", "first_seen", "predicate", "object", "content", "display_name",
            pl.col("topic").fill_null(value=False),
            believed=~pl.col("trust").is_in([OUTSIDE, AGENT]).fill_null(value=False),
        )
    )  # fmt: skip
    rows: list[tuple[object, ...]] = []
    for (
        namespace,
        fact,
        entity,
        seen,
        predicate,
        value,
        content,
        name,
        topic,
        believed,
    ) in sentences.iter_rows():
        time = stated_time(content)
        if (namespace, entity, value) in withdrawn:
            fills = _as_written(predicate, value)
        else:
            fills = filled(predicate, str(value).casefold(), time.rest, policy, name)
        if fills or time.start or time.end:
            slot = fills or (None, None)
            known = (namespace, fact, entity, seen, topic, believed)
            rows.append((*known, *slot, time.start, time.end))
    return pl.DataFrame(rows, schema=_READ, orient="row")


def _as_written(predicate: str, line: str) -> Filled:
    """The slot of a line that was written down, and taken out again at least once."""
    return Filled(f"written: {line}", f"{ENDED}{_STANDS}" if predicate == WITHDRAWS else _STANDS)


def _withdrawn(facts: pl.LazyFrame) -> pl.DataFrame:
    """Ids of facts that a line was taken out, and of those that it stands."""
    lines = facts.filter(pl.col("predicate") == WITHDRAWS).select(_LINE).unique().collect()
    if lines.is_empty():  # in most homes, which need not read all lines for it
        return pl.DataFrame(schema=dict.fromkeys(_FACT, TEXT))
    return rows_with(facts.select(*_FACT, *_LINE[1:]), lines).select(_FACT)


def _statements(read: pl.DataFrame, fact_sources: pl.DataFrame) -> pl.DataFrame:
    """Dated statements of values, once for each fact that a candidate is a source of.

    A free statement makes a fact of its subject and of every topic that it names. The slot is the
    subject's (`owner`), so that topics which two projects share do not mix their values up; the
    facts about topics share its fate. What is not believed stands in a slot of its own, among all
    that is said: so it is ended by what is believed, and ends none of it.

    Returns:
        namespace, owner, slot, value, fact_id, candidate_id, conversation_id, occurred_at, start,
        `leads`: whether it is the owner's own fact, `own`: whether the slot tells of it.
    """
    columns = [*_FACT, "candidate_id", "conversation_id", "occurred_at"]
    dated = fact_sources.drop_nulls("occurred_at").select(columns)
    candidate = ["namespace", "candidate_id"]
    leading = (
        dated.select(*_FACT, "candidate_id")
        .join(read.drop_nulls("slot"), on=_FACT)
        .sort(*candidate, "topic", "entity_id", "fact_id")
        .unique(candidate, keep="first", maintain_order=True)
        .select(
            *candidate, "slot", "value", "start", "believed", owner="entity_id", leader="fact_id"
        )
    )
    said = dated.join(leading, on=candidate).with_columns(
        leads=pl.col("fact_id") == pl.col("leader"), own=pl.lit(value=True)
    )
    doubted = said.filter(~pl.col("believed")).select(_SLOT).unique()
    beside = said.join(doubted, on=_SLOT, how="semi").with_columns(
        slot=pl.col("slot") + _ALONE, own=~pl.col("believed")
    )
    return pl.concat([said.filter("believed"), beside]).drop("believed")


def _at_once(said: pl.DataFrame) -> pl.DataFrame:
    """Places where one conversation gives a slot several values at the same time."""
    return (
        said.group_by(*_SLOT, "conversation_id", "occurred_at")
        .agg(values=pl.col("value").n_unique())
        .filter(pl.col("values") > 1)
        .drop("values")
    )


def _runs(said: pl.DataFrame) -> pl.DataFrame:
    """Stretches in which one value of a slot was stated, and no other.

    Statements stand by time, ties by candidate. A stretch begins with its first statement, and ends
    with the first statement of the next value; where that one says since when it holds, and this is
    later than the last statement of the value before, it ended then.

    Returns:
        namespace, owner, slot, value, run, run_from, run_last, run_to, end_known_from, ended_by.
    """
    ordered = said.filter("leads").sort(*_SLOT, "occurred_at", "candidate_id")
    # That a value is over ends that value alone.
    over = pl.col("value").str.starts_with(ENDED)
    standing = pl.when(~over).then("value").forward_fill().over(_SLOT)
    ends = pl.col("value").is_in([ENDED]) | (pl.col("value") == pl.lit(ENDED) + standing)
    ordered = ordered.filter(~over | ends.fill_null(value=True))
    runs = (
        ordered.with_columns(
            run=(pl.col("value") != pl.col("value").shift()).fill_null(value=True).cum_sum()
            .over(_SLOT)
        )
        .group_by(*_SLOT, "run", maintain_order=True)
        .agg(
            pl.col("value").first(),
            run_from=pl.col("occurred_at").first(),
            run_last=pl.col("occurred_at").last(),
            start=pl.col("start").first(),
            first=pl.col("fact_id").first(),
        )
        .sort(*_SLOT, "run")
    )  # fmt: skip
    following = pl.col("run_from", "start", "first").shift(-1).over(_SLOT).name.prefix("next_")
    said_since = pl.col("next_start") > pl.col("run_last")
    return runs.with_columns(following).select(
        *_SLOT, "value", "run", "run_from", "run_last",
        run_to=pl.when(said_since).then("next_start").otherwise("next_run_from"),
        end_known_from="next_run_from",
        ended_by="next_first",
    )  # fmt: skip


def _held(said: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Stretches of each fact: those of its value that had not ended when it was first stated.

    A fact about a topic may stand for statements of several owners: it then has the stretches of
    the one for whom it holds longest (ties by id).

    Returns:
        namespace, fact_id, seq, owner, slot, value, run_from, run_to, known_from, end_known_from,
        ended_by.
    """
    known = said.group_by(*_FACT, "owner", "slot", "value").agg(known=pl.col("occurred_at").min())
    stretches = (
        known.join(runs, on=[*_SLOT, "value"])
        .filter(pl.col("run_last") >= pl.col("known"))
        .with_columns(known_from=pl.max_horizontal("run_from", "known"))
    )
    longest = (
        stretches.sort(*_FACT, "owner", "slot", "run")
        .unique([*_FACT, "owner", "slot"], keep="last", maintain_order=True)
        .sort(
            *_FACT, pl.col("run_to").is_null(), "run_to", "owner", "slot",
            descending=[False, False, True, True, False, False],
        )
        .unique(_FACT, keep="first", maintain_order=True)
        .select(*_FACT, "owner", "slot")
    )  # fmt: skip
    return (
        stretches.join(longest, on=[*_FACT, "owner", "slot"])
        .sort(*_FACT, "run")
        .with_columns(seq=pl.int_range(pl.len(), dtype=pl.Int64).over(_FACT))
        .drop("run", "run_last", "known")
    )


def _disputes(said: pl.DataFrame, beside: pl.DataFrame) -> pl.DataFrame:
    """For facts stated at once with another value: with which facts, and in which slot."""
    place = [*_SLOT, "conversation_id", "occurred_at"]
    at_once = said.join(beside, on=place)
    others = at_once.select(*place, other="fact_id", other_value="value")
    return (
        at_once.filter("own")
        .join(others, on=place)
        .filter(pl.col("value") != pl.col("other_value"))
        .sort(*_FACT, "owner", "slot")
        .group_by(_FACT, maintain_order=True)
        .agg(
            parallel_with=pl.col("other").unique().sort(),
            disputed=pl.col("slot").first(),
            disputed_value=pl.col("value").first(),
            disputed_owner=pl.col("owner").first(),
        )
    )


def _bounded(placed: pl.DataFrame) -> pl.DataFrame:
    """Stretches with the times that statements give for themselves.

    A stated start is that of the first stretch; a stated end ends each that goes beyond it. What is
    only said to have ended, and had when it was said, began nobody knows when.
    """
    over = (pl.col("start").is_null() & (pl.col("end") <= pl.col("known_from"))).fill_null(
        value=False
    )
    sooner = (pl.col("end") <= pl.col("run_to")).fill_null(
        pl.col("end").is_not_null() & pl.col("run_to").is_null()
    )
    return placed.with_columns(
        valid_from=pl.when(pl.col("start").is_not_null() & (pl.col("seq") == 0))
        .then("start")
        .when(over)
        .then(None)
        .otherwise(pl.coalesce("run_from", "first_seen")),
        valid_to=pl.when(sooner).then("end").otherwise("run_to"),
        end_known_from=pl.when(sooner).then("known_from").otherwise("end_known_from"),
        ended_by=pl.when(~sooner).then("ended_by"),
    )
