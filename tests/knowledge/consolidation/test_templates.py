"""Of facts that are the same but for numbers, those are compared that can tell something."""

import json
import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from cairn.knowledge.consolidation.similar_facts import OPPOSITE, SAME, similar_facts, templates
from cairn.knowledge.consolidation.stages import SIMILAR_FACTS_STAGE
from cairn.knowledge.consolidation.templates import numbers_of
from cairn.knowledge.engine.diff import Change, difference, with_change
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.nlp.statements.compare import compare
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import ENTITY_MERGES, FACTS
from tests.knowledge.rows import facts
from tests.knowledge.toy_embedder import ToyEmbedder

SIZE = 4
POLICY, UNBOUNDED = Policy(template_size=SIZE), Policy(template_size=1_000_000)
PORT = "the port of the proxy of the web shop is {}"
LABELLED = Path(__file__).parents[1] / "labelled"


def said(*texts: str) -> pl.DataFrame:
    return facts(*({"fact_id": f"f{n:04}", "content": text} for n, text in enumerate(texts)))


def pairs_of(known: pl.DataFrame, policy: Policy = POLICY) -> pl.DataFrame:
    """SIMILAR_FACTS with what either side says, `left` and `right`."""
    found = similar_facts(known, ToyEmbedder(), policy)
    for side in ("left", "right"):
        own = known.select(pl.col("fact_id").alias(f"{side}_id"), pl.col("content").alias(side))
        found = found.join(own, on=f"{side}_id")
    return found


def texts_of(known: pl.DataFrame, policy: Policy = POLICY) -> set[frozenset[str]]:
    return {frozenset(pair) for pair in pairs_of(known, policy).select("left", "right").rows()}


def ports(*numbers: int) -> list[str]:
    return [PORT.format(number) for number in numbers]


def test_a_value_meets_the_one_before_and_the_one_behind() -> None:
    numbers = [8080, 9, 443, 10, 80]
    expected = {frozenset(ports(*pair)) for pair in ((9, 10), (10, 80), (80, 443), (443, 8080))}
    assert texts_of(said(*ports(*numbers))) == expected
    assert set(pairs_of(said(*ports(*numbers)))["slot"]) == {"port of proxi of web shop be *"}
    assert len(texts_of(said(*ports(*numbers[:SIZE])))) == SIZE * (SIZE - 1) // 2


def test_pairs_of_a_template_grow_with_its_facts() -> None:
    counts = [pairs_of(said(*ports(*range(count)))).height for count in (50, 100, 200)]
    assert counts == [49, 99, 199]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the build {} of the shop does work", "the build {} of the shop does not work"),
        ("the build {} of the shop took 30s", "the build {} of the shop took 30 seconds"),
        ("the build {} of us prefers v2 over v3", "the build {} of us prefers v3 over v2"),
        ("the build {} of the shop needs 1,024 files", "the build {} of the shop needs 1024 files"),
        ("on 05 May the build {} of the shop failed", "on 5 May the build {} of the shop failed"),
    ],
)  # fmt: skip
def test_what_is_the_same_or_a_denial_is_found_among_any_number(one: str, other: str) -> None:
    known = said(*(text.format(number) for text in (one, other) for number in range(11, 31)))
    clear = pl.col("verdict").is_in([SAME, OPPOSITE])
    expected = pairs_of(known, UNBOUNDED).filter(clear)
    assert expected.height == 20
    assert_frame_equal(pairs_of(known).filter(clear), expected)


def test_facts_without_a_number_meet_all_of_a_template() -> None:
    general = "the port of the proxy of the web shop is not open"
    assert sum(general in pair for pair in texts_of(said(*ports(*range(9)), general))) == 9


def test_a_commit_is_a_number_whatever_its_letters() -> None:
    commits = ("3fa2b1c", "abcdefa", "1234567", "fedcbaf", "00ff00ff", "9c9c9c9")
    texts = [f"the commit {each} of the web shop was deployed to the old host" for each in commits]
    assert len(texts_of(said(*texts))) == len(texts) - 1


def mixed(dice: random.Random, count: int) -> list[str]:
    forms = (
        PORT, "the port of the proxy of the web shop is not {}",
        "the port of the proxy {} of the web shop is {}", "the port of the proxy is {}s",
        "the port {} of the proxy comes before the port {}", "the port of the proxy is open",
    )  # fmt: skip
    return [
        dice.choice(forms[: dice.choice([1, 6])]).format(*dice.choices(range(30), k=2))
        for _ in range(count)
    ]


def differ_both_ways(one: str, other: str) -> bool:
    ours, theirs = (Counter(numbers_of(text.lower())) for text in (one, other))
    return bool(ours - theirs) and bool(theirs - ours)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1_000_000))
def test_what_is_left_out_differs_in_numbers_and_is_counted(seed: int) -> None:
    known = said(*dict.fromkeys(mixed(random.Random(seed), 40)))
    every, ours = pairs_of(known, UNBOUNDED), pairs_of(known)
    assert ours.join(every, on=every.columns, how="anti", nulls_equal=True).is_empty()
    lost = every.join(ours, on=["left_id", "right_id"], how="anti")
    assert lost.filter(pl.col("verdict").is_in([SAME, OPPOSITE])).is_empty()
    assert all(differ_both_ways(*pair) for pair in lost.select("left", "right").iter_rows())
    counted = templates(known, POLICY).left_out
    assert counted["pairs"].sum() >= lost.height


def test_words_never_say_same_or_opposite_where_numbers_differ_both_ways() -> None:
    pairs = [
        (each["left"], each["right"])
        for line in (LABELLED / "wording_pairs.jsonl").read_text("utf-8").splitlines()
        for each in (json.loads(line),)
    ]
    clauses = (LABELLED / "wording_clauses.tsv").read_text("utf-8").splitlines()
    pairs += [tuple(line.split("\t")[1:3]) for line in clauses]
    apart = [pair for pair in pairs if differ_both_ways(*pair)]
    assert len(apart) >= 39
    assert not {SAME, OPPOSITE} & {compare(*pair).verdict for pair in apart}


def in_steps(known: Iterable[pl.DataFrame], merged: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """SIMILAR_FACTS after facts and ENTITY_MERGES took each of these states, one a night."""
    means, update = StageContext(POLICY, ToyEmbedder()), SIMILAR_FACTS_STAGE.update_incremental
    assert update
    before = {"facts": FACTS.empty(), "entity_merges": ENTITY_MERGES.empty()}
    found = SIMILAR_FACTS_STAGE.writes[0].empty()
    for rows, names in zip(known, merged, strict=True):
        now = {"facts": rows, "entity_merges": names}
        changes = {name: difference(before[name], now[name]) for name in now}
        reads = {name: frame.lazy() for name, frame in now.items()}
        change = update(changes, {"similar_facts": found.lazy()}, reads, means)["similar_facts"]
        found = SIMILAR_FACTS_STAGE.writes[0].frame(with_change(found, change))
        expected = SIMILAR_FACTS_STAGE.run(now, means).tables["similar_facts"]
        assert_frame_equal(found, expected, check_exact=True)
        # As the check of a slice does: made as if some had just come, nothing changes.
        as_if = {"facts": Change(rows.gather_every(3), rows.clear()),
                 "entity_merges": difference(names, names)}  # fmt: skip
        again = update(as_if, {"similar_facts": found.lazy()}, reads, means)
        assert again["similar_facts"].rows.is_empty()
        before = now
    return found


# What a night costs hardly grows with its facts: many of them for fewer examples.
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 1_000_000), steps=st.integers(0, 5))
def test_a_template_that_comes_in_any_order_and_in_pieces_gives_the_same(
    seed: int, steps: int
) -> None:
    """Facts and names of the entity come, and some go again for a night.

    Each night gives what one run over all gives, the last one too: so they are the same, whatever
    came before. With no steps all comes at once.
    """
    dice = random.Random(seed)
    rows = said(*mixed(dice, 60))
    entities = pl.Series("entity_id", [dice.choice(["e0", "e0", "e1"]) for _ in range(rows.height)])
    whole = FACTS.frame(rows.with_columns(entities))
    names = ENTITY_MERGES.frame(
        [{"namespace": "n", "entity_id": "e1", "canonical_id": "e0", "rule": "same_words",
          "reason": "", "similarity": 1.0, "decided_at": None}]
    )  # fmt: skip
    come = [dice.randint(0, steps) for _ in range(whole.height)]
    away = [dice.randint(0, 3 * steps) for _ in range(whole.height)]
    states = [
        whole.filter(pl.Series(come) <= step, pl.Series(away) != step) for step in range(steps)
    ]
    named = [names if dice.random() < 0.5 else names.clear() for _ in states]
    in_steps([*states, whole], [*named, names])


def test_one_that_comes_between_two_parts_them_and_one_that_goes_joins_them() -> None:
    few, more = (said(*ports(*range(10, 18))), said(*ports(*range(10, 18)), *ports(7)))
    between = more.filter(pl.col("content") != PORT.format(14))
    none = ENTITY_MERGES.empty()
    assert in_steps([few, more, between, more, few.head(SIZE)], [none] * 5).height == 6
