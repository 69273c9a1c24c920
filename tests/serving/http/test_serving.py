"""The server itself: it follows what is published, answers many at once, and ends when told to."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from threading import Barrier, Thread
from time import sleep
from typing import Any

import pytest
from fastapi.testclient import TestClient

from cairn.resources.context import State
from cairn.resources.home.api_keys import add_key
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.warehouse.publication import manifests, namespaces, publish
from cairn.serving.http.app import create_app
from cairn.serving.retrieval.open_memory import Memory
from cairn.serving.retrieval.search import SearchAnswer
from cairn.serving.runtime.sockets import CannotListen, address_of, is_local, listening
from cairn.serving.runtime.workers import server_of
from tests.places import ROOT
from tests.serving.conftest import Ask

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])

CLIENTS = 8


@contextmanager
def running(state: State) -> Iterator[int]:
    """The port of a server, until the end of the block."""
    with listening("127.0.0.1", 0, keys=False) as listener:
        server = server_of(create_app(Memory(state, ahead=True), local=is_local(listener)))
        server.config.timeout_keep_alive = 3600  # no pause between requests ends a connection
        thread = Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(30)
    assert not thread.is_alive()


def get(connection: HTTPConnection, path: str) -> tuple[int, dict[str, Any]]:
    connection.request("GET", path)
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


@pytest.fixture
def port(copied: State) -> Iterator[int]:
    with running(copied) as port:
        yield port


def test_each_answer_is_of_one_publication(copied: State, port: int) -> None:
    """One publication after the other, while others ask: never a mixture of two."""
    (manifest,) = manifests(copied.home, "samples")[:1]
    left_out = {"memory", "memory_entities"}
    less = replace(manifest, tables={n: v for n, v in manifest.tables.items() if n not in left_out})
    first = HTTPConnection("127.0.0.1", port)
    _, found = get(first, "/v1/entities?limit=1")
    path = f"/v1/entities/{found['items'][0]['entity_id']}"
    asking = True

    def ask() -> set[tuple[int, bool]]:
        connection = HTTPConnection("127.0.0.1", port)
        seen: set[tuple[int, bool]] = set()
        while asking:
            status, told = get(connection, path)
            seen.add((status, bool(told.get("predicates"))))
        connection.close()
        return seen

    with ThreadPoolExecutor(CLIENTS) as clients:
        asked = [clients.submit(ask) for _ in range(CLIENTS // 2)]
        for each in [less, manifest] * 3:
            publish(copied.home, each)
            wanted = 404 if each is less else 200
            while get(first, path)[0] != wanted:
                sleep(0.01)
        asking = False
        seen = set[tuple[int, bool]]().union(*(each.result(30) for each in asked))
    first.close()
    assert seen == {(200, True), (404, False)}


def test_eight_clients_are_answered_at_once(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    together = Barrier(CLIENTS)

    def waiting(*_: object, **__: object) -> SearchAnswer:
        together.wait(20)
        return SearchAnswer([])

    monkeypatch.setattr("cairn.serving.models.functions.answer", waiting)

    def ask(_: int) -> int:
        connection = HTTPConnection("127.0.0.1", port)
        status, _told = get(connection, "/v1/search?query=backup")
        connection.close()
        return status

    with ThreadPoolExecutor(CLIENTS) as clients:
        assert list(clients.map(ask, range(CLIENTS))) == [200] * CLIENTS


def test_it_says_where_it_listens_and_ends_when_told_to(copied: State) -> None:
    command = [sys.executable, "-m", "cairn", "--home", str(copied.home.root), "serve"]
    with subprocess.Popen(
        [*command, "--port", "0", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
    ) as process:  # fmt: skip
        assert process.stdout
        begun = json.loads(process.stdout.readline())
        address = begun["listening"].removeprefix("http://")
        assert begun["docs"] == f"http://{address}/docs"
        connection = HTTPConnection(address)
        assert get(connection, "/v1/search?query=a+private+question&limit=1")[0] == 200
        process.send_signal(signal.SIGINT)  # SIGTERM: the server below
        out, err = process.communicate()
        connection.close()
    assert (process.returncode, err) == (0, "")
    (line,) = map(json.loads, out.splitlines())
    assert (line["route"], line["status"], line["namespace"]) == ("/v1/search", 200, "samples")
    assert "private" not in out


def test_it_does_not_listen_to_others_without_a_key(run_cairn: Ask, tmp_path: Path) -> None:
    answer = run_cairn("--home", tmp_path / "home", "serve", "--host", "0.0.0.0", "--port", "0")
    assert (answer.code, answer.out) == (1, "")
    assert " keys add --namespace NAME`" in answer.err


def test_an_address_that_cannot_be_had_is_refused(run_cairn: Ask, tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        answer = run_cairn("--home", tmp_path / "home", "serve", "--port", port)
    assert answer.code == 1
    assert f"127.0.0.1:{port}: " in answer.err
    assert answer.err.count("\n") == 1


def test_what_is_reached_from_this_machine_alone() -> None:
    for host, local in (("127.0.0.1", True), ("localhost", True), ("0.0.0.0", False)):
        with listening(host, 0, keys=True) as listener:
            assert is_local(listener) is local
            assert address_of(listener).startswith("http://")
    with pytest.raises(CannotListen, match=r"^0\.0\.0\.0 can be reached .* `cairn keys add"):
        listening("0.0.0.0", 0, keys=False)


def test_with_a_key_others_are_answered(copied: State) -> None:
    secret, _ = add_key(copied.home, ["samples"])
    with running(copied) as port:
        connection = HTTPConnection("127.0.0.1", port)
        assert get(connection, "/v1/facts?limit=1")[0] == 401
        connection.request(
            "GET", "/v1/facts?limit=1",
            headers={"host": "memory.example", "authorization": f"Bearer {secret}"},
        )  # fmt: skip
        assert connection.getresponse().status == 200
        connection.close()


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-",
        b"POST /v1/search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        b'Content-Length: 20\r\n\r\n{"query',
        b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /health HT",
    ],
    ids=["nothing", "half a head", "half a body", "half of the second"],
)
def test_half_a_request_is_not_waited_for(
    port: int, sent: bytes, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("cairn.serving.runtime.connections.REQUEST_SECONDS", 0.2)
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(sent)
        while connection.recv(65536):  # until the server closes: else the socket's time runs out
            pass
    assert get(HTTPConnection("127.0.0.1", port), "/health")[0] == 200
    assert not caplog.records


def test_a_head_has_a_largest_size(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * 70_000)
        connection.sendall(b"\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 400 ")


def test_it_is_ready_once_what_others_pushed_is_here(copied: State, tmp_path: Path) -> None:
    """Else who restarts readers one by one sends people to one that finds nothing."""
    settings = Settings(warehouse=str(tmp_path / "store"))
    shared = State(copied.home, settings)
    with shared.of("samples").leased():
        pass  # what is pushed at its end
    (tmp_path / "store" / "unborn").mkdir()  # somebody works on it, and has pushed nothing
    early = State(open_home(tmp_path / "early"), settings)
    client = TestClient(create_app(Memory(early)), base_url="http://127.0.0.1")
    assert client.get("/health").json() == {"status": "ok", "ready": False}
    assert client.get("/health/ready").json()["ready"], "it began before that was pushed"
    reader = State(open_home(tmp_path / "reader"), settings)
    command = [sys.executable, "-m", "cairn", "--home", str(reader.home.root), "serve"]
    with subprocess.Popen(
        [*command, "--port", "0", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
        env={**os.environ, "CAIRN_WAREHOUSE": settings.warehouse or ""},
    ) as process:  # fmt: skip
        assert process.stdout
        address = json.loads(process.stdout.readline())["listening"].removeprefix("http://")
        connection = HTTPConnection(address)
        while (seen := get(connection, "/health/ready"))[0] != 200:
            assert "starting" in seen[1]["detail"]
            sleep(0.02)
        # Here, and not only in the store.
        assert namespaces(reader.home) == ["samples"]
        assert get(connection, "/v1/facts?namespace=samples&limit=1")[1]["total"] > 0
        process.terminate()
        _, err = process.communicate()
        connection.close()
    assert (process.returncode, err) == (0, "")
