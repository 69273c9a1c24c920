"""A night with a model that is asked which entities are one, and what people make of what it says.

The model is a server on loopback, asked through litellm.
"""

import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from cairn.knowledge.ingest.inbox_events.decisions import ENTITY, KEEP_APART, MERGE, UNMERGE
from cairn.knowledge.schema.tables import ENTITIES, ENTITY_MERGES, ENTITY_VERDICTS, MEMORY, MERGES
from cairn.pipelines.follow import follow
from cairn.pipelines.planning.pending import night_model_work_pending
from cairn.resources.context import State
from cairn.resources.home.sources import add_source
from cairn.serving.cli.main import cairn
from cairn.serving.query.review.entities import entity_pairs
from cairn.serving.write.decisions import choose, note, united
from tests.journeys.hives import MODEL, chat
from tests.journeys.running import PUBLISHED, assert_as_built
from tests.resources.model_server import ModelServer, Said

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])

Run = Callable[..., State]
NAMED = ENTITY_MERGES.name
"""Until there, a run makes which entities are one; a person decides of memory as published."""
LUMEN = {"Lumen", "Project Lumen"}


def telling(question: str) -> Said:
    """Names what is called Lumen, says of each message what it says, and that all names are one."""
    if "Pair 1\n" in question:
        numbers = re.findall(r"^Pair (\d+)$", question, re.MULTILINE)
        return json.dumps({"verdicts": [
            {"pair": int(n), "verdict": "SAME", "confidence": 0.9, "reason": "one lamp"}
            for n in numbers
        ]})  # fmt: skip
    messages = re.findall(r"^\[(\d+)\] .*\n    (.*)$", question, re.MULTILINE)
    about = [
        (int(n), text, found[0])
        for n, text in messages
        if (found := re.match(r"(?:Project )?Lumen(?: \d)?(?= )", text))
    ]
    if "Names:" not in question:
        return json.dumps({"names": [
            {"name": name, "message": n, "quote": text} for n, text, name in about
        ]})  # fmt: skip
    return json.dumps({"facts": [
        {"entity": name, "statement": text, "message": n, "quote": text, "stance": "asserted"}
        for n, text, name in about
    ]})  # fmt: skip


@pytest.fixture
def run(opened: Callable[..., State], server: ModelServer, logs: Path) -> Run:
    server.script = telling
    (logs / "hives.jsonl").unlink()
    for number, text in enumerate(
        ("Lumen burns oil in the evening.", "Lumen stands by the door.",
         "Project Lumen needs a new wick.", "Lumen 2 is made of glass."), 1,
    ):  # fmt: skip
        chat(logs, f"c{number}", [("user", f"2026-03-0{number}T09:00:00Z", text)])

    def made(model: str | None = MODEL, *, night: bool = True, until: str = PUBLISHED) -> State:
        state = opened(model)
        state.begin_run("command", night=night)
        follow(state, until=MEMORY.name if until == PUBLISHED else until)
        if until == PUBLISHED:
            follow(state, since=PUBLISHED)
        return state

    return made


def asked(server: ModelServer) -> list[str]:
    texts = [body["messages"][-1]["content"] for body in server.asked]
    return [text for text in texts if "Pair 1\n" in text and "topic: " in text]


def one(state: State) -> list[tuple[set[str], str]]:
    """Names that are of one thing, and by which rule."""
    shown = dict(
        state.warehouse.read(ENTITIES).select("entity_id", "display_name").collect().iter_rows()
    )
    rows = state.warehouse.read(ENTITY_MERGES).collect()
    return [
        ({shown[entity], shown[canonical]}, rule)
        for entity, canonical, rule in rows.select("entity_id", "canonical_id", "rule").iter_rows()
    ]


def a_day_later(state: State) -> None:
    with sqlite3.connect(state.home.answers) as answers:
        answers.execute("UPDATE calls SET called_at = '2026-01-01T03:30:00+00:00'")
    answers.close()


def test_one_question_a_night_and_a_person_has_the_last_word(
    run: Run, server: ModelServer, logs: Path
) -> None:
    state = run(night=False, until=NAMED)
    assert one(state) == []
    (row,) = entity_pairs(state, "default").to_dicts()
    assert {row["left"], row["right"]} == LUMEN, "a person may say so before"
    assert night_model_work_pending(state)
    assert asked(server) == []
    assert undecided(state) == 1
    state = run(until=MERGES.name)
    assert one(state) == [(LUMEN, "model")]
    assert undecided(state) == 0
    (question,) = asked(server)
    assert "Lumen 2" not in question, "no model is asked whether a number makes no difference"
    calls = state.answers.ledger().filter(asset="entity_verdicts")
    assert calls.select("prompt", "outcome").rows() == [("entity_pairs", "done")]
    assert not night_model_work_pending(state)
    assert_as_built(state, "entity_verdicts", "entity_merges")

    # Without the model its verdict goes; with it, it comes back: in another night, when more is
    # said. What was answered is kept, and nobody asks again.
    assert one(run(model=None, until=NAMED)) == []
    a_day_later(state)
    chat(logs, "c5", [("user", "2026-03-05T09:00:00Z", "Project Lumen got a new shade.")])
    assert one(run()) == [(LUMEN, "model")]
    assert len(asked(server)) == 1

    # A person takes it out, and it stays out, in whatever night.
    decide(state, UNMERGE)
    a_day_later(state)
    state = run()
    assert one(state) == []
    assert state.warehouse.read(ENTITY_VERDICTS).collect().is_empty()
    assert entity_pairs(state, None).is_empty()
    decide(state, MERGE)
    assert one(run()) == [(LUMEN, "decided")]
    decide(state, KEEP_APART)
    assert one(run(until=NAMED)) == []
    assert len(asked(server)) == 1


def undecided(state: State) -> int:
    """Pairs of names that `cairn status` says wait."""
    environment = {"CAIRN_HOME": str(state.home.root), "CAIRN_MODEL": MODEL}
    told = CliRunner().invoke(cairn, ["status", "--json"], env=environment)
    return json.loads(told.stdout)["undecided_entities"]


def decide(state: State, decision: str) -> None:
    """What `cairn merge`, `unmerge` and `keep-apart` note of the two."""
    rows = state.warehouse.read(ENTITIES).collect()
    ids = [
        rows.filter(display_name=name)["entity_id"].item() for name in ("Project Lumen", "Lumen")
    ]
    choice = choose(state, ids, "default")
    assert choice.thing == ENTITY
    assert len(united(choice, ids[0])) == (2 if decision in (UNMERGE, KEEP_APART) else 1)
    note(choice, decision, choice.named)


def test_names_of_two_namespaces_are_in_no_question(
    run: Run, opened: Callable[..., State], server: ModelServer, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    chat(other, "o1", [("user", "2026-03-01T09:00:00Z", "Lumen is in the cellar.")])
    add_source(opened().home, other, "other")
    state = run(until=NAMED)
    assert sorted(state.namespaces()) == ["default", "other"]
    assert state.of("other").warehouse.read(ENTITIES).collect().height > 0
    assert one(state) == [(LUMEN, "model")]
    assert all("cellar" not in text for text in asked(server))
