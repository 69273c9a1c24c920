"""A wrong clock: which times are believed follows from the logs, however they came."""

import json
import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from cairn.knowledge.engine.work import day_units
from cairn.knowledge.ingest.dating import dated, told_times
from cairn.knowledge.ingest.events import HEAD_COLUMNS, placed
from cairn.knowledge.ingest.records import read_records
from cairn.knowledge.schema.calendar import watermark
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import RECORDS

DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
BEFORE = datetime(2020, 1, 1, tzinfo=UTC)
"""When a machine whose clock was behind read them."""

YEAR = 365.25
Lines = Sequence[Mapping[str, object]]


def session(name: str, *days: float, start: datetime = DAY) -> list[dict[str, object]]:
    """Lines of an agent's session, one at each of these days after the start."""
    return [
        {
            "type": "user", "sessionId": name, "uuid": f"{name}-{place}", "cwd": "/srv/app",
            "timestamp": (start + timedelta(days=day)).isoformat().replace("+00:00", "Z"),
            "message": {"role": "user", "content": f"line {place} of {name}"},
        }
        for place, day in enumerate(days)
    ]  # fmt: skip


def chat(name: str, *days: float) -> list[dict[str, object]]:
    """Lines of a channel, which has no end."""
    return [
        {"role": "user", "content": f"{name} {place}", "id": f"{name}-{place}",
         "timestamp": (DAY + timedelta(days=day)).isoformat()}
        for place, day in enumerate(days)
    ]  # fmt: skip


def records(*files: Lines, seen_at: datetime = BEFORE) -> pl.DataFrame:
    read = [
        read_records(
            b"".join(json.dumps(line).encode() + b"\n" for line in lines), namespace="n",
            source_file=f"{number}.jsonl", timezone="UTC", seen_at=seen_at, redactor=None,
        ).records
        for number, lines in enumerate(files)
    ]  # fmt: skip
    return pl.concat([RECORDS.empty(), *read]).unique("record_key", keep="first")


def undated(*files: Lines) -> list[int]:
    """How many lines of each file have no time."""
    found = dated(records(*files).select(HEAD_COLUMNS), Policy())
    without = found.filter(pl.col("occurred_at").is_null())
    ids = [[str(line.get("uuid") or line["id"]) for line in lines] for lines in files]
    return [without.filter(pl.col("native_id").is_in(own)).height for own in ids]


HOURS = [hour / 24 for hour in range(8)]
USUAL = [session(f"s{day}", *(day + hour for hour in HOURS)) for day in range(5)]

CASES: dict[str, tuple[list[Lines], list[int]]] = {
    "a clock that is behind dates all": (USUAL, [0] * 5),
    "one line of 2099 in a session": ([*USUAL, session("x", 0, 73 * YEAR, 1, 2)], [0] * 5 + [1]),
    "the first line of a session": ([session("x", 73 * YEAR, 0, 1, 2)], [1]),
    "the last line of a session": ([session("x", 0, 1, 2, 73 * YEAR)], [1]),
    "one line of 2099 in a channel": ([chat("c", 0, 1, 73 * YEAR, 2)], [1]),
    "a session that leaps for a while": ([session("x", 0, 1, 2, 2 * YEAR, 2 * YEAR, 3)], [2]),
    "a file ten years ahead": ([*USUAL, session("x", *(10 * YEAR + h for h in HOURS))],
                               [0] * 5 + [8]),
    "both": ([*USUAL, session("x", 0, 3 * YEAR, 0.1, 0.2), session("y", 10 * YEAR)],
             [0] * 5 + [1, 1]),
    "never expires": ([[*session("x", 0), {**session("x", 0, 0)[1],
                        "timestamp": "9999-12-31T23:59:59Z"}]], [1]),
    "alone, it is believed": ([session("x", 10 * YEAR)], [0]),
    "half a day ahead": ([*USUAL, session("x", 4.9, 5.4, 5.0)], [0] * 6),
    "a month ahead": ([*USUAL, session("x", 34, 35)], [0] * 6),
    "a pause of seven years": ([session("x", 0, 1, 2), session("y", 7 * YEAR)], [0, 0]),
    "a pause of ten years and a return": (
        [*(session(f"a{n}", n) for n in range(20)),
         *(session(f"b{n}", 10 * YEAR + n) for n in range(8))], [0] * 28),
    "a channel after two years": ([chat("c", 0, 1, 2, 3, 2 * YEAR)], [0]),
    "a session resumed, and others since": (
        [session("x", 0, 1, 2, 2 * YEAR), session("y", 2 * YEAR)], [0, 0]),
    "a session that never ends": ([session("x", *range(0, 900, 90))], [0]),
    "one old line does not doubt the rest": ([session("x", -5 * YEAR, 0, 0.1)], [0]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_believed(name: str) -> None:
    files, expected = CASES[name]
    assert undated(*files) == expected


def test_the_watermark_stays_where_the_logs_are() -> None:
    wrong = [session("x", 0, 73 * YEAR, 1), session("y", 12 * YEAR)]
    heads = records(*USUAL, *wrong).select(HEAD_COLUMNS)
    assert watermark(placed(heads, Policy())) == DAY + timedelta(days=4 + HOURS[-1])


@settings(max_examples=40)
@given(data=st.data())
def test_the_same_records_are_dated_the_same_in_any_order_and_however_split(
    data: st.DataObject,
) -> None:
    files, _ = CASES[data.draw(st.sampled_from(sorted(CASES)))]
    whole = dated(records(*files).select(HEAD_COLUMNS), Policy())
    parts: list[Lines] = []
    for lines in files:
        cuts = data.draw(st.sets(st.integers(1, max(len(lines) - 1, 1)), max_size=2))
        parts += [lines[start:end] for start, end in pairwise([0, *sorted(cuts), None])]
    random.Random(data.draw(st.integers(0, 99))).shuffle(parts)
    columns = ["record_key", "thread", "occurred_at"]
    other = dated(records(*filter(None, parts), seen_at=DAY).select(HEAD_COLUMNS), Policy())
    assert_frame_equal(whole.select(columns).sort(columns), other.select(columns).sort(columns))


def test_a_later_import_says_which_days_are_made_again() -> None:
    """A file of a clock ahead came alone and was believed; then came the others."""
    ahead = session("x", 10 * YEAR, 10 * YEAR)

    def units(*files: Lines) -> dict[str, str]:
        where = placed(records(*files).select(HEAD_COLUMNS), Policy())
        return dict(day_units(where, "raw_logs", "").select("unit", "input_hash").iter_rows())

    alone, among = units(ahead), units(*USUAL, ahead)
    assert list(alone) == ["2036-03-01"]
    assert sorted({*among} - {*alone}) == [
        "2015-01-01", "2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05", "2026-03-06",
    ]  # fmt: skip
    assert not {*alone} & {*among}
    # A line that loses its time, in a session that keeps its day, changes that day.
    spiked = session("s0", *HOURS, 73 * YEAR)
    assert units(spiked)["2026-03-02"] != units(USUAL[0], *USUAL)["2026-03-02"]


def test_what_an_earlier_intake_left_without_a_time_tells_it_still() -> None:
    stored = records(session("x", 0, 1)).sort("occurred_at")
    zones = ["UTC", "Europe/Berlin"]
    told = told_times(["claude_code", "gone"], stored["payload"].to_list(), zones)
    assert told.to_list() == [stored["occurred_at"][0], None]
    naive = records([{"role": "user", "content": "hi", "timestamp": "2026-05-01 10:00:00"}])
    told = told_times(naive["adapter"].to_list(), naive["payload"].to_list(), ["Europe/Berlin"])
    assert told.to_list() == [datetime(2026, 5, 1, 8, tzinfo=UTC)]
