"""A run is of one namespace: it opens nothing of another, and leaves it as it is."""

import hashlib
import sys
from functools import cache
from pathlib import Path

import pytest

from cairn.assets.effects import notify, search
from cairn.knowledge.schema.calendar import EPOCH
from cairn.knowledge.schema.tables import TABLES
from cairn.pipelines.checks import engines
from cairn.pipelines.checks.engines import CheckEngine
from cairn.pipelines.checks.expectation_check import Batch
from cairn.pipelines.checks.expectations import suites
from cairn.pipelines.checks.frames import run_suite
from cairn.pipelines.planning.pending import is_pending
from cairn.pipelines.runner import RunFailed, run_graph
from cairn.resources.context import State
from cairn.resources.effects import acknowledge, intend, intended, now, switch_on
from cairn.resources.home.home import open_home
from cairn.resources.home.inbox import append_event
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source
from cairn.resources.llm.verdict_limits import SuiteVerdicts
from cairn.resources.warehouse.publication import published
from cairn.resources.web.notifier import told_in
from tests.journeys.running import follow
from tests.pipelines.house import House, failure, talk
from tests.pipelines.test_sensors import line

OF_OTHER = ("warehouse/other", "index/other", "publication/other.json", "checks/other.json",
            "lookup/other.sqlite", "inbox/other")  # fmt: skip
OPENED: list[str] = []
"""What Python opens. What Rust does, the tables, is emptied instead."""


@cache
def watched() -> None:
    """Watches from the first call on: a hook of Python stays for good."""
    sys.addaudithook(lambda event, given: event == "open" and OPENED.append(str(given[0])))


def files_of(home: Path, *places: str) -> list[Path]:
    """Files of a namespace in a home."""
    found = [home / place for place in places]
    inner = [file for place in found if place.is_dir() for file in place.rglob("*")]
    return sorted(file for file in [*found, *inner] if file.is_file())


def digests(files: list[Path]) -> dict[Path, str]:
    return {file: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def with_another(house: House) -> None:
    """Two namespaces, both published and checked."""
    folder = house.state.home.root.parent / "of another"
    folder.mkdir()
    add_source(
        house.state.home, talk(folder, 1, "I live in Oslo.", "2026-02-06T10:00:00Z"), "other"
    )
    event = {"type": "note", "namespace": "other", "text": "The harbor door code has changed."}
    append_event(house.state.home, event, redact=lambda text: (text, 0))
    follow(house.state)
    verdicts = SuiteVerdicts(house.state.home, "other")
    of_other = [
        run_suite(house.state.of("other"), one, verdicts, CheckEngine.POLARS) for one in suites()
    ]
    assert not any(found.broken for found in of_other)
    verdicts.save()


def due_effects(house: House) -> None:
    """A search and a notification that wait for the jobs that make them."""
    home, at = house.state.home, now()
    for text in ("/learn black tea", "/like green tea"):
        event = {"type": "command", "namespace": "default", "text": text}
        append_event(home, event, redact=lambda given: (given, 0))
    for effect in (search.EFFECT, notify.EFFECT):
        switch_on(house.state, "default", effect, at)
    found = {"effect_id": "s", "unit": "u", "query": "green tea"}
    intend(house.state, "default", search.EFFECT, "s", found, now())
    found["results"] = [{"title": "", "text": "Green tea contains caffeine and theanine."}]
    acknowledge(house.state, "default", search.EFFECT, "s", found, now())


def test_neither_a_run_nor_a_night_opens_a_file_of_another_namespace_or_acts(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a run does, and then all that is ever done: `night` has the steps of `verify`, too.

    Whoever reads one of the files finds it emptied, and fails or mends it. The night, which asks
    great_expectations, changes nothing that is read.
    """
    asked: list[Batch] = []

    def decide(batch: Batch) -> dict[str, int]:
        asked.append(batch)
        return engines._by_polars(batch)

    monkeypatch.setattr(engines, "_by_great_expectations", decide)
    due_effects(house)
    with_another(house)
    theirs = files_of(house.state.home.root, *OF_OTHER)
    assert len(theirs) > 100
    for file in theirs:
        file.write_bytes(b"")
    before = digests(theirs)
    text = "The lighthouse lamp needs a new relay."
    path = house.state.home.root.parent / "new.jsonl"
    path.write_bytes(line("2026-03-01T10:00:00Z", 1, text))
    add_source(house.state.home, path, "default")
    watched()
    settings = Settings(search_provider=f"folder:{path.parent}")
    anew = House(State(house.state.home, settings), house.logs, house.instance)
    own = anew.state.of("default")
    made: list[dict[str, int | None]] = []
    for job, read in (("update", "sources"), ("night", "checks")):
        OPENED.clear()
        result = anew.run(job)
        assert result.success, failure(result)
        assert any(str(house.state.home.root / read) in path for path in OPENED), "it is watched"
        assert not set(OPENED) & set(map(str, theirs)), job
        assert digests(theirs) == before, job
        assert files_of(house.state.home.root, *OF_OTHER) == theirs, job
        made.append({name: own.warehouse.version(table) for name, table in TABLES.items()})
        assert search.queue(own, now()).height, job
        assert notify.due(own, now()).height, job
        assert intended(own, search.EFFECT, EPOCH).total() == 1, "those made before"
        assert not told_in(own.home, "default").exists(), job
        assert bool(asked) == (job == "night")
    assert made[0] == made[1]
    assert not is_pending(own)


def test_one_that_fails_does_not_keep_the_others_from_being_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = State(open_home(tmp_path / "home"), Settings())
    monkeypatch.setenv("CAIRN_HOME", str(state.home.root))
    for number, name in enumerate(("amber", "birch", "cedar")):
        folder = tmp_path / name
        folder.mkdir()
        place = talk(folder, number, f"I live in {name}.", f"2026-02-0{number + 1}T10:00:00Z")
        add_source(state.home, place, name)
    (state.home.warehouse / "birch").write_text("no folder")
    with pytest.raises(RunFailed):
        run_graph(state, healed=True)
    there = [name for name in ("amber", "birch", "cedar") if published(state.home, name)]
    assert there == ["amber", "cedar"]
