"""Knowledge is a pure function of the logs: any order, any split, the same rows."""

import random
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from cairn.knowledge.assembly.build import build, comparable
from cairn.knowledge.engine.diff import Change, difference
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.ingest.records import read_records
from cairn.knowledge.quality.invariants import violations
from cairn.knowledge.redaction import redactor
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import RECORDS
from cairn.resources.embedders.choice import load_embedder

SEEN_AT = datetime(2026, 11, 1, tzinfo=UTC)
SUFFIXES = {".jsonl", ".json", ".traj"}


@pytest.fixture(scope="module")
def means() -> StageContext:
    return StageContext(Policy(), load_embedder("wordllama"))


@pytest.fixture(scope="module")
def files(samples: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(samples)): path.read_bytes()
        for path in sorted(samples.rglob("*"))
        if path.suffix in SUFFIXES
    }


@pytest.fixture(scope="module")
def expected(files: dict[str, bytes], means: StageContext) -> dict[str, pl.DataFrame]:
    return comparable(build(records(list(files.items())), means))


def records(files: list[tuple[str, bytes]], namespace: str = "n") -> pl.DataFrame:
    """Records as intake keeps them: the first of each key."""
    read = [
        read_records(
            data,
            namespace=namespace,
            source_file=name,
            timezone="UTC",
            seen_at=SEEN_AT,
            redactor=redactor(),
        ).records
        for name, data in files
    ]
    return pl.concat([RECORDS.empty(), *read]).unique("record_key", keep="first")


def _harmed(frame: pl.DataFrame, how: str, random: random.Random) -> pl.DataFrame:
    """A table with a row less, one twice, or one that says otherwise in all of some type."""
    row = random.randrange(frame.height)
    if how == "less":
        return frame.with_row_index("at").filter(pl.col("at") != row).drop("at")
    if how == "twice":
        return pl.concat([frame, frame[row]])
    kinds = {"number": pl.Float64, "text": pl.String}
    number, text = pl.lit(1.5), pl.lit("AKIA" + "Q3EXAMPLEKEY7WZX")  # what a key looks like
    new = number if how == "number" else text
    kept = ("namespace", "day")
    others = [
        name for name, kind in frame.schema.items() if kind == kinds[how] and name not in kept
    ]
    said = frame[row].with_columns(new.alias(name) for name in others)
    rest = frame.with_row_index("at").filter(pl.col("at") != row).drop("at")
    return pl.concat([rest, said])


@given(st.randoms(use_true_random=False))
@settings(
    deadline=None, max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_where_nothing_was_broken_it_is_enough_to_check_what_changed(
    expected: dict[str, pl.DataFrame], random: random.Random
) -> None:
    tables = {name: frame for name, frame in expected.items() if "namespace" in frame.columns}
    filled = [name for name, frame in sorted(tables.items()) if frame.height]
    after = dict(tables)
    for name in random.sample(filled, random.randint(1, 8)):
        for _ in range(random.randint(1, 2)):
            how = random.choice(("less", "twice", "number", "text"))
            if after[name].height:
                after[name] = _harmed(after[name], how, random)
    changed: dict[str, Change | None] = {
        name: None if random.random() < 0.2 else difference(tables[name], frame)
        for name, frame in after.items()
        if frame is not tables[name]
    }
    lazy = {name: frame.lazy() for name, frame in after.items()}
    assert violations(lazy, changed) == violations(lazy)


def assert_same(one: dict[str, pl.DataFrame], other: dict[str, pl.DataFrame]) -> None:
    assert one.keys() == other.keys()
    for name, frame in one.items():
        try:
            assert_frame_equal(frame, other[name], check_exact=True)
        except AssertionError as error:
            raise AssertionError(f"table {name}: {error}") from error


def test_samples_reach_every_table(expected: dict[str, pl.DataFrame]) -> None:
    empty = [name for name, frame in expected.items() if frame.is_empty()]
    by_model = [
        "rejected_facts", "entity_verdicts", "contradiction_verdicts", "merge_verdicts",
        "theme_facts",
    ]  # fmt: skip
    by_people = ["decisions", "pieces", "check_ins"]
    by_hooks = ["utility"]
    assert sorted(empty) == sorted([*by_model, *by_people, *by_hooks]), (
        "which logs alone do not fill"
    )


@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_order_copies_and_sessions_in_two_halves_give_the_same_rows(
    data: st.DataObject,
    files: dict[str, bytes],
    expected: dict[str, pl.DataFrame],
    means: StageContext,
) -> None:
    """And so does what is in another namespace."""
    sessions = [name for name in files if name.startswith("claude_code/")]
    copied, *parted = data.draw(
        st.lists(st.sampled_from(sessions), min_size=2, max_size=5, unique=True)
    )
    parts = [("copy.jsonl", files[copied])]
    for number, name in enumerate(parted):
        lines = files[name].splitlines(keepends=True)
        cut = data.draw(st.integers(1, len(lines) - 1))
        parts += [(f"second-{number}.jsonl", b"".join(lines[cut:])),
                  (f"first-{number}.jsonl", b"".join(lines[:cut]))]  # fmt: skip
    others = [(other, content) for other, content in files.items() if other not in parted]
    order = data.draw(st.permutations([*parts, *others]))
    both = pl.concat([records(order), records([(copied, files[copied])], "other")])
    seed = data.draw(st.integers(0, 10_000))
    made = build(both.sample(fraction=1.0, shuffle=True, seed=seed), means)
    own = {name: frame.filter(pl.col("namespace") == "n") for name, frame in made.items()}
    assert made["facts"].height > own["facts"].height > 0
    assert_same(comparable(own), expected)


def test_without_a_conversation_its_knowledge_is_gone_and_other_stays(
    files: dict[str, bytes], expected: dict[str, pl.DataFrame], means: StageContext
) -> None:
    session = max(
        (name for name in files if name.startswith("claude_code/")), key=lambda n: len(files[n])
    )
    rest = [(name, content) for name, content in files.items() if name != session]
    without = build(records(rest), means)
    gone = set(expected["raw_logs"]["record_id"]) - set(without["raw_logs"]["record_id"])
    assert gone
    for name, column in (
        ("candidates", "record_id"),
        ("fact_sources", "record_id"),
        ("introductions", "record_id"),
    ):
        assert not gone & set(without[name][column])
    lessons = without["learnings"].explode("source_record_ids")["source_record_ids"]
    assert not gone & set(lessons)
