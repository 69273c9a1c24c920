"""Whether it really passed: status and output together; no word for what nothing tells."""

import pytest

from cairn.knowledge.dialogue.outcome_words import EXAMPLES, OutcomeExample
from cairn.knowledge.practices.command_runs import command_runs

GREEN = "ok  \tshop/orders\t0.2s\nok  \tshop/api\t1.1s\n"
RED = "--- FAIL: TestTotal (0.00s)\nFAIL\nFAIL\tshop/orders\t0.2s\nFAIL\n"
COMMITTED = "[main 1a2b3c4] x\n 1 file changed\n"


@pytest.mark.parametrize(
    ("line", "output", "passed"),
    [
        ("go test ./...", GREEN, [True]),
        ("go test ./... | tail -3", GREEN, [True]),
        ("go test ./... | tail -3", RED, [False]),
        ("go test ./... | head -3", GREEN, [None]),
        ("go test ./... 2>&1 | grep -c ok", "2", [None]),
        ("go test ./... || echo failed", "failed", [None]),
        ("go test ./... || true", RED, [False]),
        ("make build; true", "Compilation failed", [False]),
        ("make build; true", "", [None]),
        ("make build", "Compilation failed", [False]),
        ("npm test", "3 failed, 2 passed", [False]),
        ("pytest -q", "20 passed in 2s", [True]),
        ("make test", "log: error: an expected failure\n12 passed in 1s", [True]),
        ("cargo build 2>&1 | tail -3", "error: could not compile `shop`", [False]),
        ("set -o pipefail; cargo build | tail", "", [True]),
        ("npm test; echo $?", "1", [False]),
        ('npm test; echo "exit: $?"', "fine\nexit: 0", [True]),
        ("if make test; then echo good; fi", "good", [None]),
        ("make test > out.log; tail out.log", "1 passed", [None]),
        ("npm run dev &", "", [None]),
        ("make test", "Command running in background with ID: b1", [None]),
        ("go build ./... && go vet ./...", "", [True, True]),
        ("ruff check .; pytest", "a.py:1:1: F401 unused\nFound 1 error.\n3 passed in 1s",
         [False, True]),
        ("git add -A && git commit -m x", COMMITTED, [True]),
    ],
)  # fmt: skip
def test_a_line_that_ended_well(session, line, output, passed):
    assert command_runs(session(("run", line, output)))["passed"].to_list() == passed


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: f"{each.line}-{each.output[:20]}")
def test_what_tools_print_tells_whether_it_passed(session, example: OutcomeExample):
    (passed,) = command_runs(session(("run", example.line, example.output)))["passed"]
    assert passed is example.passed


BEGUN = "Command running in background with ID: b7a. Output is being written to: /t/b7a.output"
ANSWER = (
    "<retrieval_status>success</retrieval_status>\n\n<task_id>b7a</task_id>\n\n"
    "<status>{}</status>\n\n<exit_code>{}</exit_code>\n\n<output>\n{}\n</output>"
)
NOTICE = (
    "<task-notification>\n<task-id>b7a</task-id>\n<status>{}</status>\n"
    '<summary>Background command "Run it (exit code 9)" {}</summary>\n</task-notification>'
)


@pytest.mark.parametrize(
    ("later", "passed"),
    [
        ((), None),
        ((("tool", "TaskOutput", {"task_id": "b7a"}, ANSWER.format("completed", 0, "")),), True),
        ((("tool", "TaskOutput", {"task_id": "b7a"}, ANSWER.format("failed", 2, "3 failed")),),
         False),
        ((("tool", "TaskOutput", {"task_id": "b7b"}, ANSWER.format("completed", 0, "")),), None),
        ((("tool", "BashOutput", {"bash_id": "b7a"},
           "<status>running</status>\n<stdout>\nstarted\n</stdout>"),), None),
        ((("system", NOTICE.format("completed", "completed (exit code 0)")),), True),
        ((("system", NOTICE.format("failed", "failed with exit code 1")),), False),
        ((("system", NOTICE.format("killed", "was stopped")),), None),
        ((("system", "A note of exit code 0)</summary> b7a"),), None),
    ],
    ids=["nothing", "asked", "failed", "another", "runs still", "told", "told that it failed",
         "stopped", "no notice"],
)  # fmt: skip
def test_what_ran_in_the_background_is_told_later(session, later, passed):
    runs = command_runs(session(("run", "make test", BEGUN), *later))
    assert runs["passed"].to_list() == [passed]


@pytest.mark.parametrize(
    ("line", "output", "passed"),
    [
        ("go test ./...", RED, [False]),
        ("make deploy", "boom", [False]),
        ("npm run build && npm test", "boom", [None, None]),
        ("npm run build && npm test", "Tests:       2 failed, 3 passed", [True, False]),
        ("make lint && make test", "make: *** [Makefile:4: lint] Error 1", [False, None]),
        ("just fmt && just test", "syntax error\nerror: Recipe `fmt` failed on line 3",
         [False, None]),
        ("npm run lint; npm test", "boom", [None, False]),
        ("git commit -m x && git push", COMMITTED + " ! [rejected] main", [True]),
        ("git commit -m x", "On branch main\nnothing to commit", [False]),
        ("make test", "Command timed out after 2m 0.0s", [None]),
        ("pytest", "Exit code 130", [None]),
        ("make test", "The user doesn't want to proceed with this tool use.", []),
    ],
)  # fmt: skip
def test_a_line_that_broke(session, line, output, passed):
    runs = command_runs(session(("run", line, output, "error")))
    assert runs["passed"].to_list() == passed


def test_a_source_that_tells_no_status_is_believed_by_its_output_alone(session):
    logs = session(("run", "make test", "fine"), ("run", "pytest", "3 passed in 1s"))
    runs = command_runs(logs.with_columns(source=logs["source"].str.replace("claude_code", "chat")))
    assert runs.sort("seq")["passed"].to_list() == [None, True]
