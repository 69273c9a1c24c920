"""Lists: pages add up to the whole, whatever is published in between; both ways of lineage."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.knowledge.schema.predicates import STRUCTURAL_PREDICATES
from cairn.resources.context import open_state
from cairn.serving.query import graph, lineage, listing
from cairn.serving.read.pagination import BadCursor, Key, Page, newest, page
from cairn.serving.read.reader import Reader
from cairn.serving.retrieval.open_memory import Memory

NPM = "We use pnpm in this repository, never npm install."

Turn = Callable[..., Page]

LISTS: dict[str, Turn] = {
    "facts": listing.facts,
    "entities": listing.entities,
    "learnings": listing.learnings,
    "episodes": listing.episodes,
    "conversations": listing.conversations,
    "recent": listing.recent,
}


@pytest.fixture(scope="module")
def memory(home: Path) -> Memory:
    return Memory(open_state(home))


@pytest.fixture(scope="module")
def reader(memory: Memory) -> Reader:
    return memory.reader()


def pages(turn: Callable[[str | None], Page]) -> Iterator[Page]:
    cursor = None
    while True:
        yield (found := turn(cursor))
        if (cursor := found.cursor) is None:
            return


@pytest.mark.parametrize("name", LISTS)
@given(limit=st.integers(1, 60))
@settings(max_examples=5)
def test_pages_of_any_length_are_the_whole_list(name: str, limit: int, reader: Reader) -> None:
    listed = LISTS[name]
    whole = listed(reader, limit=10_000)
    assert whole.cursor is None
    assert whole.rows
    found = list(pages(lambda cursor: listed(reader, limit=limit, cursor=cursor)))
    assert [row for each in found for row in each.rows] == whole.rows
    assert all(len(each.rows) == limit for each in found[:-1])
    ids = [tuple(row.values())[:2] for row in whole.rows]
    assert len(set(ids)) == len(ids)


ROWS = st.dictionaries(
    st.text(max_size=3),
    st.tuples(
        st.none() | st.datetimes(datetime(2026, 1, 1), datetime(2026, 1, 3)),  # noqa: DTZ001
        st.floats(0, 1),
        st.booleans(),
    ),
    max_size=12,
)
KEYS = [
    Key(pl.col("flag"), descending=True), newest("at"), Key(pl.col("sure"), descending=True),
    Key(pl.col("id")),
]  # fmt: skip


def frame(rows: dict[str, tuple[datetime | None, float, bool]]) -> pl.LazyFrame:
    schema = {"id": pl.String, "at": pl.Datetime("us"), "sure": pl.Float64, "flag": pl.Boolean}
    return pl.LazyFrame([(id_, *row) for id_, row in rows.items()], schema=schema, orient="row")


@given(first=ROWS, then=ROWS, limit=st.integers(1, 4))
def test_a_cursor_goes_on_at_its_place_when_rows_come_and_go(
    first: dict[str, tuple[datetime | None, float, bool]],
    then: dict[str, tuple[datetime | None, float, bool]],
    limit: int,
) -> None:
    stay = {id_: first[id_] for id_ in first.keys() & then.keys()}
    then = then | stay
    published = iter([frame(first)])

    def turn(cursor: str | None) -> Page:
        return page(next(published, frame(then)), KEYS, ("rows",), limit, cursor)

    found = [row["id"] for each in pages(turn) for row in each.rows]
    assert len(set(found)) == len(found)
    assert stay.keys() <= set(found)
    whole = page(frame(first | then), KEYS, ("rows",), 100, None).rows
    assert found == [row["id"] for row in whole if row["id"] in found]


@given(cursor=st.text(max_size=40) | st.binary(max_size=40).map(lambda some: some.hex()))
def test_a_broken_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(BadCursor):
        page(frame({}), KEYS, ("rows",), 5, cursor)


def test_a_cursor_is_of_its_own_list_alone(reader: Reader) -> None:
    cursor = listing.facts(reader, limit=1).cursor
    assert listing.facts(reader, limit=50, cursor=cursor).rows
    for other in (
        lambda: listing.entities(reader, limit=1, cursor=cursor),
        lambda: listing.facts(reader, listing.FactFilter(predicate="states"), cursor=cursor),
        lambda: listing.facts(reader, cursor=f"{cursor}AAAA"),
    ):
        with pytest.raises(BadCursor):
            other()


def test_facts_are_chosen_by_what_they_are(reader: Reader) -> None:
    def found(limit: int = 1000, **only: object) -> list[dict[str, object]]:
        return listing.facts(reader, listing.FactFilter(**only), limit).rows  # type: ignore[arg-type]

    own = found(entity="Lantern-Shop")
    assert {row["entity"] for row in own} == {"lantern-shop"}
    assert found(entity=str(own[0]["entity_id"])) == own
    assert not any(row["predicate"] in STRUCTURAL_PREDICATES for row in found())
    assert {row["predicate"] for row in found(predicate="used_tool")} == {"used_tool"}
    assert {row["status"] for row in found(status="ended")} == {"ended"}
    sure = found(min_confidence=0.55)
    assert 0 < len(sure) < len(found())
    assert all(row["confidence"] >= 0.55 for row in sure)  # type: ignore[operator]
    march = datetime(2026, 3, 1, tzinfo=UTC)
    both = found(since=march), found(until=march)
    assert all(both)
    assert len(both[0]) + len(both[1]) == len([row for row in found() if row["last_seen"]])
    assert found(entity="nobody") == []


def test_what_names_topics_is_listed_once_unless_one_of_them_is_asked_for(reader: Reader) -> None:
    def told(**only: object) -> list[tuple[object, object]]:
        rows = listing.facts(reader, listing.FactFilter(**only), 10_000).rows  # type: ignore[arg-type]
        return [(row["content"], row["entity_type"]) for row in rows]

    held = reader.memory().select("content", "entity", "entity_type").collect()
    copies = held.filter(
        (pl.col("entity_type") == "topic")
        & (pl.col("entity_type") != "topic").any().over("content")
    )
    assert copies.height
    listed = told()
    assert not {(row["content"], "topic") for row in copies.iter_rows(named=True)} & set(listed)
    assert set(held["content"]) >= {content for content, _ in listed} > set()
    copy = copies.row(0, named=True)
    assert (copy["content"], "topic") in told(entity=copy["entity"], events=True)


def test_lists_of_an_earlier_moment_have_what_was_there_then(memory: Memory) -> None:
    then = datetime(2026, 2, 10, tzinfo=UTC)
    earlier = memory.reader(as_of=then)
    for name, at in (("learnings", "created_at"), ("episodes", "started_at"),
                     ("conversations", "started_at"), ("recent", "at")):  # fmt: skip
        rows = LISTS[name](earlier, limit=1000).rows
        assert rows
        assert len(rows) < len(LISTS[name](memory.reader(), limit=1000).rows)
        assert all(row[at] is None or row[at] <= then for row in rows)


def test_one_thing_says_where_it_comes_from(reader: Reader) -> None:
    (about,) = (row for row in listing.facts(reader, limit=1000).rows if row["content"] == NPM)
    told = listing.fact(reader, about["fact_id"])
    assert told
    assert {name: told[name] for name in about} == about
    assert {source["quote"] for source in told["sources"]} == {NPM}
    assert all(source["file"] and source["line"] for source in told["sources"])
    lesson = listing.learnings(reader, limit=1).rows[0]
    assert listing.learning(reader, lesson["learning_id"])["sources"][0]["file"]  # type: ignore[index]
    talk = listing.episodes(reader, limit=1).rows[0]
    assert listing.episode(reader, talk["episode_id"])["file"]  # type: ignore[index]
    thing = listing.entities(reader, limit=1).rows[0]
    assert listing.entity(reader, thing["entity_id"])["predicates"]  # type: ignore[index]
    for one in (listing.fact, listing.entity, listing.learning, listing.episode):
        assert one(reader, "x_0") is None


def test_lineage_leads_from_a_fact_to_its_record_and_back(reader: Reader) -> None:
    (about,) = (row for row in listing.facts(reader, limit=1000).rows if row["content"] == NPM)
    told = lineage.why(reader, about["fact_id"])
    assert told
    assert (told["kind"], told["id"]) == ("fact", about["fact_id"])
    for quote in told["quotes"]:
        line = Path(quote["file"]).read_text(encoding="utf-8").splitlines()[quote["line"] - 1]
        assert NPM in line
        used = lineage.uses(reader, quote["record_id"])
        assert used
        assert about["fact_id"] in [fact["fact_id"] for fact in used["facts"]]
        assert used["episode"]
    for kind, one in (
        ("entity", about["entity_id"]),
        ("learning", listing.learnings(reader, limit=1).rows[0]["learning_id"]),
        ("record", told["quotes"][0]["record_id"]),
    ):
        explained = lineage.why(reader, one)
        assert explained
        assert explained["kind"] == kind
        assert all(quote["file"] and quote["quote"] for quote in explained["quotes"])
    assert lineage.why(reader, about["fact_id"][:8]) is None
    assert lineage.uses(reader, "r_0") is None


def test_what_is_not_yet_known_has_no_why(memory: Memory) -> None:
    (about,) = (
        row for row in listing.facts(memory.reader(), limit=1000).rows if row["content"] == NPM
    )
    earlier = memory.reader(as_of=datetime(2026, 2, 4, tzinfo=UTC))
    assert lineage.why(earlier, about["fact_id"]) is None


def test_what_lies_around_an_entity_is_reached_by_its_relations(reader: Reader) -> None:
    (start,) = (
        row["entity_id"]
        for row in listing.entities(reader, listing.EntityFilter(type="project")).rows
        if row["name"] == "harbor-backup"
    )
    near, far = (graph.around(reader, start, depth) for depth in (1, 2))
    assert near
    assert far
    names = {node["name"]: node["depth"] for node in far["nodes"]}
    assert (names["harbor-backup"], names["192.168.20.4"], names["user"]) == (0, 1, 2)
    hosts = [edge for edge in near["edges"] if edge["type"] == "connects_to_host"]
    assert {edge["source_id"] for edge in hosts} == {start}
    steps = {node["entity_id"]: node["depth"] for node in far["nodes"]}
    for edge in far["edges"]:
        assert edge["depth"] == min(steps[edge["source_id"]], steps[edge["target_id"]]) + 1
    assert near["edges"] == [edge for edge in far["edges"] if edge["depth"] == 1]
    few = graph.around(reader, start, 2, limit=3)
    assert few
    assert (few["edges"], few["more"]) == (far["edges"][:3], True)
    more = graph.around(reader, start, 1, events=True)
    assert more
    assert len(more["edges"]) > len(near["edges"])
    assert graph.around(reader, "e_0") is None
