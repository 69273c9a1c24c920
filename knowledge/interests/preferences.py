"""Preferences: stretches in which somebody likes, dislikes or mutes something.

A like opens a stretch, further likes belong to it, and `unlike` ends it; a person who then says the
opposite, by command or in words, ends it too. A reaction is a smaller thing: it joins the stretch
that holds, opens one where none does, and ends none. Each person has their own; who is not named
may be any of them. All of it by event time; where that is equal,
as in a log that tells no times, by the place in the conversation and in the text.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import polars as pl

from cairn.knowledge.nlp.text import STOP_WORDS, words
from cairn.knowledge.nlp.vocabulary import UNITED, stem
from cairn.knowledge.schema.calendar import UNDATED, undated
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.tables import PREFERENCES
from cairn.knowledge.vectors.model import Embedder

_CARRIED = ("namespace", "name", "topic", "person", "source", "record_id")
_OPPOSITE = {"like": "dislike", "dislike": "like", "mute": None}


_Held = dict[str | None, dict[str, "_Stretch"]]
"""What holds about a thing: by person, by attitude."""


class PreferenceTables(NamedTuple):
    """The table `preferences`, and which signs belong to which preference."""

    preferences: pl.DataFrame
    signs: pl.DataFrame
    """Rows of SIGNS that engage, with preference_id and ended_at; null where they have none."""


@dataclass
class _Stretch:
    """One preference on its way to a row."""

    row: dict[str, object]
    attitude: str

    @property
    def id(self) -> str:
        return str(self.row["preference_id"])


def preferences(signs: pl.DataFrame, embedder: Embedder) -> PreferenceTables:
    """Preferences that follow from what people said for and against things.

    Args:
        signs: Rows of SIGNS, in any order, with `thing`: what names of one thing have in common.
        embedder: Gives the vectors of topics.
    """
    stretches: list[_Stretch] = []
    belongs: list[str | None] = []
    ordered = signs.sort(
        pl.col("occurred_at").fill_null(undated()), "conversation_id", "seq", "record_id", "place",
        "act", "name", "topic", "entity_id",
    )  # fmt: skip
    held: dict[tuple[str, str], _Held] = {}
    for sign in ordered.iter_rows(named=True):
        if sign["name"] is None:
            belongs.append(None)
            continue
        own = held.setdefault((sign["namespace"], sign["thing"]), {})
        belongs.append(_told(sign, own, stretches))
    topics = sorted({str(each.row["topic"]) for each in stretches})
    vectors = dict(zip(topics, embedder.embed(topics).tolist(), strict=True)) if topics else {}
    rows = PREFERENCES.frame(
        {**each.row, "model": embedder.model, "vector": vectors[str(each.row["topic"])]}
        for each in stretches
    )
    ends = rows.select("namespace", "preference_id", "ended_at")
    engaging = (
        ordered.with_columns(preference_id=pl.Series(belongs, dtype=pl.String))
        .filter(pl.col("valence") != 0)
        .join(ends, on=["namespace", "preference_id"], how="left", maintain_order="left")
    )
    return PreferenceTables(rows, engaging)


def may_reach(topic: str, name: str) -> bool:
    """Whether what is liked may be told of what is like it, going by the words of both.

    It goes from a topic to what is part of it, never back: who hates python packaging says nothing
    against python. And python 3.11 is not python 3.12, nor static typing dynamic, however alike
    they look.
    """
    said, named = (
        {word for word in words(text) if word not in STOP_WORDS} for text in (topic, name)
    )
    numbers = {word for word in said if any(map(str.isdigit, word))}
    stems, others = set(map(stem, said)), set(map(stem, named))
    ends, other_ends = ({UNITED.get(one, (one, False)) for one in side} for side in (stems, others))
    against = any((axis, not denied) in other_ends for axis, denied in ends)
    return numbers <= named and not others < stems and not against


def _told(sign: dict[str, object], held: _Held, every: list[_Stretch]) -> str | None:
    """Id of the preference that a sign belongs to, once it has opened and ended what it does."""
    act, person = str(sign["act"]), _person(sign)
    at = sign["occurred_at"] or UNDATED
    mine = held.setdefault(person, {})
    own = [each for who, each in held.items() if person is None or who in (person, None)]
    if act.startswith("un"):
        for each in own:
            _end(each, act.removeprefix("un"), at, sign)
        return None
    opposite = _OPPOSITE[act]
    if any(opposite in each for each in own):
        if sign["said_in"] not in ("command", "statement"):
            return None
        for each in own:
            _end(each, opposite, at, sign)
    joined = next((each[act] for each in [mine, *own] if act in each), None)
    if joined is None:
        place = (sign["namespace"], act, sign["name"], sign["record_id"])
        row = {
            "preference_id": "p_" + digest(*place),
            "attitude": act,
            "started_at": sign["occurred_at"],
            **{name: sign[name] for name in _CARRIED},
        }
        joined = mine[act] = _Stretch(row, act)
        every.append(joined)
    return joined.id


def _person(sign: dict[str, object]) -> str | None:
    return None if sign["person"] is None else str(sign["person"])


def _end(
    own: dict[str, _Stretch], attitude: str | None, at: object, sign: dict[str, object]
) -> None:
    if attitude and (stretch := own.pop(attitude, None)):
        stretch.row |= {"ended_at": at, "ended_by": sign["record_id"]}


def muted(rows: pl.DataFrame) -> frozenset[str]:
    """Of what nobody wants to be told unasked: names of entities, and ids of pieces of memory.

    Args:
        rows: Of PREFERENCES, in force at the moment that is asked about.
    """
    return frozenset(rows.filter(attitude="mute")["topic"])


def in_force(rows: pl.DataFrame, start: str, end: str, as_of: datetime | pl.Expr) -> pl.DataFrame:
    """Rows that had begun at a moment and had not ended; undated ones had always begun."""
    begun = (pl.col(start) <= as_of).fill_null(value=True)
    over = (pl.col(end) <= as_of).fill_null(value=False)
    return rows.filter(begun & ~over)
