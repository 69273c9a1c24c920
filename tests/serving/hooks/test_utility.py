"""What came of what hooks offered, on every surface."""

from pathlib import Path

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
