"""Briefs: best first, within a budget, the same for any order of rows."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from cairn.knowledge.nlp.text import estimated_tokens
from cairn.knowledge.practices.briefs.brief import (
    FACT,
    HEADINGS,
    LONGEST,
    PLACE,
    RECENT,
    Ground,
    brief,
    briefs,
    known_projects,
    not_told_before,
    text_of,
    within,
)
from cairn.knowledge.practices.briefs.convention_lines import asked_again
from cairn.knowledge.practices.briefs.error_lines import proven_errors
from cairn.knowledge.practices.briefs.practice_lines import practice_lines
from cairn.knowledge.practices.habits import EXAMPLES, is_habit
from cairn.knowledge.schema.tables import (
    CONVERSATIONS,
    ERROR_SIGNATURES,
    PRACTICES,
    PROJECT_FACTS,
    PROJECTS,
)

START = datetime(2026, 2, 1, tzinfo=UTC)
ROOT = "/home/ada/quay"
TITLES = (
    "Add a berth",
    "Please move a berth",
    "Why is it slow?",
    "I get this error:",
    "/review",
    "hi",
)
"""Of which the last four tell nothing of what was done."""


def practice(task: str, command: str, **more: object) -> dict[str, object]:
    return {
        "practice_id": f"w_{command}{more.get('project', ROOT)}", "namespace": "n",
        "project": ROOT, "task": task, "command": command, "folder": "", "env": [], "runs": 4,
        "passed": 3, "failed": 1, "conversations": 3, "rank": 1, "last_seen": START,
        "source_record_ids": [], **more,
    }  # fmt: skip


def ground() -> Ground:
    facts = pl.DataFrame(
        [
            {"fact_id": f"f{at}", "entity": "quay", "predicate": predicate, "content": content,
             "trust": trust, "source_count": 1, "conversation_count": said, "last_seen": START,
             "effective": 0.8}
            for at, (predicate, content, trust, said) in enumerate(
                [("directs", "Always rebase.", "person", 2),
                 ("refuses", "Does not want `git push`: too early.", "person", 2),
                 ("refuses", "Does not want `git push`: not now.", "person", 1),
                 ("states", "The quay has 40 berths.", "person", 1),
                 ("states", "We use just here, never make.", "person", 1),
                 ("states", "We use cranes here, not winches.", "agent", 1),
                 ("connects_to_host", "quay connects to host tide", "outcome", 3),
                 ("decides", "Let's drop the crane.", "person", 1)]
            )
        ]
    )  # fmt: skip
    error = {
        "namespace": "n", "project": ROOT, "signature_id": "es", "fix_id": "ef",
        "tool_family": "go", "signature": "no tide for {name}", "key_line": "no tide for Berth",
        "names": ["Berth"], "same_line": 2, "failures": 2, "conversations": 2, "ended": 2,
        "fix": "In `quay.go`: added it.",
        "fix_kind": "edit", "fix_last_seen": START, "wins": 2, "losses": 0, "rank": 0.4,
        "source_record_ids": [],
    }  # fmt: skip
    once = error | {
        "fix_id": "once",
        "fix": "In `tide.go`: added it.",
        "conversations": 1,
        "rank": 0.9,
        "wins": 1,
    }
    again = error | {
        "signature_id": "es2", "signature": "{name}: command not found", "fix": None,
        "key_line": "tide: command not found", "fix_id": "again", "fix_kind": None, "wins": 0,
        "same_line": 3, "conversations": 4, "rank": 0.0, "ended": 0, "tool_family": "shell",
    }  # fmt: skip
    mixed = again | {"signature_id": "es3", "fix_id": "mixed", "same_line": 2}
    rule = mixed | {
        "signature_id": "es4", "fix_id": "rule", "conversations": 3, "ended": 3, "failures": 3,
        "tool_family": "ruff", "signature": "E501 Line too long ({n} > {n})",
        "key_line": "E501 Line too long (104 > 88)",
    }  # fmt: skip
    seldom = rule | {"signature_id": "es5", "fix_id": "seldom", "conversations": 2}
    file = {
        "project_fact_id": "p", "namespace": "n", "project": ROOT, "kind": "edited_file",
        "name": "quay.go", "conversations": 6, "share": 0.5, "rank": 1, "source_record_ids": [],
    }  # fmt: skip
    talks = [
        {"conversation_id": f"s{at}", "namespace": "n", "day": "2026-02-01", "source": "x",
         "project": ROOT, "title": title, "started_at": START,
         "ended_at": START + timedelta(days=at), "records": 2, "messages": 2, "human_messages": 1,
         "tool_calls": 0, "errors": 0, "tokens": 9, "content_hash": "h"}
        for at, title in enumerate(TITLES)
    ]  # fmt: skip
    return Ground(
        PRACTICES.frame(
            [practice("test", "go test ./..."), practice("test", "make t", rank=2),
             practice("lint", "make lint", replaced_by="w_x"),
             practice("lint", "mise run lint", env=["CI=1", "KEY"]),
             practice("test", "go test ./...", project="/srv/quay", runs=2, conversations=1,
                      rank=2),
             practice("test", "npx tap", project="/srv/quay", runs=2, conversations=2),
             practice("test", "npm test", project="/srv/other"),
             practice("format", "npm run fmt --force", conversations=9),
             practice("format", "npm run fmt")]
        ),
        PROJECT_FACTS.frame([file]),
        ERROR_SIGNATURES.frame([error, once, again, mixed, rule, seldom]),
        facts,
        CONVERSATIONS.frame(talks),
        PROJECTS.empty(),
    )  # fmt: skip


def test_each_kind_has_its_best_lines_and_other_projects_none() -> None:
    lines = within(400, brief("quay", ground()))
    assert [line.text for line in lines] == [
        "test: `go test ./...`", "test: `make t`", "test: `npx tap`",
        "lint: `CI=1 KEY=… mise run lint`",
        "format: `npm run fmt`", "format: `npm run fmt --force`",
        "Always rebase.", "We use just here, never make.", "Does not want `git push`: too early.",
        "no tide for Berth → In `quay.go`: added it.",
        "tide: command not found → in 3 sessions; what ends it is not known",
        "E501 Line too long (104 > 88) → in 3 sessions",
        "no tide for Berth → In `tide.go`: added it.",
        "The quay has 40 berths.", "We use cranes here, not winches.",
        "2026-02-01: Let's drop the crane.",
        "Often edited: quay.go",
        "2026-02-02: Please move a berth", "2026-02-01: Add a berth",
    ]  # fmt: skip
    assert (lines[0].support, lines[0].conversations) == (6, 4), "two checkouts are one project"
    assert list(dict.fromkeys(line.kind for line in lines)) == list(HEADINGS)
    assert known_projects(ground().conversations, PROJECTS.empty()) == {
        "quay": START + timedelta(days=5)
    }
    assert brief("harbour", ground()) == []


def test_what_is_muted_makes_room_for_what_comes_next() -> None:
    lines = brief("quay", ground())
    others = brief("quay", ground()._replace(muted=frozenset({lines[0].id, "f3", "other"})))
    assert others == [line for line in lines if line.id not in (lines[0].id, "f3")]
    assert len(others) == len(lines) - 2


def test_habits_are_told_from_what_there_is() -> None:
    said = pl.DataFrame(EXAMPLES, schema=["content", "habit"], orient="row")
    found = said.with_columns(found=is_habit())
    assert found.filter(pl.col("found") != pl.col("habit")).is_empty()


def test_forms_stand_below_what_is_proven_and_above_commands_that_were_run_once() -> None:
    once = [
        practice("run", f"./quay --mode {mode}", conversations=1, rank=3 + mode)
        for mode in range(6)
    ]
    told = {"namespace": "n", "project": ROOT, "conversations": 3, "share": 1.0, "rank": 1}
    facts = [
        told | {"project_fact_id": "b", "kind": "branch_form", "name": "ada/…", "having": 4,
                "among": 5, "source_record_ids": []},
        told | {"project_fact_id": "v", "kind": "version", "name": "Go", "other": "1.22.3",
                "source_record_ids": []},
    ]  # fmt: skip
    plain = ground()
    kept = brief("quay", plain._replace(
        practices=pl.concat([plain.practices, PRACTICES.frame(once)]),
        project_facts=pl.concat([plain.project_facts, PROJECT_FACTS.frame(facts)]),
    ))  # fmt: skip
    texts = [line.text for line in kept]
    form = texts.index("Branches: `ada/…` (4 of 5)")
    below = [text for text in texts if text.startswith("run: ")][-1:]
    assert texts.index("no tide for Berth → In `quay.go`: added it.") < form
    assert form < texts.index(below[0]) < texts.index("Versions: Go 1.22.3")


@settings(max_examples=25)
@given(budget=st.integers(0, 200), seed=st.integers(0, 999))
def test_it_fits_its_budget_whatever_the_order_of_rows(budget: int, seed: int) -> None:
    frames = (frame for frame in ground() if isinstance(frame, pl.DataFrame))
    mixed = Ground(*(frame.sample(fraction=1, shuffle=True, seed=seed) for frame in frames))
    assert_frame_equal(briefs("n", mixed), briefs("n", ground()))
    lines = within(budget, brief("quay", mixed))
    assert estimated_tokens(text_of(lines)) <= budget


def test_a_decision_is_told_by_its_choice_and_shortly_by_its_question() -> None:
    question = "Where should the tide charts, which the cranes read each night, be kept" + ", " * 50
    told = {
        "Where should charts live? docs/, not assets/ or wiki/": "Where should charts live? docs/",
        "Chose One table, not Many tables": "Chose One table",
        "Let's use cranes, not ropes": "Let's use cranes, not ropes",
        f"{question}? In the docs/ folder, not in assets/": "… In the docs/ folder",
    }
    for content, line in told.items():
        facts = ground().facts.filter(predicate="decides").with_columns(content=pl.lit(content))
        (decided,) = [
            one for one in brief("quay", ground()._replace(facts=facts)) if one.kind == FACT
        ]
        assert decided.text.startswith("2026-02-01: ")
        assert decided.text.endswith(line)
        assert len(decided.text) <= LONGEST


def test_what_was_made_is_told_before_what_was_asked() -> None:
    talks = ground().conversations.with_columns(
        subject=pl.when(pl.col("conversation_id").is_in(["s5", "s4"])).then(
            pl.lit("Mend the crane")
        )
    )
    lines = brief("quay", ground()._replace(conversations=talks))
    assert [line.text for line in lines if line.kind == RECENT] == [
        "2026-02-06: Mend the crane", "2026-02-02: Please move a berth",
    ]  # fmt: skip


def test_files_that_are_edited_on_the_way_seldom_or_seen_at_once_are_no_places() -> None:
    names = (
        ".gitignore", "web/package-lock.json", "uv.lock", ".changeset/a.md", "dist/a.js", "a.go",
        "README.md", "web/README.md", "package.json", "Cargo.toml", "CLAUDE.md",
    )  # fmt: skip
    (file,) = ground().project_facts.iter_rows(named=True)
    facts = [file | {"project_fact_id": name, "name": name} for name in names]
    facts.append(file | {"project_fact_id": "few", "name": "few.go", "conversations": 3})
    lines = brief("quay", ground()._replace(project_facts=PROJECT_FACTS.frame(facts)))
    assert [line.text for line in lines if line.kind == PLACE] == ["Often edited: a.go"]
    names = ("b.go", "c.go", "d.go", "e.go", "f.go")
    facts = [
        file | {"project_fact_id": name, "name": name, "rank": rank}
        for rank, name in enumerate(names)
    ]
    lines = brief("quay", ground()._replace(project_facts=PROJECT_FACTS.frame(facts)))
    told = [line.text for line in lines if line.kind == PLACE]
    assert told == ["Often edited: b.go, c.go, d.go, e.go"]


def test_a_decision_is_told_with_its_answer_whatever_was_asked() -> None:
    asked = "Are tides kept in UTC? They are sorted by it, and shown " + "in local time " * 9
    told = f"{asked.strip()}. Or are they kept in local time? UTC, not Local time"
    facts = ground().facts.with_columns(
        content=pl.when(predicate="decides").then(pl.lit(told)).otherwise("content")
    )
    lines = brief("quay", ground()._replace(facts=facts))
    (line,) = (line.text for line in lines if line.text.startswith("2026-02-01: Are tides"))
    assert line.endswith("… UTC"), line
    assert len(line) <= LONGEST


def test_a_statement_is_told_without_the_words_that_lead_to_it() -> None:
    facts = ground().facts.filter(predicate="states", trust="person").head(1)
    led = facts.with_columns(content=pl.lit("but then also, we moor cranes at night"))
    (line,) = [one for one in brief("quay", ground()._replace(facts=led)) if one.kind == FACT]
    assert line.text == "We moor cranes at night"


def test_the_same_words_are_told_once() -> None:
    rows = ground().facts.with_columns(
        content=pl.when(predicate="decides").then(pl.lit("Too early")).otherwise("content")
    )
    lines = [line.text for line in brief("quay", ground()._replace(facts=rows))]
    assert [line for line in lines if "oo early" in line] == [
        "Does not want `git push`: too early."
    ]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (("From now on run the tests.", "Please run the tests.", "Run the tests"), 1),
        (("Use tabs.", "Never use tabs."), 2),
        (("We use uv.", "We use uv here, never pip."), 2),
        (("We use uv here, never pip.", "We use uv."), 1),
    ],
)
def test_what_was_told_with_more_words_is_not_told_again(said: tuple[str, ...], told: int) -> None:
    assert sum(not_told_before(said)) == told


def test_commands_that_are_one_are_told_once_and_what_was_for_the_moment_is_not() -> None:
    told = [
        practice("test", "npm run test"), practice("test", "npm test", conversations=1),
        practice("test", "npm test", folder="web", conversations=1),
        practice("lint", "npx eslint ."), practice("lint", "eslint .", conversations=1),
        practice("build", "make"), practice("build", "make -j4", conversations=2),
        practice("build", "bun build src/tide.ts --target=bun", conversations=1),
        practice("install", "npm install"), practice("install", "pnpm install"),
        practice("test", "tox", env=["CI=1", "source venv/bin/activate"]),
    ]  # fmt: skip
    lines = practice_lines(PRACTICES.frame(told), ["npm"])
    assert [line.text for line in lines] == [
        "test: `npm run test`", "lint: `npx eslint .`", "build: `make`", "install: `npm install`",
        "test: `source venv/bin/activate && CI=1 tox`",
    ]  # fmt: skip


def test_what_is_run_of_one_package_is_first_where_more_sessions_run_that() -> None:
    told = [
        practice("test", "npx jest"), practice("test", "pnpm --filter tide test", conversations=4),
        practice("lint", "pnpm lint"), practice("lint", "pnpm --filter tide lint"),
        practice("build", "make"), practice("build", "make --debug", conversations=9),
    ]  # fmt: skip
    lines = list(practice_lines(PRACTICES.frame(told)))
    first = {line.text.partition(":")[0]: line.text for line in lines[::-1]}
    assert first == {
        "test": "test: `pnpm --filter tide test`",
        "lint": "lint: `pnpm lint`",
        "build": "build: `make`",
    }


def test_commands_of_several_packages_or_folders_are_one_line_that_names_them() -> None:
    told = [
        practice("test", "pnpm --filter tide test", conversations=5),
        practice("test", "pnpm --filter @quay/crane test", conversations=3),
        practice("test", "pnpm --filter berth test", conversations=1),
        practice("test", "pnpm --filter crane test", conversations=1),
        practice("test", "pnpm --filter tide test", folder="web", conversations=2),
        practice("test", "pnpm test", conversations=1),
        practice("lint", "npm run lint", folder="web", conversations=4),
        practice("lint", "npm run lint", folder="api", conversations=3),
        practice("lint", "npm run lint", folder="old", conversations=1),
        practice("build", "bun build apps/tide", conversations=1),
        practice("build", "bun build apps/crane", conversations=1),
        practice("type_check", "tsc"), practice("type_check", "tsc", folder="web"),
        practice("format", "dprint fmt", folder="apps/tide", conversations=1),
        practice("format", "pnpm --filter tide format", conversations=1),
    ]  # fmt: skip
    lines = [line.text for line in practice_lines(PRACTICES.frame(told))]
    assert lines == [
        "test: `pnpm --filter tide test` (also for @quay/crane, berth)",
        "lint: `npm run lint` (in web, api)",
        "format: `dprint fmt` (in apps/tide)",
        "type_check: `tsc` (also in web)",
        "build: `bun build apps/crane` (also for apps/tide)",
        "test: `pnpm test`",
        "format: `pnpm --filter tide format`",
    ]


def test_what_ran_once_is_not_told_beside_what_is_usual() -> None:
    told = [
        practice("format", "just fmt", conversations=20),
        practice("format", "go fmt ./...", conversations=1),
        practice("lint", "just lint", conversations=19),
        practice("lint", "go vet ./...", conversations=1),
        practice("lint", "just lint --format json", conversations=2),
    ]
    assert [line.text for line in practice_lines(PRACTICES.frame(told))] == [
        "lint: `just lint`", "format: `just fmt`", "lint: `go vet ./...`",
    ]  # fmt: skip


def test_a_text_pasted_twice_and_a_template_are_nothing_that_was_done() -> None:
    pasted, headed = "Add a berth to the plan", "# Add a berth"
    talks = ground().conversations.head(4)
    told = talks.with_columns(
        title=pl.Series([pasted, pasted, headed, "Move the crane to the quay"]),
        subject=pl.Series([None, None, None, "Fix the crane: {what}"]),
    )
    lines = brief("quay", ground()._replace(conversations=told))
    assert [line.text for line in lines if line.kind == RECENT] == [
        "2026-02-04: Move the crane to the quay"
    ]


def test_what_a_program_says_of_a_wrong_option_is_told_once_it_came_again() -> None:
    told = ground().error_signatures.filter(pl.col("fix_id") == "ef")
    said = told.with_columns(
        key_line=pl.lit("error: unknown flag: --short"), fix=pl.lit("Ran `tide` without `--short`.")
    )
    for wins, lines in ((1, 0), (2, 1)):
        made = proven_errors(said.with_columns(wins=pl.lit(wins)))
        assert sum(map(len, made)) == lines
    rejected = said.with_columns(key_line=pl.lit(" ! [rejected] quay -> quay (fetch first)"))
    assert proven_errors(rejected.with_columns(wins=pl.lit(1))) == ([], [])


def test_what_a_compiler_said_of_new_code_is_told_once_it_came_again() -> None:
    said = ground().error_signatures.filter(pl.col("fix_id") == "ef").with_columns(
        key_line=pl.lit("undefined: Berth"), fix_kind=pl.lit("edit")
    )  # fmt: skip
    assert proven_errors(said.with_columns(wins=pl.lit(1))) == ([], [])
    assert any(proven_errors(said.with_columns(wins=pl.lit(2))))


@pytest.mark.parametrize(("sessions", "days", "told"), [(1, 1, 1), (9, -1, 1), (9, 1, 0)])
def test_a_refusal_of_what_was_let_run_more_often_since_is_not_told(
    sessions: int, days: int, told: int
) -> None:
    known = ground()
    ran = practice(
        "test", "git push", conversations=sessions, last_seen=START + timedelta(days=days)
    )
    lines = brief("quay", known._replace(practices=PRACTICES.frame([ran])))
    assert sum(line.kind == "refusal" for line in lines) == told


def test_what_everybody_asks_of_an_agent_is_no_wish_of_this_person() -> None:
    (asked,) = ground().project_facts.iter_rows(named=True)
    names = ("pull in latest", "create a PR", "review the PRs", "review our beads", "add a test")
    facts = [asked | {"kind": "request", "project_fact_id": name, "name": name} for name in names]
    told = [line.text for line in asked_again(PROJECT_FACTS.frame(facts))]
    assert told == ["Asked for again: add a test", "Asked for again: review our beads"]


def test_a_manager_is_told_with_what_it_manages() -> None:
    (fact,) = ground().project_facts.iter_rows(named=True)
    facts = [
        fact | {"kind": "package_manager", "project_fact_id": name, "name": name}
        for name in ("npm", "tidepack")
    ]
    lines = brief("quay", ground()._replace(project_facts=PROJECT_FACTS.frame(facts)))
    assert {line.text for line in lines if line.kind == PLACE} == {
        "JavaScript packages are managed by npm", "Packages are managed by tidepack",
    }  # fmt: skip
