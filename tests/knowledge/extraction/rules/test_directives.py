"""What a person wants done or left: for good, in this session, or not said at all."""

import time

import polars as pl
import pytest

from cairn.knowledge.extraction.candidates import candidates
from cairn.knowledge.extraction.rules.directives import directives
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.extraction.rules.fixtures import Line, agent, call, human, raw_logs


def kinds(text: str) -> list[tuple[bool, str]]:
    return [(one.standing, one.text) for one in directives(text)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Always run make fmt before you commit.",
        "Don't ever amend a pushed commit.",
        "Use uv instead of pip.",
        "Use uv as the package manager",
        "Use table driven tests where possible",
        "Any berth that should wait can be kept but must have a note of its own.",
        "Only page results when the list is long.",
        "Don't run the tide suite, it takes an hour.",
        "One crane per commit.",
        "Write the test first.",
        "Minimal diffs only.",
        "Make sure the tide list always keeps its order.",
        "Use outboxes instead of polling.",
        "You are to ask before you install packages.",
        "All adapters will have a dry run.",
        "No emojis in commit messages please.",
        "Commit messages must be in the imperative.",
        "Field numbers are never to be reused.",
        "State machines over boolean flags.",
        "Ask before opening a second pull request.",
        "Dates go into the log as ISO, not as text.",
        "I want every endpoint to have a test.",
        "We are not to touch the generated code.",
        "Stop adding comments to obvious code.",
        "Make sure to always rebase before opening a PR.",
        "Whenever you add a table, update the docs too.",
        "Don't use print in this project, use the logger.",
        "You keep forgetting to run gofmt.",
        "Only the loader may import the driver.",
        "Whenever you change the schema regenerate the client.",
        "Before committing run make lint.",
        "I'd rather have two small functions than one big one.",
        "Don't use lists, use tuples.",
        "Use feature branches for changes.",
        "Do not mock the clock in tests.",
        "Answer in German please.",
        "We should log every refused login.",
        "We're not supposed to call the crane from the browser.",
        "You are supposed to run the formatter before pushing.",
        "I only want one lock file.",
        "We want contributors to sign their commits.",
        "We only support two kinds of cranes.",
        "I'd prefer named exports everywhere.",
        "No polling.",
        "No comments in generated code.",
        "Atomic commits.",
        "Small pull requests only.",
        "Ask me before adding dependencies.",
        "Dont commit the env file ever.",
        "Do not rebuild the charts on every run.",
        "Next time you change the charts, let me commit.",
        "Don't use winches to lift people.",
        "The icons must be vector files.",
        "Nothing may be hardcoded.",
        "Before applying any schema changes, show the statements.",
        "For every fix I expect a failing test first.",
        "Keep modules in `src/tide` under 400 lines.",
        "Ship names belong in `names.toml`, you keep hardcoding them.",
        "When you add a migration, also write the down part.",
        "Before you run anything on the pier cluster do a dry run.",
        "When there's a bug I want to see a failing test.",
        "Run the linter before showing me anything.",
        "Shellcheck has to be clean before you tell me you're done.",
        "Don't touch anything under `legacy/`, the board certified that code.",
        "`make moor` is mine to run.",
        "Commit messages: imperative, at most 60 characters.",
        "Rg not grep, fd not find.",
        "If something is unclear ask me.",
        "For tides we use fixed point.",
        "I don't want you to commit on your own.",
        "The crane must not ask for more rights.",
        "I don't want you to run `tide apply`.",
        "Reply briefly please.",
        'Stop writing "as requested".',
        "Stop adding comments that say what the next line does.",
        "Use pnpm here, never npm.",
        "If a test is flaky don't put a retry on it.",
        "After changing anything in `piers/` do `moor check` first.",
        "Set the seed in every script you make.",
        "No tool names in commit messages.",
        "Don't push directly to main.",
        "Follow PIER.md guidelines exactly.",
        "In tide models always name the columns.",
        "Don't restart ferryd as its address is known to the pilots.",
    ],
)
def test_what_is_meant_for_good(sentence: str) -> None:
    assert kinds(sentence) == [(True, sentence)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Don't touch the migrations folder.",
        "Let's use the existing helper instead.",
        "Leave the config alone.",
        "I'd rather keep the old name.",
        "Use the staging database, not prod.",
        "Be brief in the summary.",
        "Do not make changes yet.",
    ],
)
def test_what_is_meant_for_this_session(sentence: str) -> None:
    assert kinds(sentence) == [(False, sentence)]


@pytest.mark.parametrize(
    "text",
    [
        "Draft an announcement of the release, at most one line per change.",
        "Tool calls should not have the avatar. Verify that the crane works in this repo.",
        "Don't worry about the tests. I don't think we need that. Never mind.",
        "Use your own judgement. Add a test for the queue. Continue until all are done.",
        "It never works on Fridays. The tests always fail on CI. I never use vim.",
        "Can you always run it? Why don't we use redis? Should all endpoints return JSON?",
        "All tests should pass now. Use option 2. You always forget it, lol.",
        "We should fix all tests. We should handle all of these. It has at least two callers.",
        "I think the rules allow only one ship per berth. My files should be in my folder.",
        "Don't do that. Never delete those. Always do it like this.",
        "We were not supposed to do so. When are we supposed to run it? It was supposed to stop.",
        "I only want to see the log. I want users to see the fault now. We want all tests to pass.",
        "No warning. No meaning. Nice commits. Great tests! Failing tests only. No changes.",
        "I only want the first. We should be seeing two cranes.",
        "Create a file so that it works. Ask me tomorrow. Be there. In dev it is slow.",
        "Next time, I'll bring my camera. Add pages which hold the many ships in future.",
        "The tests must be green. Don't use that one. Find and replace across the repo:",
        "She said never use redis. The docs say always use v2.",
        "The form has an error: two ships are not allowed. `moor` will be removed in the future.",
        "Also think about the tides where possible. Use quay as an example.",
        "Explain the tides and then provide the solution in general.",
        "Nah let's roll back, they need no place in the future state.",
        "What is better?\n1. ask once, and never ask any sailor again\n2. something else?",
        "> Always use tabs.\n\n    never_push()",
        "What does it do? No code. Don't write any code, tell me about it first.",
        "Responses\n200\nNo links\n422\nNo parameters\nExecute",
        "When you are done, tell me. Wait before you do that. This must not be null.",
        "Keep the other two lines. Images get cropped on mobile. Users go to the wrong page.",
        "A flat quay: j = [1, 0] everywhere, rho = 2 everywhere, no absorption.",
    ],
)
def test_what_is_no_directive(text: str) -> None:
    assert kinds(text) == []


def test_it_is_kept_from_where_it_begins_and_read_without_capitals() -> None:
    assert kinds("ok the build is slow. from now on always use `ninja -j4`. thanks") == [
        (True, "From now on always use `ninja -j4`.")
    ]
    assert kinds("That was wrong, so please never push to main.") == [(True, "Never push to main.")]
    assert kinds("I moved it, which means every quay should have a sign.") == [
        (True, "Every quay should have a sign.")
    ]
    assert kinds("Yes, no, wait: in tests, we're not allowed to sleep.") == [
        (True, "In tests, we're not allowed to sleep.")
    ]
    assert kinds("Could you never log the tokens?") == [(True, "Never log the tokens")]
    assert kinds("Print both (never round the angles), and the depth.") == [
        (True, "Never round the angles")
    ]
    assert kinds("harbour_logs must never be read twice.") == [
        (True, "harbour_logs must never be read twice.")
    ]
    assert kinds("If a test is flaky, never delete it.") == [
        (True, "If a test is flaky, never delete it.")
    ]


def directed(*lines: Line) -> list[str]:
    found = candidates(raw_logs(lines), Policy()).candidates
    return found.filter(found["predicate"] == "directs")["object"].to_list()


def test_a_line_that_a_terminal_wrapped_is_one_sentence_and_half_of_one_is_none() -> None:
    wrapped = (
        "The quay has three berths, each a slice of the plan. Each berth must be \n"
        "usable and tested by itself."
    )
    (one,) = directives(wrapped)
    assert (one.standing, one.text) == (True, "Each berth must be usable and tested by itself.")
    assert wrapped[one.start : one.end].startswith("Each berth")
    assert kinds("Each berth must be\nusable by itself.") == []


def test_an_order_that_is_carried_out_at_once_is_an_event() -> None:
    order = "Use interval trees instead of linear scans for berth lookups."
    code = "self.tree = IntervalTree(berths)\ndef lookup_berth(at):\n    return self.tree.scan(at)"
    edit = call("Edit", file_path="/srv/harbour/quay.py", old_string="a", new_string=code)

    def predicates(*lines: Line) -> set[str]:
        rows = candidates(raw_logs(lines), Policy()).candidates
        return set(rows.filter(pl.col("object") == lines[0]["text"])["predicate"])

    assert predicates(human(order), agent("Ok."), edit) == {"asks"}
    assert predicates(human(order), agent("Ok.")) == {"directs"}
    assert predicates(human(order), agent("Ok."), human("wait"), edit) == {"directs"}
    notes = call("Write", file_path="/srv/harbour/AGENTS.md", content=f"{order} {code}")
    assert predicates(human(order), agent("Ok."), notes) == {"directs"}
    always = "Always use interval trees instead of linear scans for berth lookups."
    assert predicates(human(always), agent("Ok."), edit) == {"directs"}
    whole = "Every berth needs an interval tree, no linear scans in lookups."
    assert predicates(human(whole), agent("Ok."), edit) == {"directs"}
    habit = "Use pnpm instead of npm"
    pnpm = call("Edit", file_path="/srv/harbour/run.sh", old_string="npm i", new_string="pnpm i")
    assert predicates(human(habit), agent("Ok."), pnpm) == {"directs"}


def test_only_what_a_person_says_to_an_agent_is_one() -> None:
    text = "Never push to main."
    assert directed(human(text), agent("Ok.")) == [text]
    assert directed(human(text, name="Ann"), human("Ok.", name="Ben")) == []
    assert directed(agent(text), human("why")) == []


@pytest.mark.parametrize(
    "text",
    ["always " * 4_000, "x, " * 10_000, "tests " * 5_000, "use a" + " b" * 10_000, "' " * 9_000],
)
def test_hostile_text_takes_no_longer(text: str) -> None:
    begin = time.process_time()
    directives(text)
    assert time.process_time() - begin < 2
