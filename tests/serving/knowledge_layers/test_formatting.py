"""The text that a prompt gets."""

from itertools import permutations

import pytest

from cairn.serving.knowledge_layers.formatting import Formatter
from cairn.serving.knowledge_layers.items import (
    Edge,
    KnowledgeType,
    Metadata,
    Node,
    Piece,
    Relation,
    Retrieved,
    Scored,
)

FOUND = Retrieved(
    "ada",
    Metadata("ada", "person", {"name": "Ada", "born": 1815, "langs": ["en", "fr"], "fax": None}),
    Metadata("global", "namespace", {"day": "Monday\nmorning"}),
    (
        Scored(Piece("p2", "Brew tea\nat 80 degrees.", KnowledgeType.PROCEDURE), 0.456),
        Scored(Piece("p1", "Ada drinks tea.", KnowledgeType.PREFERENCE, tags=("tea", "cup")), 0.9),
        Scored(Piece("p0", "Ben repairs clocks."), 0.456),
        Scored(Piece("p9", "Ben repairs clocks."), 0.3),
    ),
    (
        Relation(Edge("ada", "z", "OWNS"), Node("z", "work_place", "Clock Street 4"), 1),
        Relation(
            Edge("ada", "b", "OWNS", {"description": "since\n1840"}), Node("b", "cat", "Tom"), 2
        ),
        Relation(Edge("ada", "ben", "KNOWS"), Node("ben", "person", "Ben"), 1),
        Relation(Edge("z", "ben", "KNOWS"), Node("ben", "person", "Ben"), 2),
    ),
)

TEXT = """\
[Metadata]
born: 1815
langs: en, fr
name: Ada

[Global Metadata]
day: Monday morning

[Knowledge]
[preference] Ada drinks tea.
  Tags: cup, tea
---
[fact] Ben repairs clocks.
---
[procedure] Brew tea
at 80 degrees.

[Relationships]
KNOWS → Person:Ben
OWNS → Cat:Tom (since 1840)
OWNS → Work_place:Clock Street 4"""


def test_the_default_form_to_the_letter() -> None:
    assert Formatter()(FOUND) == TEXT


def test_delimiters_tags_and_scores_are_settings() -> None:
    text = Formatter("\n##\n", "\n", include_tags=False, include_scores=True)(FOUND)
    assert text.split("\n##\n")[2] == (
        "[Knowledge]\n[preference] Ada drinks tea. (score: 0.90)\n"
        "[fact] Ben repairs clocks. (score: 0.46)\n"
        "[procedure] Brew tea\nat 80 degrees. (score: 0.46)"
    )


@pytest.mark.parametrize("turn", range(24))
def test_any_order_gives_the_same_bytes(turn: int) -> None:
    pieces = list(permutations(FOUND.pieces))[turn]
    relations = list(permutations(FOUND.graph_context))[turn]
    assert FOUND.metadata
    properties = dict(list(permutations(FOUND.metadata.properties.items()))[turn])
    profile = Metadata("ada", "person", properties)
    found = Retrieved("ada", profile, FOUND.global_metadata, pieces, relations)
    assert Formatter()(found) == TEXT


def test_what_is_empty_has_no_section() -> None:
    assert Formatter()(Retrieved()) == ""
    assert Formatter()(Retrieved(metadata=Metadata("a", "person", {"x": None}))) == ""
    assert (
        Formatter()(Retrieved(pieces=FOUND.pieces[2:3]))
        == "[Knowledge]\n[fact] Ben repairs clocks."
    )


def test_values_with_parts_do_not_depend_on_their_order() -> None:
    one = Metadata("a", "person", {"x": {"b": 1, "a": "é"}, "y": {"q", "p"}})
    two = Metadata("a", "person", {"y": {"p", "q"}, "x": {"a": "é", "b": 1}})
    assert Formatter()(Retrieved(metadata=one)) == Formatter()(Retrieved(metadata=two))
    assert Formatter()(Retrieved(metadata=one)) == '[Metadata]\nx: {"a": "é", "b": 1}\ny: p, q'
