"""A night that would strike out too much is not published until somebody lets it through."""

import shutil
from pathlib import Path

from cairn.knowledge.schema.policy import Policy
from cairn.pipelines import follow as run
from cairn.pipelines.checks.retraction_guard import retraction_guard_check
from cairn.pipelines.planning.pending import is_pending
from cairn.resources.context import State
from cairn.resources.home.settings import Settings
from cairn.resources.warehouse.publication import blocked_namespaces, published
from cairn.serving.query.review.values import struck
from cairn.serving.read.reader import open_reader
from tests.journeys.running import follow
from tests.pipelines.house import House, failure, open_house, talk


def with_share(house: House, share: float) -> House:
    policy = Policy(max_retraction_ratio=share, max_retraction_count=0)
    return House(State(house.state.home, Settings(policy=policy)), house.logs, house.instance)


def statuses(house: House) -> dict[str, str]:
    facts = open_reader(house.state, "default").memory().collect()
    return dict(facts.select("content", "status").iter_rows())


def test_it_is_held_back_told_and_let_through_by_the_setting(tmp_path: Path) -> None:
    house = with_share(open_house(tmp_path), 0.2)
    talk(house.logs, 0, "I live in Berlin.", "2026-02-01T10:00:00Z")
    follow(house.state)
    before = published(house.state.home, "default")
    assert before is not None

    talk(house.logs, 1, "I live in Rome.", "2026-02-05T10:00:00Z")
    run.follow(house.state)
    assert house.tick() == "nothing new", "nothing is tried in vain"
    (why,) = blocked_namespaces(house.state.home)["default"].reasons
    assert "2 of 2 published statements (100.0%)" in why, "one about Berlin, too"
    assert "policy.max_retraction_ratio = 0.2" in why
    assert published(house.state.home, "default") == before
    assert set(statuses(house).values()) == {"active"}

    result = house.run("verify", checks=retraction_guard_check.check_keys)
    assert not result.success
    assert failure(result).strip().endswith(why)
    (check,) = result.get_asset_check_evaluations()
    assert check.metadata["retractions"].value == 2

    assert struck(house.state, None)["cause"].to_list() == ["ended", "ended"]

    let = with_share(house, 1.0)
    assert is_pending(let.state), "there is a run to start"
    run.follow(let.state)
    assert blocked_namespaces(house.state.home) == {}
    assert statuses(let) == {"I live in Berlin.": "ended", "I live in Rome.": "active"}
    assert house.tick() == "nothing new"
    assert_tables_that_are_taken_away_are_made_anew_and_published(house)


def assert_tables_that_are_taken_away_are_made_anew_and_published(house: House) -> None:
    before = statuses(house)
    for table in (house.state.home.warehouse / "default").iterdir():
        if table.name != "records":
            shutil.rmtree(table)
    anew = State(house.state.home, house.state.settings)
    follow(anew)
    assert statuses(house) == before
