"""Sentences that are kept as statements, and those that only look like one."""

import random
import re
from collections.abc import Iterator
from re import _constants, _parser
from typing import Any

import polars as pl
import pytest

from cairn.knowledge.extraction.candidates import candidates
from cairn.knowledge.extraction.rules import RULES
from cairn.knowledge.extraction.rules.forms import word_senses
from cairn.knowledge.extraction.rules.forms.everyday import EVERYDAY
from cairn.knowledge.extraction.rules.statements import parts
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.extraction.rules.fixtures import (
    Line,
    agent,
    found_in_each,
    human,
    output,
    raw_logs,
)

STATEMENTS = ("provides_solution", "identifies_issue", "discovery", "states")


def said_in(*lines: Line) -> list[list[tuple[str, str]]]:
    """What each line says, a conversation by itself."""
    return [
        rows.filter(pl.col("predicate").is_in(STATEMENTS))
        .sort("quote_start", "predicate")
        .select("predicate", "object")
        .rows()
        for rows in found_in_each(*([line] for line in lines))
    ]


def said(line: Line) -> list[tuple[str, str]]:
    (found,) = said_in(line)
    return found


SENTENCES = [
    ("provides_solution", "The fix was to raise the pool size to 20."),
    ("provides_solution", "Fixed the flaky test by freezing the clock."),
    ("provides_solution", "Pinning the driver to 3.2 resolved the timeouts."),
    ("provides_solution", "As a workaround, set `LC_ALL=C` before the import."),
    ("identifies_issue", "The migration failed because the column holds nulls."),
    ("identifies_issue", "The worker crashes with a segfault on large frames."),
    ("identifies_issue", "SQLite doesn't support dropping a constraint."),
    ("identifies_issue", "The upload endpoint returns a 502 error for files over 2 GB."),
    ("identifies_issue", "mix phx.server does not seem to start"),
    ("identifies_issue", "Root cause: the session token expires before the refresh."),
    ("identifies_issue", "There was a syntax error in the edit due to a stray bracket."),
    ("identifies_issue", "The error in the second file is due to the missing colon."),
    ("identifies_issue", "I filed a bug where the loader drops the last row."),
    ("provides_solution", "The error has been corrected by adding the missing colon."),
    ("discovery", "It turns out that the cache ignores the locale."),
    ("discovery", "I found that the lock is held across the await."),
    ("discovery", "We noticed that retries double the load."),
]


def test_sentences_of_agents_and_people() -> None:
    lines = [(each, line(each[1])) for each in SENTENCES for line in (agent, human)]
    for (sentence, _), found in zip(lines, said_in(*(line for _, line in lines)), strict=True):
        assert sentence in found


NOTHING_FOUND = [
    "Let me fix the failing test. I'll resolve the error next. Now fix the import.",
    "The font is fixed-width. The header has a fixed position. It is not fixed yet.",
    "All 12 tests pass, 0 failures. There are no errors in the log. Zero credo issues remain.",
    "Added error handling to the client. The parser has an error message for each case.",
    "If it fails, the job is tried again. Did the build fail? Could this crash the worker?",
    "Do NOT run any command that prints binaries! If that doesn't work, use the other one.",
    "The policy is fixed for delayed flights. Now that the issue is fixed, we can submit.",
    "To start with this issue, I will open the file since that is where the build fails.",
    "The next step is to locate the place where the error is raised.",
    "Expected — the module doesn't exist yet. This will usually not work.",
    "If it failed, we would see an error. This might cause an error later.",
    "Found 3 files in the folder. The module was not found. I found the relevant tests.",
    "```\nERROR the import failed with an exception\n```",
    "> The import failed because of a null.",
    "2026-02-01 10:00:00 ERROR the import failed with an exception",
    "    raise ValueError: the import failed with an exception",
    "| error | the import failed with an exception |",
    "# The import failed with an exception",
    'The page says "the import failed with an exception" in red letters.',
]


def test_what_is_no_solution_issue_or_discovery() -> None:
    assert said_in(*map(agent, NOTHING_FOUND)) == [[]] * len(NOTHING_FOUND)


STATED = [
    "I prefer tabs over spaces.",
    "We use Postgres for everything except search.",
    "We don't use mocks in this repository.",
    "My favourite editor is Helix.",
    "Hello, my name is Nadia and I live in Porto.",
    "Remember that the staging database is read-only.",
    "I'm allergic to peanuts, by the way.",
    "I'm severely allergic to nuts.",
    "We use uv here, not pip.",
    "Our deploys run every Friday at noon.",
]


def test_what_a_person_states() -> None:
    for sentence, found in zip(STATED, said_in(*map(human, STATED)), strict=True):
        assert ("states", sentence) in found
    for sentence, found in zip(STATED, said_in(*map(agent, STATED)), strict=True):
        assert ("states", sentence) not in found


NOT_STATED = [
    "Do we use Redis here? Should I always run the tests?",
    "If we use Redis, the queue is simpler. Suppose we use Redis for the queue.",
    "I wish we used Redis for the queue. I want you to add a test.",
    'She said "I prefer tabs over spaces". He says we use tabs for indentation.',
    "I never said I prefer tabs over spaces. What I use depends on the day.",
    "> I prefer tabs over spaces.",
    "Implement the queue and run the tests. Never mind the second point.",
    "Can you check whether we use Redis for the queue.",
    "The crane list shows a blank page. Modal is centered on desktop. It lives in `docs/`.",
    "ok I am logged in. We're signed out of the quay. I'm set up now.",
    "I'm especially interested in making its charts faster since they are slow.",
    "The tide chart is missing. Odile is waiting now. Cranes should be in a table.",
    "Our quay is at 4e5f6a7. We track the ships of a berth right",
    "We use the old chart, is it because the new one is slow.",
    "We wait for no ship at all.” We have a pier or something",
]


def test_what_a_person_does_not_state() -> None:
    found = said_in(*map(human, NOT_STATED))
    assert [each for rows in found for each in rows if each[0] == "states"] == []


def test_a_statement_is_one_whole_sentence_without_the_marker_of_its_list() -> None:
    text = (
        "Summary:\n\n1. **The fix** was to pin `a. b` to 3.2. More follows.\n- [ ] Open task here"
    )
    assert said(agent(text)) == [("provides_solution", "The fix was to pin `a. b` to 3.2.")]


@pytest.mark.parametrize("origin", ["recalled", "system", "external"])
def test_only_people_and_agents_state_something(origin: str) -> None:
    text = "I prefer tabs over spaces. The fix was to raise the pool size."
    assert said({**human(text), "origin": origin}) == []
    assert said(output(text)) == []


def test_systems_that_a_request_names() -> None:
    def targets(line: Line) -> list[str]:
        rows = candidates(raw_logs([line]), Policy()).candidates
        return rows.filter(rows["predicate"] == "targets_system")["object"].sort().to_list()

    assert targets(human("Restart nginx on the Raspberry  Pi, then the servers.")) == [
        "nginx", "raspberry pi", "server",
    ]  # fmt: skip
    assert targets(human("Run mix phx.server, read server.py and docs/docker/a.md")) == []
    assert targets(agent("Restart nginx on the NAS.")) == []


def written(tree: Any, rnd: random.Random) -> str:
    """A text that a parsed pattern finds, but for what it forbids around it."""
    parts: list[str] = []
    for op, value in tree:
        match op:
            case _constants.LITERAL:
                parts.append(chr(value))
            case _constants.ANY | _constants.NOT_LITERAL:
                parts.append("x")
            case _constants.IN:
                kind, what = rnd.choice(value)
                space = what in (_constants.CATEGORY_SPACE, _constants.CATEGORY_NOT_WORD)
                parts.append(chr(what) if kind is _constants.LITERAL else " " if space else "x")
            case _constants.BRANCH:
                parts.append(written(rnd.choice(value[1]), rnd))
            case _constants.SUBPATTERN:
                parts.append(written(value[3], rnd))
            case _constants.MAX_REPEAT | _constants.MIN_REPEAT:
                least, most, inner = value
                times = rnd.choice((least, least, min(most, least + 1)))
                parts += [written(inner, rnd) for _ in range(times)]
            case _constants.ASSERT:
                parts.append(written(value[1], rnd) if value[0] > 0 else "")
            case _constants.AT | _constants.ASSERT_NOT:
                pass
            case _:
                raise AssertionError(op)
    return "".join(parts)


def phrases(pattern: re.Pattern[str]) -> Iterator[str]:
    tree, rnd = _parser.parse(pattern.pattern, pattern.flags), random.Random(7)
    for _ in range(4_000):
        text = written(tree, rnd)
        yield from (form for form in (text, f"{text} x", f" {text}") if pattern.search(form))


REPORT = "The quay report of the harbour board lists every berth with its tides. " * 25


def test_what_stands_in_a_pasted_report_is_not_the_persons_word() -> None:
    told = "We keep all tide tables in UTC. We decided to drop the old crane API."
    kinds = ("states", "decides")

    def kept(*lines: Line) -> list[str]:
        found = candidates(raw_logs(lines), Policy()).candidates
        return sorted(found.filter(found["predicate"].is_in(kinds))["object"].to_list())

    assert kept(human(f"{REPORT}\n\n{told}"), agent("I read it.")) == []
    both = ["We decided to drop the old crane API.", "We keep all tide tables in UTC."]
    assert kept(human(told), agent("I read it.")) == both
    assert kept(human(f"{REPORT}\n\n{told}"), human("Thanks!", name="Ada")) == both
    output_of_it = "$ quay board\n" + REPORT.replace(". ", ".\n")
    assert kept(human(f"{told}\n\n{output_of_it}"), agent("I read it.")) == both


def test_a_line_that_was_wrapped_is_no_sentence() -> None:
    wrapped = "We keep all the tide tables of the northern harbours in\nUTC, never in local time."
    assert ("states", "We keep all the tide tables of the northern harbours in") in said(
        human(wrapped)
    )
    for low in (wrapped.replace("UTC", "our time"), wrapped.replace("UTC", "  our time")):
        assert said(human(low)) == [("states", " ".join(low.split()))]


def test_what_is_liked_of_a_thing_at_hand_is_no_preference() -> None:
    nothing = (
        "I like the second crane more.",
        "and i like the quiet berth list",
        "1. I edit a single chart\n2. I note the state of the pier",
        "I am not familiar with the berth list. We have two cranes now.",
        "So I don't lose the chart. I quit. For when we're on a tablet.",
        "Basically that we keep each chart of a ship. I no longer use paper charts",
        "Look at this idea:\n- We keep a chart of each ship\n- we use one pier",
        "As far as I know, we use no cranes.",
        "Which one is better?\n- We keep all charts in UTC.\n- something else",
        "Now we show the current year.",
        "I switched to agent mode finally.",
        "For example. I buy a keg of 15 l for 50 euros.",
    )
    found = said_in(*(human(told, project="/srv/harbour") for told in nothing))
    assert found == [[]] * len(nothing)
    general = "I like small functions."
    assert said(human(general, project="/srv/harbour")) == [("states", general)]
    assert said(human("I love the harbour at night.", project=None)) != []


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("provides_solution", word_senses.SOLUTION),
        ("identifies_issue", word_senses.ISSUE),
        ("discovery", word_senses.DISCOVERY),
        ("states", EVERYDAY),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_whatever_phrase_a_rule_finds_its_filter_lets_in(
    name: str, pattern: re.Pattern[str]
) -> None:
    (rule,) = (rule for rule in RULES if rule.name == name)
    texts = sorted({form for text in phrases(pattern) for form in (text, text.replace(" ", "\n"))})
    assert len(texts) > 1_000
    lines = pl.DataFrame({"text": texts}).with_columns(
        kind=pl.lit("message"), origin=pl.lit("human"), typed=pl.lit(None, pl.String),
        namespace=pl.lit("n"), conversation_id=pl.lit("c"),
    )  # fmt: skip
    assert lines.filter(~rule.reads)["text"].to_list() == []


ALONE = [
    ("states", "For the record, the staging database is in Frankfurt."),
    ("identifies_issue", "The nightly backups break on filenames with a colon."),
    ("identifies_issue", "The upload endpoint returns a 502."),
]


def test_a_phrase_is_found_that_no_other_word_lets_in() -> None:
    for sentence, found in zip(ALONE, said_in(*(human(text) for _, text in ALONE)), strict=True):
        assert sentence in found


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("we log it. then we look", ["we log it.", "then we look"]),
        ("see @no-mocks.mdc . then go", ["see @no-mocks.mdc .", "then go"]),
        ('it says "no berth". then go', ['it says "no berth".', "then go"]),
        ("drop pier 2. keep the rest", ["drop pier 2.", "keep the rest"]),
        ("see v1.2, e.g. the old quay", ["see v1.2, e.g. the old quay"]),
    ],
)
def test_a_dot_ends_what_somebody_writes_without_capitals(text: str, told: list[str]) -> None:
    assert [text[start:end] for start, end in parts(text)] == told
