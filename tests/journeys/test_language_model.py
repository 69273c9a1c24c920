"""A home with a language model: what it adds, what a replay costs, what is left when it is down.

The model is a server on loopback, asked through litellm.
"""

import json
import os
import re
import shutil
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import dagster as dg
import polars as pl
import pytest

from cairn.assets.candidates import estimate, run_candidates
from cairn.assets.engine.namespaces import make_known
from cairn.assets.learning_candidates import run_learning_candidates
from cairn.assets.pending import by_conversation, candidates, learning_candidates, publication
from cairn.knowledge.extraction.llm_extraction import FULL_MODE
from cairn.knowledge.learnings.llm.extraction import LEARNING_MODEL
from cairn.knowledge.learnings.llm.readiness import finished
from cairn.knowledge.redaction import redactor
from cairn.knowledge.schema.tables import (
    CANDIDATES,
    DEAD_LETTERS,
    ENGAGEMENTS,
    ENTITIES,
    KNOWN_ONLY_CANDIDATES,
    LEARNING_CANDIDATES,
    LEARNINGS,
    MEMORY,
    OBSERVATIONS,
    PREFERENCES,
    REJECTED_FACTS,
    TABLES,
)
from cairn.pipelines import follow as run
from cairn.pipelines.assembly import definitions
from cairn.pipelines.checks.engines import CheckEngine
from cairn.pipelines.checks.expectations import suites
from cairn.pipelines.checks.frames import run_suite
from cairn.pipelines.checks.rebuild_equal import forget_work
from cairn.pipelines.planning.in_flight import COMMAND_TAG
from cairn.pipelines.planning.pending import pending_days
from cairn.pipelines.sensors import new_logs
from cairn.resources.context import State
from cairn.resources.home.inbox import append_event
from cairn.resources.llm.verdict_limits import SuiteVerdicts
from cairn.serving.cli.commands.ask.show import PRINTED
from cairn.serving.query.explain import explain
from cairn.serving.read.id_lookup import find
from tests.journeys.hives import CHAT, DANCE, chat, looked_up, telling
from tests.journeys.running import UNPUBLISHED, assert_as_built, follow
from tests.pipelines.house import House
from tests.resources.model_server import ModelServer, Said, error

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])


LESSON = [
    ("user", "2026-03-03T09:00:00Z", "Orders vanish when the broker restarts.\n```\nsend(o)\n```"),
    ("assistant", "2026-03-03T09:00:05Z", "The row and an outbox row go into one transaction; a "
     "worker sends what is in the outbox.\n```\ninsert into outbox values (o)\n```"),
    ("user", "2026-03-03T09:05:00Z", "Exactly. Both restarts of today went by without a loss."),
]  # fmt: skip
TAUGHT = {
    "title": "Write orders to an outbox table in the transaction of their row",
    "tags": ["outbox", "orders", "transactions"],
    "what": "An outbox table beside the table of orders.",
    "why": "No order is lost when the broker restarts.",
    "when": "A row must be written and a broker told of it.",
    "how": "One transaction writes both rows; a worker sends what is in the outbox.",
    "factors": {"actionability": 1.0, "generalizability": 0.7, "clarity": 1.0, "evidence": 0.7},
}


def teaching(question: str) -> Said:
    """The one lesson of LESSON, to whatever is asked about it: each reads its own part."""
    if "outbox" not in question:
        return "{}"
    spoke = re.search(r"\[(\d+)\] agent", question)
    number = int(spoke[1]) if spoke else 1
    return json.dumps(
        {
            "names": [], "facts": [],
            "categories": [{"category": "pattern", "confidence": 0.9, "signals": ["an outbox"]}],
            "lessons": [{**TAUGHT, "evidence": [number]}],
            "quotes": [{"message": number, "text": "a worker sends what is in the outbox"}],
            "summary": "An outbox keeps orders safe.",
        }
    )  # fmt: skip


def learn(state: State) -> None:
    """Makes lessons of what was said; a run makes all else that is known."""
    follow(state, until=OBSERVATIONS.name)
    run.follow(state, since=LEARNINGS.name, until=LEARNINGS.name)


def by_model(state: State) -> pl.DataFrame:
    rows = state.warehouse.read(CANDIDATES).filter(pl.col("mode") == "full")
    return rows.collect().sort("candidate_id")


FEELINGS = ("Bees make my day, every day.", "Und wasps gehen mir auf die Nerven.")


def liking(question: str) -> Said:
    """What the chat says; elsewhere finds bees and wasps, and what is said of them."""
    told = {"Bees": "like", "wasps": "dislike"}
    spoken = re.findall(r"^\[(\d+)\] human.*\n    (.*)$", question, re.MULTILINE)
    about = [(int(n), text, name) for n, text in spoken for name in told if name in text]
    if not about:
        return telling(question)
    if "Names:" not in question:
        return json.dumps({"names": [{"name": k, "message": n, "quote": t} for n, t, k in about]})
    return json.dumps(
        {
            "facts": [
                {"entity": name, "statement": text, "message": n, "quote": text,
                 "stance": "asserted", "own": True, "attitude": told[name]}
                for n, text, name in about
            ]
        }
    )  # fmt: skip


def test_what_a_person_said_becomes_a_fact_about_a_name_that_no_rule_knows_for_one_price(
    opened: Callable[..., State], server: ModelServer, logs: Path
) -> None:
    felt = [("user", f"2026-03-01T10:0{at}:00Z", one) for at, one in enumerate(FEELINGS)]
    chat(logs, "feelings", felt)
    server.script = liking
    state = opened()
    follow(state, UNPUBLISHED)
    paid, rows = server.requests, by_model(state)
    assert paid > 0
    said = rows.filter(pl.col("kind") == "fact", ~pl.col("quote").is_in(FEELINGS))
    assert sorted(said["quote"]) == sorted(text for _, _, text in (CHAT[0], CHAT[3]))
    refused = state.warehouse.read(REJECTED_FACTS).collect()
    asked = refused.filter(pl.col("quote") == CHAT[2][2], pl.col("kind") == "fact")
    assert set(asked["reason"]) == {"question"}
    names = state.warehouse.read(ENTITIES).collect()
    assert "bees" in names["name"].to_list()
    known = state.warehouse.read(MEMORY).collect()
    assert set(known["content"]) >= {CHAT[0][2], CHAT[3][2]}
    assert CHAT[0][2] in known.filter(pl.col("extractor").str.contains("/"))["content"]
    assert_as_built(state)

    # What it reads somebody to like and dislike costs no further call.
    held = state.warehouse.read(PREFERENCES).collect().sort("name")
    assert held.select("attitude", "name", "source").rows() == [
        ("like", "bees", "message"),
        ("dislike", "wasps", "message"),
    ]
    signs = state.warehouse.read(ENGAGEMENTS).filter(pl.col("engagement_type") == "statement")
    read = rows.filter(pl.col("predicate").is_in(["likes", "dislikes"]))
    assert set(signs.collect()["record_id"]) == set(read["record_id"]) == set(held["record_id"])
    assert set(read["quote"]) == {*FEELINGS}
    shown = [body["messages"][-1]["content"] for body in server.asked]
    assert len(shown) == len(set(shown)), "no message is asked about twice"
    prompts = {body["messages"][0]["content"] for body in server.asked}
    assert len(prompts) == 2, "for names and for facts"

    # A replay costs no call.
    again = opened()
    run_candidates(again, ["2026-03-01"])
    assert server.requests == paid
    assert by_model(again).equals(rows)

    # Without the model its rows go, and with it they come back for nothing.
    follow(opened(model=None), until="engagements")
    assert by_model(state).is_empty()
    assert state.warehouse.read(PREFERENCES).collect().is_empty()
    follow(opened(), until="candidates")
    assert by_model(state).equals(rows)
    assert server.requests == paid


def test_a_message_that_no_answer_can_be_had_about_is_a_dead_letter(
    opened: Callable[..., State], server: ModelServer
) -> None:
    def refusing(question: str) -> Said:
        return {"content": None} if "Imker" in question else telling(question)

    server.script = refusing
    state = opened()
    follow(state, until="candidates")
    letters = state.warehouse.read(DEAD_LETTERS).collect()
    assert set(letters["reason"]) == {"names: refused", "entity_facts: refused"}
    assert set(letters["stage"]) == {FULL_MODE.name}
    said = by_model(state).filter(pl.col("kind") == "fact")
    assert said["quote"].to_list() == [CHAT[0][2]]


def test_what_was_asked_in_halves_is_not_asked_as_a_whole_when_all_is_made_again(
    opened: Callable[..., State], server: ModelServer
) -> None:
    failed: list[str] = []

    def failing(question: str) -> Said:
        if CHAT[0][2] in question and CHAT[1][2] in question:
            failed.append(question)
            return {"content": None}
        return telling(question)

    server.script = failing
    state = opened()
    follow(state, until="candidates")
    assert len(failed) == 1, "the answer about two messages could not be had"
    rows, paid = by_model(state), server.requests
    assert CHAT[0][2] in rows.filter(kind="fact")["quote"].to_list(), "half of it could"
    shutil.rmtree(state.home.root / "warehouse")
    again = opened()
    follow(again, until="candidates")
    assert by_model(again).equals(rows)
    assert server.requests == paid


def test_no_secret_of_an_answer_is_kept(
    opened: Callable[..., State], server: ModelServer, tmp_path: Path
) -> None:
    secret = "ghp_" + "k7Qz2mXv9LbT4wRc8NfY3sHd6JgP1aEu5oBi"
    assert redactor().secrets_in(pl.Series([secret])).all()

    def leaking(question: str) -> Said:
        said = telling(question)
        assert isinstance(said, str)
        return said.replace('"statement": "The', f'"statement": "By {secret} the')

    server.script = leaking
    state = opened()
    follow(state, UNPUBLISHED)
    told = by_model(state).filter(pl.col("quote") == CHAT[3][2], pl.col("kind") == "fact")
    assert told["content"].str.contains("[redacted:github]", literal=True).to_list() == [True]
    for table in TABLES.values():
        assert secret not in state.warehouse.read(table).collect().write_json(), table.name
    for path in (tmp_path / "home").glob("answers.sqlite*"):
        assert secret.encode() not in path.read_bytes(), path


def test_a_model_that_is_down_leaves_its_part_for_later_and_is_left_alone_for_a_while(
    opened: Callable[..., State], server: ModelServer, logs: Path
) -> None:
    def known_only() -> pl.DataFrame:
        return state.warehouse.read(KNOWN_ONLY_CANDIDATES).collect()

    def waits_and_is_asked_again() -> None:
        assert house.tick() == "default: the language model is waited for"
        an_hour_ago = time.time() - 3600
        os.utime(state.home.root / "model_waits", (an_hour_ago, an_hour_ago))
        assert house.looked(new_logs) == "update"

    looked_up(logs, "after", "2026-03-09", DANCE)
    server.script = lambda _: error(503)
    state = opened()
    follow(state)
    assert by_model(state).is_empty()
    assert state.warehouse.read(CANDIDATES).collect().height > 0, "what rules found stands"
    assert candidates.pending_days(opened()) == ["2026-03-01"]
    with dg.DagsterInstance.ephemeral() as instance:
        house = House(state, state.home.root, instance)
        waits_and_is_asked_again()
        # It answers about days, and not yet about what follows from all of them.
        server.script = lambda asked: error(503) if "dance" in asked else telling(asked)
        follow(opened())
        assert by_model(state).height > 0
        assert candidates.pending_days(opened()) == []
        assert known_only().is_empty()
        waits_and_is_asked_again()
        server.script = telling
        follow(opened())
        assert known_only().height == 1
        assert house.tick() == "nothing new"


def test_a_run_asks_for_a_while_and_the_next_goes_on(
    opened: Callable[..., State], server: ModelServer, logs: Path
) -> None:
    chat(logs, "hives", [CHAT[0]])
    chat(logs, "winter", [(CHAT[0][0], CHAT[0][1].replace("2026-03", "2026-01"), CHAT[0][2])])
    server.delay = 0.6
    asks = {"model_seconds": 1.0, "model_concurrency": 1}
    state = State(opened().home, opened().settings.model_copy(update=asks))
    state.begin_run()
    follow(state, until="candidates")
    assert 0 < server.requests < 4, "a third question begins after the time of a run"
    assert state.model_goes_on
    with dg.DagsterInstance.ephemeral() as instance:
        house = House(state, state.home.root, instance)
        while house.looked(new_logs) == "update":
            state.begin_run()
            follow(state)
        assert server.requests == 4, "names and facts of two episodes"
        assert house.tick() == "nothing new"
    assert set(by_model(state)["day"]) == {"2026-01-01", "2026-03-01"}
    assert not state.model_goes_on
    assert not publication.is_stale(state)


def test_the_runs_of_one_command_share_a_budget(
    opened: Callable[..., State], server: ModelServer
) -> None:
    server.script = lambda question: {"content": telling(question), "tokens": (10_000, 100, 0)}
    follow(opened(model=None), until="raw_logs")
    state = State(opened().home, opened().settings.model_copy(update={"budget_run": 0.0018}))
    state.begin_run("one")
    follow(state, until="candidates")
    assert server.requests == 1
    with dg.DagsterInstance.ephemeral() as instance:
        make_known(instance, ["default"])
        job = definitions(state).resolve_job_def("refresh")
        assert job.execute_in_process(
            instance=instance,
            tags={COMMAND_TAG: "one"},
            partition_key="default",
            asset_selection=[dg.AssetKey("candidates")],
        ).success
    assert server.requests == 1
    state.begin_run("two")
    follow(state, until="candidates")
    assert server.requests == 2


def test_what_a_model_would_be_asked_is_said_beforehand_and_asks_nothing(
    opened: Callable[..., State], server: ModelServer
) -> None:
    follow(opened(model=None), until="candidates")
    owed = by_conversation.pending(opened(), candidates.extractors(opened().settings))
    before = estimate(opened(), owed)
    assert server.requests == 0
    assert before.calls > 0
    assert before.tokens_in > 100
    assert before.dollars
    follow(opened(), until="candidates")
    after = estimate(opened(), owed)
    assert (after.calls, after.tokens_in, after.dollars) == (0, 0, 0.0)
    unpriced = estimate(opened(model="openai/of-nobody"), owed)
    assert unpriced.calls > 0
    assert unpriced.dollars is None


def test_a_lesson_that_only_the_model_finds_is_kept_and_a_thumb_moves_it(
    opened: Callable[..., State], server: ModelServer, logs: Path
) -> None:
    chat(logs, "outbox", LESSON)
    server.script = teaching
    state = opened()
    learn(state)
    judged = state.warehouse.read(LEARNING_CANDIDATES).filter(pl.col("value") >= 0.3).collect()
    who = pl.col("extractor").str.extract(r"^(\w+)")
    assert sorted(judged.select(who, "outcome").rows()) == [
        ("learning_model", "stored"), ("learning_rules", "no_categories"),
    ]  # fmt: skip
    (learned,) = state.warehouse.read(LEARNINGS).collect().to_dicts()
    assert (learned["title"], learned["category"]) == (TAUGHT["title"], "pattern")
    assert learned["quotes"][0]["text"] == "a worker sends what is in the outbox"

    assert_as_built(state, "learning_candidates", "learnings")

    paid = server.requests
    assert forget_work(state, ["2026-03-03"]) > 0
    run_learning_candidates(opened(), ["2026-03-03"])
    again = state.warehouse.read(LEARNING_CANDIDATES).filter(pl.col("value") >= 0.3).collect()
    assert again.sort(pl.all()).equals(judged.sort(pl.all()))
    assert server.requests == paid

    thumb = {
        "type": "reaction", "namespace": "default", "at": "2026-03-04T08:00:00Z", "text": "👍",
        "reply_to": learned["learning_id"], "strength": 0.5,
    }  # fmt: skip
    append_event(state.home, thumb, redact=lambda text: (text, 0))
    learn(opened())
    (moved,) = state.warehouse.read(LEARNINGS).collect().to_dicts()
    before = learned["confidence"]
    assert moved["confidence"] == pytest.approx(before + 0.5 * (1 - before))
    assert [each["weight"] for each in moved["feedback"]] == [0.5]


def test_a_learning_keeps_the_words_that_an_earlier_model_gave_it(
    opened: Callable[..., State],
    server: ModelServer,
    logs: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    chat(logs, "outbox", LESSON)
    server.script = teaching
    learn(opened())
    title = "Send what must not get lost from an outbox table"
    server.script = lambda question: str(teaching(question)).replace(TAUGHT["title"], title)
    state = opened(model="openai/gpt-4.1-mini", budget_day=10.0)
    follow(state)
    (learned,) = state.warehouse.read(LEARNINGS).collect().to_dicts()
    assert learned["title"] == title
    found = explain(find(state, learned["learning_id"]))
    PRINTED["learning"](found)
    printed = " ".join(capsys.readouterr().out.split())
    assert "Versions (2)" in printed
    assert TAUGHT["title"] in printed
    told = found["versions"]
    assert [(one["title"], one["model"], one["stored"]) for one in told] == [
        (TAUGHT["title"], "openai/gpt-4o-mini", False),
        (title, "openai/gpt-4.1-mini", True),
    ]
    assert told[1]["version_id"] == learned["learning_id"] != told[0]["version_id"]
    assert "No order is lost" in told[0]["content"]


def test_a_conversation_without_times_rests_when_its_file_does(
    opened: Callable[..., State], server: ModelServer, logs: Path
) -> None:
    lines = [json.dumps({"role": role, "content": text}) for role, _, text in LESSON]
    path = logs / "outbox.jsonl"
    path.write_text("\n".join(lines) + "\n")
    server.script = teaching
    state = opened()
    learn(state)
    assert state.warehouse.read(LEARNINGS).collect().is_empty()
    an_hour_ago = time.time() - 3600
    os.utime(path, (an_hour_ago, an_hour_ago))
    learn(opened())
    assert state.warehouse.read(LEARNINGS).collect().height == 1


def test_a_lesson_comes_with_the_model_stands_while_more_is_said_and_goes_with_its_ground(
    opened: Callable[..., State], server: ModelServer, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unable(question: str) -> Said:
        return error(503) if "outbox" in question else "{}"

    def by_model() -> list[dict[str, object]]:
        rows = state.warehouse.read(LEARNING_CANDIDATES).collect()
        return rows.filter(pl.col("extractor").str.starts_with(LEARNING_MODEL.name)).to_dicts()

    def learned() -> pl.DataFrame:
        return state.warehouse.read(LEARNINGS).collect()

    # It waits for a model that is down.
    chat(logs, "outbox", LESSON)
    server.script = unable
    state = opened()
    learn(state)
    assert by_model() == []
    assert state.model_waited < 600
    assert learning_candidates.pending_days(state) == ["2026-03-03"]
    server.script = teaching
    learn(opened())
    before, stands = by_model(), learned()
    assert (len(before), stands.height) == (1, 1)
    assert learning_candidates.pending_days(opened()) == []

    # More is said, and that is under way: it makes no run until it rests.
    at = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    more = ("user", at, "One more problem: the outbox grows.")
    chat(logs, "outbox", [*LESSON, more])
    follow(opened())
    assert by_model() == before
    assert learned().equals(stands)
    own, verdicts = state.of("default"), SuiteVerdicts(state.home, "default")
    assert not any(run_suite(own, each, verdicts, CheckEngine.POLARS).broken for each in suites())
    house = House(state, state.home.root, dg.DagsterInstance.ephemeral())
    assert house.tick() == "nothing new"
    assert not state.model_waited < 600

    # It rests: as if made at once.
    monkeypatch.setattr(learning_candidates, "finished", partial(finished, idle=timedelta()))
    assert house.looked(new_logs) == "update"
    learn(opened())
    assert pending_days(state) == []
    (row,) = by_model()
    assert row["content_hash"] != before[0]["content_hash"]
    assert_as_built(state, "learning_candidates", "learnings")

    # It goes with the model, and falls at once when what it rests on is not there any more.
    learn(opened(model=None))
    assert by_model() == []
    assert learned().is_empty()
    learn(opened())
    assert learned().height == 1
    server.script = lambda _: error(503)
    changed = (*LESSON[1][:2], LESSON[1][2].replace("a worker", "nobody"))
    chat(logs, "outbox", [LESSON[0], changed, *LESSON[2:], more])
    learn(opened())
    assert learned().is_empty()
