"""What rules find in a session: errors that ended, decisions; what they refuse."""

import json

import polars as pl
import pytest

from cairn.knowledge.dialogue.errors import key_lines
from cairn.knowledge.dialogue.tool_calls import steps
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.learnings.draft import Draft, decode
from cairn.knowledge.learnings.stages import learning_candidates
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.conftest import PADDING


def judge(raw_logs):
    return learning_candidates(raw_logs, Policy()).row(0, named=True)


def drafts(raw_logs) -> list[Draft]:
    return decode(judge(raw_logs)["drafts"])


def test_an_error_that_was_explained_and_solved_is_a_bug_fix(session, solved):
    row = judge(session(*solved))
    (draft,) = decode(row["drafts"])
    assert row["outcome"] == "stored"
    assert draft.category == "bug_fix"
    assert draft.title.startswith("The slim container image doesn't ship a time zone database")
    assert "ZoneInfoNotFoundError: 'No time zone found" in draft.content
    assert "Root cause: The slim container image" in draft.content
    assert "Add tzdata to the requirements." in draft.content
    assert "`tzdata==2025.2`" in draft.content
    assert {"pytest", "bug-fix"} <= set(draft.tags)
    assert 3 <= len(draft.tags) <= 10
    assert draft.confidence >= 0.6


def test_an_option_that_a_program_does_not_know_needs_no_lesson(session, solved):
    red = ("run", "tide show --short", "error: unknown flag: --short", "error")
    assert drafts(session(*solved[:2], red, ("run", "tide show", "ebb"), *PADDING)) == []


def test_what_git_refuses_everybody_needs_no_lesson(session, solved):
    said = " ! [rejected]        quay -> quay (fetch first)\nerror: failed to push some refs"
    red = ("run", "git push", said, "error")
    ended = ("run", "git rebase origin/quay", "done"), ("run", "git push", "quay -> quay")
    assert drafts(session(*solved[:2], red, *ended, *PADDING)) == []


@pytest.mark.parametrize(
    "said",
    [
        "tide/tide.go:9: undefined: gaugeOf\nFAIL",
        "tide/tide.go:9:2: ineffectual assignment to gaugeOf (ineffassign)\nFAIL",
    ],
)
def test_what_a_compiler_or_a_linter_says_of_new_code_teaches_nothing(session, solved, said):
    red = ("run", "go test ./tide", said, "error")
    why = (
        "agent",
        "gaugeOf is missing because its file was removed. I need to add gaugeOf back.",
    )
    edit = ("edit", "/home/ada/shop-api/tide/tide.go", "", "func gaugeOf() {}")
    green = ("run", "go test ./tide", "ok  tide 0.1s")
    assert drafts(session(*solved[:2], red, why, edit, green, *PADDING)) == []


def test_an_error_that_stays_is_no_lesson(session, solved):
    failing = solved[2]
    row = judge(session(*solved[:6], failing, ("agent", "The tests still fail."), *PADDING))
    assert row["outcome"] == "no_categories"
    assert decode(row["drafts"]) == []


def test_a_change_to_another_error_counts_only_when_the_series_ends_well(session, solved):
    other = ("run", "pytest tests/test_orders.py", "KeyError: 'currency'\n1 failed", "error")
    cause = ("agent", "The fixture is missing the `currency` column. I need to add the column.")
    edit = ("edit", "/home/ada/shop-api/tests/conftest.py", "", "currency = 'EUR'")
    unsolved = session(*solved[:6], other, cause, edit, other)
    assert drafts(unsolved) == []
    both = drafts(session(*solved[:6], other, cause, edit, solved[6]))
    assert [draft.title[:42] for draft in both] == [
        "The slim container image doesn't ship a ti",
        "The fixture is missing the currency column",
    ]


def test_a_narrower_run_does_not_show_that_a_wider_one_works(session, solved):
    wide = ("run", "pytest", *solved[2][2:])
    row = judge(session(*solved[:2], wide, *solved[3:5], solved[6], *PADDING))
    assert decode(row["drafts"]) == []


def test_a_command_that_had_to_be_given_otherwise_is_tool_usage(session):
    error = (
        "Exit code 128\nfatal: The current branch shop-api has no upstream branch.\n"
        "To push the current branch and set the remote as upstream, use\n"
    )
    pushed = "branch 'shop-api' set up to track 'origin/shop-api'."
    (draft,) = drafts(
        session(
            ("agent", "Now push it."),
            ("run", "git push 2>&1", error, "error"),
            ("run", "git push --set-upstream origin shop-api 2>&1", pushed),
            *PADDING,
        )
    )
    assert draft.category == "tool_usage"
    assert draft.title == "git push: The current branch <name> has no upstream branch"
    assert "`git push --set-upstream origin <name>`" in draft.content


def test_what_a_program_prints_of_its_own_use_needs_no_lesson(session):
    error = (
        "Exit code 128\nfatal: The current branch shop-api has no upstream branch.\n"
        "To push the current branch and set the remote as upstream, use\n\n"
        "    git push --set-upstream origin shop-api\n"
    )
    told = session(
        ("run", "git push 2>&1", error, "error"),
        ("run", "git push --set-upstream origin shop-api 2>&1", "branch 'shop-api' set up"),
        *PADDING,
    )
    assert drafts(told) == []
    behind = "Exit code 1\n ! [rejected] main -> main (fetch first)\nhint: use 'git pull' before.\n"
    pulled = (
        ("run", "git push", behind, "error"), ("run", "git pull --rebase", "Successfully rebased"),
        ("run", "git push", "main -> main"),
    )  # fmt: skip
    assert drafts(session(*pulled, *PADDING)) == []
    other = ("run", "git commit -m x", "Exit code 1\nerror: src/a.ex: run mix format", "error")
    formatted = (other, ("run", "mix format", "formatted"), ("run", "git commit -m x", "1 file"))
    assert [one.category for one in drafts(session(*formatted, *PADDING))] == ["tool_usage"]


def test_a_program_that_is_found_by_what_starts_it_is_told_with_that(session):
    missing = ("run", "cd src && harbor drill", "Exit code 127\nharbor: command not found", "error")
    started = ("run", "cd src && uv run harbor drill", "412 files compared")
    (draft,) = drafts(session(missing, started, *PADDING))
    assert draft.title == "harbor is not installed here: run uv run harbor instead"


MISSING = "ImportError: cannot import name 'batched' from 'itertools'"
IGNORED = "Exit code 1\nThe following paths are ignored by one of your .gitignore files:\ndist"
OLD, NEW = (f"uv run --python 3.{minor} pytest -q" for minor in (11, 12))


@pytest.mark.parametrize(
    "runs",
    [
        (("run", "git add src dist", IGNORED, "error"), ("run", "git add src", "")),
        (("run", OLD, MISSING, "error"), ("run", NEW, "9 passed"), ("run", OLD, "9 passed")),
        (("run", OLD, MISSING, "error"), ("run", NEW, "KeyError: 'x'\n1 failed", "error"),
         ("edit", "/home/ada/shop-api/x.py", "a", "b"), ("run", NEW, "9 passed")),
        (("run", OLD, MISSING, "error"), ("run", OLD, "9 passed")),
    ],
    ids=["does less", "another case", "fails otherwise", "tried again"],
)  # fmt: skip
def test_a_command_that_evades_the_error_is_no_correction(session, runs):
    assert drafts(session(*runs, *PADDING)) == []


def test_an_id_that_calls_share_gives_each_its_own_result(session, solved):
    shared = session(*solved).with_columns(
        call_id=pl.when(pl.col("call_id").is_not_null()).then(pl.lit("call_1"))
    )
    (draft,) = drafts(shared)
    assert "After that, `pytest test_orders.py` passed" in draft.content.replace("tests/", "")


def test_an_editor_is_no_command_line_and_its_rejected_edit_no_change():
    turns = [
        turn(0, "tool_call", "", "str_replace_based_edit_tool",
             {"command": "str_replace", "path": "a.py", "old_str": "x = 1", "new_str": "x = 2"}),
        turn(1, "tool_result", "ok"),
        turn(2, "tool_call", "", "edit", {"replacement_text": "x = 3", "start_line": 4}),
        turn(3, "tool_result", "It has introduced new syntax error(s).\n[File: b.py (9 lines)"),
        turn(4, "tool_call", "", "apply_patch",
             {"input": "*** Begin Patch\n*** Update File: c.py\n-x = 1\n+x = 4\n*** End Patch"}),
        turn(5, "tool_result", "Success"),
    ]  # fmt: skip
    assert [(s.kind, s.files, s.added, s.worked) for s in steps(turns)] == [
        ("edit", ("a.py",), "x = 2", True),
        ("edit", ("b.py",), "x = 3", False),
        ("edit", ("c.py",), "x = 4", True),
    ]


@pytest.mark.parametrize(
    ("words", "command", "actions"),
    [
        (["bash", "-lc", "cd a && pytest -q"], "cd a && pytest -q", ["pytest"]),
        (["pytest", "-q", "gauges"], "pytest -q gauges", ["pytest gauges"]),
        (["rg", "-n", "git push --force"], "rg -n 'git push --force'", []),
        (["git", "commit", "-m", "a; npm ci"], "git commit -m 'a; npm ci'", ["git commit"]),
        (["git", "push", "--force"], "git push --force", ["git push"]),
    ],
)
def test_a_list_of_words_is_one_command_unless_it_gives_a_shell_its_script(words, command, actions):
    (step,) = steps([turn(0, "tool_call", "", "shell", {"command": words})])
    assert step.command == command
    assert [action.key for action in step.actions] == actions


def turn(seq, kind, text, tool=None, inputs=None) -> Turn:
    origin = "agent" if kind == "tool_call" else "tool"
    return Turn(
        f"r{seq}", seq, kind, origin, text, tool, json.dumps(inputs) if inputs else None,
        None, False, None, False, None, None,
    )  # fmt: skip


def test_what_a_person_refused_or_what_still_runs_is_neither_failure_nor_success(session, solved):
    refused = ("run", "pytest", "The user doesn't want to proceed with this tool use.", "error")
    row = judge(session(("human", "go on"), refused, *solved[3:5], solved[6], *PADDING))
    assert decode(row["drafts"]) == []


def test_text_of_the_system_explains_nothing(session, solved):
    events = [(("system", e[1]) if e == solved[3] else e) for e in solved]
    (unexplained,), (explained,) = drafts(session(*events)), drafts(session(*solved))
    assert "Root cause" not in unexplained.content
    assert "Root cause: The slim container image" in explained.content


CHOICE = (
    ("human", "Where should the job queue live?"),
    (
        "agent",
        "I'll use a Postgres table instead of a Redis list because the orders are in "
        "Postgres already and both must commit together.",
    ),
)


def test_a_stated_decision_gives_options_choice_and_rationale(session):
    (draft,) = drafts(session(*CHOICE, ("human", "Sounds good, go with that."), *PADDING))
    assert draft.category == "decision"
    assert draft.title.startswith("Use a Postgres table instead of a Redis list")
    assert "Instead of: a Redis list" in draft.content
    assert draft.refused is None


@pytest.mark.parametrize(
    "answer",
    [
        (),
        (("human", "Continue with the tests."),),
        (("human", "Yes, but keep it in Redis."),),
        (("human", "Why Postgres?"),),
        (("human", "No, please use Redis."),),
        (("human", "Let's go with Redis."),),
        (("human", "Please do the readme next."),),
        (("human", "Please choose a better one."),),
        (("human", "It works now, thanks!"),),
        (("agent", f"{CHOICE[1][1]} Shall I run the tests now?"), ("human", "Yes, run them.")),
        (("agent", f"{CHOICE[1][1]} Shall I run the tests now?"), ("human", "Yes.")),
    ],
)
def test_a_decision_needs_a_person(session, answer):
    (draft,) = drafts(session(*CHOICE, *answer, *PADDING))
    assert draft.refused == "only an agent says so"
    assert draft.confidence <= 0.5


@pytest.mark.parametrize(
    "said",
    [
        "Should I use a Postgres table instead of a Redis list because it commits with the order?",
        "Maybe we'll use a Postgres table instead of a Redis list because it is simpler to run.",
        "If it helps, I could use Postgres rather than Redis.",
    ],
)
def test_a_question_or_a_thought_is_no_decision(session, said):
    assert drafts(session(("agent", said), *PADDING)) == []


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("", "Let's go with a Postgres table."),
        ("Shall I run the tests now?", "Go with Postgres, please."),
        ("Is that fine with you?", "Yes."),
        ("Shall we use a Postgres table?", "Yes, please."),
    ],
)
def test_a_person_decides_by_naming_the_choice_or_by_yes_to_it(session, asked, answer):
    said = f"{CHOICE[1][1]} {asked}".strip()
    (draft,) = drafts(session(CHOICE[0], ("agent", said), ("human", answer), *PADDING))
    assert draft.refused is None


def test_a_question_that_a_person_answered_is_a_decision(session):
    options = (
        "Event sourcing=Every change is stored as an event and replayed on start|"
        "Plain tables=One row for each order, changed in place, with a history table beside it"
    )
    question = "How should we store orders?"
    (draft,) = drafts(session(*PADDING, ("ask", question, options, "Plain tables")))
    assert draft.title == "How should we store orders? Plain tables"
    assert "Rationale: One row for each order" in draft.content
    assert any("Plain tables" in quote.text for quote in draft.quotes)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("(eval):1: command not found: tree", "command not found: tree"),
        ("error[E0382]: borrow of moved value: `row`", "borrow of moved value: row"),
        ('\x1b[31m✘ [ERROR] Could not resolve "js/app.js"\x1b[0m', 'Could not resolve "js/app.js"'),
        ("** (RuntimeError) no key for /home/ada/shop-api/x.ex", "RuntimeError: no key for x.ex"),
    ],
)
def test_the_line_that_says_why_is_found_and_cleaned(output, message):
    text = f"Exit code 1\nstarting up\n{output}\nmore"
    line = key_lines(text)[0]
    assert line.message == message
    assert text[line.start : line.end].strip() in output
