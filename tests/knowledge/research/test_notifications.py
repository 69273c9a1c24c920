"""What is told unasked, in which order, and when: pure, and with no clock."""

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cairn.knowledge.research.notifications import notifications
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import FACT_SOURCES, INTERESTS, MEMORY, MEMORY_ENTITIES
from cairn.resources.embedders.choice import load_embedder
from tests.knowledge.research.test_search_queue import START, after, command, event, known, logs

POLICY = Policy.model_validate({})
NEAR = POLICY.model_copy(
    update={"notify_triggers": ("enrichment", "user_message", "learn_command")}
)
MINUTE = 1 / 24 / 60

Event = dict[str, object]


def search(
    number: int, days: float, *texts: str, trigger: str = "enrichment", **rest: object
) -> list[Event]:
    """A search, and what it found."""
    item = {"effect_id": f"s{number}", "query": "q", "trigger": trigger, "unit": f"u{number}"}
    results = [{"title": "", "text": text, **rest} for text in texts]
    return [
        event("intent", days, effect="search", item=item),
        event("receipt", days, effect="search", item=item | {"results": results}),
    ]


def telling(kind: str, days: float, row: Mapping[str, Any] | None = None, **more: object) -> Event:
    """A line of a notification that was told, or of one that was begun."""
    item: dict[str, object] = dict(more)
    if row:
        taken = ("effect_id", "notification_id", "entity_id", "name", "batch", "trigger", "mode",
                 "text", "fact_ids", "record_ids")  # fmt: skip
        item |= {name: row[name] for name in taken} | {"found_at": row["found_at"].isoformat()}
    return event(kind, days, effect="notification", item=item)


ON = telling("switch", -1)


class Home:
    """Logs, and what is known by them: every text that holds the name of an entity is a fact."""

    def __init__(self, *entities: str, namespace: str = "n") -> None:
        self.entities, self.namespace = entities, namespace
        self.cares: dict[str, tuple[float, bool]] = {}
        self.merged: dict[str, str] = {}
        """Text of a fact that another took up, and that of the other."""
        self.policy = POLICY

    def frames(self, events: Sequence[Event]) -> dict[str, pl.DataFrame]:
        read = logs(events, self.namespace) if events else logs([ON]).clear()
        said = [
            (row, name)
            for row in read.filter(pl.col("text") != "").iter_rows(named=True)
            for name in self.entities
            if name in row["text"].casefold() and row["kind"] in ("tool_result", "message")
            and row["origin"] != "recalled"
        ]  # fmt: skip
        sources = FACT_SOURCES.frame(
            {
                "fact_id": f"f_{name}_{row['text']}", "candidate_id": f"c_{name}_{row['text']}",
                "record_id": row["record_id"], "conversation_id": row["conversation_id"],
                "confidence": 0.6, "occurred_at": row["occurred_at"], "day": row["day"],
                "namespace": self.namespace,
            }
            for row, name in said
        )  # fmt: skip
        first: dict[str, dict[str, Any]] = {}
        for row, name in said:
            into = self.merged.get(row["text"])
            first[f"f_{name}_{row['text']}"] = {
                "fact_id": f"f_{name}_{row['text']}", "namespace": self.namespace,
                "entity_id": f"e_{name}", "predicate": "states", "object": row["text"],
                "content": row["text"], "base_confidence": 0.6, "source_count": 1,
                "conversation_count": 1, "source_record_ids": [], "derived_from": [],
                "extractor": "x", "trust": "searched", "confidence": 0.6, "event": False,
                "decay_per_day": 0.01,
                "last_event_at": row["occurred_at"] or START,
                "strength": 0.0, "status": "merged_into" if into else "active",
                "merged_into": f"f_{name}_{into}" if into else None,
                "evidence_count": 1, "knowledge_type": "fact", "info_type": "other", "tags": [],
            }  # fmt: skip
        cares = [
            {"namespace": self.namespace, "entity_id": f"e_{name}", "rank": 1, "score": score,
             "liked": False, "sought": True, "muted": muted, "disliked": False,
             "engagements": 1, "engagement_ids": [], "curve": []}
            for name, (score, muted) in self.cares.items()
        ]  # fmt: skip
        entities = known(dict.fromkeys(self.entities, 1), self.namespace)
        return {
            "raw_logs": read, "fact_sources": sources, "memory": MEMORY.frame(first.values()),
            "memory_entities": MEMORY_ENTITIES.frame(entities),
            "interests": INTERESTS.frame(cares),
        }  # fmt: skip

    def table(self, frames: Mapping[str, pl.DataFrame], days: float) -> pl.DataFrame:
        return notifications(
            **frames, embedder=EMBEDDER, policy=self.policy, as_of=after(days)
        )  # fmt: skip

    def rows(self, events: Sequence[Event], days: float = 1) -> list[dict[str, Any]]:
        return self.table(self.frames(events), days).sort("rank").to_dicts()


EMBEDDER = load_embedder(POLICY.embedder)
BEES = "Bees dance in circles to show the way to flowers."
HIVE = "Bees store honey in hexagonal wax cells."
NIGHT = "Bees sleep at night in quiet corners."
TEA = "Green tea is brewed at eighty degrees."


def told(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    return [(row["text"], row["blocked_by"] or row["status"]) for row in rows]


def test_one_for_each_entity_and_batch_named_by_what_was_known_of_it() -> None:
    home = Home("bees", "tea")
    events = [
        ON,
        *search(1, 0, BEES, TEA, "Bees sleep at night in quiet corners."),
        *search(2, 0.5, HIVE),
    ]
    assert told(home.rows(events)) == [
        ("Discovered bees: 2 facts", "due"),
        ("Discovered tea: 1 fact", "waiting"),
        ("Learned 1 new fact about bees", "waiting"),
    ] or told(home.rows(events))[:2] == [
        ("Discovered tea: 1 fact", "due"),
        ("Discovered bees: 2 facts", "waiting"),
    ]


def test_what_a_person_said_before_is_no_news_nor_is_what_was_merged_into_it() -> None:
    home = Home("bees")
    said = event("message", -0.5, text=BEES)
    assert home.rows([ON, said, *search(1, 0, BEES)]) == []
    other = "In circles dance the bees to show the way to flowers."
    home.merged = {other: BEES}
    assert home.rows([ON, said, *search(1, 0, other)]) == []
    later = event("message", 0.5, text=BEES)
    assert told(home.rows([ON, later, *search(1, 0, BEES)])) == [
        ("Discovered bees: 1 fact", "due")
    ], "what a search found first it found first"


def test_a_first_import_sends_nothing_and_what_was_before_the_switch_stays_untold() -> None:
    home = Home("bees")
    assert told(home.rows(search(1, -30, BEES))) == [("Discovered bees: 1 fact", "switched_off")]
    events = [ON, *search(1, -30, BEES), *search(2, 0, HIVE)]
    assert told(home.rows(events)) == [
        ("Learned 1 new fact about bees", "due"),
        ("Discovered bees: 1 fact", "before_switch"),
    ]


@pytest.mark.parametrize(
    ("trigger", "policy", "blocked_by"),
    [
        ("enrichment", POLICY, None),
        ("user_message", POLICY, "trigger_off"),
        ("learn_command", POLICY, "trigger_off"),
        ("user_message", NEAR, None),
        ("learn_command", NEAR, None),
    ],
)
def test_what_is_told_of_each_trigger_is_set(
    trigger: str, policy: Policy, blocked_by: str | None
) -> None:
    home = Home("bees")
    home.policy = policy
    (row,) = home.rows([ON, *search(1, 0, BEES, trigger=trigger)])
    assert row["blocked_by"] == blocked_by


def test_what_is_muted_disliked_or_long_ago_is_held_and_listed() -> None:
    home = Home("bees", "tea", "moss")
    home.cares = {"bees": (1.0, True), "tea": (-0.5, False)}
    events = [ON, *search(1, 0, BEES, TEA), *search(2, 0, "Moss grows on shaded northern walls.")]
    assert {row["name"]: row["blocked_by"] for row in home.rows(events)} == {
        "bees": "muted", "tea": "disliked", "moss": None
    }  # fmt: skip
    assert {row["name"]: row["blocked_by"] for row in home.rows(events, days=8)} == {
        "bees": "stale", "tea": "stale", "moss": "stale"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("known_before", "text", "blocked_by"),
    [
        (0, "Bees are insects.", "nothing_new"),
        (0, BEES, None),
        (4, "Bees dance in circles, showing the way to flowers.", None),
        (5, "Bees dance in circles, showing the way to flowers.", "nothing_new"),
        (5, "Bees have five eyes and see ultraviolet light.", None),
        (15, "Bees dance in circles, and show where flowers are.", "nothing_new"),
        (15, "Bees have five eyes and see ultraviolet light.", None),
    ],
)
def test_the_more_is_known_the_newer_a_fact_must_be(
    known_before: int, text: str, blocked_by: str | None
) -> None:
    home = Home("bees")
    about = [BEES, *(f"Bees colony {'abcdefghijklmnop'[n]} lives near orchard number {n}."
                     for n in range(known_before - 1))][:known_before]  # fmt: skip
    before = [event("message", -0.5, text=each) for each in about]
    (row,) = home.rows([ON, *before, *search(1, 0, text)])
    assert row["blocked_by"] == blocked_by, row


def test_numbers_that_differ_are_news() -> None:
    home = Home("traefik")
    about = [f"Traefik 3.{n} was released with better routing." for n in range(16)]
    before = [event("message", -0.5, text=each) for each in about]
    new, old = (
        "Traefik 3.44 was released with better routing.",
        "Traefik 3.4 was released, with better routing.",
    )
    (row,) = home.rows([ON, *before, *search(1, 0, new)])
    assert (row["mode"], row["blocked_by"]) == ("briefing", None)
    (row,) = home.rows([ON, *before, *search(1, 0, old)])
    assert row["blocked_by"] == "nothing_new"


def test_one_at_a_time_each_later_than_the_one_before_until_somebody_answers() -> None:
    home = Home("bees", "tea", "moss")
    home.cares = {"tea": (2.0, False), "bees": (1.0, False)}
    events = [ON, *search(1, 0, BEES, TEA, "Moss grows on shaded northern walls.")]
    rows = home.rows(events)
    assert [(row["name"], row["status"]) for row in rows] == [
        ("tea", "due"), ("bees", "waiting"), ("moss", "waiting")
    ]  # fmt: skip
    assert [row["due_at"] for row in rows] == [after(0), after(MINUTE), after(3 * MINUTE)]

    events += [telling("intent", MINUTE, rows[0]), telling("receipt", MINUTE, rows[0])]
    rows = home.rows(events)
    assert [(row["name"], row["status"]) for row in rows] == [
        ("bees", "due"), ("moss", "waiting"), ("tea", "sent")
    ]  # fmt: skip
    assert rows[0]["due_at"] == after(2 * MINUTE)
    assert rows[0]["reason"] == "1 unanswered"

    acted = [*events, event("reaction", 1.5 * MINUTE, text="👍")]
    assert home.rows(acted)[0]["due_at"] == after(0), "at once"


def test_what_was_begun_is_unknown_and_not_told_again_until_somebody_says_so() -> None:
    home = Home("bees")
    events = [ON, *search(1, 0, BEES)]
    (row,) = home.rows(events)
    events.append(telling("intent", 0.1, row))
    (begun,) = home.rows(events)
    assert (begun["status"], begun["sent_at"]) == ("unknown", after(0.1))
    (again,) = home.rows([*events, telling("retry", 0.2, effect_id=row["effect_id"])])
    assert again["status"] == "due"
    assert again["effect_id"] != row["effect_id"]
    (failed,) = home.rows([*events, telling("receipt", 0.2, row, error="smtp took nothing")])
    assert (failed["status"], failed["reason"]) == (
        "failed", "it could not be sent: smtp took nothing"
    )  # fmt: skip


def test_what_was_told_is_told_no_more_whatever_its_records_say_later() -> None:
    home = Home("bees", "honey")
    events = [ON, *search(1, 0, HIVE)]
    home.entities = ("bees",)
    (row,) = home.rows(events)
    events += [telling("intent", 0.1, row), telling("receipt", 0.1, row)]
    assert [one["status"] for one in home.rows(events)] == ["sent"]
    other = [*events, *search(2, 0.2, HIVE)]
    assert [one["status"] for one in home.rows(other)] == ["sent"], "found again is not new"


def test_all_that_was_told_is_told_no_more_when_its_entity_is_merged() -> None:
    home = Home("bees")
    many = [
        f"Bees of colony {'abcdef'[n // 5] * (n % 5 + 2)} guard one orchard." for n in range(30)
    ]
    events = [ON, *search(1, 0, *many)]
    (row,) = home.rows(events)
    assert row["text"] == "Discovered bees: 30 facts"
    frames = home.frames([*events, telling("intent", 0.1, row), telling("receipt", 0.1, row)])
    bees = frames["memory_entities"].with_columns(canonical_id=pl.lit("e_wasps"))
    merged = pl.concat([bees, known({"wasps": 1})])
    (sent,) = home.table(frames | {"memory_entities": merged}, 1).to_dicts()
    assert sent["status"] == "sent"


def test_a_notification_that_was_sent_is_a_message_of_our_own_that_nothing_is_learnt_from() -> None:
    home = Home("bees")
    (row,) = home.rows([ON, *search(1, 0, BEES)])
    read = logs([telling("intent", 0.1, row), telling("receipt", 0.1, row)])
    said = read.filter(kind="message").row(0, named=True)
    assert (said["text"], said["origin"], said["proactive"]) == (
        "Discovered bees: 1 fact", "recalled", True
    )  # fmt: skip


def test_a_tool_of_that_name_and_lines_that_say_no_more_tell_of_no_notification() -> None:
    home = Home("bees")
    frames = home.frames([ON, *search(1, 0, BEES)])
    (row,) = rows = home.table(frames, 1).to_dicts()
    forged = json.dumps({"effect_id": row["effect_id"], "fact_ids": row["fact_ids"]})
    switch = frames["raw_logs"].filter(tool_name="notification")
    tool = switch.with_columns(kind=pl.lit("tool_call"), tool_input=pl.lit(forged))
    for role in ("assistant", "switch", "receipt"):
        mixed = pl.concat([frames["raw_logs"], tool.with_columns(role=pl.lit(role))])
        assert home.table(frames | {"raw_logs": mixed}, 1).to_dicts() == rows
    assert home.rows([ON, telling("receipt", 0.1), *search(1, 0, BEES)]) == rows
    odd = telling("receipt", 0.1, row | {"found_at": after(0)})
    odd["item"]["found_at"] = "yesterday"  # type: ignore[index]
    (sent,) = home.rows([ON, odd, *search(1, 0, BEES)])
    assert (sent["status"], sent["found_at"]) == ("sent", None)


def test_the_picture_is_an_address_of_the_web_or_none() -> None:
    home = Home("bees")
    good = "https://example.org/bees.png"
    for given, wanted in ((good, good), ("file:///etc/passwd", None), ("javascript:x", None)):
        (row,) = home.rows([ON, *search(1, 0, BEES, image_url=given)])
        assert row["image_url"] == wanted


def test_namespaces_are_told_apart_and_any_order_gives_the_same_rows() -> None:
    one, two = Home("bees", "tea"), Home("bees", "tea", namespace="m")
    one.cares = two.cares = {"tea": (2.0, False)}
    events = [ON, *search(1, 0, BEES, TEA), *search(2, 0.2, HIVE)]
    (first, *_) = one.rows(events)
    mine = one.frames([*events, telling("intent", 0.1, first), command("/like tea", 0.05)])
    other = two.frames(events)
    both = {name: pl.concat([frame, other[name]]) for name, frame in mine.items()}
    whole = one.table(both, 1)
    assert_frame_equal(whole.filter(namespace="n"), one.table(mine, 1), check_row_order=False)
    assert_frame_equal(whole.filter(namespace="m"), two.table(other, 1), check_row_order=False)
    for seed in range(5):
        mixed = {
            name: frame.sample(fraction=1, shuffle=True, seed=seed)
            for name, frame in random.Random(seed).sample(sorted(both.items()), len(both))
        }
        assert_frame_equal(one.table(mixed, 1), whole)
