"""What was true, and what was known, at a moment: one view for every reader."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from tests.journeys.running import follow
from tests.pipelines.house import House, open_house, talk
from tests.serving.conftest import Answer, Ask

BERLIN, ROME = "I live in Berlin.", "I live in Rome since 2026-03-05."
BONN = "My office was in Bonn until May 2025."
SOON = "From 2026-12-01 on, my moving day is 3 May."
AT_ONCE = ("I live in Oslo.", "I live in Turin since 2026-03-05.")
"""What another one says at the same moment."""
SYSTEM = "We run everything on k8s at home."
TALKS = [
    (BERLIN, "2026-02-01T10:00:00Z"),
    (BONN, "2026-02-10T10:00:00Z"),
    (ROME, "2026-03-20T10:00:00Z"),
    (SOON, "2026-03-21T10:00:00Z"),
    (SYSTEM, "2026-02-12T10:00:00Z"),
    ("Is Kubernetes slow on an old laptop?", "2026-03-18T10:00:00Z"),
    ("Does Kubernetes need 4 GB?", "2026-03-19T10:00:00Z"),
]


@pytest.fixture(scope="module")
def talked(tmp_path_factory: pytest.TempPathFactory) -> House:
    house = open_house(tmp_path_factory.mktemp("talks"), dg.DagsterInstance.ephemeral())
    for number, (text, at) in enumerate(TALKS):
        talk(house.logs, number, text, at)
    both = [talk(house.logs, 20 + number, text, "2026-02-01T10:00:00Z")
            for number, text in enumerate(AT_ONCE)]  # fmt: skip
    for path in both:
        path.write_text(path.read_text().replace("Mira", "Ada").replace("talk-21", "talk-20"))
    follow(house.state)
    return house


@pytest.fixture
def cairn(talked: House, run_cairn: Ask) -> Callable[..., Answer]:
    return lambda *arguments: run_cairn("--home", talked.state.home.root, *arguments)


def statuses(cairn: Ask, *options: str) -> dict[str, str]:
    listed = cairn("facts", "--predicate", "states", "--entity", "Mira", *options, "--json").json
    return {row["content"]: row["status"] for row in listed["items"] if row["content"] != SYSTEM}


def found(cairn: Ask, query: str, *options: str) -> set[str]:
    results = cairn("search", query, "--type", "facts", *options, "--json").json["results"]
    return {row["text"] for row in results}


def test_by_default_what_is_over_has_ended_and_what_is_to_come_is_not_yet(cairn: Ask) -> None:
    assert statuses(cairn) == {
        BERLIN: "ended", BONN: "ended", ROME: "active", SOON: "not_yet",
    }  # fmt: skip
    assert statuses(cairn, "--as-of", "2026-12-02")[SOON] != "not_yet"


def test_as_of_is_what_was_known_then(cairn: Ask) -> None:
    assert statuses(cairn, "--as-of", "2026-03-10") == {BERLIN: "active", BONN: "ended"}
    assert statuses(cairn, "--as-of", "2026-02-05") == {BERLIN: "active"}


def test_as_of_a_moment_entities_are_one_that_were_known_to_be(cairn: Ask) -> None:
    def about(*options: str) -> list[str]:
        listed = cairn("facts", "--entity", "k8s", *options, "--json").json["items"]
        return [row["entity"] for row in listed if row["content"] == SYSTEM]

    assert about() == ["kubernetes"]
    assert about("--as-of", "2026-03-10") == ["k8s"]


def test_true_at_is_what_is_known_now_of_then(cairn: Ask) -> None:
    assert statuses(cairn, "--true-at", "2026-03-04").keys() == {BERLIN}
    assert statuses(cairn, "--true-at", "2026-03-10").keys() == {ROME}
    assert statuses(cairn, "--true-at", "2025-01-01").keys() == {BONN}


def test_both_together_are_what_was_known_then_of_another_time(cairn: Ask) -> None:
    then = ("--true-at", "2026-03-06", "--as-of", "2026-03-10")
    assert statuses(cairn, *then).keys() == {BERLIN}, "Rome was not heard of yet"


def test_search_finds_what_holds_at_the_same_moment(cairn: Ask) -> None:
    assert found(cairn, "where do I live") & {BERLIN, ROME} == {ROME}
    assert found(cairn, "where do I live", "--as-of", "2026-03-10") & {BERLIN, ROME} == {BERLIN}
    assert found(cairn, "where do I live", "--true-at", "2026-03-04") & {BERLIN, ROME} == {BERLIN}


def test_show_tells_what_held_before_and_what_ended_it(cairn: Ask) -> None:
    listed = cairn("facts", "--predicate", "states", "--entity", "Mira", "--json").json["items"]
    ids = {row["content"]: row["fact_id"] for row in listed}
    told: dict[str, Any] = cairn("show", ids[ROME], "--json").json
    assert [(row["content"], row["valid_to"], row["ended_by"]) for row in told["values"]] == [
        (BERLIN, "2026-03-05T00:00:00+00:00", ids[ROME]),
        (ROME, None, None),
    ]
    shown = cairn("show", ids[BERLIN]).out
    assert "ended" in shown
    assert ids[ROME] in shown
    earlier = cairn("show", ids[BERLIN], "--as-of", "2026-03-10", "--json").json
    assert [row["valid_to"] for row in earlier["values"]] == [None]
    assert earlier["fact"]["status"] == "active"


def test_review_lists_values_that_are_unclear(cairn: Ask) -> None:
    (row,) = cairn("review", "--json").json["items"]["at_once"]["rows"]
    assert {row["content"], row["other"]} == {*AT_ONCE}
    assert "Two values at once" in cairn("review").out


def test_what_had_faded_comes_back_with_evidence_and_what_has_no_time_does_not_fade(
    run_cairn: Ask, tmp_path: Path
) -> None:
    house = open_house(tmp_path, dg.DagsterInstance.ephemeral())
    cairn = partial(run_cairn, "--home", house.state.home.root)
    said = "We use uv for all packages of this house."

    def fact(content: str) -> dict[str, Any]:
        rows = cairn("facts", "--json").json["items"]
        return next(row for row in rows if row["content"] == content)

    talk(house.logs, 1, said, "2026-02-12T10:00:00Z")
    talk(house.logs, 2, "I prefer tea in the morning.", "2026-06-01T10:00:00Z")
    talk(house.logs, 6, BERLIN, "")
    follow(house.state)
    before = fact(said)
    assert before["status"] == "deprecated"
    home = fact(BERLIN)
    assert (home["status"], home["confidence"]) == ("active", 0.8)
    assert found(cairn, "where do I live") == {BERLIN}
    curve = cairn("show", home["fact_id"], "--json").json["curve"]
    assert [point["confidence"] for point in curve] == [0.8]
    talk(house.logs, 3, said, "2026-06-02T10:00:00Z")
    talk(house.logs, 4, "Yes indeed, " + said.lower(), "2026-06-03T10:00:00Z")
    talk(house.logs, 5, said, "2026-06-04T10:00:00Z")
    follow(house.state)
    after = fact(said)
    assert after["confidence"] > before["confidence"]
    assert after["status"] == "active"
    told = cairn("show", after["fact_id"], "--json").json
    points = [point["confidence"] for point in told["curve"]]
    assert points[0] == 0.8
    assert min(points) < 0.3 < points[-1]
    shown = cairn("show", after["fact_id"]).out
    assert "2026-02-12" in shown
    assert "█" in shown
