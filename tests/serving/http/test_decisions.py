"""Decisions over HTTP: noted as a command notes them, shown as waiting, applied by the next run."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from cairn.knowledge.extraction.validation import LONGEST_STATEMENT
from cairn.resources.context import State, open_state
from cairn.serving.http.app import create_app
from cairn.serving.retrieval.open_memory import Memory
from cairn.serving.write.decisions import choose
from tests.homes import copy_home
from tests.journeys.running import follow
from tests.serving.http.conftest import LOCAL

Refusing = tuple[TestClient, State]
EVENT = "4f7c1fbe-0f0a-4c2e-9a0f-6d1d3c1f2b7a"


@pytest.fixture
def client(copied: State) -> Iterator[TestClient]:
    with TestClient(create_app(Memory(copied)), base_url=LOCAL) as client:
        yield client


@pytest.fixture(scope="module")
def refusing(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Refusing]:
    """The samples, of which nothing is decided: what is refused is noted nowhere."""
    state = open_state(copy_home(home, tmp_path_factory.mktemp("refusing") / "home"))
    with TestClient(create_app(Memory(state)), base_url=LOCAL) as client:
        yield client, state


def test_a_decision_waits_and_is_applied_by_the_next_run(client: TestClient, copied: State) -> None:
    fact = client.get("/v1/facts", params={"limit": 1}).json()["items"][0]
    id_ = fact["fact_id"]
    why = "a joke".ljust(LONGEST_STATEMENT, "!")
    wanted = {"decision": "retract", "ids": [id_], "reason": why, "event_id": EVENT}
    noted = client.post("/v1/decisions", json=wanted)
    assert (noted.status_code, noted.json()["will"]) == (202, "to be retracted")
    assert noted.json()["written"]
    assert not client.post("/v1/decisions", json=wanted).json()["written"], "sent twice, said once"
    for list_ in ("decisions", "review"):
        waiting = client.get(f"/v1/{list_}").json()["waiting"]
        assert [(one["verb"], one["ids"]) for one in waiting] == [("retract", [id_])]
    follow(copied)
    (made,) = client.get("/v1/decisions").json()["items"]
    assert (made["decision"], made["reason"], made["holds"]) == ("retract", why, True)
    assert client.get(f"/v1/facts/{id_}").json()["status"] == "retracted"
    assert not client.get("/v1/decisions").json()["waiting"]
    again = client.post("/v1/decisions", json={"decision": "retract", "ids": [id_]})
    assert (again.status_code, "is retracted" in again.json()["detail"]) == (409, True)
    stands = client.post("/v1/decisions", json={"decision": "confirm", "ids": [id_]})
    assert stands.json()["will"] == "to stand again, confirmed"


@pytest.mark.parametrize(
    ("wanted", "status"),
    [
        ({"decision": "retract", "ids": ["f_" + "0" * 16]}, 404),
        ({"decision": "forget", "ids": ["f_1"]}, 422),
        ({"decision": "retract", "ids": ["{0}"], "reason": "x" * (LONGEST_STATEMENT + 1)}, 422),
        ({"decision": "correct", "ids": ["{0}"], "text": "x" * (LONGEST_STATEMENT + 1)}, 422),
        ({"decision": "merge", "ids": ["{0}"]}, 409),
        ({"decision": "keep_apart", "ids": ["{0}", "{0}"]}, 409),
        ({"decision": "confirm", "ids": ["{0}", "{1}"]}, 409),
        ({"decision": "confirm", "ids": ["{0}"], "text": "x"}, 409),
        ({"decision": "retract", "ids": ["{0}"], "into": "{1}"}, 409),
        ({"decision": "correct", "ids": ["{0}"]}, 409),
        ({"decision": "merge", "ids": ["{0}", "{e}"]}, 409),
    ],
)
def test_what_cannot_be_decided_is_refused_and_nothing_is_noted(
    refusing: Refusing, wanted: dict[str, object], status: int
) -> None:
    client, state = refusing
    facts = [row["fact_id"] for row in client.get("/v1/facts").json()["items"]]
    entity = client.get("/v1/entities").json()["items"][0]["entity_id"]
    assert choose(state, facts[:1], None).named

    def filled(value: object) -> object:
        text = str(value)
        return text.replace("{0}", facts[0]).replace("{1}", facts[1]).replace("{e}", entity)

    body = {
        name: [filled(each) for each in value] if isinstance(value, list) else filled(value)
        for name, value in wanted.items()
    }
    answer = client.post("/v1/decisions", json=body)
    assert answer.status_code == status, answer.text
    assert not client.get("/v1/decisions").json()["waiting"]
