"""What tests of the outside world ask on loopback: a provider of models, a Qdrant server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.resources.vector_index import edge
from tests.resources import qdrant_http
from tests.resources.engines import SERVERS, Engine, embedded, on_a_server
from tests.resources.model_server import ModelServer, served


@pytest.fixture(scope="session")
def running_qdrant() -> Iterator[qdrant_http.QdrantHttp]:
    with qdrant_http.served() as server:
        yield server


@pytest.fixture
def qdrant(running_qdrant: qdrant_http.QdrantHttp) -> qdrant_http.QdrantHttp:
    """A stand-in for a server, empty and in good health."""
    running_qdrant.__init__(int(running_qdrant.url.rsplit(":", 1)[1]))
    return running_qdrant


@pytest.fixture(params=["flat", "shard", *SERVERS])
def engine(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Engine]:
    """Each engine in turn."""
    if request.param in ("flat", "shard"):
        if request.param == "shard":
            monkeypatch.setattr(edge, "FLAT_BELOW", 0)
        yield embedded(tmp_path)
    else:
        with on_a_server(request.param, request.getfixturevalue("qdrant")) as opened:
            yield opened


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with served() as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    """The one that runs, as if it had just been started."""
    running.rest()
    running.__init__(int(running.root.rsplit(":", 1)[1]))
    return running
