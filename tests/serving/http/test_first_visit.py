"""Whoever opens an empty home reads their first logs there."""

import re
import time
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from cairn.resources.context import State
from cairn.resources.home.api_keys import add_key
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import list_sources
from cairn.serving.http.app import create_app
from cairn.serving.retrieval.open_memory import Memory
from tests.pipelines.house import talk
from tests.serving.http.conftest import LOCAL

FROM_HERE = {"origin": LOCAL}


@pytest.mark.usefixtures("commands_here")
def test_the_first_logs_are_read_and_lead_to_their_namespace(tmp_path: Path) -> None:
    state = State(open_home(tmp_path / "home"), Settings())
    (tmp_path / "logs").mkdir()
    talk(tmp_path / "logs", 1, "I live in Troms\u00f8.", "2026-03-01T10:00:00Z")
    with TestClient(create_app(Memory(state)), base_url=LOCAL) as person:
        page = person.get("/").text
        (token, _) = re.findall(r'name="token" value="(\w+)"', page)
        assert person.post("/", data={"path": "/"}, headers=FROM_HERE).status_code == 403
        form = {"token": token, "path": str(tmp_path / "none")}
        assert person.post("/", data=form, headers=FROM_HERE).status_code == 422
        elsewhere = {"origin": "http://quay.example"}
        assert person.post("/", data={"token": token}, headers=elsewhere).status_code == 403
        assert not list_sources(state.home)
        form["path"] = str(tmp_path / "logs")
        page = person.post("/", data=form, headers=FROM_HERE)
        assert "are being read" in page.text
        end = time.monotonic() + 240
        while "/n/default" not in str(page.url) and time.monotonic() < end:
            time.sleep(0.2)
            page = person.get("/")
        assert page.url.path == "/n/default"
        assert "Troms" in person.get("/n/default/facts").text

        talk(tmp_path / "logs", 2, "I live in Bod\u00f8 now.", "2026-03-02T10:00:00Z")
        while "Run it now" not in person.get("/n/default").text and time.monotonic() < end:
            time.sleep(0.2)
        page = person.post("/n/default/do/run", data={"token": token}, headers=FROM_HERE)
        assert "being taken in" in page.text
        twice = person.post("/n/default/do/run", data={"token": token}, headers=FROM_HERE)
        assert (twice.status_code, "under way" in twice.text) == (503, True)
        while "Bod" not in person.get("/n/default/facts").text:
            assert time.monotonic() < end
            time.sleep(0.2)


def test_who_holds_a_key_is_told_commands(tmp_path: Path) -> None:
    state = State(open_home(tmp_path), Settings())
    key, _ = add_key(state.home, ["default"])
    with TestClient(create_app(Memory(state)), base_url=LOCAL) as holder:
        holder.post("/login", data={"key": key}, headers=FROM_HERE)
        page = holder.get("/").text
        assert "cairn run --source" in page
        assert 'action="/"' not in page
