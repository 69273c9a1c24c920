"""Decisions of people: what each one means today, and which of them has the last word.

A decision stores the id and the content of what it meant. The id is looked for first, then the
content; what is found by neither is `unresolved`, and listed. On one pair, or one fact, the latest
decision has the last word (by event time, then id); one that is undone has none, as if nobody had
made it. Nothing here depends on the order of rows, nor on whether a decision came before what it is
about.

A statement that names topics is a fact about each of them too. What is decided about one holds for
those copies of it that rest on no other source.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import combinations

import polars as pl

from cairn.knowledge.consolidation.verdicts.decision_effects import unite
from cairn.knowledge.ingest.inbox_events.decisions import (
    CORRECT,
    DISMISS,
    ENTITY,
    FACT,
    KEEP_APART,
    KIND,
    MERGE,
    UNDO,
    UNMERGE,
    DecidedThing,
    ToldDecision,
    told_of,
)
from cairn.knowledge.nlp.dates.timestamps import utc
from cairn.knowledge.nlp.names import canonical, canonical_column, canonical_object
from cairn.knowledge.schema.calendar import UNDATED
from cairn.knowledge.schema.fact_types import NAME_PREDICATES
from cairn.knowledge.schema.identity import entity_id
from cairn.knowledge.schema.tables import DECISIONS

DECIDED = (pl.col("kind") == KIND) & (pl.col("origin") == "human")
"""Rows of RAW_LOGS that are decisions."""

_FACT = ["namespace", "fact_id"]
_NOBODY = ToldDecision("", "", ())

Pair = tuple[str, str]


@dataclass
class _Decision:
    """One decision on its way to a row."""

    namespace: str
    id: str
    event_id: str | None
    told: ToldDecision
    text: str
    at: datetime | None
    ids: list[str] = field(default_factory=list[str])
    """What it names and is there, once each, in the order in which it names them."""
    missing: list[DecidedThing] = field(default_factory=list[DecidedThing])
    into: str | None = None
    copies: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Of each of `ids`, the same statement about other entities."""
    brought: list[str] = field(default_factory=list[str])
    """Facts that the text of a correction made; first the one about the entity it names."""
    pairs: list[Pair] = field(default_factory=list[Pair])
    facts: list[str] = field(default_factory=list[str])
    replaced_by: str | None = None
    superseded_by: str | None = None
    wrong: list[str] = field(default_factory=list[str])
    """Why it cannot be applied, or not all of it."""


def decisions(
    raw_logs: pl.DataFrame, facts: pl.DataFrame, fact_sources: pl.DataFrame, entities: pl.DataFrame
) -> pl.DataFrame:
    """DECISIONS: every decision with what it means now.

    Of RAW_LOGS those that are DECIDED are read.
    """
    said = _said(raw_logs)
    if not said:
        return DECISIONS.empty()
    _resolve(said, facts, entities)
    _copy(said, facts, fact_sources)
    latest_first = sorted(said, key=_when, reverse=True)
    _undo(latest_first)
    _settle(latest_first, fact_sources, dict(facts.select("fact_id", "entity_id").iter_rows()))
    _untangle(latest_first)
    looked_at = utc(pl.Series([one.told.as_of for one in said], dtype=pl.String), "UTC")
    return DECISIONS.frame(
        {
            "decision_id": one.id,
            "namespace": one.namespace,
            "decision": one.told.decision,
            "target_type": one.told.thing,
            "requested_ids": [meant.id for meant in one.told.meant],
            "ids": one.ids,
            "pairs": [{"left_id": left, "right_id": right} for left, right in sorted(one.pairs)],
            "facts": sorted(one.facts),
            "replaced_by": one.replaced_by,
            "into_id": one.into,
            "text": one.text,
            "reason": one.told.reason,
            "decided_at": one.at,
            "as_of": as_of,
            "unresolved": "; ".join(one.wrong) or None,
            "superseded_by": one.superseded_by,
        }
        for one, as_of in zip(said, looked_at.to_list(), strict=True)
    )


def _said(raw_logs: pl.DataFrame) -> list[_Decision]:
    columns = ["namespace", "record_id", "native_id", "tool_input", "text", "occurred_at"]
    return [
        _Decision(namespace, record, event, told_of(tool_input) or _NOBODY, text, at)
        for namespace, record, event, tool_input, text, at in raw_logs.filter(DECIDED)
        .select(columns)
        .iter_rows()
    ]


def _when(one: _Decision) -> tuple[datetime, str]:
    return one.at or UNDATED, one.id


def _undo(latest_first: Sequence[_Decision]) -> None:
    """Notes what is undone; of undos that undo each other the latest holds."""
    known = {(one.namespace, one.id): one for one in latest_first}
    events = {(one.namespace, one.event_id): one for one in latest_first if one.event_id}
    for one in latest_first:
        for meant in one.told.meant if one.told.decision == UNDO else ():
            other = known.get((one.namespace, meant.id)) or events.get(
                (one.namespace, meant.object)
            )
            if other is None:
                one.wrong.append(f"there is no decision {meant.id}")
            elif other.told.decision == UNDO and _when(other) >= _when(one):
                one.wrong.append(f"{meant.id} is no earlier one")
            elif other.id not in one.ids:
                one.ids.append(other.id)
                if one.superseded_by is None:
                    other.superseded_by = other.superseded_by or one.id


def _resolve(said: Sequence[_Decision], facts: pl.DataFrame, entities: pl.DataFrame) -> None:
    """Finds what each decision names, by id, else by content."""
    named = pl.DataFrame(
        [
            (number, place, one.namespace, one.told.thing, *_content(meant))
            for number, one in enumerate(said)
            for place, meant in enumerate(one.told.meant)
            if one.told.thing in (FACT, ENTITY)
        ],
        schema={
            "number": pl.Int64, "place": pl.Int64, "namespace": pl.String, "target_type": pl.String,
            "id": pl.String, "type": pl.String, "entity": pl.String, "predicate": pl.String,
            "object": pl.String,
        },
        orient="row",
    ).with_columns(name=canonical_column("entity", "type"))  # fmt: skip
    of_facts = named.filter(target_type=FACT)
    of_others = named.filter(pl.col("target_type") != FACT)
    known = {
        **_found(of_facts, facts, "fact_id", _facts_by_content(of_facts, facts, entities)),
        **_found(of_others, entities, "entity_id", _entities_by_content(of_others, entities)),
    }
    for number, one in enumerate(said):
        if one.told.decision == UNDO:
            continue
        if one.told.decision == DISMISS:  # of what waits, which is no row of these tables
            one.ids = list(dict.fromkeys(meant.id for meant in one.told.meant))
            continue
        for place, meant in enumerate(one.told.meant):
            found = known.get((number, place))
            if found is None:
                one.missing.append(meant)
            elif found not in one.ids:
                one.ids.append(found)
            if meant.id == one.told.into:
                one.into = found
        one.wrong += [_gone(meant, one.told.thing) for meant in one.missing]
        if one.told is _NOBODY or not one.told.meant:
            one.wrong.append("it names nothing")
        elif one.told.decision in (MERGE, UNMERGE, KEEP_APART):
            if len(one.ids) < 2 and not one.missing:
                one.wrong.append("what it names is one and the same")
        elif one.told.thing != FACT:
            one.wrong.append("only facts are corrected, confirmed or retracted")
            one.ids.clear()


def _content(meant: DecidedThing) -> tuple[str, str, str, str, str]:
    return meant.id, meant.type, meant.entity, meant.predicate, meant.object


def _gone(meant: DecidedThing, thing: str) -> str:
    entity = f"{meant.entity} ({meant.type})"
    if thing == FACT:
        return f"nothing says “{meant.object}” of {entity}"
    return f"there is no {entity}"


def _found(
    wanted: pl.DataFrame, there: pl.DataFrame, column: str, by_content: pl.DataFrame
) -> dict[tuple[int, int], str]:
    """Ids of today, by number of the decision and place in it."""
    ids = there.select("namespace", pl.col(column).alias("id"))
    by_id = wanted.join(ids, on=["namespace", "id"], how="semi").select("number", "place", "id")
    rest = by_content.join(by_id, on=["number", "place"], how="anti")
    return {
        (number, place): id_
        for frame in (by_id, rest.sort("number", "place", "id", descending=[False, False, True]))
        for number, place, id_ in frame.select("number", "place", "id").iter_rows()
    }


def _entities_by_content(wanted: pl.DataFrame, entities: pl.DataFrame) -> pl.DataFrame:
    names = entities.select("namespace", "type", "name", "entity_id")
    found = wanted.join(names, on=["namespace", "type", "name"])
    return found.select("number", "place", "entity_id", id="entity_id")


def _facts_by_content(
    wanted: pl.DataFrame, facts: pl.DataFrame, entities: pl.DataFrame
) -> pl.DataFrame:
    lost = wanted.join(facts.select("namespace", id="fact_id"), on=["namespace", "id"], how="anti")
    about = _entities_by_content(lost, entities)
    named = lost.join(about.select("number", "place", "entity_id"), on=["number", "place"])
    said = facts.join(named, on=["namespace", "entity_id", "predicate"], how="semi")
    key = ["namespace", "entity_id", "predicate", "said"]
    return (
        named.with_columns(said=canonical_object())
        .join(said.with_columns(said=canonical_object()).select(*key, "fact_id"), on=key)
        .select("number", "place", id="fact_id")
    )


def _copy(said: Sequence[_Decision], facts: pl.DataFrame, fact_sources: pl.DataFrame) -> None:
    """Finds the same statements about other entities, and what the texts of corrections made."""
    mine = pl.DataFrame(
        [(one.namespace, id_) for one in said if one.told.thing == FACT for id_ in one.ids],
        schema={"namespace": pl.String, "fact_id": pl.String},
        orient="row",
    ).unique()
    # What a theme draws from a sentence rests on the same record, as a candidate of its own.
    sentence = ["namespace", "record_id", "said"]
    observed = pl.col("predicate").is_in(NAME_PREDICATES)
    content = pl.concat_str(
        pl.when(observed).then("predicate").otherwise(pl.lit("")), canonical_object(), separator=" "
    )
    sources = (
        fact_sources.select(*_FACT, "record_id")
        .join(facts.select(*_FACT, said=content), on=_FACT)
        .unique()
    )
    beside = (
        sources.join(mine, on=_FACT)
        .rename({"fact_id": "named"})
        .join(sources, on=sentence)
        .filter(pl.col("fact_id") != pl.col("named"))
        .group_by("namespace", "named", "fact_id")
        .len("shared")
    )
    total = sources.join(beside, on=_FACT, how="semi").group_by(_FACT).len("total")
    copies: dict[tuple[str, str], list[str]] = {}
    for namespace, named, copy in (
        beside.join(total, on=_FACT)
        .filter(pl.col("shared") == pl.col("total"))
        .sort("namespace", "named", "fact_id")
        .select("namespace", "named", "fact_id")
        .iter_rows()
    ):
        copies.setdefault((namespace, named), []).append(copy)
    corrections = [(one.namespace, one.id) for one in said if one.told.decision == CORRECT]
    made = (
        fact_sources.join(
            pl.DataFrame(
                corrections, schema={"namespace": pl.String, "record_id": pl.String}, orient="row"
            ),
            on=["namespace", "record_id"],
        )
        .join(facts.select(*_FACT, "entity_id"), on=_FACT)
        .select("namespace", "record_id", "fact_id", "entity_id")
        .unique()
        .sort("fact_id")
    )
    brought: dict[tuple[str, str], list[Pair]] = {}
    for namespace, record, fact, entity in made.iter_rows():
        brought.setdefault((namespace, record), []).append((fact, entity))
    for one in said:
        if one.told.thing == FACT:
            one.copies = {id_: copies.get((one.namespace, id_), []) for id_ in one.ids}
        if one.told.decision == CORRECT and one.told.meant:
            head = one.told.meant[0]
            about = entity_id(one.namespace, head.type, canonical(head.entity, head.type))
            own = brought.get((one.namespace, one.id), [])
            one.replaced_by = next((fact for fact, entity in own if entity == about), None)
            one.brought = [fact for fact, _ in own]


def _settle(
    latest_first: Sequence[_Decision], fact_sources: pl.DataFrame, entity_of: dict[str, str]
) -> None:
    """Gives each pair and each fact to the latest decision about it that is not undone."""
    last: dict[tuple[str, str, Pair], _Decision] = {}
    no_more: set[str] = set()
    rests_on = _records(latest_first, fact_sources)

    def claim(one: _Decision, keys: Iterable[Pair]) -> list[Pair]:
        place = (one.namespace, one.told.thing)
        return [key for key in dict.fromkeys(keys) if last.setdefault((*place, key), one) is one]

    def overruled(one: _Decision, keys: Sequence[Pair]) -> str | None:
        """The latest decision on what one is about, if one has no last word at all."""
        others = [last.get((one.namespace, one.told.thing, key), one) for key in keys]
        if not others or any(other is one for other in others):
            return None
        return max(others, key=lambda other: (other.at or UNDATED, other.id)).id

    for one in latest_first:
        if one.told.decision in (UNDO, DISMISS) or one.superseded_by is not None:
            continue
        if one.told.decision in (MERGE, UNMERGE, KEEP_APART):
            pairs = _pairs(one, entity_of)
            one.pairs = claim(one, pairs)
            one.superseded_by = overruled(one, pairs)
            continue
        copies = [copy for id_ in one.ids for copy in one.copies.get(id_, [])]
        if one.told.decision != CORRECT:
            one.facts = [fact for fact, _ in claim(one, _alone([*one.ids, *copies]))]
            one.superseded_by = overruled(one, _alone(one.ids))
            continue
        old = [id_ for id_ in [*one.ids, *copies] if id_ not in one.brought]
        one.superseded_by = overruled(one, _alone(id_ for id_ in one.ids if id_ in old))
        if one.superseded_by is not None:
            # What only corrections say that no longer hold falls with them.
            no_more.add(one.id)
            one.replaced_by = None
            fallen = [fact for fact in one.brought if rests_on[fact] <= no_more]
            one.facts = [fact for fact, _ in claim(one, _alone(fallen))]
        elif one.replaced_by is None:
            one.wrong.append("its text made no fact")
        else:
            one.facts = [fact for fact, _ in claim(one, _alone(old))]
            claim(one, _alone(one.brought))


def _alone(ids: Iterable[str]) -> list[Pair]:
    """Keys of single facts, among those of pairs."""
    return [(id_, "") for id_ in ids]


def _records(said: Sequence[_Decision], fact_sources: pl.DataFrame) -> dict[str, set[str]]:
    """Records of each fact that a correction made."""
    brought = [fact for one in said for fact in one.brought]
    found: dict[str, set[str]] = {}
    mine = fact_sources.filter(pl.col("fact_id").is_in(brought))
    for fact, record in mine.select("fact_id", "record_id").iter_rows():
        found.setdefault(fact, set()).add(record)
    return found


def _pairs(one: _Decision, entity_of: dict[str, str]) -> list[Pair]:
    """Pairs that a decision is about; copies of its facts meet where they are about one entity."""
    pairs = list(combinations(one.ids, 2))
    if one.told.decision == UNMERGE:
        named = one.told.meant[0].id
        # The first stands by itself; if it is gone, nothing is to be set apart.
        alive = one.ids[:1] if all(meant.id != named for meant in one.missing) else []
        pairs = [pair for pair in pairs if pair[0] in alive]
    beside = [
        (left, right)
        for first, second in pairs
        for left in one.copies.get(first, [])
        for right in one.copies.get(second, [])
        if left != right and entity_of[left] == entity_of[right]
    ]
    return [(left, right) if left < right else (right, left) for left, right in [*pairs, *beside]]


def _untangle(latest_first: Sequence[_Decision]) -> None:
    """Leaves out merges, earlier ones first, that would join what a person keeps apart."""
    apart = {
        (one.namespace, *pair): one.id
        for one in latest_first
        if one.told.decision != MERGE
        for pair in one.pairs
    }
    groups: dict[tuple[str, str], set[str]] = {}
    for one in latest_first:
        if one.told.decision != MERGE:
            continue
        held: list[Pair] = []
        for pair in sorted(one.pairs):
            if between := unite(groups, one.namespace, pair, apart):
                one.wrong.append(f"would join what {apart[between]} keeps apart")
            else:
                held.append(pair)
        one.pairs = held
        one.wrong = list(dict.fromkeys(one.wrong))
