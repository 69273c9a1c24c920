"""What is to be searched for, in which order, and from when on: pure, and with no clock."""

import json
import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cairn.knowledge.extraction.searches import commands, interval
from cairn.knowledge.ingest.events import HEAD_COLUMNS, placed, raw_logs
from cairn.knowledge.research.learn_prompts import learn_prompts
from cairn.knowledge.research.search_queue import enrichment_queue
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import MEMORY_ENTITIES
from tests.knowledge.assembly.test_build import records
from tests.knowledge.scripted_model import FreeModel

POLICY = Policy.model_validate({})
START = datetime(2026, 3, 1, 8, tzinfo=UTC)
SCHEMA = {
    "namespace": pl.String, "entity_id": pl.String, "score": pl.Float64, "muted": pl.Boolean,
    "last_engaged_at": pl.Datetime("us", "UTC"), "liked": pl.Boolean, "sought": pl.Boolean,
}  # fmt: skip


def after(days: float) -> datetime:
    return START + timedelta(days=days)


def event(kind: str, days: float, **rest: object) -> dict[str, object]:
    place = f"{kind} {days} {sorted(rest)} {rest.get('text')} {rest.get('item')}"
    return {"event_id": place, "type": kind, "at": after(days).isoformat(), **rest}


def effect(kind: str, days: float, **item: object) -> dict[str, object]:
    return event(kind, days, effect="search", item=item)


def command(text: str, days: float) -> dict[str, object]:
    return event("command", days, text=text)


ON = effect("switch", -1)


def logs(events: Sequence[Mapping[str, object]], namespace: str = "n") -> pl.DataFrame:
    content = "\n".join(json.dumps(one) for one in events).encode()
    read = records([("inbox.jsonl", content)], namespace)
    where = placed(read.select(HEAD_COLUMNS), POLICY)
    belongs = where.select("namespace", "record_key", "conversation_id", "day")
    return raw_logs(read.join(belongs, on=["namespace", "record_key"])).raw_logs


def interests(
    *rows: tuple[str, float, bool, float],
    namespace: str = "n",
    liked: Sequence[str] = (),
    sought: Sequence[str] = (),
) -> pl.DataFrame:
    told = [
        (namespace, f"e_{name}", score, mute, after(at), name in liked, name in sought)
        for name, score, mute, at in rows
    ]
    return pl.DataFrame(told, schema=SCHEMA, orient="row")


def known(facts: Mapping[str, int], namespace: str = "n") -> pl.DataFrame:
    return MEMORY_ENTITIES.frame(
        {
            "entity_id": f"e_{name}", "namespace": namespace, "name": name, "display_name": name,
            "type": "person" if name == "mira" else "topic", "aliases": [], "mentions": 1,
            "facts": count, "first_seen": START, "last_seen": START, "introduced_by": "r",
            "canonical_id": f"e_{name}", "active_facts": count, "confidence": 0.5,
        }
        for name, count in facts.items()
    )  # fmt: skip


def memory(**contents: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame(
        [("n", f"f{n}{e}", f"e_{e}", "active", text)
         for e, texts in contents.items() for n, text in enumerate(texts)],
        schema=["namespace", "fact_id", "entity_id", "status", "content"],
        schema_overrides={"content": pl.String, "entity_id": pl.String}, orient="row",
    )  # fmt: skip


def queue(
    events: Sequence[Mapping[str, object]],
    cares: pl.DataFrame | None = None,
    facts: Mapping[str, int] | None = None,
    told: pl.DataFrame | None = None,
) -> list[dict[str, Any]]:
    read = logs(events) if events else logs([ON]).clear()
    prompts = learn_prompts(read, None, POLICY).learn_prompts
    cares = interests() if cares is None else cares
    found = enrichment_queue(
        read, prompts, cares, memory() if told is None else told, known(facts or {}), POLICY
    )
    return found.sort("rank").to_dicts()


def answered(row: Mapping[str, Any], days: float, results: int = 1) -> list[dict[str, object]]:
    """The intent and the receipt of a row."""
    item = {
        name: row[name]
        for name in ("effect_id", "unit", "query", "trigger", "topic", "entity_id", "schedule_id",
                     "learn_prompt_id")
        if row[name]
    }  # fmt: skip
    found = [{"title": "t", "text": f"text {n}"} for n in range(results)]
    return [effect("intent", days, **item), effect("receipt", days, **item, results=found)]


FACTS = {"bees": 4, "jazz": 0, "rust": 6, "chess": 40, "golf": 0, "news": 0, "mira": 0, "tea": 1}
CARES = [
    ("bees", 2.0, False, 1), ("jazz", 0.6, False, 1), ("rust", 2.4, False, 1),
    ("chess", 3.0, False, 1), ("golf", -0.8, False, 1), ("news", 5.0, True, 1),
    ("mira", 9.0, False, 1), ("tea", 0.05, False, 1),
]  # fmt: skip


def test_the_order_is_interest_by_what_is_known_and_who_is_not_liked_is_left_out() -> None:
    told = memory(rust=["Rust is a language.", "Rust was made by Graydon Hoare."])
    rows = queue([ON], interests(*CARES), FACTS, told)
    assert [(row["topic"], row["mode"], row["blocked_by"]) for row in rows] == [
        ("jazz", "broad", None),
        ("bees", "broad", None),
        ("rust", "gaps", None),
        ("chess", "briefing", None),
        ("news", "broad", "muted"),
        ("tea", "broad", "faint"),
        ("golf", "broad", "disliked"),
    ]
    assert [row["priority"] for row in rows[:4]] == [0.6, 0.5, pytest.approx(0.4), 0.075]
    by_topic = {row["topic"]: row for row in rows}
    assert by_topic["rust"]["query"] == "how does rust work"
    assert by_topic["rust"]["reason"] == "interest 2.40, 6 facts: not known: how it works"
    assert by_topic["chess"]["query"] == "chess news since 2026-03-01"
    assert {row["trigger"] for row in rows} == {"enrichment"}
    assert [row["rank"] for row in rows] == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(("results", "waits"), [(2, 7), (0, 30)])
def test_what_was_searched_waits_and_no_result_waits_longer(results: int, waits: int) -> None:
    (first,) = queue([ON], interests(CARES[1]), FACTS)
    (then,) = queue([ON, *answered(first, 2, results)], interests(CARES[1]), FACTS)
    assert first["due_at"] == after(1)
    assert then["due_at"] == after(2 + waits)
    assert then["effect_id"] != first["effect_id"]
    assert (first["query"], then["query"]) == ("jazz", "what is jazz")


def test_an_intent_without_a_receipt_is_unknown_until_a_person_lets_it_be_tried_again() -> None:
    (first,) = queue([ON], interests(CARES[1]), FACTS)
    begun = [ON, answered(first, 2)[0]]
    (unknown,) = queue(begun, interests(CARES[1]), FACTS)
    assert (unknown["blocked_by"], unknown["effect_id"]) == ("unknown", first["effect_id"])
    again = [*begun, effect("retry", 3, effect_id=first["effect_id"])]
    (due,) = queue(again, interests(CARES[1]), FACTS)
    assert due["blocked_by"] is None
    assert due["effect_id"] != first["effect_id"]


def test_a_search_that_failed_is_tried_again_later_and_not_for_ever() -> None:
    events = [ON]
    pauses: list[float] = []
    for day in range(2, 7):
        (row,) = queue(events, interests(CARES[1]), FACTS)
        assert row["blocked_by"] is None
        failed = {"effect_id": row["effect_id"], "unit": row["unit"], "error": "Timeout"}
        events += [effect("intent", day, **failed), effect("receipt", day, **failed)]
        (row,) = queue(events, interests(CARES[1]), FACTS)
        pauses.append((row["due_at"] - after(day)) / timedelta(hours=1))
    assert pauses == [1, 2, 4, 8, 16]
    assert [row["blocked_by"] for row in queue(events, interests(CARES[1]), FACTS)] == ["failed"]


def test_nothing_is_due_of_what_was_before_searches_could_be_made() -> None:
    events = [command("/learn bees", 0), command("/schedule jazz --every week", 0)]
    held = {row["blocked_by"] for row in queue(events, interests(CARES[1]), FACTS)}
    assert held == {"switched_off"}
    events.append(effect("switch", 10))
    rows = queue(events, interests(CARES[1], ("bees", 2.0, False, 11)), FACTS)
    assert [(row["mode"], row["topic"], row["blocked_by"]) for row in rows] == [
        *[("learn", "bees", None)] * 4,  # a person asked us, and it stayed active
        ("schedule", "jazz", None),
        ("broad", "bees", None),
        ("broad", "jazz", "before_switch"),
    ]
    assert rows[4]["due_at"] == after(14), "what was missed is not made up for"


def test_what_was_liked_or_sought_most_before_is_a_candidate_at_once() -> None:
    cares = [
        ("tea", 0.2, False, 0), ("bees", 3.0, False, 0), ("go", 2.0, False, 0),
        ("jazz", 1.5, False, 0), ("rust", 1.0, False, 0), ("golf", 4.0, True, 0),
        ("nas", 9.0, False, 0), ("chess", 0.05, False, 0), ("mira", 8.0, False, 0),
    ]  # fmt: skip
    sought = ["tea", "bees", "go", "jazz", "rust", "golf", "chess", "mira"]
    told = interests(*cares, liked=["tea", "chess", "mira"], sought=sought)
    there = dict.fromkeys([name for name, *_ in cares], 0)
    before = queue([], told, there)
    assert {row["blocked_by"] for row in before} == {"switched_off", "muted", "faint"}
    rows = {row["topic"]: row for row in queue([effect("switch", 10)], told, there)}
    assert {name: row["blocked_by"] for name, row in rows.items()} == {
        "bees": None, "go": None, "jazz": None,  # cared about most
        "tea": None,  # and what was liked
        "rust": "before_switch", "nas": "before_switch",  # just named, however often
        "golf": "muted", "chess": "faint",
    }  # fmt: skip
    assert {row["due_at"] for row in rows.values() if row["blocked_by"] is None} == {after(10)}


def test_a_learn_prompt_is_searched_for_in_turn_and_is_then_complete() -> None:
    events = [ON, command("/learn  python   packaging", 0)]
    before = queue(events)
    assert [row["query"] for row in before] == [
        "python packaging", "how does python packaging work", "python packaging best practices",
        "python packaging common problems",
    ]  # fmt: skip
    for done, row in enumerate(before, 1):
        events += answered(row, done)
        assert len(queue(events)) == 4 - done
        (prompt,) = learn_prompts(logs(events), None, POLICY).learn_prompts.to_dicts()
        assert prompt["searches_remaining"] == 4 - done
        assert prompt["status"] == ("completed" if done == 4 else "active")
        assert prompt["updated_at"] == after(done)
    (prompt,) = learn_prompts(logs(events), None, POLICY).learn_prompts.to_dicts()
    assert len(prompt["search_ids"]) == 4


def test_a_model_words_the_queries_and_templates_do_where_it_cannot() -> None:
    read = logs([ON, command("/learn bees", 0)])
    said = {"queries": ["bees overview", "Bees  overview", "bee dances", "bee diseases"]}
    model = FreeModel(lambda _: said)
    found = learn_prompts(read, model, POLICY)
    (prompt,) = found.learn_prompts.to_dicts()
    assert prompt["queries"] == ["bees overview", "bee dances", "bee diseases"]
    assert prompt["searches_remaining"] == 3
    assert prompt["extractor"].startswith("search_queries@")
    assert [ask.given for ask in model.asked] == ["Topic: bees"]


def test_a_command_is_read_at_once_however_much_blank_space_it_has() -> None:
    blank = " " * 5_000
    text = f"/schedule  green{blank}tea\n{blank}now --every=  2{blank}weeks{blank}"
    (read,) = commands(logs([command(text, 0)]))
    assert (read.verb, read.topic, read.every) == ("schedule", "green tea now", "2 weeks")


def test_a_schedule_recurs_and_its_last_word_counts() -> None:
    events = [ON, command("/schedule Rust releases --every 3d", 0)]
    (row,) = queue(events)
    assert (row["due_at"], row["query"], row["trigger"]) == (
        after(0), "Rust releases", "user_message",
    )  # fmt: skip
    events += answered(row, 7)
    (row,) = queue(events)
    assert row["due_at"] == after(9), "runs that were missed are not made up for"
    (row,) = queue([*events, command("schedule rust releases --every=week", 8)])
    assert row["due_at"] == after(8)
    assert queue([*events, command("/unschedule Rust Releases", 8)]) == []
    (row,) = queue([ON, command("/schedule Rust releases --every blue moon", 0)])
    assert row["blocked_by"] == "no_interval"


@pytest.mark.parametrize(
    ("text", "hours"),
    [("3d", 72), ("week", 168), ("2 weeks", 336), ("daily", 24), ("1h", 1), ("month", 720),
     ("0d", None), ("", None), ("soon", None), ("-1d", None)],
)  # fmt: skip
def test_intervals(text: str, hours: int | None) -> None:
    assert interval(text) == (hours and timedelta(hours=hours))


def test_any_order_gives_the_same_rows_and_namespaces_do_not_meet() -> None:
    events = [
        ON, command("/learn bees", 0), command("/learn jazz", 0),
        command("/schedule tea --every 2d", 1),
    ]  # fmt: skip
    events += answered(queue(events)[0], 2) + answered(queue(events)[-1], 3)
    cares = pl.concat([interests(*CARES), interests(*CARES[:2], namespace="m")])
    entities = pl.concat([known(FACTS), known(FACTS, "m")])
    seen = pl.concat([logs(events), logs([ON], "m")])

    def made(seed: int) -> pl.DataFrame:
        read, wants, stands = (
            frame.sample(fraction=1.0, shuffle=True, seed=seed) for frame in (seen, cares, entities)
        )
        prompts = learn_prompts(read, None, POLICY).learn_prompts
        return enrichment_queue(read, prompts, wants, memory(), stands, POLICY)

    first = made(0)
    for seed in random.Random(6).sample(range(1000), 5):
        assert_frame_equal(made(seed), first)
    own = first.filter(namespace="m").sort("rank")
    assert own.select("topic", "rank").rows() == [("jazz", 1), ("bees", 2)]
    assert own["learn_prompt_id"].null_count() == 2
