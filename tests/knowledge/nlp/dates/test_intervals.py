"""The time that a statement gives for itself: strict, since a wrong date hides a fact."""

from datetime import UTC, datetime

import pytest

from cairn.knowledge.nlp.dates.intervals import stated_time


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None


@pytest.mark.parametrize(
    ("said", "start", "end", "rest"),
    [
        ("I live in Rome since March 2024.", "2024-03-01", None, "I live in Rome"),
        ("I live in Rome since 2024-03-05", "2024-03-05", None, "I live in Rome"),
        ("As of May 3rd, 2026, the default branch is trunk.", "2026-05-03", None,
         "the default branch is trunk."),
        ("From 2026-12-01 on, we use uv.", "2026-12-01", None, "we use uv."),
        ("I lived in Bonn until May 2025.", None, "2025-05-01", "I lived in Bonn"),
        ("The licence is valid through 31 December 2026.", None, "2027-01-01",
         "The licence is valid"),
        ("I lived in Bonn from March 2020 to 2025-05-10.", "2020-03-01", "2025-05-11",
         "I lived in Bonn"),
        ("I lived in Bonn from December 2020 through December 2021.", "2020-12-01", "2022-01-01",
         "I lived in Bonn"),
    ],
)  # fmt: skip
def test_dates_that_say_when_it_holds(said, start, end, rest):
    found = stated_time(said)
    assert (found.start, found.end, found.rest) == (at(start), at(end), rest)


@pytest.mark.parametrize(
    "said",
    [
        "I live in Rome since last summer.",
        "I live in Rome since 2019.",
        "I may move since 3000 people did.",
        "The logs from 2024-03-01 to 2024-03-05 are missing.",
        "The certificate expires on 2026-05-01.",
        "We do not deploy until 2026-05-01.",
        "Do we use uv since March 2024?",
        "I live in Rome since 2024-02-31.",
        "I lived there from May 2025 to March 2024.",
        "Release 2024-03-01 is broken",
    ],
)
def test_dates_that_say_something_else(said):
    assert stated_time(said) == (None, None, said)
