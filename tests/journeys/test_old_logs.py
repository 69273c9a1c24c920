"""Logs of long ago: what is asked of Cairn today ages nothing of what they say."""

from collections.abc import Callable
from datetime import UTC, datetime

import polars as pl
import pytest

from cairn.assets.effects.search import enrich
from cairn.knowledge.ingest.inbox_events.searches import EFFECT
from cairn.knowledge.schema.tables import INTERESTS, RAW_LOGS
from cairn.resources.context import State
from cairn.resources.effects import switch_on
from cairn.resources.web.search_provider import Folder
from cairn.serving.read.reader import open_reader
from cairn.serving.write.requests import order
from cairn.serving.write.research import learn
from tests.journeys.running import follow
from tests.journeys.test_research import ordered

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])


def seen(state: State) -> pl.DataFrame:
    """Facts of the logs as a reader sees them."""
    reader = open_reader(state)
    facts = reader.memory().filter(pl.col("first_seen") <= reader.manifest.watermark)
    return facts.select("content", "effective", "status").sort("content").collect()


def test_what_is_liked_asked_for_and_found_today_ages_no_fact(
    opened: Callable[..., State], folder: Folder
) -> None:
    state = opened(None)
    follow(state)
    before, manifest = seen(state), open_reader(state).manifest
    assert "active" in before["status"].to_list()
    order(state, "default", "like", "bees")
    learn(state, "default", "bees")
    switch_on(state, "default", EFFECT, datetime.now(UTC))
    ordered(state)
    assert enrich(state, folder).done
    follow(state)
    found = state.warehouse.read(RAW_LOGS).filter(kind="tool_result", tool_name="search").collect()
    assert found.height
    assert seen(state).equals(before)
    after = open_reader(state).manifest
    assert manifest.watermark == after.watermark
    assert after.last_input_at
    assert after.last_input_at > after.watermark
    liked = state.warehouse.read(INTERESTS).filter("liked").collect()
    assert liked["score"].to_list()[0] > 0
