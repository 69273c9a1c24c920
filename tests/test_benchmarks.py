"""The benchmarks run, and the sessions that they make are new ones of the same kind."""

import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks import change, foresight, foresight_hooks, http, said, start
from benchmarks.__main__ import changed, figures, lessons, measured, table
from benchmarks.confidence import LABELS as LABELLED
from benchmarks.confidence import Label, built, confidences, read_labels, report
from benchmarks.confidence import measured as confidence_of
from benchmarks.sessions import sessions
from benchmarks.tasks import TASKS, run
from benchmarks.year import TROUBLES, year
from cairn.pipelines.follow import follow
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.serving.cli.main import cairn

UUID = re.compile(rb'"uuid": ?"([^"]+)"')
PARENT = re.compile(rb'"parentUuid": ?"([^"]+)"')
DAY = re.compile(rb'"timestamp": ?"(\d{4}-\d\d-\d\d)')


@pytest.fixture(scope="module")
def source(samples: Path) -> Path:
    return samples / "claude_code"


def in_this_process(command: list[str], environment: dict[str, str]) -> float:
    """Runs a command where nothing is to be imported: what that takes, only processes tell."""
    begin = process_time()
    if command[1:3] == ["-m", "cairn"]:
        runner = CliRunner(env={"CAIRN_HOME": environment["CAIRN_HOME"], "DAGSTER_HOME": None})
        done = runner.invoke(cairn, command[3:])
        assert done.exit_code == 0, done.output
    return process_time() - begin


def as_far_as_raw_logs(command: list[str], environment: dict[str, str]) -> float:
    """As `in_this_process`, and of a run the steps to raw logs, without Dagster."""
    if command[1:] != ["-m", "cairn", "run"]:
        return in_this_process(command, environment)
    begin = process_time()
    follow(State(open_home(Path(environment["CAIRN_HOME"])), Settings()), until="raw_logs")
    return process_time() - begin


class OneServer:
    """In place of `http.serving`: the first server stands for the others too.

    What `cairn serve --workers` does, tests/serving/http/test_workers.py shows.
    """

    def __init__(self) -> None:
        self.workers: list[int] = []
        self._serving, self._address = http.serving, ""

    @contextmanager
    def __call__(self, home: Path, workers: int = 1) -> Generator[str]:
        self.workers.append(workers)
        if self._address:
            yield self._address
            return
        with self._serving(home, workers) as self._address:
            yield self._address


def _copies(folder: Path) -> list[bytes]:
    return [
        b"".join(path.read_bytes() for path in sorted(copy.rglob("*.jsonl")))
        for copy in sorted(folder.iterdir())
    ]


def test_each_copy_of_a_session_is_another_session(source: Path, tmp_path: Path) -> None:
    once = sum(path.stat().st_size for path in source.rglob("*.jsonl"))
    written = sessions(source, tmp_path, 2 * once)
    first, second, *_ = _copies(tmp_path)
    assert written >= 2 * once
    assert not set(UUID.findall(first)) & set(UUID.findall(second))
    assert len(set(UUID.findall(first))) == len(set(UUID.findall(second)))
    assert max(DAY.findall(second)) < max(DAY.findall(first))
    # Threads hold together: as many parents are found as before.
    found = [set(PARENT.findall(data)) & set(UUID.findall(data)) for data in (first, second)]
    assert found[0]
    assert len(found[0]) == len(found[1])


def test_making_sessions_twice_gives_the_same_bytes(source: Path, tmp_path: Path) -> None:
    sessions(source, tmp_path / "a", 300_000)
    sessions(source, tmp_path / "b", 300_000)
    assert _copies(tmp_path / "a") == _copies(tmp_path / "b")


def test_no_sessions_can_be_made_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no log files"):
        sessions(tmp_path, tmp_path / "made", 1000)


@pytest.mark.slow
def test_every_benchmark_runs_on_a_few_kilobytes(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "spent", in_this_process)
    servers = OneServer()
    monkeypatch.setattr(http, "serving", servers)

    def made_up(task: str, *arguments: object, threads: int | None = None) -> dict[str, Any]:
        if task == "topic_nights":  # clusters need as many texts to be the same, this does not
            assert arguments == (800,)
            return run(task, 300)
        if task != "change":  # the slowest, measured below
            return run(task, *arguments, threads=threads)
        assert arguments == (source, 2_000, 10_000, 1, 2)
        return CHANGE

    result = measured(source, 20_000, 1, [800], [60], made_up)
    assert all(figure.ours for figure in figures(result))
    assert {"records", "raw_logs", "publication"} <= result["stages"]["stages"].keys()
    assert all(
        result[task]["peak_mb"] > 0
        for task in {*TASKS}
        & {*result} - {"change", "pairs", "clusters", "topic_nights", "simhash", "search"}
    )
    assert result["pairs"][0]["lost"] == 0 < result["pairs"][0]["pairs"]
    assert result["simhash"][0]["same"]
    assert result["evidence"]["same"]
    assert result["search"][0]["recall"] > 0.99
    assert result["http"]["added"] == pytest.approx(
        result["http"]["http"]["p50"] - result["http"]["in_process"]["p50"]
    )
    assert result["http"]["while_publishing"]["busy"]["asked"] > 0
    assert servers.workers == [1, 2]
    assert result["http"]["clients"].keys() == {"1", "2"}
    assert all(found["runs"][0]["agreement"] > 0.99 for found in result["clusters"])
    within = [figure.ratio for figure in lessons(result["lessons"]) if figure.goal]
    assert len(within) == 4
    assert all(ratio and ratio > 0 for ratio in within)  # whether it is fast, no test says
    assert len([*table(result)]) > len(result["stages"]["stages"])


@pytest.mark.slow
def test_pages_are_measured_over_talks_that_are_made_up() -> None:
    found = run("pages", 60, 1)
    assert found["records"] > found["facts"]
    assert {"", "/search", "/facts/{id}", "/records/{record_id}"} <= found["pages"].keys()
    assert all(page["p95"] >= page["p50"] > 0 < page["kb"] for page in found["pages"].values())


CHANGE = {
    "imports": 0.7,
    "sessions": {
        "6000": {"first": 4.0, "lines": 3.0, "nothing": 0.2, "searchable": 1.5},
        "30000": {"first": 6.0, "lines": 4.0, "nothing": 0.3, "searchable": 2.5},
    },
    "namespaces": {
        "1": {"first": 4.0, "namespace": 3.5, "nothing": 0.2},
        "2": {"first": 6.0, "namespace": 3.6, "nothing": 0.2},
    },
    "chat": {"messages": 570, "seconds": 4.0, "cpu": 3.0},
}


def test_of_a_change_the_largest_home_counts_beside_the_smallest() -> None:
    found = [*changed(CHANGE)]
    ratios = {figure.what: figure.ratio for figure in found if figure.goal}
    assert ratios == {
        "10 lines more, 0.0 MB against 0.0 MB": pytest.approx(3.0 / 4.0),
        "a namespace of 20 messages more, beside 2 against beside 1": pytest.approx(3.5 / 3.6),
    }
    assert [figure.ratio for figure in found if "found by search" in figure.what] == [
        pytest.approx(2.0 / 1.5),
        pytest.approx(2.0 / 2.5),
    ]
    assert [figure.ratio for figure in found if "10 lines more, 0.0 MB, goal" in figure.what] == [
        pytest.approx(0.7 / 3.0),
        pytest.approx(0.7 / 4.0),
    ]


@pytest.mark.slow
def test_a_change_is_measured_beside_the_imports(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # That Dagster runs what `cairn run` says, other benchmarks show: all this does is to time it.
    monkeypatch.setattr(change, "spent", as_far_as_raw_logs)
    # `cairn run --watch` has a test of its own, and takes as long as all else here.
    monkeypatch.setattr(
        change, "searchable", lambda home, grows: float(grows.is_relative_to(home.parent))
    )
    monkeypatch.setattr(change, "CHAT", 60)
    found = run("change", source, 6_000, 6_000, 1, 1)
    assert min(found["imports"], found["peak_mb"]) > 0
    (grown,) = found["sessions"].values()
    assert grown["nothing"] < min(grown["lines"], grown["first"])
    assert grown["searchable"] == 1
    assert found["chat"]["messages"] >= 60 > found["chat"]["seconds"] > 0
    (more,) = found["namespaces"].values()
    assert more["nothing"] < more["namespace"]


@pytest.mark.slow
def test_facts_of_one_template_cost_about_what_different_ones_do() -> None:
    """Each pair of them compared, they cost fifty times as much, and gave 97,165 rows."""
    found = run("templates", 2_000)
    assert found["seconds"]["ours"] < 10 * found["seconds"]["baseline"]
    assert 0 < found["rows"]["ours"] < 2 * found["facts"]


@pytest.mark.slow
def test_a_brief_is_measured_by_what_then_happened(samples: Path) -> None:
    result = foresight.measured(samples.parent, [samples.name, "no such set"], rebuilt=5)
    own = result["all"]
    assert own["sessions"] >= 7
    assert own["rebuilt"] == own["equal"] == 1
    commands = own["commands"]
    assert 0 == commands["nothing"] < commands["last session"] < commands["brief"]
    assert own["fixed errors"]["brief"] == own["fixed errors"]["happened"] > 0
    assert len([*foresight.table(result)]) > 2 * len(foresight.KINDS)


@pytest.mark.slow
def test_a_year_of_hooks_is_measured_by_what_was_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    # That Dagster takes in what hooks queued, tests of the intake show.
    monkeypatch.setattr(foresight_hooks, "run_graph", follow)
    made = list(year())
    assert made == list(year())
    assert len({session.begins.month for session in made}) == 12
    trouble = TROUBLES["harbor-backup"][2]
    again = [session.id for session in made if trouble in session.happened][:2]
    own = foresight_hooks.replayed(
        (session for session in foresight_hooks.of_year() if session.id in again), "year"
    )
    assert own["sessions"] == len(again) == 2
    assert own["known failures"] == own["about the error"] == own["failures with an offer"] == 1
    assert own["prompts"] > own["prompts with an offer"] == 0
    assert len([*foresight_hooks.table({"year": own})]) == 3


@pytest.mark.parametrize(
    ("line", "foretold"),
    [
        ("lint: `mix credo`", True),
        ("lint: `MIX_ENV=test KEY=… mix credo`", True),
        ("lint: `mix credo --strict`", False),
        ("lint: `mix credo` (in assets)", False),
        ("Ran `mix credo`.", False),
    ],
)
def test_a_command_is_foretold_by_its_own_form_alone(line: str, foretold: bool) -> None:
    assert foresight.shows_command(line, "mix credo", "") == foretold


@pytest.mark.parametrize(
    ("line", "folder", "foretold"),
    [
        ("test: `pnpm -F tide test`", "", False),
        ("test: `pnpm -F tide test` (also for crane, berth)", "", True),
        ("test: `CI=1 pnpm -F tide test` (also for crane)", "", False),
        ("test: `pnpm -F tide lint` (also for berth)", "", False),
        ("test: `pnpm -F berth test` (in web, .; also for crane)", "", True),
        ("test: `pnpm -F crane test` (in web, api; also for berth)", "api", True),
        ("test: `pnpm -F berth test` (also in web)", "web", True),
        ("test: `pnpm -F berth test` (in web)", "", False),
    ],
)
def test_a_command_is_foretold_for_each_package_and_folder_that_is_named(
    line: str, folder: str, foretold: bool
) -> None:
    assert foresight.shows_command(line, "pnpm -F berth test", folder) == foretold


def test_what_is_kept_of_what_people_say_is_counted() -> None:
    told = [
        said.Message("directive", "Never moor two ships at one berth.", "one ship a berth"),
        said.Message("drop", "Can you fix that?", "-"),
    ]
    assert said.kept(told, in_project=True) == [True, False]
    sets = {file.stem: said.messages(file.stem) for file in said.SAID.glob("*.tsv")}
    assert sets.keys() >= said.FITTED
    assert all(any(one.kind == said.NOTHING for one in own) for own in sets.values())
    shown = {"sessions_4": {"drop": {"messages": 2, "kept": 1}}}
    assert [*said.table(shown)][2:] == ["| sessions_4 | nothing to keep | 2 | 1 |"]


LABELS = [
    Label("statement", "a", f"{digit}00", "states", first, settled, settled)
    for digit, first, settled in (
        ("0", "useful", "useful"), ("2", "useful", "useful"), ("4", "little", "little"),
        ("6", "little", "wrong"), ("1", "useful", "useful"), ("3", "wrong", "wrong"),
    )
]  # fmt: skip


def test_confidence_is_measured_by_what_labels_say_of_it() -> None:
    found = confidence_of(LABELS, {"000": 0.8, "400": 0.5, "600": 0.5, "100": 0.5, "300": 0.5})
    halves = found["halves"]
    assert found["agreement"] == pytest.approx(5 / 6)
    assert halves["for fitting"]["labels"] == {"useful": 2, "little": 1, "wrong": 1}
    assert halves["for fitting"]["made_no_more"] == {"useful": 1, "little": 0, "wrong": 0}
    assert halves["for fitting"]["auc"][0] == 1.0
    assert halves["for fitting"]["auc_of_all"][0] == 0.5  # what is made no more has no confidence
    assert halves["held out"]["auc"][0] == 0.5  # a tie counts half
    bands = {row["from"]: row for row in found["calibration"] if row["count"]}
    assert bands[0.45]["right"] == 0.5
    assert (bands[0.75]["useful"], bands[0.75]["right"]) == (1, 1.0)
    assert any("1.00 ±" in line for line in report("statement", found))
    assert confidence_of(LABELS[:3], {})["halves"]["all"]["auc"] is None


def test_labels_hold_no_text_of_what_was_read() -> None:
    rows = [line.split("\t") for line in LABELLED.read_text("utf-8").splitlines()[1:]]
    named = {"statement", "learning", "useful", "little", "wrong"}
    assert len({(row[1], row[2]) for row in rows}) == len(rows) > 200
    for what, name, digest, kind, *judged in rows:
        assert {what, *judged} <= named
        assert re.fullmatch(r"[0-9a-f]{12}", digest)
        assert re.fullmatch(r"[a-z_]+", name + kind)


def test_labels_are_found_again_in_a_set(shared_data: Path) -> None:
    labels = [one for one in read_labels() if one.set == "cc_fasthooks" and one.what == "statement"]
    sure = confidences("cc_fasthooks", built(shared_data, "cc_fasthooks"))
    assert sum(one.id in sure for one in labels) >= len(labels) / 2
