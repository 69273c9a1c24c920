"""What a person decides on the command line, noted and then applied by the graph."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner
from polars.testing import assert_frame_equal

from cairn.knowledge.schema.tables import FACT_SOURCES, MEMORY
from cairn.resources.context import State, open_state
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source
from cairn.serving.cli.review_output import decide_on
from cairn.serving.query import listing
from cairn.serving.query.review.pairs import pairs
from cairn.serving.retrieval.open_memory import Memory
from tests.homes import copy_home
from tests.journeys.running import assert_as_built, follow
from tests.serving.conftest import Ask

SAID = {
    "pnpm": "I use pnpm for the shop, never npm.",
    "web": "I use pnpm for the web shop, never npm.",
    "tea": "I prefer tea over coffee in the afternoon.",
    "always": "I always use the old NAS for the backup.",
    "never": "I never use the old NAS for the backup.",
}
COFFEE = "I prefer coffee over tea in the afternoon."


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which all that is said has been taken in; it is copied, and not changed."""
    place = tmp_path_factory.mktemp("told")
    state, logs = State(open_home(place / "home"), Settings()), place / "logs"
    logs.mkdir()
    add_source(state.home, logs, "default")
    for number, (name, text) in enumerate(SAID.items(), 1):
        line = {"conversation_id": name, "role": "user", "content": text, "name": "Nadia",
                "timestamp": f"2026-03-0{number}T10:00:00Z"}  # fmt: skip
        (logs / f"{name}.jsonl").write_text(json.dumps(line) + "\n")
    follow(state)
    return state.home.root


@pytest.fixture
def state(told: Path, tmp_path: Path) -> State:
    """What was told, to be decided on."""
    return State(open_home(copy_home(told, tmp_path / "home")), Settings())


def test_decisions_are_noted_applied_shown_and_kept_when_all_is_made_anew(
    state: State, run_cairn: Ask
) -> None:
    def cairn(*arguments: str) -> Any:
        told = run_cairn("--home", state.home.root, *arguments, "--json")
        assert told.code == 0, told.err
        return told.json

    def found(query: str) -> set[str]:
        return {row["text"] for row in cairn("search", query, "--type", "facts")["results"]}

    def facts() -> dict[str, dict[str, Any]]:
        return {row["content"]: row for row in cairn("facts", "--events")["items"]}

    ids = {name: facts()[text]["fact_id"] for name, text in SAID.items()}
    waiting = cairn("review")["items"]["pairs"]["rows"]
    assert {row["verdict"] for row in waiting} == {"unsure", "opposite"}
    assert facts()[SAID["always"]]["confidence"] < 0.5

    noted = cairn("merge", ids["pnpm"][:9], ids["web"], "--into", ids["web"], "--reason", "one")
    assert noted["applied"] == "at the next run: cairn run"
    cairn("keep-apart", ids["always"], ids["never"])
    assert cairn("review")["items"]["pairs"]["total"] == 0, "what was decided waits no more"
    cairn("correct", ids["tea"], COFFEE)
    assert facts()[SAID["tea"]]["status"] == "active", "nothing changes before the next run"
    follow(state)
    now = facts()
    assert now[SAID["pnpm"]]["merged_into"] == ids["web"]
    assert now[SAID["always"]]["confidence"] > 0.75
    assert (now[SAID["tea"]]["status"], now[COFFEE]["status"]) == ("retracted", "active")
    assert found("coffee or tea in the afternoon") == {COFFEE}
    shown = cairn("show", ids["pnpm"])
    assert [row["decision_id"] for row in shown["decisions"]] == [noted["decision_id"]]
    assert shown["merges"][0]["reason"] == "a person decided: one"
    assert cairn("show", noted["decision_id"])["record"]["kind"] == "decision"
    assert cairn("show", now[COFFEE]["fact_id"])["corrected"][0]["content"] == SAID["tea"]
    then = run_cairn("--home", state.home.root, "facts", "--as-of", "2026-03-04", "--json")
    assert {row["status"] for row in then.json["items"]} == {"active"}, "nothing was decided then"

    refused = run_cairn("--home", state.home.root, "merge", ids["pnpm"], ids["web"])
    assert "are merged already" in refused.err
    cairn("unmerge", ids["web"])
    cairn("retract", ids["never"])
    cairn("confirm", ids["tea"])
    follow(state)
    now = facts()
    assert now[SAID["pnpm"]]["status"] == now[SAID["web"]]["status"] == "active"
    assert now[SAID["never"]]["status"] == "retracted"
    assert (now[SAID["tea"]]["status"], COFFEE in now) == ("active", False)
    assert now[SAID["tea"]]["confidence"] > 0.85
    nas = found("which NAS is for the backup")
    assert SAID["always"] in nas
    assert SAID["never"] not in nas

    assert_as_built(state, MEMORY.name)


def test_what_is_undone_is_as_if_nobody_had_decided_it(state: State, run_cairn: Ask) -> None:
    def cairn(*arguments: str) -> Any:
        told = run_cairn("--home", state.home.root, *arguments, "--json")
        assert told.code == 0, told.err
        return told.json

    def memory() -> pl.DataFrame:
        return (
            state.warehouse.read(MEMORY).collect().sort("fact_id").drop("updated_at", strict=False)
        )

    ids = {row["content"]: row["fact_id"] for row in cairn("facts", "--events")["items"]}
    before, asked = memory(), cairn("review")["items"]["pairs"]["total"]
    pair = [ids[SAID[one]] for one in ("always", "never")]
    apart = cairn("keep-apart", *pair)["decision_id"]
    assert cairn("review")["items"]["pairs"]["total"] == asked - 1
    (waits,) = cairn("query", "decisions")["waiting"]
    assert (waits["record_id"], cairn("review")["waiting"][0]["record_id"]) == (apart, apart)
    for list_ in (("query", "decisions"), ("review",)):
        assert apart in run_cairn("--home", state.home.root, *list_).out
    listed = run_cairn("--home", state.home.root, "query", "decisions").out
    assert "0, and 1 waits for the next run" in listed
    undo = cairn("undo", apart)["decision_id"]
    assert cairn("review")["items"]["pairs"]["total"] == asked, "it waits, and so does its undo"
    cairn("undo", undo)
    assert cairn("review")["items"]["pairs"]["total"] == asked - 1, "an undo is undone alike"
    gone = [cairn("retract", ids[SAID["tea"]])["decision_id"]]
    gone.append(cairn("correct", ids[SAID["pnpm"]], COFFEE)["decision_id"])
    follow(state)
    assert not memory().equals(before)

    told = run_cairn("--home", state.home.root, "undo", apart[:9], *gone, "--reason", "a slip")
    assert "Decisions of default, to be undone, as if nobody had decided so:" in told.out
    refused = run_cairn("--home", state.home.root, "undo", apart)
    assert (refused.code, f"{apart} is undone; `cairn " in refused.err) == (1, True)
    follow(state)
    assert_frame_equal(memory(), before)
    held = {row["decision_id"]: row["holds"] for row in cairn("query", "decisions")["items"]}
    assert [held[one] for one in (apart, *gone)] == [False] * 3
    assert cairn("review")["items"]["pairs"]["total"] == asked
    unknown = run_cairn("--home", state.home.root, "undo", ids[SAID["tea"]])
    assert (unknown.code, "no decision has the id f_" in unknown.err) == (1, True)


def test_review_asks_about_one_pair_after_the_other(state: State, run_cairn: Ask) -> None:
    pair, other = pairs(state, None).to_dicts()
    with CliRunner().isolation(input="u\nr\nu\nk\nl\n") as (out, _, _):
        decide_on(state, None, 20)
    told = out.getvalue().decode()
    assert "'u' is not one of" in told, "there is nothing to undo yet"
    assert "2 decisions noted; applied at the next run" in told
    assert told.count(pair["left"]) == 2, "what was undone is asked again"
    events = [
        json.loads(line)
        for file in state.home.inbox.rglob("*.jsonl")
        for line in file.read_text().splitlines()
    ]
    assert [event["type"] for event in events] == ["retract", "undo", "keep_apart", "retract"]
    assert [one["id"] for one in events[3]["meant"]] == [other["left_id"]]
    no_terminal = run_cairn("--home", state.home.root, "review", "--decide")
    assert (no_terminal.code, "terminal" in no_terminal.err) == (2, True)


@pytest.fixture(scope="module")
def known(home: Path) -> dict[str, str]:
    """What the samples have of each kind that a command may name."""
    reader = Memory(open_state(home)).reader()
    facts = listing.facts(reader, listing.FactFilter(entity="lantern-shop")).rows
    fact = next(row for row in facts if row["predicate"] == "states")
    (tool, *_) = listing.facts(reader, listing.FactFilter(predicate="used_tool")).rows
    said_by = reader.table(FACT_SOURCES).filter(fact_id=fact["fact_id"]).collect()
    return {
        "fact": fact["fact_id"], "text": fact["content"].upper(), "entity": fact["entity_id"],
        "other": listing.entities(reader).rows[-1]["entity_id"],
        "tool": tool["fact_id"], "record": said_by["record_id"][0],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("merge", "f_nowhere", "f_neither"), "has the id f_nowhere"),
        (("merge", "{fact}"), "two ids or more"),
        (("merge", "{fact}", "{fact}"), "is named twice"),
        (("merge", "{entity}", "--into", "{other}"), "--into is for facts"),
        (("keep-apart", "{fact}", "{entity}"), "cannot be one"),
        (("retract", "{entity}"), "only facts are retracted"),
        (("confirm", "{record}"), "only facts are confirmed"),
        (("merge", "{record}", "{fact}"), "only facts and entities are"),
        (("unmerge", "{tool}"), "is not merged with anything"),
        (("correct", "{fact}", "{text}"), "says just that"),
        (("correct", "{fact}", " ?! "), "says nothing"),
        (("correct", "{fact}", "x" * 301), "300 at most"),
        (
            ("retract", "{fact}", "--reason", "x" * 301),
            "reason has 301 characters; 300 at most",
        ),
        (("correct", "{fact}", "ghp_" + "a1B2" * 9), "says nothing"),
        (("correct", "{tool}", "Zsh"), "was observed"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_what_cannot_be_decided_is_refused_and_not_noted(
    ask: Ask, home: Path, known: dict[str, str], arguments: tuple[str, ...], said: str
) -> None:
    told = ask(*(argument.format(**known) for argument in arguments))
    assert told.code == 1
    assert said in told.err
    assert len(told.err.splitlines()) == 1
    assert not list((home / "inbox").glob("samples/*"))


def test_a_corrected_text_is_told_as_it_is_kept(ask: Ask, home: Path) -> None:
    facts = ask("facts", "--entity", "lantern-shop", "--json").json["items"]
    fact = next(row["fact_id"] for row in facts if row["predicate"] == "states")
    secret = "ghp_" + "a1B2" * 9
    told = [ask("correct", fact, f"The token is {secret}.", *form) for form in ((), ("--json",))]
    (inbox,) = (home / "inbox").glob("samples/*")
    assert all("[redacted:" in one.out for one in told)
    assert secret not in "".join([*(one.out for one in told), inbox.read_text()])
    inbox.unlink()


def test_where_nothing_is_published_nothing_is_decided(tmp_path: Path, run_cairn: Ask) -> None:
    told = run_cairn("--home", tmp_path / "home", "retract", "f_1c0ad2398567ecbb")
    assert told.code == 1
    assert "nothing is published" in told.err
