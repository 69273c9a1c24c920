"""What is in force: counted, ranked, replaced; by any order of rows, and through the whole."""

import json
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.knowledge.assembly.build import build
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.ingest.records import read_records
from cairn.knowledge.practices.practices import practices
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import COMMAND_RUNS

BEGIN = datetime(2026, 3, 2, tzinfo=UTC)


def runs(*told: tuple[int, str, str, bool | None], folder: str = "") -> pl.DataFrame:
    """COMMAND_RUNS of (day, task, command, passed); one conversation a day."""
    return COMMAND_RUNS.frame(
        {
            "namespace": "n",
            "day": (BEGIN + timedelta(days=day)).date().isoformat(),
            "conversation_id": f"c{day}",
            "record_id": f"r{at:03}",
            "place": 0,
            "seq": at,
            "occurred_at": BEGIN + timedelta(days=day, seconds=at),
            "project": "~/shop",
            "folder": folder,
            "env": ["CI=1"] if command == "make test" else [],
            "command": command,
            "task": task,
            "passed": passed,
            "extractor": "command_runs@1",
        }
        for at, (day, task, command, passed) in enumerate(told)
    )


def of(frame: pl.DataFrame, command: str) -> dict:
    return frame.row(by_predicate=pl.col("command") == command, named=True)


def test_a_practice_counts_its_runs():
    told = [(day, "test", "make test", day != 1) for day in range(3)]
    row = of(practices(runs(*told, (3, "test", "make test", None))), "make test")
    assert (row["runs"], row["passed"], row["failed"], row["conversations"]) == (4, 2, 1, 4)
    assert row["share_passed"] == 2 / 3
    assert row["env"] == ["CI=1"]
    assert row["source_record_ids"] == ["r003", "r002", "r001", "r000"]
    assert row["rank"] == 1


def test_what_most_conversations_ran_is_first_then_what_passes():
    usual = [(day, "test", "make test", True) for day in range(3)]
    failing = [(day, "test", "tox", False) for day in range(2)]
    mixed = [(day, "test", "pytest", day == 0) for day in range(2)]
    found = practices(runs(*usual, *failing, *mixed)).sort("rank")
    assert found["command"].to_list() == ["make test", "pytest"], "tox never passed"


def test_a_run_of_a_part_is_none_of_the_whole():
    told = runs(*((day, "test", "make test", day < 2) for day in range(4)))
    part = pl.Series([False, True, True, False])
    row = of(practices(told.with_columns(narrowed=part)), "make test")
    assert (row["runs"], row["passed"], row["failed"], row["conversations"]) == (2, 1, 1, 2)
    alone = of(practices(told.with_columns(narrowed=pl.lit(value=True))), "make test")
    assert (alone["runs"], alone["passed"]) == (4, 2), "there is no other"


@pytest.mark.parametrize(
    "variant",
    ["npx turbo run lint --force", "npm run lint --filter=@quay/tide", "npm run lint -w tide",
     "npm run lint --debug"],
)  # fmt: skip
def test_a_debugging_variant_does_not_outrank_the_plain_command(variant):
    often = [(day, "lint", variant, True) for day in range(3)]
    found = practices(runs(*often, (3, "lint", "npm run lint", True))).sort("rank")
    assert found["command"].to_list() == ["npm run lint", variant]


def test_of_as_many_conversations_the_shortest_is_first_and_the_root_before_a_folder():
    told = [(0, "test", "make test ci", True), (0, "test", "make test", True)]
    found = practices(runs(*told)).sort("rank")
    assert found["command"].to_list() == ["make test", "make test ci"]
    inside = runs((1, "test", "tox", True), folder="tide")
    both = pl.concat([inside, runs((1, "test", "make test all", True))])
    assert practices(both).sort("rank")["folder"].to_list() == ["", "tide"]


def test_a_command_that_came_for_another_replaces_it():
    old = [(day, "lint", "make lint", True) for day in range(3)]
    new = [(day, "lint", "just lint", True) for day in range(3, 5)]
    found = practices(runs(*old, *new))
    before, after = of(found, "make lint"), of(found, "just lint")
    assert before["replaced_by"] == after["practice_id"]
    assert after["replaces"] == before["practice_id"]
    assert (after["rank"], before["rank"]) == (1, 2), "though it was run less"


def test_nothing_is_replaced_by_what_stands_beside_it_or_came_once():
    old = [(day, "test", "make test", True) for day in range(3)]
    once = [(3, "test", "just test", True)]
    more = [(day, "test", "make test:ci", True) for day in range(3, 5)]
    back = [(5, "test", "make test", True)]
    now_and_then = [(0, "test", "tox", True), (1, "test", "tox", True)]
    for rows in ([*old, *once], [*old, *more], [*old, *once, *back], [*old, *now_and_then, *once]):
        assert practices(runs(*rows))["replaced_by"].null_count() == practices(runs(*rows)).height


def test_a_command_that_is_only_slots_is_no_practice():
    slots = [
        ("commit", "git commit -m <message>"), ("commit", "git commit -a --amend --no-edit"),
        ("install", "pip install <package>"), ("install", "uv pip install --system <package>"),
        ("install", "cargo add <package> --dev"), ("release", "git tag -a <version> -m <message>"),
        ("release", "gh release create <version>"),
        ("commit", "git -c user.name=ada commit -m <message>"),
        ("build", "go build -o ../trial ."),
    ]  # fmt: skip
    telling = [
        ("commit", "git commit -s -m <message>"), ("install", "pip install -e .[dev]"),
        ("release", "gh release create <version> --generate-notes"),
        ("format", "npx prettier --write <files>"),
    ]  # fmt: skip
    told = [(day, *one, True) for day in range(3) for one in (*slots, *telling)]
    assert set(practices(runs(*told))["command"]) == {command for _, command in telling}


def test_what_usually_comes_before_and_after():
    rows = []
    for day in range(3):
        rows += [(day, "format", "make fmt", True), (day, "lint", "make lint", True)]
        rows += [(day, "commit", "git commit -m <message>", True), (day, "build", "make", True)]
    found = practices(runs(*rows))
    assert of(found, "make fmt")["after"] == "make lint"
    assert of(found, "make lint")["before"] == "make fmt"
    assert of(found, "make")["before"] is None, "a commit ends a piece of work"


def test_a_bypass_is_no_practice():
    for command in (
        "git commit --no-verify -m <message>",
        "git -c core.hooksPath=/dev/null commit -s -m <message>",
    ):
        rows = [(day, "commit", command, True) for day in range(3)]
        assert practices(runs(*rows)).is_empty()


COMMANDS = st.sampled_from([("test", "make test"), ("test", "pytest"), ("lint", "make lint")])
TOLD = st.tuples(st.integers(0, 5), COMMANDS, st.sampled_from([True, False, None]))


@settings(max_examples=40, deadline=None)
@given(st.lists(TOLD, max_size=14), st.randoms(use_true_random=False))
def test_any_order_of_rows_gives_the_same(told, random):
    frame = runs(*((day, task, command, passed) for day, (task, command), passed in told))
    order = list(range(frame.height))
    random.shuffle(order)
    assert practices(frame[order]).equals(practices(frame))


def test_sessions_give_practices_through_the_whole(embedder):
    lines = []
    for day in range(2):
        for at, command in enumerate(("make fmt && make test", "make test 2>&1 | tail -5")):
            head = {
                "sessionId": f"s{day}", "cwd": f"/home/ada/shop/.worktrees/{day}",
                "version": "2", "parentUuid": None, "isSidechain": False,
            }  # fmt: skip
            moment = f"2026-03-0{day + 2}T09:0{at}"
            use = {"type": "tool_use", "id": f"t{day}{at}", "name": "Bash",
                   "input": {"command": command}}  # fmt: skip
            answer = {"type": "tool_result", "tool_use_id": f"t{day}{at}",
                      "content": "7 passed in 1s", "is_error": False}  # fmt: skip
            lines += [
                {**head, "type": "assistant", "uuid": f"a{day}{at}", "timestamp": f"{moment}:00Z",
                 "message": {"role": "assistant", "content": [use]}},
                {**head, "type": "user", "uuid": f"u{day}{at}", "timestamp": f"{moment}:30Z",
                 "message": {"role": "user", "content": [answer]}},
            ]  # fmt: skip
    records = read_records(
        "\n".join(json.dumps(line) for line in lines).encode(), namespace="n",
        source_file="s.jsonl", timezone="UTC", seen_at=datetime(2026, 11, 1, tzinfo=UTC),
        redactor=None,
    ).records  # fmt: skip
    tables = build(records, StageContext(Policy(), embedder))
    found = tables["practices"]
    assert tables["command_runs"].height == 6
    assert set(found["project"]) == {"~/shop"}
    test = of(found, "make test")
    assert (test["runs"], test["passed"], test["conversations"]) == (4, 4, 2)
    assert of(found, "make fmt")["passed"] == 2


def test_what_only_failed_or_leaves_a_check_out_is_no_practice():
    told = [(0, "test", "tox", False), (1, "test", "tox", None), (0, "test", "make test", None),
            (1, "test", "make test", None),
            (0, "commit", "git commit -m <message> --no-verify", True)]  # fmt: skip
    assert practices(runs(*told))["command"].to_list() == ["make test"]
