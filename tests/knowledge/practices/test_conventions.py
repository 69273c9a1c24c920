"""What many calls together tell: forms of messages and branches, versions in force, ports."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.knowledge.practices.briefs.convention_lines import asked_again, convention_lines
from cairn.knowledge.practices.message_forms import branch_form, message_form
from cairn.knowledge.practices.project_facts import project_facts
from cairn.knowledge.schema.tables import COMMAND_RUNS, FILE_EDITS, OBSERVATIONS

BEGIN = datetime(2026, 3, 2, tzinfo=UTC)
Told = tuple[int, str, str, str | None, str]


def observed(*told: Told) -> pl.DataFrame:
    """OBSERVATIONS of (day, kind, name, value, rule); one conversation a day."""
    return OBSERVATIONS.frame(
        {
            "namespace": "n", "day": (BEGIN + timedelta(days=day)).date().isoformat(),
            "conversation_id": f"c{day:02}", "record_id": f"r{day:02}-{place:03}", "place": 0,
            "seq": place, "occurred_at": BEGIN + timedelta(days=day, minutes=place),
            "project": "~/tide", "kind": kind, "name": name, "value": value, "rule": rule,
            "extractor": "observations@1",
        }
        for place, (day, kind, name, value, rule) in enumerate(told)
    )  # fmt: skip


def facts(*told: Told) -> pl.DataFrame:
    return project_facts(COMMAND_RUNS.empty(), FILE_EDITS.empty(), observed(*told))


def found(*told: Told) -> list[tuple[str, str, str | None, int]]:
    rows = facts(*told).sort("kind", "rank")
    return rows.select("kind", "name", "other", "conversations").rows()


@pytest.mark.parametrize(
    ("lines", "form", "types"),
    [
        (["feat: a", "feat: b", "fix: c", "docs: d", "fix(e): f"], "type: …", "feat, fix, docs"),
        (["fix(a)!: b", "fix(c): d", "ci: e", "ci: f", "ci(g): h"], "type(scope): …", "ci, fix"),
        (["tide: a", "tide: b", "quay/lock: c", "berth, quay: d", "horn: e"], "scope: …", None),
        (["[tide] a", "[tide] b", "[quay wall] c", "[lock] d", "[horn] e"], "[area] …", None),
        (["TIDE-1 a", "TIDE-2 b", "TIDE-3: c", "TIDE-4 d", "TIDE-5 e"], "TIDE-123 …", None),
        (["TIDE-1: a", "TIDE-2: b", "TIDE-3: c", "TIDE-4 d", "Ebb"], "TIDE-123: …", None),
        (["[TIDE-1] a", "[TIDE-2] b", "[TIDE-3] c", "[TIDE-4] d", "Ebb"], "[TIDE-123] …", None),
        (["#1 a", "#2 b", "#3 c", "#4 d", "#5 e"], "#123 …", None),
        ([":bug: a", ":sparkles: b", "🎨 c", "✨ d", "🐛 e"], "emoji …", None),
        ([f"fix: {name} (tide-{name}.1)" for name in "abcde"], "type: … (tide-…)", "fix"),
        ([f"fix: {name} (#1{place})" for place, name in enumerate("abcde")], "type: …", "fix"),
        (["feat: a", "feat: b", "Tide", "Quay", "Lock", "Horn"], None, None),
        (["feat: a", "feat: b", "feat: c", "feat: d"], None, None),
    ],
)  # fmt: skip
def test_first_lines_of_commits_have_a_form_if_most_are_alike(lines, form, types):
    told = message_form(lines)
    assert (told and told.text, told and told.types) == (form, types)


@pytest.mark.parametrize(
    ("names", "form", "types"),
    [
        (["feat/a", "feat/b", "feat/c", "fix/d"], "feat/…", None),
        (["feat/a", "fix/b", "docs/c", "fix/d"], "type/…", "fix, docs, feat"),
        (["ada/a", "ada/b", "ada/fix/c", "ada/d"], "ada/…", None),
        (["ada/TIDE-1-a", "bo/TIDE-2-b", "ada/TIDE-3", "bo/TIDE-4_d"], "…/TIDE-123-…", None),
        (["tide-x1", "tide-k4", "tide-9c", "tide-zz"], "tide-…", None),
        (["ebb", "quay-wall", "lock", "horn"], None, None),
        (["ada/a", "bo/b", "cy/c", "di/d"], None, None),
        (["feat/a", "feat/b", "feat/c"], None, None),
    ],
)
def test_branches_have_a_form_if_most_are_alike(names, form, types):
    told = branch_form(names)
    assert (told and told.text, told and told.types) == (form, types)


def test_a_version_in_force_is_the_latest_and_the_projects_own_before_the_machines():
    assert found(
        (0, "version", "Go", "1.21.0", "asked"),
        (2, "version", "Go", "1.22.3", "asked"),
        (1, "version", "Python", "3.12.3", "banner"),
        (3, "version", "Python", "3.9.2", "asked"),
    ) == [("version", "Go", "1.22.3", 1), ("version", "Python", "3.12.3", 1)]


def test_one_commit_counts_once_and_one_conversation_tells_no_form():
    alike = [(day, "commit", f"fix: {day}", "", "made") for day in range(5)]
    again = [(6, "commit", "fix: 1", None, "logged")]
    row = facts(*alike, *again, (5, "commit", "Tide", "", "made")).row(0, named=True)
    assert (row["kind"], row["having"], row["among"]) == ("commit_form", 5, 6)
    assert facts(*((1, *told[1:]) for told in alike)).is_empty()


def test_a_trailer_is_asked_of_commits_if_nearly_all_have_it():
    signed = [(day, "commit", f"Tide {day}", "Signed-off-by", "made") for day in range(6)]
    seen = (7, "commit", "Ebb", None, "logged")
    assert found(*signed, seen) == [("commit_trailer", "Signed-off-by", None, 6)]
    assert found(*signed, (7, "commit", "Ebb", "", "made")) == []


def test_branches_that_a_log_shows_as_merged_are_not_ones_own():
    own = [(day, "branch", f"ada/{day}", None, "worked_on") for day in range(4)]
    others = [(5, "branch", f"bo/{name}", None, "logged") for name in "abcdef"]
    assert found(*own, *others) == [("branch_form", "ada/…", None, 4)]


def test_ports_services_and_systems_take_two_conversations():
    told = [
        (0, "port", "5432", None, "option"), (1, "port", "5432", "postgres", "published"),
        (1, "port", "8080", None, "address"), (0, "service", "db", "docker compose", "started"),
        (1, "service", "db", "docker compose", "started"), (0, "system", "Linux", None, "folder"),
        (1, "system", "WSL", None, "asked"), (1, "main_branch", "main", None, "named"),
    ]  # fmt: skip
    assert found(*told) == [
        ("port", "5432", "postgres", 2),
        ("service", "db", "docker compose", 2),
        ("system", "WSL", None, 2),
    ]
    mixed = [(day, "system", name, None, "folder") for day, name in enumerate(("macOS", "Linux"))]
    assert found(*mixed) == []


def test_a_remote_is_the_latest_of_its_name():
    assert found(
        (0, "remote", "github.com/harbour/tide", "origin", "asked"),
        (1, "remote", "github.com/tides/tide", "origin", "answered"),
        (1, "remote", "github.com/harbour/tide", "upstream", "asked"),
    ) == [
        ("remote", "github.com/harbour/tide", "upstream", 1),
        ("remote", "github.com/tides/tide", "origin", 1),
    ]


def test_what_a_brief_says_of_them():
    told = facts(
        *((day, "commit", f"feat(tide): {day}", "Signed-off-by", "made") for day in range(6)),
        *((day, "branch", f"feat/{day}", None, "made") for day in range(4)),
        *((day, "main_branch", "main", None, "named") for day in range(2)),
        *((day, "port", "5432", "postgres", "option") for day in range(2)),
        *((day, "port", "8080", None, "address") for day in range(2)),
        *((day, "service", "db", "docker compose", "started") for day in range(2)),
        *((day, "system", "macOS", None, "folder") for day in range(2)),
        (0, "version", "uv", "0.5.1", "asked"),
        (0, "version", "Python", "3.12.1", "banner"),
        (0, "remote", "github.com/harbour/tide", "origin", "asked"),
    )
    lines = list(convention_lines(told))
    assert [(line.kind, line.text) for line in lines] == [
        ("practice", "Commit messages: `type(scope): …` (6 of 6; feat)"),
        ("practice", "Commits carry Signed-off-by (6 of 6)"),
        ("practice", "Branches: `feat/…` (4 of 4) from `main`"),
        ("place", "Versions: Python 3.12.1, uv 0.5.1 on macOS"),
        ("place", "Ports: 5432 (postgres)"),
        ("place", "Services: db (docker compose)"),
    ]
    assert (lines[0].support, lines[0].conversations) == (6, 6)
    seen_at_once = told.filter(pl.col("kind").is_in(["main_branch", "remote", "system"]))
    assert not list(convention_lines(seen_at_once))


KINDS = st.sampled_from(
    [
        ("version", "Go", "1.22.3", "asked"), ("version", "Go", "1.21.0", "banner"),
        ("commit", "fix: a", "", "made"), ("commit", "fix: b", None, "logged"),
        ("branch", "feat/a", None, "made"), ("branch", "feat/b", None, "pushed"),
        ("remote", "git.example.com/a/b", "origin", "asked"),
        ("remote", "git.example.com/c/d", "origin", "answered"),
        ("port", "5432", None, "option"), ("port", "5432", "postgres", "option"),
        ("system", "Linux", None, "folder"), ("system", "WSL", None, "asked"),
        ("main_branch", "main", None, "named"), ("service", "db", "systemd", "started"),
    ]
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 6), KINDS), max_size=30), st.randoms(use_true_random=False)
)
def test_any_order_of_observations_gives_the_same(told, random):
    frame = observed(*((day, *kind) for day, kind in told))
    order = list(range(frame.height))
    random.shuffle(order)
    runs, edits = COMMAND_RUNS.empty(), FILE_EDITS.empty()
    assert project_facts(runs, edits, frame[order]).equals(project_facts(runs, edits, frame))


def asked(day: int, words: str, message: str | None = None) -> Told:
    return day, "request", words, message, "asked"


def test_what_is_asked_for_in_two_conversations_is_told_by_its_most_common_words():
    told = [asked(0, "update CHANGELOG.md"), asked(1, "add a berth")]
    assert found(*told) == []
    told += [asked(2, "update changelog"), asked(3, "update changelog")]
    assert found(*told) == [("request", "update changelog", None, 3)]
    (line,) = asked_again(facts(*told))
    assert (line.kind, line.text, line.conversations) == (
        "directive", "Asked for again: update changelog", 3,
    )  # fmt: skip


def test_a_long_message_that_is_pasted_each_day_asks_once():
    pasted = [asked(day, "update changelog", "the same") for day in range(4)]
    assert found(*pasted) == []
    other = asked(5, "update changelog", "another")
    assert found(*pasted, other) == [("request", "update changelog", None, 2)]


def test_what_is_asked_for_on_one_day_alone_is_a_task():
    rows = observed(*(asked(day, "update changelog") for day in range(4)))
    today = rows.with_columns(occurred_at=pl.lit(BEGIN).cast(rows.schema["occurred_at"]))
    assert project_facts(COMMAND_RUNS.empty(), FILE_EDITS.empty(), today).is_empty()
