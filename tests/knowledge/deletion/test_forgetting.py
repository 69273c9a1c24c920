"""What is forgotten leaves what a history gives that never had it, byte for byte."""

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cairn.knowledge.assembly.build import LAST, build
from cairn.knowledge.deletion.dependents import READS, resting
from cairn.knowledge.deletion.tombstones import Tombstone, digests, forgotten, tombstone_of
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.ingest.events import HEAD_COLUMNS, placed
from cairn.knowledge.ingest.records import read_records
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import MEMORY_ENTITIES, RECORDS, TABLES
from cairn.resources.embedders.choice import load_embedder

KEY = b"k" * 32
SEEN_AT = datetime(2026, 11, 1, tzinfo=UTC)
POLICY = Policy.model_validate({})

FACTS = {"Berlin": "I live in Berlin.", "Rome": "I live in Rome."}
"""The second ends the first, unless it was said before it."""
SOURCES = (("1", "1"), ("1", "2"), ("2", "1"), ("1", "12"), ("12", "2"), ("12", "12"))
"""The talks in which either fact is said: one of two, or both."""

Line = tuple[str, str]
Build = Callable[[pl.DataFrame, str], dict[str, pl.DataFrame]]


@pytest.fixture(scope="module")
def means() -> StageContext:
    return StageContext(POLICY, load_embedder("wordllama"))


@pytest.fixture(scope="module")
def built(means: StageContext) -> Build:
    """Builds each history once: many of them are what others leave."""
    known: dict[tuple[bytes, str], dict[str, pl.DataFrame]] = {}

    def tables(every: pl.DataFrame, until: str) -> dict[str, pl.DataFrame]:
        made = every.write_ipc(None).getvalue(), until
        if made not in known:
            known[made] = build(every, means, until=until)
        return known[made]

    return tables


def lines(berlin: str, rome: str) -> list[Line]:
    """Talk and text of each line; every talk says something else, too."""
    told = {"1": ["I prefer tea over coffee."], "2": ["Our NAS is in the cellar."]}
    for text, talks in zip(FACTS.values(), (berlin, rome), strict=True):
        for talk in talks:
            told[talk].append(text)
    return [(talk, text) for talk, texts in told.items() for text in texts]


def records(said: Iterable[Line]) -> pl.DataFrame:
    """Records of what was said; a talk is a file, its lines have no ids of their own."""
    files: dict[str, list[str]] = {}
    for talk, text in said:
        day = {"1": 1, "2": 5}[talk]
        minute = [*FACTS.values(), text].index(text)
        line = {"role": "user", "name": "Mira", "content": text, "conversation_id": f"talk-{talk}",
                "timestamp": f"2026-02-0{day}T10:0{minute}:00Z"}  # fmt: skip
        files.setdefault(talk, []).append(json.dumps(line))
    read = [
        read_records(
            "\n".join([*own, ""]).encode(), namespace="n", source_file=f"{talk}.jsonl",
            timezone="UTC", seen_at=SEEN_AT, redactor=None,
        ).records
        for talk, own in files.items()
    ]  # fmt: skip
    return pl.concat([RECORDS.empty(), *read])


def left(all_: pl.DataFrame, tables: dict[str, pl.DataFrame], thing: str, id_: str) -> pl.DataFrame:
    """Records without those that a tombstone of a thing names."""
    heads = placed(all_.select(HEAD_COLUMNS), POLICY)
    heads = heads.join(all_.select("record_key", "source_file"), on="record_key")
    asked = {table.name: tables.get(table.name, table.empty()).lazy() for table in READS}
    rests = resting(thing, [id_], heads, asked, POLICY)
    told = digests(rests.lines, KEY, sessions=thing == "conversation")
    return all_.filter(~forgotten(all_, [Tombstone("t", digests=tuple(told))], KEY))


def assert_equal(one: dict[str, pl.DataFrame], other: dict[str, pl.DataFrame]) -> None:
    """All rows and columns, but for the numbers of lines in a file that has fewer."""
    assert one.keys() == other.keys()
    for name, frame in one.items():
        drop = TABLES[name].processing
        assert_frame_equal(
            frame.drop(drop, strict=False), other[name].drop(drop, strict=False), check_exact=True
        )


WORLDS = [lines(*talks) for talks in SOURCES]
REMEMBERED = "memory"
"""Until there tables are built that tell what a record or a fact rests on."""


def assert_left(rest: pl.DataFrame, said: Iterable[Line]) -> pl.DataFrame:
    """What is left are the records of what is said; gives these.

    Only where they stand in their file may differ: in the last world, in which most is said before
    and after, tests show that nothing hangs on it. Of equal records the same is made.
    """
    never, drop = records(said), RECORDS.processing
    assert_frame_equal(rest.drop(drop), never.drop(drop), check_exact=True)
    return never


def test_deleting_a_record_equals_never_having_seen_it(built: Build) -> None:
    for said in WORLDS:
        every = records(said)
        tables = built(every, REMEMBERED)
        # What else is said is the same in all of them: it goes once.
        goes = said if said == WORLDS[-1] else [line for line in said if line[1] in FACTS.values()]
        for gone in goes:
            (row,) = (
                tables["raw_logs"]
                .filter(text=gone[1], conversation_id=f"talk-{gone[0]}")
                .to_dicts()
            )
            rest = left(every, tables, "record", row["record_id"])
            assert rest.height == every.height - 1
            never = assert_left(rest, [line for line in said if line != gone])
            # The first line of a file goes: all others stand elsewhere in it.
            if said == WORLDS[-1] and gone == said[0]:
                assert_equal(built(rest, LAST), built(never, LAST))


@pytest.mark.parametrize("name", FACTS)
def test_deleting_a_fact_takes_its_statement_from_everywhere(name: str, built: Build) -> None:
    other = next(text for text in FACTS.values() if text != FACTS[name])
    for said in WORLDS:
        every = records(said)
        tables = built(every, REMEMBERED)
        never = [line for line in said if line[1] != FACTS[name]]
        facts = tables["memory"].filter(content=FACTS[name])["fact_id"].to_list()
        assert facts
        for fact in facts:
            rest = left(every, tables, "fact", fact)
            left_over = assert_left(rest, never)
            if said == WORLDS[-1]:
                without = built(left_over, LAST)
                assert_equal(built(rest, LAST), without)
                assert FACTS[name] not in str(without["raw_logs"]["text"].to_list())
                stands = without["memory"].filter(content=other)
                assert stands.height
                assert stands["valid_to"].null_count() == stands.height, "nothing ends it any more"


def test_a_conversation_is_forgotten_with_what_it_says_later(means: StageContext) -> None:
    said = lines("1", "2")
    every = records(said)
    tables = build(every, means, until="candidates")
    heads = placed(every.select(HEAD_COLUMNS), POLICY)
    heads = heads.join(every.select("record_key", "source_file"), on="record_key")
    asked = {table.name: tables.get(table.name, table.empty()).lazy() for table in READS}
    rests = resting("conversation", ["talk-1"], heads, asked, POLICY)
    stone = Tombstone("t", digests=tuple(digests(rests.lines, KEY, sessions=True)))
    grown = records([*said, ("1", "I moved again.")])
    rest = grown.filter(~forgotten(grown, [stone], KEY))
    assert set(rest["thread"]) == {"talk-2"}
    other = grown.with_columns(namespace=pl.lit("other"))
    assert not forgotten(other, [stone], KEY).any(), "one never forgets for another"
    assert not forgotten(grown, [stone], b"another" * 4).any()


def test_of_a_namespace_goes_what_happened_until_then() -> None:
    every = records(lines("1", "2"))
    stone = Tombstone("t", "namespace", ("n",), until="2026-02-03T00:00:00+00:00")
    gone = forgotten(every, [stone], None)
    assert set(every.filter(gone)["thread"]) == {"talk-1"}
    undated = every.with_columns(occurred_at=pl.lit(None, RECORDS.schema["occurred_at"]))
    assert forgotten(undated, [stone], None).all()
    named = Tombstone(
        "t", "namespace", ("n",), digests=tuple(digests(undated.head(1), KEY)),
        until="2026-02-03T00:00:00+00:00", undated=False,
    )  # fmt: skip
    assert forgotten(undated, [named], KEY).to_list() == [True] + [False] * (undated.height - 1)


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ('{"event_id": "e", "type": "tombstone", "ids": ["r_1"], "thing": "record"}', True),
        ('{"event_id": "e", "type": "note", "text": "tombstone"}', False),
        ('{"event_id": "e", "type": "tombstone", "digests": 3}', False),
        ('{"event_id": "e", "type": "tombst', False),
    ],
)
def test_what_is_a_tombstone(line: str, is_one: bool) -> None:
    assert (tombstone_of(line.encode()) is not None) == is_one


def test_what_was_told_of_an_entity_goes_under_each_name_that_it_has_now(
    means: StageContext,
) -> None:
    item = {"effect_id": "n_1", "entity_id": "e_stands", "text": "Learned 1 new fact about bees"}
    event = {"event_id": "e", "type": "receipt", "at": "2026-02-03T10:00:00Z",
             "effect": "notification", "item": item}  # fmt: skip
    every = read_records(
        f"{json.dumps(event)}\n".encode(), namespace="n", source_file="inbox.jsonl",
        timezone="UTC", seen_at=SEEN_AT, redactor=None,
    ).records  # fmt: skip
    tables = build(every, means, until="raw_logs")
    entity = {"namespace": "n", "type": "topic", "name": "bees", "display_name": "bees",
              "aliases": [], "mentions": 1, "facts": 0, "introduced_by": "r", "active_facts": 0,
              "confidence": 0.5, "canonical_id": "e_stands"}  # fmt: skip
    tables["memory_entities"] = MEMORY_ENTITIES.frame(
        entity | {"entity_id": id_} for id_ in ("e_stands", "e_merged")
    )
    assert left(every, tables, "entity", "e_stands").is_empty()
    assert left(every, tables, "entity", "e_merged").is_empty()
    assert left(every, tables, "entity", "e_other").height == 1
