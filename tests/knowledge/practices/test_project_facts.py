"""What counting tells of a project: package managers, files edited again, files edited together."""

from datetime import UTC, datetime, timedelta

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.knowledge.practices.command_runs import command_runs
from cairn.knowledge.practices.file_edits import file_edits
from cairn.knowledge.practices.project_facts import by_chance, project_facts
from cairn.knowledge.schema.tables import COMMAND_RUNS, FILE_EDITS, OBSERVATIONS

BEGIN = datetime(2026, 3, 2, tzinfo=UTC)
NO_RUNS, NO_EDITS = COMMAND_RUNS.empty(), FILE_EDITS.empty()
NOTHING = OBSERVATIONS.empty()


def edits(*told: tuple[int, str]) -> pl.DataFrame:
    """FILE_EDITS of (day, path); one conversation a day."""
    return FILE_EDITS.frame(
        {
            "namespace": "n", "day": (BEGIN + timedelta(days=day)).date().isoformat(),
            "conversation_id": f"c{day:02}", "path": path, "project": "~/shop", "seq": 1,
            "record_id": f"r{day:02}", "occurred_at": BEGIN + timedelta(days=day),
            "extractor": "command_runs@2",
        }
        for day, path in told
    )  # fmt: skip


def test_files_are_those_of_the_repository_wherever_it_was_checked_out(session):
    one = session(
        ("edit", "/home/ada/shop-api/orders.py", "a", "b"),
        ("edit", "/home/ada/shop-api/orders.py", "b", "c"),
        ("edit", "/home/ada/shop-api/.worktrees/totals/api/total.py", "a", "b"),
        ("edit", "/tmp/scratch.py", "a", "b"),
    )
    found = file_edits(one)
    assert found.sort("seq")["path"].to_list() == ["orders.py", "orders.py", "api/total.py"]
    place = {name: pl.lit(found[name][0]) for name in ("namespace", "project")}
    again = pl.concat([found, edits((1, "orders.py")).with_columns(**place)])
    known = project_facts(NO_RUNS, again, NOTHING)["conversations"].to_list()
    assert known == [2], "a file edited twice in a conversation counts once"


def test_what_is_edited_again_and_together():
    days = range(10)
    pair = [(day, path) for day in days[:4] for path in ("orders.py", "test_orders.py")]
    everywhere = [(day, "notes.md") for day in days]
    found = project_facts(NO_RUNS, edits(*pair, *everywhere, (9, "once.py")), NOTHING)
    files = found.filter(pl.col("kind") == "edited_file").sort("rank")
    assert files["name"].to_list() == ["notes.md", "orders.py", "test_orders.py"]
    assert files["conversations"].to_list() == [10, 4, 4]
    together = found.filter(pl.col("kind") == "edited_together").row(0, named=True)
    assert (together["name"], together["other"]) == ("orders.py", "test_orders.py")
    assert found.filter(pl.col("kind") == "edited_together").height == 1, "notes.md is with all"
    assert by_chance(4, 4, 4, 10) == 1 / 210


def test_a_package_manager_is_the_one_that_is_used(session):
    logs = [
        session(("run", line, "added 3 packages"), conversation=f"c{at}")
        for at, line in enumerate(("pnpm install", "pnpm test", "pnpm run lint", "uv sync"))
    ]
    found = project_facts(command_runs(pl.concat(logs)), NO_EDITS, NOTHING)
    assert found.select("kind", "name", "conversations").rows() == [("package_manager", "pnpm", 3)]
    other = session(("run", "npm install", ""), conversation="c9")
    mixed = project_facts(command_runs(pl.concat([*logs, other])), NO_EDITS, NOTHING)
    assert mixed.is_empty(), "with npm beside it, nothing is sure"


EDITED = st.tuples(st.integers(0, 9), st.sampled_from(["a.py", "b.py", "c.py"]))


@settings(max_examples=30, deadline=None)
@given(st.sets(EDITED, max_size=20), st.randoms(use_true_random=False))
def test_any_order_of_edits_gives_the_same(told, random):
    frame = edits(*told)
    order = list(range(frame.height))
    random.shuffle(order)
    shuffled = project_facts(NO_RUNS, frame[order], NOTHING)
    assert shuffled.equals(project_facts(NO_RUNS, frame, NOTHING))
