"""What tests of the outside world ask on loopback: a provider of models, a Qdrant server."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from cairn.resources.vector_index import edge
from cairn.resources.vector_index.protocol import VectorIndex
from tests.resources import qdrant_http
from tests.resources.engines import ENGINES, Engine, embedded, on_a_server
from tests.resources.model_server import ModelServer, served
from tests.resources.points import publish


@pytest.fixture(scope="session")
def running_qdrant() -> Iterator[qdrant_http.QdrantHttp]:
    with qdrant_http.served() as server:
        yield server


@pytest.fixture
def qdrant(running_qdrant: qdrant_http.QdrantHttp) -> qdrant_http.QdrantHttp:
    """A stand-in for a server, empty and in good health."""
    running_qdrant.__init__(int(running_qdrant.url.rsplit(":", 1)[1]))
    return running_qdrant


@pytest.fixture(params=ENGINES)
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


@pytest.fixture(scope="module", params=ENGINES)
def published(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[VectorIndex, str]]:
    """POINTS in each engine in turn, with the name of their generation: only to be read."""
    with ExitStack() as stack:
        if request.param in ("flat", "shard"):
            index = embedded(tmp_path_factory.mktemp("published"))()
            patched = stack.enter_context(pytest.MonkeyPatch.context())
            if request.param == "shard":
                patched.setattr(edge, "FLAT_BELOW", 0)
            name = publish(index)
            patched.undo()  # other tests run before this one ends
        else:
            server = stack.enter_context(qdrant_http.served())
            index = stack.enter_context(on_a_server(request.param, server))()
            name = publish(index)
        yield index, name


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
