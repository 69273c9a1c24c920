"""What is told of requests: by route, whoever asks what; where something breaks, and not why."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from cairn.knowledge.schema.identity import digest
from cairn.resources.context import State
from cairn.resources.home.settings import Settings
from cairn.resources.telemetry.start import start, stop
from cairn.serving.http.app import create_app
from cairn.serving.mcp_server.auth import KeyScope
from cairn.serving.mcp_server.tools import call
from cairn.serving.retrieval.open_memory import Memory
from tests.resources.telemetry.otlp_server import attributes, collecting
from tests.serving.http.conftest import LOCAL

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
ASKED = "quince-and-lantern"


@pytest.fixture(autouse=True)
def ended() -> Generator[None]:
    yield
    stop()


def test_requests_are_told_by_their_route_and_never_by_what_was_asked(
    copied: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(f"something about {ASKED}")

    with collecting() as received:
        settings = Settings(telemetry_url=received.address, log_folder=tmp_path / "logs")
        start(copied.home, settings, "serve")
        memory = Memory(copied)
        with TestClient(create_app(memory), base_url=LOCAL) as client:
            assert client.get("/v1/search", params={"query": ASKED}).status_code == 200
            assert client.get(f"/v1/{ASKED}").status_code == 404
            assert client.get(f"/v1/entities/{ASKED}").status_code == 422
            monkeypatch.setattr("cairn.serving.query.listing.page", broken)
            assert client.get("/v1/facts").status_code == 500
        assert not call(memory, KeyScope(), "search_memory", {"query": ASKED}, 5000).is_error
        stop()
    told = {each.name: attributes(each) for each in received.spans}
    assert told["GET /v1/search"]["cairn.namespace_digest"] == digest("samples")
    assert told["GET /v1/search"]["http.response.status_code"] == 200
    assert told["GET none"]["cairn.outcome"] == "refused"
    assert told["GET /v1/facts"]["error.type"] == "RuntimeError"
    assert told["tool search_memory"]["cairn.outcome"] == "done"
    statuses = {each.name: each.status.code for each in received.spans}
    assert [name for name, code in statuses.items() if code == 2] == ["GET /v1/facts"]
    points = received.metrics["http.server.request.duration"].histogram.data_points
    assert {attributes(each)["http.route"] for each in points} >= {"/v1/search", "none"}

    (file,) = (tmp_path / "logs").iterdir()
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    shown = [(line["level"], line.get("route"), line.get("status")) for line in lines]
    assert ("info", "/v1/facts", 500) in shown
    assert ("info", "none", 404) in shown
    assert all(route != "/v1/search" for _, route, _ in shown)
    (error,) = [line for line in lines if line["level"] == "error"]
    assert error["error"] == "RuntimeError"
    assert error["message"].startswith("… at …:")
    assert error["place"].startswith("serving/query/listing.py:")
    sent = b"".join(body for _, _, body in received.posts)
    for text in (ASKED, "samples", "quince"):
        assert text.encode() not in sent
        assert text not in file.read_text()
