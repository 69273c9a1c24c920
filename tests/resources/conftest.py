"""A provider of language models on loopback, for tests that ask one."""

from collections.abc import Iterator

import pytest

from tests.resources.model_server import ModelServer, served


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with served() as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    """The one that runs, as if it had just been started."""
    running.__init__(int(running.root.rsplit(":", 1)[1]))
    return running
