"""What came of what hooks offered, on every surface."""

from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from cairn.resources.context import State, open_state
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.serving.http.app import create_app
from cairn.serving.knowledge_layers.knowledge import Knowledge
from cairn.serving.models.answers import Utility
from cairn.serving.retrieval.open_memory import Memory
from tests.journeys.running import follow
from tests.serving.conftest import Ask
from tests.serving.hooks.conftest import Hook
from tests.serving.hooks.payloads import started


def test_all_surfaces_tell_the_same_of_offers(own_home: Path, hook: Hook, run_cairn: Ask) -> None:
    for number in range(3):
        hook(own_home, started("claude-code", f"s-{number}", "/home/ada/code/orchard"))
    follow(State(open_home(own_home), Settings()).of("ada"))
    asked = ("--home", own_home, "utility", "--namespace", "ada", "--limit", "2", "--json")
    told = run_cairn(*asked).json
    assert told["pieces"] > 2 == len(told["top"])
    assert told["kinds"]
    assert all(row["text"] and row["offered"] == 3 for row in told["top"])
    client = TestClient(create_app(Memory(open_state(own_home))), base_url="http://127.0.0.1")
    assert client.get("/v1/utility?namespace=ada&limit=2").json() == told
    query = ("query", "utility", "--namespace", "ada", "--limit", "2", "--json")
    assert run_cairn("--home", own_home, *query).json == told
    with Knowledge.open(own_home, "ada") as knowledge:
        by_library = knowledge.utility(2)
    assert Utility.model_validate(by_library).model_dump(mode="json") == told


def test_what_is_muted_is_told_to_no_agent_until_it_is_no_more(
    samples_home: Path, hook: Hook, run_cairn: Ask
) -> None:
    own = State(open_home(samples_home), Settings()).of("samples")

    def cairn(*said: str) -> Any:
        told = run_cairn("--home", samples_home, *said, "--json")
        assert told.code == 0, told.err
        return told.json

    def lines(*more: str) -> dict[str, str]:
        of = cairn("brief", "harbor-backup", "--budget", "4000", *more)["lines"]
        return {one["id"]: one["text"] for one in of}

    def told_by_hook(text: str) -> bool:
        began = (
            started("claude-code", f"s-{n}", "/home/mira/code/harbor-backup") for n in range(3)
        )
        return any(text in hook(samples_home, one, namespace="samples").text for one in began)

    before = lines()
    practice = next(id_ for id_ in before if id_.startswith("w_"))
    fact = next(id_ for id_, text in before.items() if text.startswith("The log is in"))
    asked = "Where is the log of the backup, nightly.log?"
    assert told_by_hook(before[practice])
    assert fact in [one["id"] for one in cairn("context", asked)["found"]]

    assert cairn("mute", practice[:9])["topic"] == practice
    cairn("mute", fact)
    follow(own)
    muted = {practice, fact}
    assert lines() == {id_: text for id_, text in before.items() if id_ not in muted}
    assert practice in lines("--as-of", "2026-03-31"), "then nobody had muted it"
    assert practice not in lines("--as-of", "2027-12-31")
    assert not told_by_hook(before[practice])
    assert fact not in [one["id"] for one in cairn("context", asked)["found"]]
    assert fact in str(cairn("search", asked)), "who asks is answered"
    assert {one["piece_id"] for one in cairn("utility")["muted"]} == muted

    cairn("unmute", practice)
    follow(own)
    assert lines() == {id_: text for id_, text in before.items() if id_ != fact}
    assert told_by_hook(before[practice])
    for said, why in (("w_0000000000", "has the id"), ("nothing here", "no entity is called")):
        refused = run_cairn("--home", samples_home, "mute", said)
        assert refused.code == 1
        assert why in refused.err
