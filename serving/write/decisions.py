"""A person's decisions: what they name is looked up, checked, and noted in the inbox.

Nothing is changed here. The next run applies what was noted, and so does every rebuild.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import polars as pl

from cairn.knowledge.extraction.validation import LONGEST_STATEMENT
from cairn.knowledge.ingest.inbox_events.decisions import ENTITY, FACT, DecidedThing
from cairn.knowledge.nlp.names import REDACTED_WHOLE, canonical_object
from cairn.knowledge.redaction import redactor
from cairn.knowledge.schema.fact_types import NAME_PREDICATES
from cairn.knowledge.schema.identity import record_id
from cairn.knowledge.schema.tables import ENTITIES, FACTS, MEMORY_ENTITIES
from cairn.resources.context import State
from cairn.serving.read.id_lookup import COUNTED, Thing, find
from cairn.serving.read.reader import Reader
from cairn.serving.status.pending import NEXT_RUN
from cairn.serving.write.deletion import being_forgotten
from cairn.serving.write.inbox import add_event


class Undecidable(Exception):  # noqa: N818  what a person is told
    """A decision cannot be made about these; the message says why."""


def counted(thing: Thing) -> str:
    """Of what is counted, why nobody decides about it, to end a message with; else nothing."""
    if thing.kind not in COUNTED:
        return ""
    return f". It is counted from what was run and edited: `cairn show {thing.id}` tells where"


class NamedThing(NamedTuple):
    """A fact or an entity that a person named, as it stands."""

    id: str
    text: str
    status: str
    confidence: float
    stands_for: str
    """The one that took it up; itself if none did."""
    meant: DecidedThing


class DecisionTargets(NamedTuple):
    """What a decision is about: things of one kind and one namespace."""

    reader: Reader
    thing: str
    named: list[NamedThing]


def choose(
    state: State, starts: Sequence[str], namespace: str | None, *, facts_only: str | None = None
) -> DecisionTargets:
    """What ids, or beginnings of ids, name.

    Args:
        state: The home.
        starts: Ids or beginnings.
        namespace: Where to look; everywhere if None.
        facts_only: What is done with facts alone, for the message (`corrected`).

    Raises:
        UnknownId: one names nothing, or several things.
        Undecidable: they are of two namespaces or kinds, or one is named twice.
        NothingPublished: nothing is.
    """
    found = [find(state, start, namespace) for start in starts]
    kinds = {thing.kind for thing in found}
    for thing in found:
        if thing.kind not in (FACT, ENTITY) or (facts_only and thing.kind != FACT):
            what = f"only facts are {facts_only}" if facts_only else "only facts and entities are"
            kind = thing.kind.replace("_", " ")
            raise Undecidable(f"{thing.id} is of kind {kind}: {what}{counted(thing)}")
    if len(kinds) > 1:
        fact, entity = (next(t.id for t in found if t.kind == kind) for kind in (FACT, ENTITY))
        raise Undecidable(f"{fact} is a fact, {entity} an entity: they cannot be one")
    together([(thing.reader, thing.id) for thing in found])
    return chosen(found[0].reader, found[0].kind, [thing.id for thing in found])


def together(named: Sequence[tuple[Reader, str]]) -> None:
    """Refuses what cannot be decided about in one: readers of namespaces, and ids.

    Raises:
        Undecidable: they are of two namespaces, or one is named twice.
    """
    if len(spaces := {reader.namespace: id_ for reader, id_ in named}) > 1:
        each = ", ".join(f"{id_} is in {space}" for space, id_ in sorted(spaces.items()))
        raise Undecidable(f"{each}: namespaces are never mixed")
    ids = [id_ for _, id_ in named]
    if len(set(ids)) < len(ids):
        raise Undecidable(f"{next(i for i in ids if ids.count(i) > 1)} is named twice")


def chosen(reader: Reader, thing: str, ids: Sequence[str]) -> DecisionTargets:
    """Facts or entities by their whole ids, in this order."""
    rows = (_facts if thing == FACT else _entities)(reader, pl.col(f"{thing}_id").is_in(list(ids)))
    by_id = {row.id: row for row in rows}
    return DecisionTargets(reader, thing, [by_id[id_] for id_ in ids if id_ in by_id])


def united(choice: DecisionTargets, id_: str) -> list[NamedThing]:
    """All that a fact or an entity is merged with, the one that stands for them first."""
    (own,) = (each for each in choice.named if each.id == id_)
    column = "merged_into" if choice.thing == FACT else "canonical_id"
    stands = own.stands_for
    rows = (_facts if choice.thing == FACT else _entities)(
        choice.reader, (pl.col(f"{choice.thing}_id") == stands) | (pl.col(column) == stands)
    )
    together = [row for row in rows if row.status != "retracted"]
    return sorted(together, key=lambda row: (row.id != stands, row.id))


def with_members(choice: DecisionTargets) -> list[NamedThing]:
    """The fact that was named, and what was merged into it."""
    (own,) = choice.named
    return united(choice, own.id) if own.stands_for == own.id else [own]


def unretracted(choice: DecisionTargets) -> None:
    """Refuses what a person took back.

    Raises:
        Undecidable: one of them is retracted.
    """
    for each in choice.named:
        if each.status == "retracted":
            raise Undecidable(f"{each.id} is retracted; `cairn confirm {each.id}` undoes that")


def check_stays(reader: Reader, ids: Sequence[str]) -> None:
    """Refuses what is being forgotten: what is said of it now would keep its words.

    Raises:
        Undecidable: the next run forgets one of them.
    """
    if gone := being_forgotten(reader, ids):
        raise Undecidable(f"{gone[0]} is being forgotten: the next run takes it away")


def check_length(what: str, said: str) -> None:
    """Refuses what is longer than a statement.

    Raises:
        Undecidable: it is.
    """
    if len(said) > LONGEST_STATEMENT:
        raise Undecidable(f"the {what} has {len(said):,} characters; {LONGEST_STATEMENT} at most")


def correction(choice: DecisionTargets, text: str) -> str:
    """A text that may stand for a fact, redacted, its white space collapsed.

    Raises:
        Undecidable: it says nothing, too much or the same, or the fact is no sentence.
    """
    (own,) = choice.named
    clean = redactor(choice.reader.state.policy.redact_personal)
    said = clean.redact_text(" ".join(text.split()))[0]
    if own.meant.predicate in NAME_PREDICATES:
        raise Undecidable(
            f"{own.id} was observed ({own.meant.predicate}), not said: it can be retracted only"
        )
    if not any(character.isalnum() for character in said) or re.search(REDACTED_WHOLE, said):
        raise Undecidable("the text says nothing")
    check_length("text", said)
    forms = pl.DataFrame({"predicate": own.meant.predicate, "object": [said, own.meant.object]})
    if forms.select(canonical_object().n_unique()).item() == 1:
        raise Undecidable(f"{own.id} says just that")
    return said


def _facts(reader: Reader, which: pl.Expr) -> list[NamedThing]:
    rows = reader.memory().filter(which).collect()
    # What a fact is about by its own id: merging entities changes it in `memory`.
    own = reader.table(FACTS, ["fact_id", "entity_id"]).filter(
        pl.col("fact_id").is_in(rows["fact_id"].to_list())
    )
    names = reader.table(ENTITIES, ["entity_id", "display_name", "type"])
    about = {
        fact: (type_, name)
        for fact, type_, name in own.join(names, on="entity_id")
        .select("fact_id", "type", "display_name")
        .collect()
        .iter_rows()
    }
    return [
        NamedThing(
            row["fact_id"],
            row["content"],
            row["status"],
            row["effective"],
            (row["status"] == "merged_into" and row["merged_into"]) or row["fact_id"],
            DecidedThing(row["fact_id"], *about[row["fact_id"]], row["predicate"], row["object"]),
        )
        for row in rows.to_dicts()
    ]


def _entities(reader: Reader, which: pl.Expr) -> list[NamedThing]:
    return [
        NamedThing(
            row["entity_id"],
            f"{row['display_name']} ({row['type']})",
            "active" if row["canonical_id"] == row["entity_id"] else "merged_into",
            row["confidence"],
            row["canonical_id"],
            DecidedThing(row["entity_id"], row["type"], row["display_name"]),
        )
        for row in reader.table(MEMORY_ENTITIES).filter(which).collect().to_dicts()
    ]


def note(
    choice: DecisionTargets,
    decision: str,
    named: Sequence[NamedThing],
    *,
    text: str | None = None,
    into: str | None = None,
    reason: str | None = None,
    event_id: str | None = None,
) -> dict[str, Any]:
    """Appends a decision to the inbox; it is on disk when this returns.

    Args:
        choice: Where it is about something.
        decision: One of DECISION_TYPES.
        named: What it is about.
        text: What it says instead, of a correction.
        into: Id of the one that stays, of a merge.
        reason: Why.
        event_id: UUID that a retry repeats; a new one if None.

    Returns:
        decision, namespace, target_type, ids, event_id, decision_id (the id of its record from the
        next run on), written (false if the namespace had the event already), applied (when).

    Raises:
        Undecidable: one of them is being forgotten.
        ValueError: the event id is no UUID.
    """
    reader = choice.reader
    check_stays(reader, [each.id for each in named])
    event: dict[str, object] = {
        "type": decision,
        "namespace": reader.namespace,
        "thing": choice.thing,
        "meant": [
            {name: getattr(each.meant, name) for name in each.meant.__struct_fields__}
            for each in named
        ],
        "as_of": reader.as_of.isoformat(),
    }
    event |= {
        name: value
        for name, value in (
            ("text", text), ("into", into), ("reason", reason), ("event_id", event_id)
        )
        if value
    }  # fmt: skip
    received = add_event(reader.state, event)
    return {
        "decision": decision,
        "namespace": reader.namespace,
        "target_type": choice.thing,
        "ids": [each.id for each in named],
        "event_id": received.event_id,
        "decision_id": record_id(reader.namespace, received.event_id),
        "written": received.written,
        "applied": NEXT_RUN.replace("`", ""),
    }
