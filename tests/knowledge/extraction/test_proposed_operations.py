"""Commands that no rule names are proposed as operation types, until a person names them."""

import random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from pydantic import ValidationError

from cairn.knowledge.engine.diff import difference
from cairn.knowledge.extraction.proposed_operations import (
    proposed_operations,
    proposed_operations_after,
)
from cairn.knowledge.extraction.rules.commands import RULES
from cairn.knowledge.extraction.rules.rule import Record
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import FACT_SOURCES
from tests.knowledge.rows import facts

POLICY = Policy()
PLANS = [f"cd infra && stackform plan -out={name}.tfplan" for name in "abcdef"]
OTHERS = [f"stackform {verb}" for verb in ("init", "apply", "destroy", "output x", "show y")]


def ran(lines: list[str], conversations: int = 2) -> tuple[pl.DataFrame, pl.DataFrame]:
    """FACTS and FACT_SOURCES of command lines, in turn of so many conversations."""
    said = facts(
        *(
            {"fact_id": f"f{at:03}", "predicate": "executed_command", "object": line}
            for at, line in enumerate(lines)
        )
    )
    sources = said.select(
        "fact_id", "namespace", candidate_id="fact_id", record_id="fact_id",
        conversation_id=pl.concat_str(pl.lit("s"), pl.int_range(pl.len()) % conversations),
        confidence=pl.lit(1.0), occurred_at="first_seen", day=pl.lit("2026-01-01"),
    )  # fmt: skip
    return said, FACT_SOURCES.frame(sources)


def patterns(lines: list[str], conversations: int = 2, policy: Policy = POLICY) -> dict[str, int]:
    found = proposed_operations(*ran(lines, conversations), policy)
    return dict(found.select("pattern", "commands").iter_rows())


def test_what_comes_again_is_proposed_with_its_operand():
    (row,) = proposed_operations(*ran(PLANS), POLICY).to_dicts()
    assert (row["pattern"], row["name"]) == ("stackform plan", "stackform_plan")
    assert (row["commands"], row["conversations"]) == (6, 2)
    assert row["example_ids"] == ["f000", "f001", "f002"]


def test_what_is_left_of_a_program_is_proposed_together():
    assert patterns(PLANS + OTHERS) == {"stackform plan": 6, "stackform": 5}


def test_a_program_that_is_run_bare_too_is_proposed_once():
    bare = [f"stackform --lane={name}" for name in "abcdef"]
    assert patterns(PLANS + bare + OTHERS) == {"stackform plan": 6, "stackform": 11}


@pytest.mark.parametrize(
    ("lines", "conversations"),
    [
        (PLANS[:4], 2),
        (PLANS, 1),
        ([f"git commit -m {word}" for word in "abcdef"], 2),
        ([f"ls {word}; cat {word} | sed s/a/b/" for word in "abcdef"], 2),
        ([f"./run-{word}.sh" for word in "abcdef"], 2),
        ([f"ssh -V # {word}" for word in "abcdef"], 2),
    ],
)
def test_what_is_rare_named_or_everywhere_is_not(lines, conversations):
    assert patterns(lines, conversations) == {}


@pytest.mark.parametrize("line", ["stackform plan=", "stackform=infrastructure"])
def test_what_a_person_decided_is_proposed_no_more(line):
    assert "stackform plan" not in patterns(PLANS, policy=Policy(learned_operations=(line,)))


def test_any_order_of_rows_gives_the_same():
    said, sources = ran(PLANS + OTHERS, 3)
    order = random.Random(1).sample(range(said.height), said.height)
    one, other = (
        proposed_operations(*each, POLICY)
        for each in ((said, sources), (said[order], sources[order[::-1]]))
    )
    assert_frame_equal(one, other, check_exact=True)


@pytest.mark.parametrize(
    ("setting", "line", "expected"),
    [
        ("stackform plan=infrastructure", "stackform plan -out=x", ["infrastructure"]),
        ("stackform=infrastructure", "stackform apply", ["infrastructure"]),
        ("stackform plan=infrastructure", "stackform apply", []),
        ("stackform plan=", "stackform plan", []),
        ("git=history", "git commit", ["version_control"]),
    ],
)
def test_an_accepted_pattern_is_read_by_the_rule(setting, line, expected):
    (rule,) = (rule for rule in RULES if rule.name == "operation_type")
    record = Record("r", "tool_call", "agent", "", None, "Bash", f'{{"command": "{line}"}}', None)
    policy = Policy(learned_operations=(setting,))
    assert [found.object for found in rule.find([record], policy)] == expected
    assert rule.extractor.fingerprint(policy) != rule.extractor.fingerprint(POLICY)


def test_settings_are_checked_and_their_order_is_nothing():
    lines = ("kubectx=cluster_choice", "helm diff=")
    assert Policy(learned_operations=lines) == Policy(learned_operations=lines[::-1])
    with pytest.raises(ValidationError, match="is not like"):
        Policy(learned_operations=("stackform plan",))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 1_000_000))
def test_what_is_made_of_a_change_is_what_is_made_of_everything(seed: int):
    dice = random.Random(seed)
    every = [*PLANS, *OTHERS, *(f"'rope'wheel turn {name}" for name in "abcde")]
    every += [f"ropewheel turn {name} && ./x/ropewheel" for name in "fg"] + ["git status", "turn"]
    said, sources = ran(every, dice.choice([1, 2, 3]))
    before, now = (
        frame.filter(pl.Series([dice.random() < 0.8 for _ in range(frame.height)]))
        for frame in (said, said)
    )
    was, stands = (
        sources.filter(pl.Series([dice.random() < 0.9 for _ in range(sources.height)]))
        for _ in range(2)
    )
    of = ["namespace", "fact_id"]
    moved = difference(was, stands).rows.select(of)
    changed = pl.concat([difference(before, now).rows, now.join(moved, on=of, how="semi")])
    stored = proposed_operations(before, was, POLICY)
    made = proposed_operations_after(changed, stored, now, stands, POLICY)
    assert_frame_equal(made, proposed_operations(now, stands, POLICY))
