"""No command that reads one namespace says a word of another."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cairn.knowledge.schema.tables import TABLES
from cairn.resources.context import open_state
from cairn.serving.cli.main import COMMANDS
from cairn.serving.query import listing
from cairn.serving.read.reader import Reader
from cairn.serving.retrieval.open_memory import Memory
from tests.homes import copy_home
from tests.serving.conftest import Answer, Ask
from tests.serving.two_namespaces import SAID, words

READING: dict[str, Sequence[str]] = {
    "search": ("build fails cache", "--type", "all", "--min-confidence", "0"),
    "context": ("why does the build fail?", "--turn", "the cache is stale"),
    "memory": (),
    "facts": ("--events",),
    "learnings": (),
    "brief": (),
    "lesson": ("--error", "error: the cache of the build is stale"),
    "entities": (),
    "query": ("recent",),
    "interests": (),
    "utility": (),
    "check-ins": (),
    "learn": (),
    "schedule": (),
    "research": (),
    "notifications": (),
    "review": (),
    "prompts": (),
    "costs": (),
    "metrics": (),
    "dead-letters": (),
    "runs": (),
    "stale": (),
}
"""Commands that take a namespace → what they are asked about all that it holds."""

BY_ID = (
    "forget",
    "mute",
    "unmute",
    "why",
    "show",
    "confirm",
    "retract",
    "correct",
    "merge",
    "keep-apart",
    "unmerge",
    "undo",
    "dismiss",
    "rate",
    "missed",
)
"""Commands that take ids of things."""

WORKING = {"backfill"}
"""Commands that make one namespace anew."""

OF_THE_HOME = {
    "run", "ingest", "status", "sources", "dry-run", "doctor", "config", "ui", "up", "serve", "mcp",
    "keys", "like", "unlike", "dislike", "undislike", "upgrade", "connect", "intake",
    "verify", "embedder", "export", "import",
}  # fmt: skip
"""Commands of who runs it: they tell of the home, or write for a namespace that is named."""

OTHER = {"ada": "bo", "bo": "ada"}


@pytest.fixture(scope="module")
def place(two_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_home(two_home, tmp_path_factory.mktemp("commands") / "home")


@pytest.fixture(scope="module")
def readers(place: Path) -> dict[str, Reader]:
    memory = Memory(open_state(place))
    return {name: memory.reader(name) for name in SAID}


@pytest.fixture(scope="module")
def theirs(readers: dict[str, Reader]) -> dict[str, str]:
    """An id of each kind of thing of bo's."""
    reader = readers["bo"]
    return {
        "fact": listing.facts(reader).rows[0]["fact_id"],
        "learning": listing.learnings(reader).rows[0]["learning_id"],
        "entity": listing.entities(reader).rows[0]["entity_id"],
        "episode": listing.episodes(reader).rows[0]["episode_id"],
    }


def said(answer: Answer) -> str:
    return answer.out + answer.err


def test_every_command_is_looked_at() -> None:
    assert {*READING, *BY_ID, *WORKING, *OF_THE_HOME} == set(COMMANDS)


@pytest.mark.parametrize("name", SAID)
@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize("command", READING)
def test_it_sees_its_own_alone(
    command: str, form: tuple[str, ...], name: str, place: Path, run_cairn: Ask
) -> None:
    told = run_cairn("--home", place, command, *READING[command], "--namespace", name, *form)
    assert told.code == 0, told.err
    assert [word for word in words(OTHER[name]) if word in said(told)] == []
    if command in ("search", "facts", "learnings", "memory", "context", "entities", "interests"):
        assert any(word in said(told) for word in words(name)), "and it does see that"


@pytest.mark.parametrize("kind", ["fact", "learning", "entity", "episode"])
@pytest.mark.parametrize("command", BY_ID)
def test_an_id_of_another_is_not_there(
    command: str, kind: str, place: Path, theirs: dict[str, str], run_cairn: Ask
) -> None:
    id_ = theirs[kind]
    more: dict[str, Sequence[str]] = {
        "correct": ("No.",), "merge": (id_,), "keep-apart": (id_,), "rate": ("up",),
        "missed": ("It is so.",),
    }  # fmt: skip
    before = _inbox(place)
    told = run_cairn("--home", place, command, id_, *more.get(command, ()), "--namespace", "ada")
    assert told.code != 0
    assert [word for word in words("bo") if word in said(told)] == []
    assert _inbox(place) == before, "and nothing is decided"


def test_a_backfill_of_one_leaves_the_other_as_it_is(
    two_home: Path, tmp_path: Path, run_cairn: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = copy_home(two_home, tmp_path / "home")
    monkeypatch.setenv("CAIRN_POLICY__EPISODE_TEXT_CHARACTERS", "700")

    def stale(*asked: str) -> dict[str, Any]:
        told = run_cairn("--home", place, "stale", "--json", *asked)
        assert told.code == 0, told.err
        return told.json

    before = stale()
    days = {name: own["stale_days"] for name, own in before["namespaces"].items()}
    assert days == {"ada": before["stale_days"], "bo": before["stale_days"]}
    of_ada, of_both = (
        next(change for change in found["changes"] if change["name"] == "raw_logs")
        for found in (stale("--namespace", "ada"), before)
    )
    assert of_both["days"] == 2 * of_ada["days"] > 0
    assert of_both["rows"] > of_ada["rows"] > 0
    listed = run_cairn("--home", place, "stale").out.splitlines()
    assert [line.split()[0] for line in listed if line.startswith(("ada ", "bo "))] == ["ada", "bo"]

    warehouse = open_state(place).warehouse
    others = {name: warehouse.of("bo").version(table) for name, table in TABLES.items()}
    done = run_cairn("--home", place, "backfill", "--stale", "--namespace", "ada", "--json")
    assert done.code == 0, done.err
    assert {row["stage"]: row for row in done.json["stages"]}["raw_logs"]["rows_in"] > 0
    warehouse = open_state(place).warehouse
    assert {name: warehouse.of("bo").version(table) for name, table in TABLES.items()} == others
    left = stale()["namespaces"]
    assert (left["ada"]["changes"], left["bo"]["stale_days"]) == ([], days["bo"])


@pytest.mark.parametrize("command", [("stale",), ("backfill", "--stale")])
def test_an_unknown_namespace_is_refused(
    command: tuple[str, ...], place: Path, run_cairn: Ask
) -> None:
    told = run_cairn("--home", place, *command, "--namespace", "nobody")
    assert (told.code, told.out) == (1, "")
    assert told.err.rstrip().endswith("nothing is there for namespace 'nobody'")


def _inbox(place: Path) -> list[Any]:
    files = sorted((place / "inbox").rglob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]
