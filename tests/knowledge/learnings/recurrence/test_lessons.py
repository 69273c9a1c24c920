"""What only several conversations show: wishes said again, refusals, routines."""

from datetime import timedelta

import polars as pl
import pytest

from cairn.knowledge.assembly.build import build_from_logs
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.conftest import BEGIN

ASKED = ("human", "The cart page needs a field for vouchers.")
DONE = ("agent", "The field is there.")
NO = "The user doesn't want to proceed with this tool use. The tool use was rejected.{}"
WHY = " To tell you how to proceed, the user said:\n{}"


def refused(command, reason=""):
    return "run", command, NO.format(WHY.format(reason) if reason else ""), "error"


def logs(session, *conversations, project="/home/ada/shop-api"):
    """Conversations of days that follow each other, as intake gives them."""
    made = [
        session(*events, conversation=f"c{day}", begin=BEGIN + timedelta(days=day), project=project)
        for day, events in enumerate(conversations)
    ]
    return in_episodes(made)


def in_episodes(made):
    """Conversations as one table, an episode for each request."""
    asked = pl.col("origin") == "human"
    return pl.concat(made).with_columns(
        trigger=pl.when(asked).then(pl.lit("user_message")),
        episode_id=pl.when(asked).then("record_id").forward_fill().over("conversation_id"),
    )


@pytest.fixture
def learned(embedder):
    def learn(raw_logs, *categories):
        means = StageContext(Policy(), embedder)
        stored = build_from_logs(raw_logs, means, until="learnings")["learnings"]
        return stored.filter(pl.col("category").is_in(categories)).sort("title").to_dicts()

    return learn


def test_what_a_person_wants_in_two_conversations_is_a_best_practice(session, learned):
    first = ("human", "From now on run the whole test suite before every commit.")
    again = ("human", "Please always run the whole test suite before every commit!")
    one, two, three = [ASKED, DONE, first, DONE], [ASKED, DONE, again, DONE], [first, DONE]
    assert learned(logs(session, one), "best_practice") == []
    (lesson,) = learned(logs(session, one, two), "best_practice")
    assert lesson["title"] == "Run the whole test suite before every commit"
    assert lesson["conversation_ids"] == ["c0", "c1"]
    assert [quote["text"] for quote in lesson["quotes"]] == [
        first[1],
        again[1].removeprefix("Please "),
    ]
    assert {quote["record_id"] for quote in lesson["quotes"]} == set(lesson["source_record_ids"])
    assert lesson["factors"]["evidence"] == 1.0
    # It was not known before it was said again.
    assert lesson["created_at"].date() == (BEGIN + timedelta(days=1)).date()
    (more,) = learned(logs(session, one, two, three), "best_practice")
    assert more["learning_id"] == lesson["learning_id"]
    assert more["conversation_ids"] == ["c0", "c1", "c2"]


def test_a_request_that_is_sent_once_more_that_day_is_not_said_again(session, learned):
    """Alone it was not typed twice; among other words, said a second time."""
    field = "The cart needs a field for vouchers. "
    sent = [
        (f"{field}Never edit generated files by hand.", 2),
        (f"{field}Always keep invoices in the shared folder.", 48),
        ("From now on write every price in whole cents.", 2),
        ("Never put a ledger on a laptop.", 0),
    ]
    both = [
        session(("human", text), DONE, conversation=f"{name}{number}",
                begin=BEGIN + timedelta(hours=later))
        for number, (text, hours) in enumerate(sent)
        for name, later in (("c", 0), ("d", hours))
    ]  # fmt: skip
    titles = [lesson["title"] for lesson in learned(in_episodes(both), "best_practice")]
    assert titles == [
        "Always keep invoices in the shared folder", "Write every price in whole cents",
    ]  # fmt: skip


def test_what_is_not_the_same_is_not_said_again(session, learned):
    apart = [
        ("Never edit generated files by hand.", "Never edit generated tests by hand."),
        ("Always use tabs, not spaces, in YAML.", "Always use spaces, not tabs, in YAML."),
        ("Always run the slow tests as well.", "Never run the slow tests as well."),
    ]
    said = [[ASKED, DONE, ("human", text), DONE] for pair in apart for text in pair]
    assert learned(logs(session, *said), "best_practice") == []


def test_what_an_agent_says_again_is_no_practice(session, learned):
    said = [ASKED, ("agent", "From now on run the whole test suite before every commit.")]
    assert learned(logs(session, said, said), "best_practice") == []


def test_what_a_person_refuses_twice_is_an_anti_pattern_with_what_they_let_pass(session, learned):
    down = refused("docker compose down -v && make test", "that deletes the test database")
    mild = ("run", "make test", "41 passed")
    one, two = [ASKED, down, mild, DONE], [ASKED, down, DONE]
    assert learned(logs(session, one), "anti_pattern") == []
    (lesson,) = learned(logs(session, one, two), "anti_pattern")
    assert lesson["title"].startswith("Do not run `docker compose down -v`: that deletes")
    assert "Why: That deletes the test database." in lesson["content"]
    assert lesson["conversation_ids"] == ["c0", "c1"]


def test_what_is_let_run_more_often_than_refused_is_no_anti_pattern(session, learned):
    down = refused("make test", "that takes an hour")
    passed = [ASKED, ("run", "make test", "41 passed"), DONE]
    twice = [[ASKED, down, DONE]] * 2
    assert learned(logs(session, *twice), "anti_pattern") != []
    assert learned(logs(session, *twice, *[passed] * 3), "anti_pattern") == []


def test_what_a_copy_of_a_session_holds_was_refused_once(session, learned):
    down = refused("docker compose down -v && make test", "that deletes the test database")
    copies = [session(ASKED, down, DONE, conversation=name) for name in ("c0", "c1")]
    assert learned(in_episodes(copies), "anti_pattern") == []


def test_a_command_for_the_same_that_passed_is_the_better_one(session, learned):
    wide = refused("npm test", "takes too long here")
    narrow = ("run", "npx vitest run tests/cart", "4 passed")
    found = learned(logs(session, [ASKED, wide, narrow], [ASKED, wide]), "anti_pattern")
    assert "Better: Run `npx vitest run`, which they let pass." in found[0]["content"]


def test_a_tool_that_was_refused_twice_says_nothing(session, learned):
    edit = refused("make deploy")
    raw = logs(session, [ASKED, edit], [ASKED, edit]).with_columns(
        tool_name=pl.when(pl.col("tool_name") == "Bash").then(pl.lit("WebFetch")),
        tool_input=pl.when(pl.col("tool_input").is_not_null()).then(pl.lit('{"url": "x"}')),
    )
    assert learned(raw, "anti_pattern") == []


CHECKS = (
    ("run", "ruff check .", "All checks passed!"),
    ("run", "pytest", "9 passed in 0.41s"),
    ("run", "git commit -m 'x'", "[main 1a2b3c4] x\n 1 file changed"),
)


def test_commands_that_pass_in_the_same_order_in_three_conversations_are_a_workflow(
    session, learned
):
    once = [ASKED, *CHECKS, DONE]
    assert learned(logs(session, once, once), "workflow") == []
    (lesson,) = learned(logs(session, once, once, once), "workflow")
    assert lesson["title"] == "Routine: ruff check ., then pytest, then git commit -m <message>"
    assert "1. `ruff check .`. 2. `pytest`. 3. `git commit -m <message>`." in lesson["content"]
    assert lesson["conversation_ids"] == ["c0", "c1", "c2"]
    assert lesson["quotes"][0]["text"] == ASKED[1]


@pytest.mark.parametrize(
    "other",
    [
        [ASKED, *CHECKS[::-1]],
        [ASKED, CHECKS[0], ("run", "pytest", "FAILED test_a.py::test_b\n1 failed", "error")],
        [ASKED, *CHECKS, *CHECKS, *CHECKS],
    ],
    ids=["another order", "a check fails", "three times in one"],
)
def test_commands_of_two_conversations_are_no_workflow(session, learned, other):
    once = [ASKED, *CHECKS, DONE]
    alone = [other] if len(other) > len(once) else [once, once, other]
    assert learned(logs(session, *alone), "workflow") == []


def test_one_command_before_a_commit_is_no_workflow(session, learned):
    once = [ASKED, *CHECKS[1:], DONE]
    assert learned(logs(session, once, once, once), "workflow") == []


CHECK = ("run", "cargo check", "    Finished `dev` profile in 0.4s")
CLIPPY = ("run", "cargo clippy", "    Finished `dev` profile in 0.4s")
TEST = ("run", "cargo test", "test result: ok. 9 passed; 0 failed")


@pytest.mark.parametrize(
    ("other", "title"),
    [
        ([CHECK, CLIPPY, CLIPPY, TEST], "Routine: cargo check, then cargo clippy, then cargo test"),
        ([("run", "cargo fmt", ""), TEST], "Routine: cargo clippy, then cargo test"),
    ],
    ids=["one begins with what another ends in", "both end in the same"],
)
def test_routines_that_share_a_command_are_one(session, learned, other, title):
    between = [("run", f"make build-{day}", "done") for day in range(3)]
    days = [[ASKED, *other[:2], step, CLIPPY, TEST, DONE] for step in between]
    (lesson,) = learned(logs(session, *days), "workflow")
    assert lesson["title"] == title


def test_a_part_of_a_routine_on_other_files_is_none(session, learned):
    whole = [ASKED, *CHECKS, DONE]
    part = [ASKED, ("run", "ruff check src", CHECKS[0][2]), ("run", "pytest tests", CHECKS[1][2])]
    (lesson,) = learned(logs(session, *[whole] * 3, *[part] * 3), "workflow")
    assert lesson["title"] == "Routine: ruff check ., then pytest, then git commit -m <message>"


def test_a_bypass_is_no_part_of_a_workflow(session, learned):
    unchecked = ("run", "git commit --no-verify -m 'x'", "[main 1a2b3c4] x\n 1 file changed")
    once = [ASKED, *CHECKS[:2], unchecked, DONE]
    found = learned(logs(session, once, once, once), "workflow")
    assert [lesson["title"] for lesson in found] == ["Routine: ruff check ., then pytest"]


def test_lessons_that_recur_do_not_depend_on_the_order_of_rows(session, learned):
    said = ("human", "Never edit generated files by hand.")
    raw = logs(session, *[[ASKED, DONE, said, *CHECKS]] * 3)
    both = ("best_practice", "workflow")
    first = learned(raw, *both)
    assert {lesson["category"] for lesson in first} == {*both}
    assert learned(raw.sample(fraction=1, shuffle=True, seed=3), *both) == first


def test_a_lesson_of_two_sessions_of_a_fix_counts_what_it_lost(session, solved, learned):
    once = logs(session, solved)
    (lesson,) = learned(once, "bug_fix")
    assert lesson["factors"]["evidence"] == 0.7
    (twice,) = learned(logs(session, solved, solved), "bug_fix")
    assert (twice["factors"]["evidence"], twice["conversation_ids"]) == (1.0, ["c0", "c1"])
    lost = (*solved, solved[2])
    assert learned(logs(session, solved, lost), "bug_fix") == []
