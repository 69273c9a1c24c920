"""Searches that Cairn makes itself, through the graph: a folder of documents is what they find."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from cairn.assets.effects.search import Enriched, enrich, queue
from cairn.knowledge.ingest.inbox_events.searches import EFFECT
from cairn.knowledge.research.learn_prompts import found
from cairn.knowledge.schema.tables import (
    ENGAGEMENTS,
    ENRICHMENT_QUEUE,
    ENTITIES,
    FACT_SOURCES,
    FACTS,
    KNOWN_ONLY_CANDIDATES,
    LEARN_PROMPTS,
    RAW_LOGS,
    Table,
)
from cairn.pipelines import follow as run
from cairn.resources.context import State
from cairn.resources.effects import intended, switch_on, try_again
from cairn.resources.home.settings import Limits
from cairn.resources.web.search_provider import Failed, Folder, SearchOutcome
from cairn.serving.query.research import prompts
from cairn.serving.read.reader import open_reader
from cairn.serving.write.inbox import add_event
from tests.journeys.hives import DANCE, telling
from tests.journeys.running import PUBLISHED, UNPUBLISHED, assert_as_built, follow
from tests.resources.model_server import ModelServer, Said

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])

START = datetime(2026, 3, 5, 12, tzinfo=UTC)


class Clock:
    """A clock that a test moves; each look takes a second."""

    def __init__(self) -> None:
        self.at = START

    def __call__(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at


class Dying:
    """A provider during whose search the process ends."""

    name = "dying"

    def search(self, query: str) -> SearchOutcome | Failed:
        raise KeyboardInterrupt


class Broken:
    """A provider whose key is wrong."""

    name = "broken"

    def search(self, query: str) -> SearchOutcome | Failed:
        return Failed("AuthenticationError 401", at_once=True)


def telling_of_bees(question: str) -> Said:
    """What the chat says, and what the documents do."""
    if "Names:" not in question or "dance" not in question:
        return telling(question)
    fact = {"entity": "bees", "statement": DANCE, "message": 1, "quote": DANCE,
            "stance": "asserted"}  # fmt: skip
    return json.dumps({"facts": [fact]})


def told(state: State, text: str, at: datetime = START, namespace: str = "default") -> None:
    add_event(state, {"type": "command", "namespace": namespace, "text": text}, at)


def rows(state: State, table: Table) -> list[dict[str, object]]:
    return state.warehouse.read(table).collect().to_dicts()


def recurring(state: State) -> dict[str, object]:
    (one,) = (row for row in rows(state, ENRICHMENT_QUEUE) if row["mode"] == "schedule")
    return one


def prompt(state: State) -> tuple[object, object]:
    (one,) = rows(state, LEARN_PROMPTS)
    return one["status"], one["searches_remaining"]


QUEUE = ENRICHMENT_QUEUE.name
"""Until there, a run makes what searches are due."""


def ordered(state: State, since: str = LEARN_PROMPTS.name) -> None:
    """Makes what searches are due of what was ordered alone; a run makes all else that is known."""
    run.follow(state, until=RAW_LOGS.name)
    run.follow(state, since=since, until=QUEUE)


def round_of(
    state: State, provider: Folder | Dying | Broken, clock: Clock, until: str | None = None
) -> Enriched:
    """Searches, and makes what then is due, or all until a step."""
    report = enrich(state, provider, clock)
    if until:
        follow(state, until)
    else:
        ordered(state)
    return report


def may_search(state: State, clock: Clock, namespace: str = "default") -> None:
    """What a first run of searches with a provider does: what was told before is not enriched."""
    assert switch_on(state, namespace, EFFECT, clock())


def test_a_learn_prompt_completes_and_its_facts_are_found(
    opened: Callable[..., State], server: ModelServer, folder: Folder
) -> None:
    server.script = telling_of_bees
    state, clock = opened(), Clock()
    told(state, "/learn bees")
    ordered(state)
    assert prompt(state) == ("active", 4)
    without = enrich(state, clock=clock)
    assert without.why.startswith("no search provider is set")
    assert intended(state, "search", START).total() == 0

    assert round_of(state, folder, clock).switched_on == 1
    report = round_of(state, folder, clock, UNPUBLISHED)
    assert (report.due, report.done + report.empty, report.failed) == (4, 4, 0)
    assert report.done >= 1
    assert prompt(state) == ("completed", 0)
    assert enrich(state, folder, clock).due == 0, "nothing is due twice"

    results = state.warehouse.read(RAW_LOGS).filter(kind="tool_result", tool_name="search")
    assert set(results.collect()["trigger"]) == {"learn_command"}
    assert not any("ghp_" in text for text in results.collect()["text"]), "redacted as any log"
    through = found(
        state.warehouse.read(LEARN_PROMPTS).collect(),
        *(state.warehouse.read(table).collect() for table in (RAW_LOGS, FACT_SOURCES, FACTS)),
    ).join(state.warehouse.read(ENTITIES).collect(), on="entity_id")
    assert through.select("name", "facts").rows() == [("bees", 1)]
    facts = state.warehouse.read(FACTS).collect()["content"].to_list()
    assert DANCE in facts
    assert_as_built(state)


def test_without_a_model_a_topic_is_learnt_about_and_then_enriched(
    opened: Callable[..., State], folder: Folder, tmp_path: Path
) -> None:
    def through() -> list[tuple[object, ...]]:
        reader = open_reader(state, "default")
        named = [one["entities"] for one in prompts(reader).rows]
        return [(one["display_name"], one["facts"]) for each in named for one in each]

    state, clock = opened(model=None), Clock()
    told(state, "/learn green tea")
    may_search(state, clock)
    ordered(state)
    round_of(state, folder, clock, PUBLISHED)
    assert prompt(state) == ("completed", 0)
    assert through() == [("green tea", 1)]

    caffeine = "Green tea contains caffeine and theanine."
    (tmp_path / "documents" / "more.md").write_text(f"# More\n\n{caffeine}\nBuy it now!\n")
    told(state, "/like green tea", clock())
    ordered(state, ENGAGEMENTS.name)
    assert queue(state, clock()).is_empty(), "it was just searched for"
    clock.at += timedelta(days=8)
    assert round_of(state, Folder(tmp_path / "documents", 3), clock, PUBLISHED).done == 1
    about = state.warehouse.read(FACTS).filter(pl.col("content").str.starts_with("Green tea"))
    assert sorted(about.collect().select("content", "base_confidence").rows()) == [
        ("Green tea contains caffeine and theanine.", 0.6),
        ("Green tea is brewed at 80 degrees.", 0.6),
    ]
    assert through() == [("green tea", 1)], "the second was not found for the prompt"
    assert_as_built(state)


def test_a_search_that_was_begun_is_not_repeated_by_itself(
    opened: Callable[..., State], folder: Folder
) -> None:
    state, clock = opened(model=None), Clock()
    told(state, "/schedule green tea --every 2d", clock())
    may_search(state, clock)
    ordered(state)
    clock.at += timedelta(days=3)
    with pytest.raises(KeyboardInterrupt):
        enrich(state, Dying(), clock)
    again = enrich(state, folder, clock)  # on a table that does not know of it yet
    assert (again.due, again.begun_before, again.done) == (1, 1, 0)
    ordered(state)
    row = recurring(state)
    assert row["blocked_by"] == "unknown"
    assert enrich(state, folder, clock).due == 0
    effect_id = str(row["effect_id"])
    assert try_again(state, "default", "search", effect_id, clock())
    assert not try_again(state, "default", "search", effect_id, clock())
    ordered(state)
    assert round_of(state, folder, clock, UNPUBLISHED).done == 1
    searched = state.warehouse.read(RAW_LOGS).filter(kind="search").collect()
    assert searched["trigger"].to_list() == ["user_message"]
    assert recurring(state)["blocked_by"] is None
    assert queue(state, clock()).is_empty(), "the next run is in two days"
    assert queue(state, clock() + timedelta(days=2)).height == 1
    assert_as_built(state)


def test_what_was_looked_up_unasked_brings_in_no_topic(
    opened: Callable[..., State], server: ModelServer, folder: Folder
) -> None:
    def script(question: str) -> Said:
        if "dance" not in question:
            return telling(question)
        said = [("bees", DANCE), ("wasps", "Wasps do not.")]
        return json.dumps(
            {"facts": [{"entity": name, "statement": text, "message": 1, "quote": text,
                        "stance": "asserted"} for name, text in said],
             "names": [{"name": "wasps", "message": 1, "quote": "Wasps"}]}
        )  # fmt: skip

    server.script = script
    state, clock = opened(), Clock()
    follow(state, QUEUE)
    names = set(state.warehouse.read(ENTITIES).collect()["name"])
    assert round_of(state, folder, clock).switched_on == 1
    assert enrich(state, folder, clock).due == 0, "what was said before is not searched for"
    told(state, "/like bees", clock())
    ordered(state, ENGAGEMENTS.name)
    (row,) = queue(state, clock()).to_dicts()
    assert (row["trigger"], row["mode"], row["query"]) == ("enrichment", "broad", "bees")
    assert row["priority"] == row["interest"] / max(row["facts"], 1) > 0
    assert round_of(state, folder, clock, UNPUBLISHED).done == 1
    reasons = dict(
        state.warehouse.read(KNOWN_ONLY_CANDIDATES).collect().select("quote", "reason").iter_rows()
    )
    assert reasons == {DANCE: None, "Wasps do not.": "not_given"}
    assert set(state.warehouse.read(ENTITIES).collect()["name"]) == names
    assert queue(state, clock() + timedelta(days=6)).is_empty(), "it was just searched for"
    assert DANCE in state.warehouse.read(FACTS).collect()["content"].to_list()
    assert_as_built(state)


def test_a_namespace_makes_as_many_searches_a_day_as_its_limit_has(
    opened: Callable[..., State], folder: Folder
) -> None:
    state, clock = opened(model=None, limits={"other": Limits(web_searches=1)}), Clock()
    for namespace, topic in (("default", "bees"), ("other", "tea")):
        told(state, f"/learn {topic}", namespace=namespace)
        may_search(state, clock, namespace)
    ordered(state)
    report = round_of(state, folder, clock)
    assert report.done + report.empty == 4 + 1
    assert queue(state, clock()).is_empty(), "so that nothing looks again until midnight"
    clock.at += timedelta(days=1)
    enrich(state, folder, clock)
    assert intended(state, "search", clock.at - timedelta(hours=1)) == {"other": 1}


def test_budgets_and_a_provider_that_is_down_stop_a_run(
    opened: Callable[..., State], folder: Folder
) -> None:
    state, clock = opened(model=None), Clock()
    for namespace, topic in (("default", "bees"), ("other", "tea")):
        told(state, f"/learn {topic}", namespace=namespace)
        may_search(state, clock, namespace)
    ordered(state)
    broken = round_of(state, Broken(), clock)
    assert (broken.failed, broken.left, broken.why) == (1, 7, "broken: AuthenticationError 401")

    limits = {"search_budget_run": 3, "search_budget_day": 5}
    few = State(state.home, state.settings.model_copy(update=limits))
    report = enrich(few, folder, clock)
    assert (report.done + report.empty, report.left) == (3, 4)
    report = enrich(few, folder, clock)  # on a table that does not know of them yet
    assert (report.done + report.empty, report.left) == (1, 3), "the failed one counts too"
    assert enrich(few, folder, clock).why == "the budget of searches is spent"
    ordered(few)
    clock.at += timedelta(days=1)
    report = round_of(few, folder, clock)
    assert (report.done + report.empty, report.left) == (3, 1), "the failed one is due again"
    statuses = {one["namespace"]: one["status"] for one in rows(state, LEARN_PROMPTS)}
    assert "completed" in statuses.values()
    searched = state.warehouse.read(RAW_LOGS).filter(kind="tool_result").collect()
    for namespace, word in (("default", "bees"), ("other", "tea")):
        own = searched.filter(pl.col("namespace") == namespace, tool_name="search")
        assert all(word in text.casefold() for text in own["text"]), namespace
    assert_as_built(state, RAW_LOGS.name, LEARN_PROMPTS.name)
