"""A conversation as people read it: in order, with what was drawn from each line beside it."""

from pathlib import Path

import polars as pl
import pytest

from cairn.knowledge.llm.costs import BY
from cairn.knowledge.schema.tables import RAW_LOGS
from cairn.resources.context import State, open_state
from cairn.resources.home.home import open_home
from cairn.resources.home.log_files import LOG_SUFFIXES
from cairn.resources.home.settings import Settings
from cairn.serving.query.conversation import LONGEST, conversation, messages, record
from cairn.serving.query.dead_letters import dead_letters
from cairn.serving.query.decisions import decisions
from cairn.serving.query.listing import conversations
from cairn.serving.query.review.queue import REVIEWED, review
from cairn.serving.query.sources import sources
from cairn.serving.read.bounds import CostColumn, ReviewKind
from cairn.serving.read.reader import Reader, open_reader
from tests.homes import copy_home


@pytest.fixture(scope="module")
def reader(home: Path) -> Reader:
    return open_reader(open_state(home))


def test_pages_of_a_conversation_are_all_of_it_in_order(reader: Reader) -> None:
    logs = reader.table(RAW_LOGS).collect()
    longest = logs.group_by("conversation_id").len().sort("len", "conversation_id").row(-1)
    id_, count = longest
    found: list[dict[str, object]] = []
    cursor = None
    while page := messages(reader, id_, 7, cursor):
        assert page.total == count
        found += page.rows
        if (cursor := page.cursor) is None:
            break
    own = logs.filter(conversation_id=id_).sort("seq", "record_id")
    assert [row["record_id"] for row in found] == own["record_id"].to_list()
    assert all(len(str(row["text"])) <= LONGEST for row in found)


def test_what_was_drawn_stands_at_its_line(reader: Reader) -> None:
    drawn = {"facts": 0, "learnings": 0}
    for talk in conversations(reader, limit=100).rows:
        page = messages(reader, talk["conversation_id"], 100)
        assert page is not None
        for row in page.rows:
            for kind in drawn:
                drawn[kind] += len(row[kind])
    assert drawn["facts"] > 20
    assert drawn["learnings"] >= reader.learnings().collect().height


def test_a_record_is_whole_and_stands_between_its_neighbours(reader: Reader) -> None:
    logs = reader.table(RAW_LOGS).collect()
    row = logs.filter(seq=3).sort("record_id").row(0, named=True)
    found = record(reader, row["record_id"], around=2)
    assert found is not None
    assert (found["text"], found["cut"]) == (row["text"], False)
    assert [one["seq"] for one in (*found["before"], *found["after"])] == [1, 2, 4, 5]
    assert record(reader, "r_" + "0" * 16) is None
    assert conversation(reader, "none") is None
    assert messages(reader, "none") is None


def test_what_came_later_is_not_there_yet(home: Path) -> None:
    state = open_state(home)
    now = open_reader(state)
    dated = now.table(RAW_LOGS).filter(pl.col("occurred_at").is_not_null()).collect()
    row = dated.filter(seq=0).sort("occurred_at").row(0, named=True)
    then = open_reader(state, as_of=row["occurred_at"])
    page = messages(then, row["conversation_id"], 100)
    assert page is not None
    assert all(one["occurred_at"] <= row["occurred_at"] for one in page.rows)


def test_what_waits_is_told_alike_whatever_it_is(reader: Reader) -> None:
    assert tuple(REVIEWED) == ReviewKind.__args__
    assert CostColumn.__args__ == BY
    found = review(reader)
    assert sum(found["totals"].values()) > 0
    assert {item["kind"] for item in found["items"]} == {k for k, n in found["totals"].items() if n}
    for item in found["items"]:
        assert item["texts"]
        assert item["why"]
    (kind, count) = max(found["totals"].items(), key=lambda one: one[1])
    alone = review(reader, kind, limit=1)
    assert alone["totals"] == {kind: count}
    assert len(alone["items"]) == 1


def test_letters_sources_and_decisions_of_the_samples(reader: Reader, samples: Path) -> None:
    letters = dead_letters(reader)
    assert [letter["source_line"] for letter in letters["items"]] == [2]
    (source,) = sources(reader)["items"]
    assert Path(source["path"]) == samples
    assert (source["changed"], source["rejected"]) == (0, 0)
    assert source["files"] == sum(path.suffix in LOG_SUFFIXES for path in samples.rglob("*"))
    assert decisions(reader).total == len(decisions(reader, 100).rows)


def test_a_source_that_is_gone_is_told(two_home: Path, tmp_path: Path) -> None:
    state = State(open_home(copy_home(two_home, tmp_path / "home")), Settings())
    own = open_reader(state, "ada")
    (source,) = sources(own)["items"]
    assert (source["files"], source["changed"]) == (2, 0)
    state.home.sources.write_text(state.home.sources.read_text().replace("/ada", "/nowhere"))
    (gone,) = sources(own)["items"]
    assert (source["gone"], gone["gone"], gone["files"]) == (False, True, 0)
