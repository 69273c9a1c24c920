"""Paths in what people write and in the inputs of tools."""

import pytest

from cairn.knowledge.extraction.candidates import candidates
from cairn.knowledge.extraction.rules.paths import paths_in
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.extraction.rules.fixtures import Line, agent, call, human, output, raw_logs


def mentioned(line: Line) -> list[tuple[str, str]]:
    rows = candidates(raw_logs([line]), Policy()).candidates
    rows = rows.filter(rows["predicate"] == "mentions_path").sort("quote_start")
    return rows.select("subject", "object").rows()


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        (
            "See src/app/main.py, ~/notes and (docs/a.md).",
            ["src/app/main.py", "~/notes", "docs/a.md"],
        ),
        ('`lib/foo.ex:12` and "/etc/hosts" differ', ["lib/foo.ex", "/etc/hosts"]),
        ("Put it in ./bin/run or ../x/y.", ["./bin/run", "../x/y"]),
        ("README.md and .github/workflows/ci.yml", ["README.md", ".github/workflows/ci.yml"]),
        (r"open C:\Users\ann\a.txt", [r"C:\Users\ann\a.txt"]),
        ("the folder tests/unit/ is empty", ["tests/unit"]),
        ("main.py and server.js, not xterm.js or Node.js", ["main.py", "server.js"]),
        ("what does @src/main.ts do, and the Makefile?", ["src/main.ts", "Makefile"]),
        ("it is full of files under /tmp", ["/tmp"]),
    ],
)
def test_paths_that_a_person_wrote_hang_on_the_task(text: str, paths: list[str]) -> None:
    assert mentioned(human(text)) == [("task_c0_0", path) for path in paths]


@pytest.mark.parametrize(
    "text",
    [
        "1/2 of it, 24/7, 3.5/4.0 and 2026/02/01",
        "and/or, he/she, TCP/IP, input/output, red/green/blue, w/o",
        "https://example.org/a/b.html and www.example.org/c.html, ann@example.org:/srv/x",
        "text/html, application/json; s/foo/bar/g, s/a.py/b.py/ and /^a.*b$/",
        "Node.js/Express.js, xterm.js, e.g./i.e., v1.2/v1.3",
        "run /clear, then call /api/users and origin/main; actions/checkout@v4, @scope/pkg",
        "example.org/page and v2",
    ],
)
def test_what_only_looks_like_a_path(text: str) -> None:
    assert mentioned(human(text)) == []


def test_inputs_of_tools_hang_on_the_action() -> None:
    assert mentioned(call("Read", file_path="/srv/a b.txt")) == [("action_c0_0", "/srv/a b.txt")]
    assert mentioned(call("Grep", pattern="src/x.py", path="lib")) == [("action_c0_0", "lib")]
    assert mentioned(call("Grep", pattern="x", path=".")) == []


def test_prose_of_agents_and_output_of_tools_mention_no_paths() -> None:
    assert mentioned(agent("I changed src/app/main.py.")) == []
    assert mentioned(output("src/app/main.py: ok")) == []


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["x", "y/", "a.", "a-", "a@", "/", "(a"])
def test_words_without_end_take_no_hours(piece: str) -> None:
    assert len(list(paths_in(piece * 100_000))) <= 1
