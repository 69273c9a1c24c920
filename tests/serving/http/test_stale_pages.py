"""What a changed setting would make otherwise, on the page and in the terminal."""

import re
import time
from html import unescape
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from cairn.knowledge.schema.tables import MEMORY
from cairn.resources.context import State, open_state
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.serving.http.app import create_app
from cairn.serving.retrieval.open_memory import Memory
from tests.homes import copy_home
from tests.serving.conftest import Ask
from tests.serving.http.conftest import LOCAL

LONGEST = 300.0
"""Seconds that two commands may take, on a busy machine."""


@pytest.mark.usefixtures("commands_here")
def test_statements_that_a_changed_setting_would_change_are_shown_before_it_is_redone(
    two_home: Path, run_cairn: Ask, tmp_path: Path
) -> None:
    root = copy_home(two_home, tmp_path / "home")
    ada = State(open_home(root), Settings()).of("ada")
    before = ada.warehouse.read(MEMORY).collect()
    stale = ("--home", root, "stale", "--namespace", "ada", "--rows")
    assert "Nothing is stale" in run_cairn(*stale).out
    (root / "cairn.toml").write_text("[policy]\nsupport_gain = 0.5\n")
    told = run_cairn(*stale, "--limit", "1").out
    totals = re.search(r"In ada, by rules and settings: .*?(\d+) facts changed", told)
    assert totals
    assert re.search(r"~ fact  .+\n +active 0\.\d+ → active 0\.\d+", told)
    first = re.search(r"~ fact  (.{20})", told)
    assert first
    page = "/n/ada/changes?stale=1"
    with TestClient(create_app(Memory(open_state(root))), base_url=LOCAL) as person:
        end = time.monotonic() + LONGEST
        while "rows=1" not in (shown := person.get(page).text):
            assert time.monotonic() < end
            time.sleep(0.2)
        assert "Which statements would differ" in shown
        while "What rules and settings would make otherwise" not in (
            shown := person.get(f"{page}&rows=1").text
        ):
            assert time.monotonic() < end
            time.sleep(0.2)
    assert f"<b>{totals[1]}</b> facts changed" in shown
    assert first[1] in unescape(shown)
    after = ada.warehouse.read(MEMORY).collect()
    assert after.equals(before), "it was a copy"
    assert not list(root.glob("dry-run-*"))
