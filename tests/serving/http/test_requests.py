"""What is refused, and how it is told; events; what each answer is made of."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from cairn.knowledge.schema.tables import RAW_LOGS
from cairn.resources.context import State, open_state
from cairn.resources.home.api_keys import add_key, remove_key
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.serving.http.app import create_app
from cairn.serving.http.guard import LARGEST_BODY
from cairn.serving.retrieval.open_memory import Memory
from tests.journeys.running import follow
from tests.serving.http.conftest import DOCUMENT, LOCAL

NOTE = {"type": "note", "text": "The vault moves in May."}
EVENT_ID = "4f7c1fbe-0f0a-4c2e-9a0f-6d1d3c1f2b7a"


def assert_problem(answer: Any, status: int, *said: str) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert (told["type"], told["status"]) == ("about:blank", status)
    assert all(words in answer.text for words in said), answer.text
    return told


@pytest.fixture
def app(copied: State) -> FastAPI:
    return create_app(Memory(copied))


@pytest.fixture
def own(app: FastAPI) -> Iterator[TestClient]:
    """A client of a home that may be changed."""
    with TestClient(app, base_url=LOCAL) as client:
        yield client


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("search?query=", "query"),
        ("search?query=%20%E2%80%83", "query"),
        ("search?query=a%00b", "query"),
        (f"search?query={'x' * 2001}", "query"),
        ("search", "query"),
        ("search?query=x&limit=0", "limit"),
        ("search?query=x&limit=101", "limit"),
        ("search?query=x&limit=many", "limit"),
        ("search?query=x&min_confidence=nan", "min_confidence"),
        ("search?query=x&min_confidence=1.1", "min_confidence"),
        ("search?query=x&type=dreams", "type"),
        ("search?query=x&namespace=../a", "namespace"),
        (f"search?query=x&namespace={'a' * 65}", "namespace"),
        ("search?query=x&as_of=yesterday", "as_of"),
        ("search?query=x&as_of=2026-03-01T12:00:00", "as_of"),
        ("search?query=x&as_of=2026-02-30", "as_of"),
        ("search?query=x&from_day=2026-02-30", "from_day"),
        ("search?query=x&ns=a", "ns"),
        ("facts?cursor=a.b", "cursor"),
        (f"facts?cursor={'a' * 401}", "cursor"),
        ("facts?status=odd", "status"),
        ("facts?predicate=Drop%20Table", "predicate"),
        (f"facts?entity={'x' * 201}", "entity"),
        ("facts/f_1", "fact_id"),
        ("entities?type=planet", "type"),
        ("learnings?category=none", "category"),
        ("recent?kind=dream", "kind.0"),
        ("recent?kind=fact&kind=fact&kind=fact&kind=fact", "kind"),
        ("graph/e_0000000000000000?depth=5", "depth"),
        ("why/%20%20%20", "id"),
        ("uses/f_0000000000000000", "record_id"),
    ],
)
def test_what_is_out_of_bounds_is_named(client: TestClient, path: str, name: str) -> None:
    told = assert_problem(client.get(f"/v1/{path}"), 422)
    assert [wrong["name"] for wrong in told["errors"]] == [name]


@pytest.mark.parametrize(
    ("path", "body", "name"),
    [
        ("search", {}, "query"),
        ("search", {"query": "x", "limit": "5"}, "limit"),
        ("search", {"query": "x", "more": 1}, "more"),
        ("search", [], ""),
        ("context", {"turns": ["x"] * 11}, "turns"),
        ("context", {"turns": "x"}, "turns"),
        ("context", {"message": "x" * 20_001}, "message"),
        ("events", {**NOTE, "text": "x" * 100_001}, "text"),
        ("context", {"budget": 119}, "budget"),
        ("knowledge", {"knowledge_types": ["dream"]}, "knowledge_types.0"),
        ("knowledge", {"graph_traversal_depth": 4}, "graph_traversal_depth"),
        ("events", {"type": "tombstone", "text": "x"}, "type"),
        ("events", {"type": "note"}, "text"),
        ("events", {**NOTE, "event_id": "1"}, "event_id"),
        ("events", {**NOTE, "at": "2026-03-01T12:00:00"}, "at"),
        ("events", {**NOTE, "strength": 2}, "strength"),
        ("events", {**NOTE, "namespace": "other"}, "namespace"),
    ],
)
def test_a_body_that_is_wrong_is_told_where(
    client: TestClient, path: str, body: Any, name: str
) -> None:
    told = assert_problem(client.post(f"/v1/{path}", json=body), 422)
    assert [wrong["name"] for wrong in told["errors"]] == [name]
    assert {wrong["place"] for wrong in told["errors"]} == {"body"}


def test_other_faults_of_a_request_are_problems_too(client: TestClient) -> None:
    assert_problem(client.get("/v1/nothing"), 404, "no such path")
    assert_problem(client.get("/v1/facts/"), 404, "no such path")
    assert_problem(client.get(f"/v1/facts?cursor=WyI{'A' * 20}"), 400, "begin again without one")
    assert_problem(client.get("/v1/facts?namespace=nobody"), 404, "in that namespace")
    wrong = client.put("/v1/search")
    assert_problem(wrong, 405)
    assert wrong.headers["allow"] == "GET, POST"
    headers = {"content-type": "application/json"}
    for odd in ("{", '{"query": "\\ud800"}', "[" * 100_000, '{"limit": ' + "1" * 5000 + "}"):
        answer = client.post("/v1/search", content=odd, headers=headers)
        assert answer.status_code in (400, 422)
        assert_problem(answer, answer.status_code)


def test_a_body_is_json_of_a_bounded_size(client: TestClient) -> None:
    """A page in a browser may send other kinds anywhere, without asking first."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None):
        headers = {} if kind is None else {"content-type": kind}
        for path in ("search", "context", "events"):
            answer = client.post(f"/v1/{path}", content=json.dumps(NOTE), headers=headers)
            assert_problem(answer, 415, "application/json")
    headers = {"content-type": "application/json"}
    large = b'"' + b"x" * LARGEST_BODY + b'"'
    assert_problem(client.post("/v1/events", content=large, headers=headers), 413)
    pieces = (large[start : start + 9999] for start in range(0, len(large), 9999))
    assert_problem(client.post("/v1/events", content=pieces, headers=headers), 413)
    assert (
        "access-control-allow-origin"
        not in client.get("/health", headers={"origin": "https://page.example"}).headers
    )


def test_only_this_machine_is_asked_where_no_key_is(samples_app: FastAPI) -> None:
    """A page whose name was pointed at 127.0.0.1 has another host, and reads nothing."""
    for host in ("localhost", "127.0.0.1", "[::1]", "LOCALHOST", "localhost:8723", "[::1]:8723"):
        client = TestClient(samples_app, base_url=LOCAL, headers={"host": host})
        assert client.get("/v1/facts?limit=1").status_code == 200
    for host in ("page.example", "127.0.0.1.page.example", "localhost.page.example", "",
                 "192.0.2.1", "page.example:8723", "::1", "[::1].page.example", "[::1]x:1",
                 "x[::1]", "[::1]:80:90", "localhost:", "localhost:x"):  # fmt: skip
        client = TestClient(samples_app, base_url=LOCAL, headers={"host": host})
        for path in ("/v1/facts", "/health", "/docs"):
            assert_problem(client.get(path), 421, "localhost")


def test_a_key_is_needed_as_soon_as_there_is_one(copied: State, own: TestClient) -> None:
    assert own.get("/v1/facts?limit=1").status_code == 200
    secret, key = add_key(copied.home, ["samples"])
    assert_problem(own.get("/v1/facts?limit=1"), 401)
    with_key = {"authorization": f"bearer {secret}", "host": "memory.example"}
    assert own.get("/v1/facts?limit=1", headers=with_key).status_code == 200
    copied.home.keys.chmod(0o644)
    assert_problem(own.get("/v1/facts?limit=1", headers=with_key), 503, "list of keys")
    copied.home.keys.chmod(0o600)
    remove_key(copied.home, key.key_id)
    assert own.get("/v1/facts?limit=1").status_code == 200


def test_a_server_that_others_reach_answers_nobody_without_keys(copied: State) -> None:
    client = TestClient(create_app(Memory(copied), local=False), base_url=LOCAL)
    assert_problem(client.get("/v1/facts"), 401)
    secret, key = add_key(copied.home, ["samples"])
    headers = {"authorization": f"Bearer {secret}"}
    assert client.get("/v1/facts", headers=headers).status_code == 200
    remove_key(copied.home, key.key_id)
    assert_problem(client.get("/v1/facts", headers=headers), 401)


def test_what_breaks_inside_tells_no_more(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the text of a log")

    monkeypatch.setattr("cairn.serving.query.listing.page", broken)
    with caplog.at_level(logging.ERROR):
        told = assert_problem(client.get("/v1/facts"), 500)
    assert set(told) == {"type", "title", "status", "detail"}
    assert "RuntimeError at " in caplog.text
    assert "the text of a log" not in caplog.text


def test_health_tells_whether_anything_is_published(tmp_path: Path) -> None:
    state = State(open_home(tmp_path / "home"), Settings())
    client = TestClient(create_app(Memory(state)), base_url=LOCAL)
    assert client.get("/health").json() == {"status": "ok", "ready": False}
    assert_problem(client.get("/health/ready"), 503, "cairn run")
    assert_problem(client.get("/v1/search?query=x"), 404, "nothing is published")
    assert client.get("/v1/namespaces").json() == {"namespaces": []}
    assert client.get("/metrics").status_code == 200
    # What is told before is there after the first run.
    told = client.post("/v1/events", json={**NOTE, "at": "2026-03-01"}).json()
    assert (told["namespace"], told["written"]) == ("default", True)
    follow(state)
    assert client.get("/health/ready").json() == {"status": "ok", "ready": True}
    record = state.warehouse.read(RAW_LOGS).collect().row(0, named=True)
    assert (record["record_id"], record["text"]) == (told["record_id"], NOTE["text"])
    assert client.get(f"/v1/uses/{told['record_id']}").json()["kind"] == "note"


def test_an_event_is_written_once_without_its_secrets(copied: State, own: TestClient) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    event = {
        "type": "message", "text": f"Use {token}, said {token}.", "event_id": EVENT_ID.upper(),
        "at": "2026-03-20T09:00:00+01:00", "name": "Mira", "conversation_id": "garden",
    }  # fmt: skip
    first, again = (own.post("/v1/events?namespace=samples", json=event) for _ in range(2))
    assert first.status_code == again.status_code == 202
    assert first.json() | {"written": False} == again.json()
    assert (first.json()["written"], first.json()["redactions"]) == (True, 2)
    (file,) = (copied.home.inbox / "samples").glob("*.jsonl")
    (line,) = file.read_text().splitlines()
    assert token not in line
    assert json.loads(line)["event_id"] == EVENT_ID
    assert json.loads(line)["at"] == "2026-03-20T08:00:00+00:00"
    assert own.post("/v1/events?namespace=../x", json=event).status_code == 422


def test_what_was_known_then_can_be_asked(client: TestClient) -> None:
    for path in ("search?query=the nightly backup fails&limit=50&type=all", "facts?limit=100",
                 "episodes?limit=100", "recent?limit=100"):  # fmt: skip
        now, then = (client.get(f"/v1/{path}{at}").json() for at in ("", "&as_of=2026-02-10"))
        assert then["as_of"] == "2026-02-10T00:00:00Z"
        rows = then.get("items", then.get("results"))
        assert 0 < len(rows) < len(now.get("items", now.get("results")))


def test_a_time_may_be_of_any_year(client: TestClient) -> None:
    for at, facts in (("0001-01-01T00:00:00%2B10:00", False), ("9999-12-31T23:59:59-10:00", True)):
        for path in ("search?query=npm last year&min_confidence=0", "facts?limit=1"):
            found = client.get(f"/v1/{path}&as_of={at}&true_at={at}")
            assert found.status_code == 200
        assert bool(client.get(f"/v1/facts?as_of={at}&since={at}").json()["items"]) is False
        assert bool(client.get(f"/v1/recent?as_of={at}").json()["items"]) is facts


def test_words_that_say_when_become_days(client: TestClient) -> None:
    told = client.get("/v1/search?query=what broke in February&type=episodes").json()
    assert (told["time_expression"], told["from_day"], told["to_day"]) == (
        "in February", "2026-02-01", "2026-02-28",
    )  # fmt: skip
    assert {row["timestamp"][:7] for row in told["results"]} == {"2026-02"}
    given = client.get("/v1/search?query=what broke in February&from_day=2026-03-01").json()
    assert (given["time_expression"], given["from_day"]) == (None, "2026-03-01")


def test_a_search_gives_as_many_results_as_the_policy_says(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_POLICY__SEARCH_LIMIT", "2")
    with TestClient(create_app(Memory(open_state(home))), base_url=LOCAL) as client:
        for more, found in (({}, 2), ({"limit": 7}, 7)):
            answer = client.get("/v1/search", params={"query": "backup", "type": "all"} | more)
            assert len(answer.json()["results"]) == found


def test_filters_narrow_a_search(client: TestClient) -> None:
    def found(**more: Any) -> list[dict[str, Any]]:
        body = {"query": "the nightly backup fails", "limit": 50, "type": "all", **more}
        answer = client.post("/v1/search", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()["results"]

    whole = found()
    assert {row["kind"] for row in whole} == {"fact", "episode", "learning"}
    assert {row["kind"] for row in found(type="facts")} == {"fact"}
    about = found(type="facts", entity="Harbor-Backup")
    assert about
    assert {row["entity"] for row in about} == {"harbor-backup"}
    assert {row["predicate"] for row in found(predicate="states")} <= {"states"}
    assert 0 < len(found(source="codex")) < len(whole)
    assert found(source="nothing") == []
    assert found(type="facts", entity="nobody") == []
    days = [row["timestamp"][:10] for row in found(from_day="2026-03-01", type="episodes")]
    assert days
    assert min(days) >= "2026-03-01"
    assert found(min_confidence=0.99) == []


def test_context_is_of_the_turns_and_of_the_message(client: TestClient) -> None:
    turns = ["The nightly backup of the NAS failed", "It could not wake the NAS"]
    told = client.post("/v1/context", json={"turns": turns}).json()
    assert told["known"] is None
    assert told["streamed"]["facts"]
    assert told["streamed"]["episodes"]
    told = client.post("/v1/context", json={"message": "Why does harbor-backup fail?"}).json()
    assert told["streamed"] == {"facts": [], "episodes": []}
    assert told["known"]["entities"][0]["name"] == "harbor-backup"
    assert told["known"]["sufficient"]
    assert client.post("/v1/context", json={"message": " \n"}).json()["known"] is None
    more = {"turns": turns, "tool_results": ["No route to host"], "system": "You help.",
            "budget": 300}  # fmt: skip
    told = client.post("/v1/context", json=more).json()
    assert told["text"].startswith("You help.")
    assert told["text"].endswith("No route to host")
    assert sum(told["tokens"].values()) <= 300
    assert set(told["memories"]) == {"facts", "episodes", "learnings"}


def test_knowledge_is_of_three_layers(client: TestClient) -> None:
    wanted = {"query": "rsync error", "entity": "harbor-backup", "about_it": True}
    told = client.post("/v1/knowledge", json=wanted).json()
    assert told["metadata"]["properties"]["name"] == "harbor-backup"
    assert told["metadata"]["entity_id"] == told["entity_id"]
    assert told["global_metadata"]["properties"]["namespace"] == "samples"
    assert {edge["source_id"] for edge in told["graph_context"]} == {told["entity_id"]}
    scores = [piece["score"] for piece in told["pieces"]]
    assert scores == sorted(scores, reverse=True)
    assert "[Knowledge]" in told["text"]
    assert "[Metadata]" in told["by_info_type"]["user_profile"]
    only = client.post("/v1/knowledge", json=wanted | {"knowledge_types": ["procedure"]}).json()
    assert {piece["knowledge_type"] for piece in only["pieces"]} == {"procedure"}
    nobody = client.post("/v1/knowledge", json={"entity": "nobody"}).json()
    assert (nobody["metadata"], nobody["pieces"], nobody["entity_id"]) == (None, [], None)


@pytest.mark.parametrize("path", DOCUMENT["paths"])
def test_each_route_has_examples_that_are_as_its_schema_says(path: str) -> None:
    def check(example: Any, schema: dict[str, Any]) -> None:
        whole = {**schema, "components": DOCUMENT["components"]}
        jsonschema.Draft202012Validator(whole).validate(example)

    for operation in DOCUMENT["paths"][path].values():
        assert operation["description"]
        for parameter in operation.get("parameters", []):
            assert parameter["description"] or parameter["in"] == "path"
            for example in parameter["schema"].get("examples", []):
                check(example, parameter["schema"])
        for status, response in operation["responses"].items():
            for kind, content in response.get("content", {}).items():
                assert kind == ("application/problem+json" if int(status) >= 400 else kind)
                check(content["example"], content["schema"])


def test_the_page_for_people_loads_nothing(client: TestClient) -> None:
    page = client.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "<script" not in page.text
    assert "http" not in page.text.replace("http_", "").replace("/http", "").replace("HTTP", "")
    assert all(path in page.text for path in DOCUMENT["paths"])
