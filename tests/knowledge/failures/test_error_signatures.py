"""What ended each kind of error: wins and losses, the same for any order, and its lesson."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cairn.knowledge.engine.wilson import wilson
from cairn.knowledge.failures.lookup import known_by, lesson
from cairn.knowledge.failures.stages import error_signatures, failures
from cairn.knowledge.schema.tables import ERROR_SIGNATURES

BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)
CODE = "/home/ada/shop-api/shop/orders.py"
RED = (
    "run",
    "pytest tests/test_orders.py",
    "E       shop.errors.OrderError: no 'currency' column in order_total\n1 failed",
    "error",
)
GREEN = ("run", "pytest tests/test_orders.py", "4 passed in 0.11s")
EDIT = ("edit", CODE, "return order_total(rows)", "return order_total(rows, tax)")
WORSE = ("edit", CODE, "return order_total(rows)", "return order_total([])")
LINE = "E   shop.errors.OrderError: no 'currency' column in order_total"


@pytest.fixture(scope="module")
def found(session) -> pl.DataFrame:
    """The edit won in two conversations and lost in a third; another never won."""
    return failures(
        pl.concat(
            session(*events, conversation=f"c{day}", begin=BEGIN + timedelta(days=day))
            for day, events in enumerate(
                [(RED, EDIT, GREEN), (RED, EDIT, GREEN), (RED, EDIT, RED), (RED, WORSE, RED)]
            )
        )
    )


def test_wins_and_losses_are_counted_once_a_conversation(found):
    (row,) = error_signatures(found).to_dicts()
    assert (row["wins"], row["losses"]) == (2, 1)
    assert (row["failures"], row["conversations"]) == (6, 4)
    assert row["rank"] == wilson(2, 1)
    assert row["fix"].startswith("In `shop/orders.py`")
    assert row["first_seen"] < row["fix_last_seen"] < row["last_seen"]


def test_each_fix_stands_beside_an_error_that_it_ended(session):
    rate = (
        "run",
        RED[1],
        "E       shop.errors.OrderError: no 'rate' column in order_total",
        "error",
    )
    mend = ("edit", CODE, "return order_total(rows)", "return order_total(rows, rate)")
    talks = [(RED, EDIT, GREEN), (rate, mend, GREEN)]
    rows = error_signatures(
        failures(
            pl.concat(
                session(*events, conversation=f"c{day}", begin=BEGIN + timedelta(days=day))
                for day, events in enumerate(talks)
            )
        )
    )
    assert rows["signature"].n_unique() == 1
    assert {"rate" in fix: line for fix, line in rows.select("fix", "key_line").iter_rows()} == {
        False: "shop.errors.OrderError: no 'currency' column in order_total",
        True: "shop.errors.OrderError: no 'rate' column in order_total",
    }


def test_the_table_is_the_same_for_any_order_of_rows(found):
    whole = error_signatures(found)
    for seed in range(5):
        assert_frame_equal(
            error_signatures(found.sample(fraction=1, shuffle=True, seed=seed)), whole
        )
    assert error_signatures(found.clear()).schema == ERROR_SIGNATURES.schema


def test_a_signature_without_a_fix_has_a_row(session):
    (row,) = error_signatures(failures(session(RED))).to_dicts()
    assert (row["fix"], row["wins"], row["rank"]) == (None, 0, 0.0)


def test_an_error_that_comes_again_is_told_by_its_most_usual_line(session):
    def red(name: str) -> tuple[str, ...]:
        return ("run", f"{name} --up", f"zsh: command not found: {name}", "error")

    (row,) = error_signatures(
        failures(
            pl.concat(
                session(red(name), conversation=f"c{day}", begin=BEGIN + timedelta(days=day))
                for day, name in enumerate(["tide", "tide", "wave", "tide", "tide"])
            )
        )
    ).to_dicts()
    assert (row["key_line"], row["same_line"]) == ("command not found: tide", 4)
    assert (row["conversations"], row["failures"], row["fix"]) == (5, 5, None)


def test_a_lesson_is_found_by_its_line_and_in_a_whole_output(found):
    table = error_signatures(found)
    for text in (LINE, f"collected 4 items\n\n{LINE}\n\nshop/orders.py:9: OrderError\n1 failed"):
        told = lesson(table, text)
        assert told["signature"] == "shop.errors.OrderError: no {name} column in order_total"
        assert [(fix["wins"], fix["losses"]) for fix in told["fixes"]] == [(2, 1)]
    assert lesson(table, LINE, project="/srv/shop-api")["fixes"]
    assert lesson(table, LINE, project="other")["fixes"] == []
    assert lesson(table, "error: no such harbour")["fixes"] == []
    assert lesson(table, "")["signature"] is None


def test_a_fix_that_names_what_stood_in_a_slot_is_for_that_name_only(session):
    red = ("run", "npm run sail",
           "npm error Missing script: \"sail\"\nexit status 1", "error")  # fmt: skip
    edit = ("edit", "/home/ada/shop-api/package.json", "{", '{ "sail": "node sail.js",')
    table = error_signatures(failures(session(red, edit, ("run", "npm run sail", "sailed"))))
    assert lesson(table, 'npm error Missing script: "sail"')["fixes"]
    other = lesson(table, 'npm error Missing script: "row"')
    assert (other["failures"], other["fixes"]) == (1, [])


def test_an_install_that_ended_an_error_for_two_names_is_for_each_of_them(session):
    def talk(name: str) -> tuple[tuple[str, ...], ...]:
        run = "uv run pytest tests/test_tide.py"
        line = f"ModuleNotFoundError: No module named '{name}'"
        return (
            ("run", run, f"{line}\n1 error", "error"),
            ("run", f"uv add {name}", f"+ {name}"),
            ("run", run, "1 passed"),
        )

    table = error_signatures(
        failures(
            pl.concat(
                session(*talk(name), conversation=f"c{day}", begin=BEGIN + timedelta(days=day))
                for day, name in enumerate(["tide", "wave"])
            )
        )
    )
    for name, fixes in (("tide", 1), ("wave", 1), ("quay", 0)):
        told = lesson(table, f"ModuleNotFoundError: No module named '{name}'")
        assert len(told["fixes"]) == fixes


def test_what_was_not_settled_at_a_moment_is_open_then(found):
    before = error_signatures(known_by(found, BEGIN))
    assert before["wins"].sum() == 0
    day = known_by(found, BEGIN + timedelta(hours=12))
    assert error_signatures(day)["wins"].to_list() == [1]
