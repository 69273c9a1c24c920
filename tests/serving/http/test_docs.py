"""docs/http.md: each of its requests is asked, and answered as the OpenAPI document says."""

import re
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from cairn.resources.context import open_state
from cairn.serving.cli.commands.serve.serve import PORT
from cairn.serving.http.app import create_app
from cairn.serving.retrieval.open_memory import Memory
from tests.homes import copy_home
from tests.places import ROOT
from tests.serving.http.conftest import DOCUMENT, LOCAL

PAGE = (ROOT / "docs" / "http.md").read_text(encoding="utf-8")
TYPED = re.findall(r"^curl .*", PAGE.replace("\\\n", " "), re.MULTILINE)

EMPTY = ("/v1/utility", "/v1/decisions", "/v1/costs", "/v1/missed", "/v1/changes")
"""Tell of hooks, decisions, calls to models, …, of which the samples, run once, have none."""


def asked(line: str) -> tuple[str, str, str | None, dict[str, str]]:
    """Method, address, body and headers of a line of curl."""
    words = iter(shlex.split(line, comments=True)[1:])
    url, body, headers = "", None, {}
    for word in words:
        if word == "-d":
            body = next(words)
        elif word == "-H":
            name, _, value = next(words).partition(": ")
            headers[name] = value
        elif word != "-s":
            url = word
    return ("GET" if body is None else "POST"), url, body, headers


def operation(method: str, path: str) -> dict[str, Any]:
    """What the document has of a request."""
    for template, methods in DOCUMENT["paths"].items():
        if re.fullmatch(re.sub(r"\{[^}]*\}", "[^/]+", template), path):
            return methods[method.lower()]
    raise AssertionError(f"{method} {path} is in no document")


@pytest.fixture(scope="module")
def written_app(home: Path, tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    """A copy of the samples: what is told it waits for a run, and none comes."""
    place = copy_home(home, tmp_path_factory.mktemp("written") / "home")
    return create_app(Memory(open_state(place)))


@pytest.fixture
def client(
    line: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> TestClient:
    """The samples; a copy of them for what may change them."""
    monkeypatch.setattr("cairn.serving.write.dry_run.PATIENCE", 0.1)
    app = "samples_app" if asked(line)[0] == "GET" else "written_app"
    return TestClient(request.getfixturevalue(app), base_url=LOCAL)


@pytest.mark.usefixtures("commands_here")
@pytest.mark.parametrize("line", TYPED)
def test_what_the_page_shows_can_be_typed(line: str, client: TestClient) -> None:
    method, url, body, headers = asked(line)
    assert url.startswith(f"http://127.0.0.1:{PORT}/")
    answer = client.request(method, url, content=body, headers=headers)
    assert answer.status_code in (200, 202), answer.text
    told = operation(method, urlsplit(url).path)["responses"][str(answer.status_code)]["content"]
    kind = answer.headers["content-type"].partition(";")[0]
    if kind == "application/json":
        schema = {**told[kind]["schema"], "components": DOCUMENT["components"]}
        jsonschema.Draft202012Validator(schema).validate(answer.json())
        told = {name: rows for name, rows in answer.json().items() if name != "blocked_by"}
        lists = [rows for rows in told.values() if isinstance(rows, list)]
        empty = method == "GET" and urlsplit(url).path in EMPTY
        assert not lists or any(lists) or empty, "an example that finds nothing"


def test_the_page_has_every_route() -> None:
    shown = {urlsplit(asked(line)[1]).path for line in TYPED}
    for template in DOCUMENT["paths"]:
        like = re.compile(re.sub(r"\{[^}]*\}", "[^/]+", template))
        one_of = re.sub(r"/\{[^}]*\}", "", template)
        assert any(map(like.fullmatch, shown)) or one_of in shown, template
