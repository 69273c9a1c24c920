"""A backfill from the UI after something changed: what is stale, and nothing else."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cairn.assets.pending import by_conversation, candidates
from cairn.knowledge.llm.prompts import NAMES
from cairn.knowledge.schema.tables import CANDIDATES, RAW_LOGS, RECORDS, WORK
from cairn.pipelines import follow as run
from cairn.pipelines.planning.asked_again import asked_again
from cairn.pipelines.planning.in_flight import AGAIN_TAG
from cairn.pipelines.planning.stale import staleness
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import load_settings
from cairn.resources.home.sources import add_source
from tests.homes import copy_home
from tests.journeys.hives import CHAT, MODEL, chat, telling
from tests.journeys.running import follow
from tests.pipelines.house import House
from tests.pipelines.ui import Ui, forget_definitions, opened_ui
from tests.resources.model_server import ModelServer, served

pytestmark = pytest.mark.usefixtures("by_polars")

OK = "SUCCESS"


def shown(ui: Ui, asset: str) -> Mapping[str, Any]:
    """Metadata of the last materialization, as the UI shows it."""
    event = ui.instance.get_latest_materialization_event(dg.AssetKey(asset))
    assert event is not None
    assert event.asset_materialization is not None
    return {name: one.value for name, one in event.asset_materialization.metadata.items()}


def test_a_changed_policy_redoes_just_what_depends_on_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_HOME", str(house.state.home.root))
    monkeypatch.setenv("DAGSTER_HOME", str(house.state.home.dagster))
    monkeypatch.setenv("CAIRN_POLICY__TARGET_SYSTEMS", '["lantern"]')
    state = State(house.state.home, load_settings())
    stale = set(by_conversation.pending(state, candidates.extractors(state.settings))["stage"])
    assert stale
    versions = {table.name: state.warehouse.of("default").version(table)
                for table in (RECORDS, RAW_LOGS)}  # fmt: skip
    own = pl.col("extractor").str.extract(r"^(\w+)").is_in(list(stale))
    rows = state.warehouse.read(CANDIDATES).collect().sort("candidate_id")
    by_day = pl.col("day").is_not_null() & ~pl.col("stage").is_in(list(stale))
    work = state.warehouse.read(WORK).collect().filter(by_day).sort(pl.all())
    with opened_ui() as ui:
        assert ui.backfill(*ui.assets) == OK
        assert "asked_again" not in shown(ui, "extractors")
        numbers = shown(ui, "entities")
    assert numbers["seconds"] > 0
    passed, refused = numbers["done"], numbers["rejected"]
    assert 0 < numbers["pass_rate"] == round(passed / (passed + refused), 4) < 1
    after = State(house.state.home, load_settings())
    assert staleness(after).changes == []
    for table in (RECORDS, RAW_LOGS):
        assert after.warehouse.of("default").version(table) == versions[table.name]
    found = after.warehouse.read(CANDIDATES).collect().sort("candidate_id")
    assert_frame_equal(found.filter(~own), rows.filter(~own))
    # An attempt more would be counted of what was done once more.
    assert_frame_equal(after.warehouse.read(WORK).collect().filter(by_day).sort(pl.all()), work)


def environment(server: ModelServer, home: Path) -> dict[str, str]:
    return {
        "OPENAI_API_KEY": "no-key", "CAIRN_MODEL": MODEL, "CAIRN_MODEL_BASE": server.base,
        "CAIRN_MODEL_MAX_RETRIES": "0", "CAIRN_HOME": str(home),
        "DAGSTER_HOME": str(home / "dagster"),
    }  # fmt: skip


@pytest.fixture(scope="module")
def asked_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ModelServer, Path]]:
    """A language model on loopback, and a home that has asked it all; no test changes it."""
    place = tmp_path_factory.mktemp("asked_all")
    (place / "logs").mkdir()
    chat(place / "logs", "hives", CHAT)
    with served() as server, pytest.MonkeyPatch.context() as patched:
        server.script = telling
        for name, value in environment(server, place / "home").items():
            patched.setenv(name, value)
        state = opened()
        add_source(state.home, place / "logs", "default")
        follow(state)
        patched.undo()
        yield server, place / "home"


@pytest.fixture
def server(
    asked_all: tuple[ModelServer, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> ModelServer:
    """That model, and a copy of that home, which a test may change."""
    server, home = asked_all
    for name, value in environment(server, copy_home(home, tmp_path / "home")).items():
        monkeypatch.setenv(name, value)
    return server


def opened() -> State:
    settings = load_settings()
    return State(open_home(settings.home), settings)


def changed_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    """The prompt for names in other words, which are what the server gets."""
    monkeypatch.setitem(NAMES.__dict__, "system", f"{NAMES.system}\nName places, too.")


@pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])
def test_a_changed_prompt_is_shown_and_asked_again_when_a_person_says_so(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid = server.requests
    assert asked_again(opened().of("default")) == []
    changed_prompt(monkeypatch)
    (change,) = asked_again(opened().of("default"))
    assert change.calls > 0
    monkeypatch.setenv("CAIRN_BUDGET_DAY", "1")
    monkeypatch.setenv("CAIRN_AUTO_BACKFILL", "never")
    raw = opened().warehouse.of("default").version(RAW_LOGS)
    with opened_ui() as ui:
        for reason in ("auto_backfill is never", "no budget is set"):
            assert ui.backfill("extractors", "candidates") == OK
            told = shown(ui, "extractors")
            assert (told["asked_again/calls"], told["asked_again/tokens"]) == (
                change.calls, change.tokens,
            )  # fmt: skip
            assert told["asked_again/dollars"] == pytest.approx(change.dollars)
            (row,) = told["asked_again/changes"].records
            assert row.data["name"] == change.name == "full_mode"
            assert reason in told["asked_again"]
            assert server.requests == paid, "nothing is asked"
            monkeypatch.delenv("CAIRN_BUDGET_DAY", raising=False)
            monkeypatch.delenv("CAIRN_AUTO_BACKFILL", raising=False)
            forget_definitions()  # and the settings that were in force
        assert ui.backfill("extractors", "candidates", tags={AGAIN_TAG: "yes"}) == OK
        assert "This run asks again" in shown(ui, "extractors")["asked_again"]
        assert server.requests == paid + change.calls
        assert "Name places, too." in str(server.asked[-1]) + str(server.asked[paid])
    assert asked_again(opened().of("default")) == []
    assert opened().warehouse.of("default").version(RAW_LOGS) == raw
    assert staleness(opened()).changes == []


@pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])
@pytest.mark.parametrize(
    ("auto_backfill", "budget", "asks", "by_sensor"),
    [
        ("never", "1", False, False),
        ("within_budget", "1", True, True),
        # Whoever starts the run, the same place decides.
        ("within_budget", "", False, False),
        ("within_budget", "0.0000001", False, False),
        ("always", "", True, False),
    ],
)
def test_a_run_asks_again_as_auto_backfill_says(
    server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    auto_backfill: str,
    budget: str,
    asks: bool,
    by_sensor: bool,
) -> None:
    changed_prompt(monkeypatch)
    monkeypatch.setenv("CAIRN_AUTO_BACKFILL", auto_backfill)
    monkeypatch.setenv("CAIRN_BUDGET_DAY", budget)
    paid, state = server.requests, opened()
    before = state.warehouse.read(CANDIDATES).collect().sort("candidate_id")
    if by_sensor:
        with dg.DagsterInstance.ephemeral() as instance:
            House(state, state.home.root, instance).follow()
    else:
        run.follow(state, until="candidates")
    assert (server.requests > paid) == asks
    assert bool(asked_again(opened().of("default"))) != asks
    if not asks:
        after = opened().warehouse.read(CANDIDATES).collect().sort("candidate_id")
        assert_frame_equal(after, before)
