"""What waits is said where a person looks: how long, why, and what to type."""

import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from cairn.knowledge.schema.policy import Policy
from cairn.pipelines import follow as run
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source
from cairn.serving.status.freshness import freshness
from cairn.serving.status.pending import pending
from cairn.serving.write.inbox import add_event
from cairn.serving.write.requests import order
from tests.homes import copy_home
from tests.journeys.running import follow
from tests.pipelines.house import House, open_house, talk
from tests.places import ROOT
from tests.serving.conftest import Ask

HEAVY = {"dagster", "great_expectations", "litellm", "scipy"}
"""What a command that only tells must not load."""


@pytest.fixture
def house(tmp_path: Path) -> House:
    house = open_house(tmp_path / "house", dg.DagsterInstance.ephemeral())
    talk(house.logs, 0, "I live in Berlin.", "2026-02-01T10:00:00Z")
    return house


@pytest.fixture(scope="module")
def published_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One with that talk, published; no test changes it."""
    house = open_house(tmp_path_factory.mktemp("told"), dg.DagsterInstance.ephemeral())
    talk(house.logs, 0, "I live in Berlin.", "2026-02-01T10:00:00Z")
    follow(house.state)
    return house.state.home.root


@pytest.fixture
def published(published_home: Path, tmp_path: Path) -> State:
    """A copy of it."""
    return State(open_home(copy_home(published_home, tmp_path / "home")), Settings())


def test_what_was_never_run_is_not_published(house: House, run_cairn: Ask) -> None:
    told = run_cairn("--home", house.state.home.root, "status")
    assert (told.code, "nothing published yet" in told.out) == (0, True)


def test_lag_is_how_long_what_was_logged_waits_and_what_cairn_notes_of_itself_waits_for_nobody(
    published: State, run_cairn: Ask
) -> None:
    def status(*more: str) -> str:
        answer = run_cairn("--home", published.home.root, "status", *more)
        assert answer.code == 0, answer.err
        return answer.out

    # What a person says now is later than any log of old; it makes none of them late.
    order(published, "default", "like", "tea")
    add_event(published, {"type": "intent", "namespace": "default", "effect": "search"})
    add_event(published, {"type": "note", "namespace": "default", "text": "moved \x1b[2J"})
    (file,) = (published.home.inbox / "default").glob("*.jsonl")
    with file.open("ab") as lines:  # what is broken is nobody's either
        lines.write(b'{"event_id": "cut\n[1]\n\xff\n{"type": 3}\n')
    _, note = pending(published, "default")
    assert (note.verb, note.text) == ("note", "note: moved [2J")
    waits = freshness(published, "default")
    assert waits.lag_seconds is not None
    assert 0 < waits.lag_seconds < 3600
    assert "1 changed file to take in" in waits.words
    taken_in = waits._replace(changed_files=0, held_back=0)  # while a run makes what follows
    assert taken_in.words.startswith("what was taken in: waiting for ")
    told = status()
    assert "like tea" in told
    assert "all is published" not in told
    follow(published)
    assert pending(published, "default") == []
    assert freshness(published, "default").lag_seconds == 0
    assert freshness(published, "default").words == "all that was logged is published"
    told = status()
    assert "nothing: all is published" in told
    assert "like tea" not in told


def test_a_namespace_that_is_held_back_is_not_all_published(
    published: State, tmp_path: Path, run_cairn: Ask
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    add_source(published.home, logs, "default")
    strict = Policy(max_retraction_ratio=0.2, max_retraction_count=0)
    state = State(published.home, Settings(policy=strict))
    talk(logs, 1, "I live in Oslo.", "2026-02-08T10:00:00Z")
    run.follow(state)
    fresh = freshness(state, "default")
    assert fresh.lag_seconds
    assert fresh.words.startswith("blocked, so readers keep what they had: memory: ")
    root = state.home.root
    told = " ".join(run_cairn("--home", root, "status").out.split())
    assert "all is published" not in told
    assert "publication of default, which is blocked" in told
    assert "CAIRN_POLICY__MAX_RETRACTION_RATIO=1 cairn run" in told
    (row,) = run_cairn("--home", root, "status", "--json").json["namespaces"]
    assert row["freshness"] == fresh.words or row["freshness"].startswith("blocked")
    assert row["lag_seconds"] > 0
    checks = run_cairn("--home", root, "doctor", "--json").json["checks"]
    (found,) = [one for one in checks if one["check"] == "publication of default"]
    assert "backfill" not in found["advice"], "the reason says what to do"


def test_what_was_just_asked_for_is_listed_as_waiting(
    house: House, run_cairn: Ask, tmp_path: Path
) -> None:
    root = house.state.home.root
    said = {
        ("learn",): ("learn", "green", "tea"),
        ("schedule",): ("schedule", "Rust", "releases", "--every", "week"),
        ("interests",): ("like", "sourdough"),
        ("check-ins",): ("ingest", str(tmp_path / "tea.md")),
    }

    def listed(read: tuple[str, ...]) -> list[str]:
        told = run_cairn("--home", root, *read, "--json")
        assert told.code == 0, told.err
        return [one["text"] for one in told.json["waiting"]]

    assert run_cairn("--home", root, *said["learn",]).code == 0  # said twice, it is one to learn
    for published in (False, True):
        (tmp_path / "tea.md").write_text(
            f"# Tea\n\nGreen tea is brewed at {80 + published} degrees.\n"
        )
        for read, words in said.items():
            assert run_cairn("--home", root, *words).code == 0
            assert listed(read), f"{read}, published: {published}"
            shown = run_cairn("--home", root, *read).out
            assert "applied at the next run: `cairn --home" in shown
            assert "Nothing was asked for" not in shown
        assert {"learn green tea", "schedule Rust releases --every week"} <= {
            *listed(("research",))
        }
        if not published:
            follow(house.state)
            assert all(listed(read) == [] for read in said)
    prompts = run_cairn("--home", root, "learn", "--json").json["items"]
    assert {one["prompt_text"] for one in prompts} == {"green tea"}


def test_status_starts_without_the_graph(published: State) -> None:
    order(published, "default", "like", "tea")
    code = (
        "import sys\nfrom cairn.serving.cli.main import cairn\n"
        f"cairn(['--home', {str(published.home.root)!r}, 'status'], standalone_mode=False)\n"
        f"heavy = {HEAVY!r} & {{name.partition('.')[0] for name in sys.modules}}\n"
        "sys.exit(f'{sorted(heavy)}' if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    assert "1 changed file" in done.stdout
