"""A backfill whose questions go in batches: each level waits for the one before, and all comes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import load_settings
from cairn.resources.home.sources import add_source
from tests.journeys.hives import CHAT, chat, telling
from tests.journeys.running import PUBLISHED, UNPUBLISHED, follow
from tests.resources.batch_server import BatchServer
from tests.resources.model_server import served
from tests.serving.conftest import Ask

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchServer]:
    with served(BatchServer) as server:
        server.script = telling
        monkeypatch.chdir(tmp_path)
        for name, value in {
            "OPENAI_API_KEY": "sk-kiwi", "CAIRN_MODEL_BASE": server.base,
            "CAIRN_POLICY__RESEARCH_TOP": "0",
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        (tmp_path / "logs").mkdir()
        chat(tmp_path / "logs", "hives", CHAT)
        yield server


def facts(cairn: Ask) -> list[Any]:
    items = cairn("facts", "--json").json["items"]
    return sorted((one["content"], one["confidence"], one["entity"]) for one in items)


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_backfill_in_batches_gives_what_one_by_one_gives_at_half_the_price(
    run_cairn: Ask, tmp_path: Path, server: BatchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def at(home: str) -> Ask:
        return lambda *given: run_cairn("--home", tmp_path / home, *given)

    def taken_in(home: str, until: str = PUBLISHED) -> None:
        state = State(open_home(tmp_path / home), load_settings())
        add_source(state.home, tmp_path / "logs", "default")
        state.begin_run()  # as each run does: it takes up what has ended of batches
        follow(state, until)

    alone, cairn = at("alone"), at("home")
    taken_in("home", UNPUBLISHED)  # by rules alone
    monkeypatch.setenv("CAIRN_MODEL", "openai/gpt-4o-mini")
    taken_in("alone")
    asked = server.requests

    done = cairn("backfill", "--stale", "--yes", "--batch")
    assert done.code == 0
    assert "The language model has 1 batch of" in done.out
    assert server.requests == asked, "nothing was asked by itself"
    (batch,) = cairn("status", "--json").json["language_model"]["batches"]
    assert (batch["namespace"], batch["id"]) == ("default", "batch-0")
    assert "batch" in cairn("status").out
    server.ended = True
    while cairn("status", "--json").json["language_model"]["batches"]:
        taken_in("home")
    assert len(server.batches) > 1, "what followed was asked in batches, too"
    assert server.requests == asked
    assert facts(cairn) == facts(alone)
    assert cairn("stale", "--json").json["changes"] == []
    dollars = [own("costs", "--json").json["total"]["dollars"] for own in (alone, cairn)]
    assert dollars == [pytest.approx(2 * dollars[1]), dollars[1]]
