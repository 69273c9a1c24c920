"""What the person cares about, and what they do not want to hear of unasked."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

import polars as pl

from cairn.knowledge.interests.preferences import muted
from cairn.knowledge.nlp.text import words
from cairn.knowledge.schema.entity_types import OF_PROSE
from cairn.knowledge.schema.tables import MEMORY_ENTITIES
from cairn.serving.query.interests import preferences_at, rows_of
from cairn.serving.read.reader import Reader
from cairn.serving.retrieval.ranking import ScoredHit

STEPS = 20
"""Steps of relevance from 0 to 1: what is on the same one is equally relevant."""


LONGEST_NAME = 4
"""Words of a name that is looked for in facts."""


@dataclass(frozen=True)
class Personalization:
    """The interests of a namespace at a moment, as passive recall needs them."""

    interest: Mapping[str, float]
    """Score by entity_id, and by the words of a name."""
    unwanted: Mapping[str, Collection[str]]
    """Entities that the person muted, dislikes, or is against by what they did: id → its names."""
    names: Collection[str]
    """Words of what they muted, or said they dislike."""
    muted: Collection[str]
    """What they muted as they said it: of a piece of memory its id."""

    def but(self, message: str) -> "Personalization":
        """The same, for a message: what it names itself may be told."""
        said = _spaced(message)
        there = {id_: own for id_, own in self.unwanted.items() if not _has(said, own)}
        names = [name for name in self.names if not _has(said, [name])]
        return replace(self, unwanted=there, names=names)

    def leaves(self, one: ScoredHit) -> bool:
        """Whether a result may be told unasked: it is about nothing unwanted, and names none."""
        if one.hit.payload.get("entity_id") in self.unwanted or one.hit.id in self.muted:
            return False
        return not self.names_unwanted(f"{one.told.entity or ''} {one.told.text}")

    def names_unwanted(self, text: str) -> bool:
        """Whether a text has the words of something unwanted, side by side."""
        return bool(self.names) and _has(_spaced(text), self.names)

    def sorted(self, found: Iterable[ScoredHit]) -> list[ScoredHit]:
        """The most relevant first; of those equally so, what the person cares about more."""
        return sorted(found, key=lambda one: (-step(one.score), -self._of(one), one.order))

    def _of(self, one: ScoredHit) -> float:
        """The most that the person cares about anything that a result is about."""
        about = {str(one.hit.payload.get("entity_id"))}
        if one.hit.kind == "fact":
            about |= _spans(one.told.text)
        elif one.told.entity:  # of an episode, its project's folder
            about.add(_words(PurePosixPath(one.told.entity).name))
        return max((self.interest[each] for each in about if each in self.interest), default=0.0)


def step(relevance: float) -> int:
    """Relevance in steps."""
    return round(relevance * STEPS)


def personalization_of(reader: Reader) -> Personalization:
    """What the person cares about at the reader's moment; read once per publication."""
    if reader.past:
        return _read(reader)
    return reader.once("personalization", lambda: _read(reader))


def _read(reader: Reader) -> Personalization:
    rows = rows_of(reader).select("entity_id", "score", "muted", "disliked").collect()
    columns = ["entity_id", "type", "display_name", "aliases"]
    entities = reader.rows(MEMORY_ENTITIES, "entity_id", rows["entity_id"], columns)
    called = {
        id_: (type_, {_words(each) for each in (name, *(aliases or ()))} - {""})
        for id_, type_, name, aliases in entities.iter_rows()
    }
    interest: dict[str, float] = {}
    unwanted: dict[str, set[str]] = {}
    held = preferences_at(reader)
    names, no_prose = _said(held), set[str]()
    for row in rows.sort("score", "entity_id").iter_rows(named=True):
        type_, own = called.get(row["entity_id"], ("", set[str]()))
        prose = type_ in OF_PROSE  # `find` and `make` are words, too
        for name in (row["entity_id"], *(own if prose else ())):
            interest[name] = row["score"]
        if row["muted"] or row["disliked"] or row["score"] < 0:
            unwanted[row["entity_id"]] = own
            names |= own if row["muted"] else set()
            no_prose |= set() if prose else own
    return Personalization(interest, unwanted, sorted(names - no_prose), muted(held))


def _said(held: pl.DataFrame) -> set[str]:
    """Words of the topics that the person muted, or said they dislike."""
    said = held.filter(pl.col("attitude") != "like", pl.col("source") != "reaction")
    return {_words(topic) for topic in said["topic"]} - {""}


def _words(text: str) -> str:
    return " ".join(words(text))


def _spans(text: str) -> set[str]:
    """Words side by side, up to the length of a name."""
    said = words(text)
    return {
        " ".join(said[start : start + length])
        for length in range(1, LONGEST_NAME + 1)
        for start in range(len(said) - length + 1)
    }


def _spaced(text: str) -> str:
    return f" {_words(text)} "


def _has(spaced: str, names: Iterable[str]) -> bool:
    return any(f" {name} " in spaced for name in names)
