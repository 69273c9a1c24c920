"""What the system looked up about names that people brought in, and what themes say, in the graph.

The model is a server on loopback, asked through litellm.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from cairn.knowledge.assembly.stages import KNOWN_ONLY_STAGE, THEME_FACTS_STAGE
from cairn.knowledge.schema.tables import (
    DEAD_LETTERS,
    ENTITIES,
    INTRODUCTIONS,
    KNOWN_ONLY_CANDIDATES,
    MEMORY,
    THEME_FACTS,
    THEMES,
    WORK,
)
from cairn.pipelines.checks.rebuild_equal import forget_failures
from cairn.pipelines.planning.pending import model_work_pending
from cairn.pipelines.planning.stale import staleness
from cairn.resources.context import State
from cairn.serving.cli.commands.run.dead_letters import forget_answers
from cairn.serving.query.explain import explain
from cairn.serving.read.id_lookup import find
from tests.journeys.hives import chat, looked_up, telling
from tests.journeys.running import UNPUBLISHED, assert_as_built, follow
from tests.resources.model_server import ModelServer, Said

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])

Opened = Callable[..., State]
BEFORE, AFTER = "The bees hum at 250 hertz.", "The bees dance to show the way. Wasps do not."


def told(question: str) -> Said:
    """What the chat says; of what was looked up, also something about a name that was not given."""
    if "dance" not in question:
        return telling(question)
    said = [("bees", "The bees dance to show the way."), ("wasps", "Wasps do not.")]
    return json.dumps(
        {
            "facts": [
                {"entity": name, "statement": text, "message": 1, "quote": text,
                 "stance": "asserted"}
                for name, text in said
            ]
        }
    )  # fmt: skip


@pytest.fixture
def searched(logs: Path) -> None:
    looked_up(logs, "before", "2026-02-20", BEFORE)
    looked_up(logs, "after", "2026-03-09", AFTER)


def known_only(state: State) -> pl.DataFrame:
    return state.warehouse.read(KNOWN_ONLY_CANDIDATES).collect()


def test_a_search_of_the_system_says_of_known_names_alone_in_any_order_of_arrival(
    opened: Opened, server: ModelServer, logs: Path
) -> None:
    server.script = told
    (logs / "hives.jsonl").rename(logs / "hives.later")
    looked_up(logs, "after", "2026-03-09", AFTER)
    state = opened()
    follow(state, until=UNPUBLISHED)
    assert known_only(state).is_empty()
    assert not model_work_pending(state), "a home of nothing but own searches comes to rest"

    (logs / "hives.later").rename(logs / "hives.jsonl")
    looked_up(logs, "before", "2026-02-20", BEFORE)
    state = opened()
    follow(state)
    found = known_only(state)
    assert set(found["trigger"]) == {"enrichment"}
    assert set(found.select("quote", "reason").rows()) == {
        ("The bees dance to show the way.", None),
        ("Wasps do not.", "not_given"),
    }
    names = state.warehouse.read(ENTITIES).collect()
    assert "bees" in names["name"].to_list()
    assert not names["name"].str.contains("wasp").any()
    known = state.warehouse.read(MEMORY).filter(pl.col("content").str.contains("dance")).collect()
    assert known["status"].to_list() == ["active"]
    (source,) = explain(find(state, known["fact_id"][0]))["sources"]
    assert source["quote"] == "The bees dance to show the way."
    assert not any(BEFORE in json.dumps(each) for each in server.asked), "nobody knew of bees then"
    assert_as_built(state)
    paid = server.requests
    follow(opened(), until="known_only")
    assert server.requests == paid
    without = opened(model=None)
    follow(without, until=MEMORY.name)
    by_grammar = known_only(without).select("quote", "extractor").rows()
    assert by_grammar == [("The bees dance to show the way.", KNOWN_ONLY_STAGE.extractor.label)]
    assert_as_built(without, KNOWN_ONLY_CANDIDATES.name, MEMORY.name)


@pytest.mark.usefixtures("searched")
def test_an_answer_that_cannot_be_had_is_a_dead_letter_until_it_can(
    opened: Opened, server: ModelServer
) -> None:
    def refusing(question: str) -> Said:
        return {"content": None} if "dance" in question else telling(question)

    server.script = refusing
    state = opened()
    for _ in range(3):
        follow(opened(), until="known_only")
    letters = state.warehouse.read(DEAD_LETTERS).collect()
    assert letters["stage"].to_list() == ["known_only"]
    units = state.warehouse.read(WORK).filter(pl.col("stage") == "known_only").collect()
    assert units["outcome"].to_list() == ["failed"]
    server.script = telling
    again = opened()
    forget_answers(again, None)
    count, _ = forget_failures(again)
    assert count == 1
    follow(again, until="known_only")
    assert known_only(state).height == 1
    assert state.warehouse.read(DEAD_LETTERS).collect().is_empty()


THREADS = {
    f"night{number}": [
        ("user", f"2026-04-0{number}T20:00:00Z",
         f"{verb} the bees in the garden: the hive box needs wax frames before winter.")
    ]
    for number, verb in enumerate(["I feed", "I watch", "I keep", "I warm", "I count"], 1)
} | {
    f"day{number}": [
        ("user", f"2026-04-1{number}T08:00:00Z",
         f"{verb} the train to Utrecht: the ticket is cheaper before the rush hour.")
    ]
    for number, verb in enumerate(["We took", "Take", "Book", "We missed", "We wait for"], 1)
}  # fmt: skip


def generalising(question: str) -> Said:
    if "Theme 1" not in question:
        return telling(question)
    themes = re.split(r"^Theme (\d+)$", question, flags=re.MULTILINE)[1:]
    facts = [
        {"theme": int(number), "entity": "bees", "episodes": [1, 2, 3],
         "statement": "The bees need wax frames each winter."}
        for number, shown in zip(themes[::2], themes[1::2], strict=True)
        if "bees" in shown
    ]  # fmt: skip
    return json.dumps({"facts": facts})


@pytest.fixture
def threads(logs: Path) -> None:
    for name, said in THREADS.items():
        chat(logs, name, said)


@pytest.mark.usefixtures("threads", "searched")
def test_a_theme_of_several_conversations_bears_a_fact_and_what_another_model_costs_is_said(
    opened: Opened, server: ModelServer
) -> None:
    server.script = generalising
    state = opened()
    follow(state)
    themes = state.warehouse.read(THEMES).collect()
    assert "bees" in " ".join(themes["label"])
    drawn = state.warehouse.read(THEME_FACTS).collect()
    assert drawn["reason"].to_list() == [None]
    said = "The bees need wax frames each winter."
    fact = state.warehouse.read(MEMORY).filter(pl.col("content") == said).collect()
    assert fact["base_confidence"].to_list() == [0.6]
    assert set(drawn["derived_from"][0]) <= set(fact["derived_from"][0])
    assert len(drawn["derived_from"][0]) == 3
    told = explain(find(state, fact["fact_id"][0]))
    assert [source["quote"] for source in told["sources"]] == drawn["quote"].to_list()
    drawn_from = [episode["episode_id"] for episode in told["drawn_from"]]
    assert sorted(drawn_from) == drawn["derived_from"][0].to_list()
    assert_as_built(state)

    # Another model makes the stages that ask about all at once stale, and what it costs is said.
    other = opened(model="openai/gpt-4.1-mini")
    changes = {change.name: change for change in staleness(other).changes}
    for stage in (KNOWN_ONLY_STAGE, THEME_FACTS_STAGE):
        assert changes[stage.name].calls == 1
        assert changes[stage.name].dollars
    assert other.warehouse.read(INTRODUCTIONS).collect().height
