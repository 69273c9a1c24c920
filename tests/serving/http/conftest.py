"""The API in this process: over the samples, and over a home with two namespaces."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from cairn.resources.context import State, open_state
from cairn.resources.home.api_keys import add_key
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.serving.http.app import api_document, create_app
from cairn.serving.retrieval.open_memory import Memory
from tests.homes import copy_home
from tests.serving.two_namespaces import SAID

LOCAL = "http://127.0.0.1"
DOCUMENT = api_document(needs_key=False)
"""The OpenAPI document, which says what there is to be tested."""


@pytest.fixture(scope="session")
def samples_app(home: Path) -> FastAPI:
    """The API over the samples, which no test here may change."""
    return create_app(Memory(open_state(home)))


@pytest.fixture
def client(samples_app: FastAPI) -> Iterator[TestClient]:
    with TestClient(samples_app, base_url=LOCAL) as client:
        yield client


@pytest.fixture
def copied(home: Path, tmp_path: Path) -> State:
    """The samples, to be changed."""
    place = tmp_path / "home"
    return open_state(copy_home(home, place))


Ask = Callable[[str | None], TestClient]


@pytest.fixture(scope="session")
def two(two_home: Path, tmp_path_factory: pytest.TempPathFactory) -> State:
    """The namespaces `ada` and `bo`, each with a key; no test here may change it."""
    place = copy_home(two_home, tmp_path_factory.mktemp("two") / "home")
    return State(open_home(place), Settings())


@pytest.fixture(scope="session")
def keys(two: State) -> dict[str, str]:
    """Namespace → a key that opens it alone."""
    return {name: add_key(two.home, [name], name=name)[0] for name in SAID}


@pytest.fixture(scope="session")
def two_app(two: State, keys: dict[str, str]) -> FastAPI:
    return create_app(Memory(two))


@pytest.fixture
def ask(two_app: FastAPI, keys: dict[str, str]) -> Ask:
    """A client with the key of a namespace, or without any."""

    def asking(name: str | None) -> TestClient:
        headers = {"authorization": f"Bearer {keys[name]}"} if name else {}
        return TestClient(two_app, base_url=LOCAL, headers=headers)

    return asking
