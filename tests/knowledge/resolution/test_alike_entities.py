"""Which entities may be one though no rule says so, the likeliest first."""

import polars as pl
import pytest

from cairn.knowledge.resolution.alike_entities import alike_entities
from cairn.knowledge.resolution.resolution import entity_merges
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.rows import day, entities, facts
from tests.knowledge.toy_embedder import ToyEmbedder

POLICY = Policy(alike_name_similarity=0.6)
NOBODY = pl.DataFrame(schema=dict.fromkeys(("namespace", "left_id", "right_id"), pl.String))


def named(*names: str | tuple[str, str], namespaces: tuple[str, ...] = ("n",)) -> pl.DataFrame:
    pairs = [name if isinstance(name, tuple) else (name, "topic") for name in names]
    return pl.concat(
        entities(
            *(
                {"entity_id": f"{space}{at}", "namespace": space, "display_name": name,
                 "type": type_, "first_seen": day(at)}
                for at, (name, type_) in enumerate(pairs)
            )
        )
        for space in namespaces
    )  # fmt: skip


def stated(*said: tuple[tuple[int, ...], str]) -> pl.DataFrame:
    rows = [
        {"fact_id": f"f{number}_{at}", "entity_id": f"n{at}", "content": text,
         "first_seen": day(number)}
        for number, (about, text) in enumerate(said)
        for at in about
    ]  # fmt: skip
    return facts(*rows)


def found(
    rows: pl.DataFrame, said: pl.DataFrame | None = None, apart: pl.DataFrame = NOBODY
) -> list[tuple[str, str, str]]:
    said = facts() if said is None else said
    merged = entity_merges(rows, said, ToyEmbedder(), POLICY)
    alike = alike_entities(rows, said, merged, apart, ToyEmbedder(), POLICY)
    shown = dict(rows.select("entity_id", "display_name").iter_rows())
    return [
        (shown[left], shown[right], rule)
        for left, right, rule in alike.select("left_id", "right_id", "rule").iter_rows()
    ]


def test_names_for_which_more_would_have_to_be_said_come_first():
    names = (
        "Moneybox", "Moneybox service", "TTL", "time to live", "tide table",
        "tide table glossary", "coffee",
    )  # fmt: skip
    assert found(named(*names)) == [
        ("Moneybox", "Moneybox service", "containment"),
        ("TTL", "time to live", "acronym"),
        ("tide table", "tide table glossary", "alike"),
    ]


def test_what_a_person_keeps_apart_is_no_pair():
    rows = named("Lumen", "Project Lumen")
    assert found(rows) == [("Lumen", "Project Lumen", "within")]
    apart = pl.DataFrame(
        [("n", "n1", "n0")], schema=["namespace", "left_id", "right_id"], orient="row"
    )
    assert found(rows, apart=apart) == []


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("tide table 3", "tide table 4"),
        ("tide table v1.2", "tide table v1.3"),
        ("tide table", "tide table 2"),
        ("tide table C", "tide table"),
        (("tide table", "topic"), ("tide table clerk", "person")),
        (("tide-table", "tool"), ("tide-table-2", "tool")),
    ],
)
def test_what_a_number_version_letter_or_type_tells_apart_is_no_pair(left, right):
    assert found(named(left, right)) == []


def test_a_topic_may_be_an_observed_project():
    assert found(named(("harbor-backup", "project"), "harbor backup repository")) == [
        ("harbor-backup", "harbor backup repository", "alike")
    ]


def test_names_without_a_word_in_common_by_what_is_named_beside_both():
    rows = named("Kingfisher", "ledger service", "orders", "invoices", "coffee")
    said = stated(
        ((0, 2), "Kingfisher reads the orders."),
        ((0, 3), "Kingfisher writes invoices."),
        ((1, 2), "The ledger service lost two orders."),
        ((1, 3), "Old invoices lie in the ledger service."),
        ((4, 3), "Coffee is on the invoices."),
    )
    assert found(rows, said) == [
        ("Kingfisher", "ledger service", "beside"),
        ("orders", "invoices", "beside"),
    ]
    # Named in one statement, they share nothing by it.
    assert found(rows, stated(((0, 1, 2, 3), "Kingfisher and the ledger service are busy."))) == []


def test_what_is_said_later_takes_no_pair_away():
    rows = named(
        "Kingfisher",
        "ledger service",
        "orders",
        "invoices",
        *(f"thing {c}{c}" for c in "bcdefghjklmnopqrstuv"),
    )
    early = [((0, 2), "K reads the orders."), ((0, 3), "K writes invoices."),
             ((1, 2), "The ledger lost orders."), ((1, 3), "The ledger has invoices.")]  # fmt: skip
    late = [
        ((one, at), f"Number {one} is beside {at}.") for at in range(4, 24) for one in (0, 1, 2, 3)
    ]
    pair = ("Kingfisher", "ledger service", "beside")
    assert pair in found(rows, stated(*early))
    assert pair in found(rows, stated(*early, *late))


def test_names_of_two_namespaces_are_no_pair():
    rows = named("Lumen", "Project Lumen", namespaces=("n", "m"))
    alone = rows.filter(
        ((pl.col("namespace") == "n") & (pl.col("display_name") == "Lumen"))
        | ((pl.col("namespace") == "m") & (pl.col("display_name") != "Lumen"))
    )
    assert len(found(rows)) == 2
    assert found(alone) == []
