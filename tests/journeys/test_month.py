"""A month of one person: what they do, and what Cairn does about it on its own.

The person keeps bees, drinks tea, dislikes golf, and is away for two weeks. Cairn searches at
half past five each morning, in a folder of documents, and tells what it found.
"""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cairn.assets.effects.notify import Dispatched, dispatch, due
from cairn.assets.effects.search import enrich, queue
from cairn.knowledge.assembly.build import comparable
from cairn.knowledge.schema.tables import (
    ENGAGEMENTS,
    ENRICHMENT_QUEUE,
    INTERESTS,
    LEARN_PROMPTS,
    MEMORY_ENTITIES,
    NOTIFICATIONS,
    PREFERENCES,
    RAW_LOGS,
    Table,
)
from cairn.pipelines import follow as run
from cairn.resources.context import State
from cairn.resources.effects import event_id
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.web.search_provider import Folder
from cairn.serving.write.inbox import add_event
from tests.journeys.running import assert_as_built, follow

MONTH = datetime(2026, 3, 1, tzinfo=UTC)

BEES = """# Bees

Bees dance in circles to show the way to flowers.

Bees store honey in hexagonal wax cells.

Bees keep the hive at 35 degrees in summer.
"""
TEA = """# Tea

Green tea is brewed at 80 degrees.

Green tea contains caffeine and theanine.
"""
JAZZ = """# Jazz

Jazz is a music of improvised solos over changing chords.

Jazz began in New Orleans around 1900.
"""
NEWS = """# More about bees

Bees have five eyes and see ultraviolet light.
"""

LIVED: tuple[Table, ...] = (
    ENGAGEMENTS, PREFERENCES, INTERESTS, LEARN_PROMPTS, ENRICHMENT_QUEUE, NOTIFICATIONS,
)  # fmt: skip


class Life:
    """A home, a clock that the test moves, and a diary of what Cairn did of itself."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "documents"
        self.folder.mkdir()
        for name, text in (("bees", BEES), ("tea", TEA), ("jazz", JAZZ)):
            (self.folder / f"{name}.md").write_text(text)
        self.state = State(open_home(folder / "home"), Settings())
        self.now = MONTH
        self.diary: list[tuple[str, str]] = []

    def clock(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now

    def at(self, day: int, hour: float) -> None:
        moment = MONTH + timedelta(days=day - 1, hours=hour)
        assert moment >= self.now, "time goes on"
        self.now = moment

    def does(self, kind: str, text: str, **rest: object) -> None:
        event = {"type": kind, "namespace": "default", "text": text, **rest}
        add_event(self.state, event, self.clock())

    def morning(self, day: int) -> None:
        """Takes in what happened, searches, and tells what was found until noon."""
        follow(self.state, ENRICHMENT_QUEUE.name)
        self.now = max(self.now, MONTH + timedelta(days=day - 1, hours=5.5))
        asked = queue(self.state, self.now)["query"].to_list()
        report = enrich(self.state, Folder(self.folder, 3), self.clock)
        if not report.due:
            return
        follow(self.state, NOTIFICATIONS.name)
        for query in asked[: report.done + report.empty]:
            self.diary.append((f"{day} 05:30", f"searched: {query}"))
        noon = MONTH + timedelta(days=day - 1, hours=12)
        while True:
            waiting = self.rows(NOTIFICATIONS, pl.col("status") == "due")
            if not waiting or max(waiting[0]["due_at"], self.now) > noon:
                return
            self.now = max(waiting[0]["due_at"], self.now)
            assert due(self.state, self.now).height == 1
            assert dispatch(self.state, self.clock).sent == 1
            self.diary.append((f"{day} {self.now:%H:%M}", waiting[0]["text"]))
            run.follow(self.state, until=RAW_LOGS.name)
            run.follow(self.state, since=NOTIFICATIONS.name, until=NOTIFICATIONS.name)

    def rows(self, table: Table, *which: pl.Expr) -> list[dict[str, Any]]:
        found = self.state.warehouse.read(table).filter(*which).collect()
        return found.sort("rank").to_dicts() if "rank" in found.columns else found.to_dicts()

    def reacts(self, text: str, to: str) -> None:
        """A reaction to the latest notification about something."""
        sent = self.rows(NOTIFICATIONS, pl.col("status") == "sent", pl.col("name") == to)
        effect = max(sent, key=lambda row: row["sent_at"])["effect_id"]
        said = event_id("default", "receipt", "notification", effect)
        self.does("reaction", text, reply_to=said, proactive=True)

    def cares(self) -> list[tuple[str, float]]:
        """What the person cares about, the most first."""
        names = self.state.warehouse.read(MEMORY_ENTITIES).select("entity_id", "display_name")
        found = self.state.warehouse.read(INTERESTS).join(names, on="entity_id").collect()
        return [
            (name, round(score, 1))
            for name, score in found.sort("rank").select("display_name", "score").iter_rows()
        ]


DIARY = [
    ("2 05:30", "searched: bees"),
    ("2 05:30", "searched: green tea"),
    ("2 05:30", "searched: jazz"),
    ("2 05:30", "searched: chess"),
    ("2 05:30", "Learned 3 new facts about bees"),
    ("2 05:31", "Discovered green tea: 2 facts"),
    ("2 05:33", "Discovered jazz: 2 facts"),
    ("10 05:30", "searched: what is green tea"),
    ("10 05:30", "searched: what is bees"),
    ("10 05:30", "Learned 1 new fact about bees"),
    ("18 05:30", "searched: how does bees work"),
    ("26 05:30", "searched: green tea"),
    ("26 05:30", "searched: how does green tea work"),
    ("26 05:30", "searched: green tea best practices"),
    ("26 05:30", "searched: green tea common problems"),
    ("26 05:30", "searched: green tea overview"),
    ("26 05:30", "searched: bees use cases"),
]
"""Chess was liked before anything was searched for, and is a candidate at once all the same; there
is nothing about it, so it rests for a month. Jazz is muted from the second day on. Nothing is
searched for twice a week. Green tea is left alone after a thumb down, until it is asked for."""


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Life:
    life = Life(tmp_path_factory.mktemp("month"))
    life.at(1, 8)
    life.does("command", "/like chess")
    life.morning(1)
    life.at(1, 9)
    for text in ("/like bees", "/like green tea", "/like jazz", "/dislike golf"):
        life.does("command", text)
    life.does("message", "I keep my bees behind the old mill.")
    life.morning(2)
    life.at(2, 13)
    life.reacts("👍", "bees")
    life.does("command", "/mute jazz")
    (life.folder / "news.md").write_text(NEWS)
    life.morning(10)
    life.at(11, 20)
    life.reacts("👎", "green tea")
    life.morning(18)
    life.at(25, 9)
    life.does("message", "Do the bees sleep in winter?")
    life.does("command", "/learn green tea")
    life.morning(26)
    run.follow(life.state)
    return life


def test_what_cairn_does_of_itself_follows_from_what_the_person_does(life: Life) -> None:
    assert life.diary == DIARY
    assert life.cares() == [("bees", 1.0), ("green tea", 0.9), ("jazz", 0.5), ("chess", 0.5)]
    held = {row["topic"]: row["blocked_by"] for row in life.rows(ENRICHMENT_QUEUE)}
    assert held == {"green tea": None, "bees": None, "jazz": "muted", "chess": None}


def test_day_by_day_is_as_one_rebuild(life: Life, tmp_path: Path) -> None:
    assert_as_built(life.state)
    anew = State(open_home(tmp_path / "anew"), Settings())
    shutil.copytree(life.state.home.inbox, anew.home.inbox, dirs_exist_ok=True)
    follow(anew, NOTIFICATIONS.name)
    for table in LIVED:
        one, other = (
            comparable({table.name: state.warehouse.read(table).collect()})[table.name]
            for state in (life.state, anew)
        )
        assert_frame_equal(one, other, check_exact=True)
    assert dispatch(anew, life.clock) == Dispatched(), "and a rebuild tells nothing"
    assert queue(anew, life.now).is_empty(), "and searches for nothing"
