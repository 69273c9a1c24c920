"""What a changed setting would make otherwise, on the page and in the terminal."""

import re
import time
from html import unescape

from fastapi.testclient import TestClient

from cairn.knowledge.schema.tables import MEMORY
from cairn.resources.context import State
from cairn.serving.http.app import create_app
from cairn.serving.retrieval.open_memory import Memory
from tests.serving.conftest import Ask
from tests.serving.http.conftest import LOCAL

LONGEST = 120.0
"""Seconds that two commands beside the server may take, on a busy machine."""


def test_statements_that_a_changed_setting_would_change_are_shown_before_it_is_redone(
    copied: State, run_cairn: Ask
) -> None:
    root = copied.home.root
    before = copied.of("samples").warehouse.read(MEMORY).collect()
    assert "Nothing is stale" in run_cairn("--home", root, "stale", "--rows").out
    (root / "cairn.toml").write_text("[policy]\nmax_agent_confidence = 0.2\n")
    told = run_cairn("--home", root, "stale", "--rows", "--limit", "1").out
    totals = re.search(r"In samples, by rules and settings: .*?(\d+) facts changed", told)
    assert totals
    assert re.search(r"~ fact  .+\n +active 0\.\d+ → active 0\.\d+", told)
    first = re.search(r"~ fact  (.{20})", told)
    assert first
    page = "/n/samples/changes?stale=1"
    with TestClient(create_app(Memory(copied)), base_url=LOCAL) as person:
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
    after = copied.of("samples").warehouse.read(MEMORY).collect()
    assert after.equals(before), "it was a copy"
    assert not list(root.glob("dry-run-*"))
