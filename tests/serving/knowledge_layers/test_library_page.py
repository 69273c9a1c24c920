"""The page on the library: its code runs, and prints what the page says."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.places import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL)


def test_the_page_does_what_it_says(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Blocks run one after the other, as a reader types them."""
    monkeypatch.setenv("CAIRN_HOME", str(home))
    page = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    blocks = BLOCK.findall(page)
    assert len(blocks) == page.count("```python")
    for number, (code, printed) in enumerate(blocks):
        exec(compile(code, f"library.md, block {number}", "exec"), names)
        out = capsys.readouterr().out
        assert out == printed if printed else "Traceback" not in out, code
        if number < 2:  # over the samples: three lines of code give an answer
            assert ("backup fails", "gzip --test")[number] in out.lower()
