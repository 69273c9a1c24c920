"""The engines of the vector index, as tests open them."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from cairn.resources.vector_index.edge import EdgeIndex
from cairn.resources.vector_index.protocol import VectorIndex
from tests.resources.qdrant_http import QdrantHttp

if TYPE_CHECKING:
    from cairn.resources.vector_index.server import ServerIndex

# No setting, so it does not stay: settings refuse what they do not know.
LIVE = os.environ.pop("CAIRN_TEST_QDRANT_URL", None)

Engine = Callable[[], VectorIndex]
"""Opens the index of one test, as each process does that reads it."""

SERVERS = (
    "stand-in",
    pytest.param("live", marks=pytest.mark.skipif(not LIVE, reason="no CAIRN_TEST_QDRANT_URL")),
)


ENGINES = ("flat", "shard", *SERVERS)


def embedded(folder: Path) -> Engine:
    """One in a folder."""
    return lambda: EdgeIndex(folder)


def server_index(url: str, key: str | None = None, prefix: str = "cairn") -> "ServerIndex":
    """One on a server; its client takes a second to load, which each worker would spend."""
    from cairn.resources.vector_index.server import ServerIndex
    from cairn.resources.vector_index.server_client import connect

    return ServerIndex(connect(url, key), prefix)


@contextmanager
def on_a_server(which: str, stand_in: QdrantHttp) -> Iterator[Engine]:
    """One on a server, under a prefix of its own; nothing of it stays there."""
    url = LIVE if which == "live" and LIVE else stand_in.url
    prefix = f"test-{uuid4().hex[:8]}"
    try:
        yield lambda: server_index(url, prefix=prefix)
    finally:
        cleaner = server_index(url, prefix=prefix)
        for namespace in cleaner.overview()[1]:
            cleaner.prune(namespace, [])
