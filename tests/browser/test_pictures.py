"""Pictures of all pages, light and dark, for docs/pages: `PICTURES=1 make test-pages`."""

import io
import os

import pytest

from tests.browser.conftest import Open
from tests.browser.visiting import DESKTOP, MARKS, addresses
from tests.places import ROOT

pytestmark = [
    *MARKS,
    pytest.mark.skipif(not os.environ.get("PICTURES"), reason="`PICTURES=1 make test-pages` does"),
]

PLACE = ROOT / "docs" / "pages"
TALLEST = 1600
LARGEST = 60_000
"""Bytes of one."""
ALIKE = {"first", "why-one", "refused-path"}
"""Pages that look like others: the first page is that of the only namespace."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_of_all_pages(scheme: str, served: str, visit: Open) -> None:
    from PIL import Image

    for name, path in addresses(served).items():
        if name in ALIKE:
            continue
        tab = visit(served, size=DESKTOP, scheme=scheme)
        tab.open(path)
        assert str(ROOT) not in tab.page.locator("body").inner_text()
        tab.wrong.clear()
        height = min(int(tab.page.evaluate("document.documentElement.scrollHeight")), TALLEST)
        tab.page.set_viewport_size({"width": DESKTOP[0], "height": height})
        taken = Image.open(io.BytesIO(tab.page.screenshot()))
        tab.page.close()
        file = PLACE / f"{name}-{scheme}.webp"
        # Of text few colours are enough, and then nothing is smaller than to keep each dot.
        for colours in (32, 24, 16, 12, 8):
            few = taken.convert("RGB").quantize(colours, dither=Image.Dither.NONE)
            few.convert("RGB").save(file, lossless=True, quality=80, method=4)
            if file.stat().st_size <= LARGEST:
                break
        assert file.stat().st_size <= LARGEST, name
