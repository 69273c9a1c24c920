"""A tab of a browser, what goes wrong in it, and the addresses of all pages."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit
from urllib.request import urlopen

import pytest

from cairn.serving.http.pages.page import PAGES
from tests.places import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Page, Response

CHROMIUM = os.environ.get("PAGES_CHROMIUM")
"""The browser; Playwright is beside it, in `.venv-pages`."""

MARKS = [
    pytest.mark.skipif(not CHROMIUM, reason="`make test-pages` runs it"),
    pytest.mark.allow_hosts(["127.0.0.1"]),
    pytest.mark.timeout(1800),
]

NAMESPACE = "samples"
DESKTOP, PHONE = (1200, 900), (320, 640)
"""Width and height; 320 is what 400 % zoom leaves of 1280, too."""

LISTS = {
    "facts": ("facts", "fact_id", "conversation_count"),
    "why": ("facts", "fact_id", "conversation_count"),
    "entities": ("entities", "entity_id", "active_facts"),
    "graph": ("entities", "entity_id", "active_facts"),
    "learnings": ("learnings", "learning_id", "confidence"),
    "conversations": ("conversations", "conversation_id", "records"),
    "records": ("conversations/{conversations}", "record_id", "facts"),
}
"""Page of one thing, by the beginning of its path: which list tells an id, its name there, and of
what the thing that is looked at has most.

Of a list that lies below a thing, the thing is in braces.
"""

BESIDE = {
    "first": "/",
    "home": f"/n/{NAMESPACE}",
    "search": f"/n/{NAMESPACE}/search?query=backup+NAS",
    "search-empty": f"/n/{NAMESPACE}/search",
    "forget": f"/n/{NAMESPACE}/forget",
    "agents": f"/n/{NAMESPACE}/agents",
    "runs": f"/n/{NAMESPACE}/runs",
    "prompts": f"/n/{NAMESPACE}/prompts",
    "login": "/login",
    "refused": f"/n/{NAMESPACE}/facts/f_0000000000000000",
    "refused-namespace": "/n/nobody",
    "refused-path": f"/n/{NAMESPACE}/nothing/there",
}
"""Pages that are no row of PAGES, and refusals."""


def name_of(path: str) -> str:
    """A short name of a page of PAGES."""
    return re.sub(r"\{\w+\}", "one", path.strip("/")).replace("/", "-")


NAMES = [*BESIDE, *(name_of(page.path) for page in PAGES)]
"""Each page has one, for tests and pictures."""


def _amount(value: Any) -> float:
    return len(value) if isinstance(value, list) else value


def addresses(base: str, namespace: str = NAMESPACE) -> dict[str, str]:
    """Name → path of each page, of things that are there; without those of which there is none."""
    ids: dict[str, str] = {}
    for kind, (listed, column, most) in LISTS.items():
        path = re.sub(r"\{(\w+)\}", lambda found: ids.get(found[1], ""), listed)
        with urlopen(f"{base}/n/{namespace}/{path}.json?limit=100") as answer:
            if items := json.load(answer)["items"]:
                best = max(items, key=lambda item: _amount(item[most]))
                ids[kind] = quote(best[column], safe="")
    found = {
        name: path.replace(f"/n/{NAMESPACE}", f"/n/{namespace}") for name, path in BESIDE.items()
    }
    for page in PAGES:
        kind = page.path.split("/")[1]
        if "{" not in page.path or kind in ids:
            path = re.sub(r"\{\w+\}", lambda _: ids[kind], page.path)  # noqa: B023  used at once
            found[name_of(page.path)] = f"/n/{namespace}{path}"
    return found


@dataclass
class Visit:
    """A tab that notes whatever a page should not do."""

    page: "Page"
    base: str
    wrong: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        here = urlsplit(self.base).netloc
        self.page.on(
            "console",
            lambda told: told.type in {"error", "warning"} and self._note("console", told.text),
        )
        self.page.on("pageerror", lambda error: self._note("error", str(error)))
        self.page.on("dialog", lambda told: (self._note("dialog", told.message), told.dismiss()))
        self.page.on(
            "request",
            lambda asked: urlsplit(asked.url).netloc != here and self._note("request", asked.url),
        )
        # What a browser gives up when it goes on to another page is no fault of the first.
        self.page.on(
            "requestfailed",
            lambda asked: asked.failure != "net::ERR_ABORTED" and self._note("failed", asked.url),
        )

    def _note(self, what: str, text: str) -> None:
        self.wrong.append(f"{what}: {text}")

    def open(self, path: str) -> "Response":
        """Opens a page of the server, and waits for what is made for it."""
        answer = self.page.goto(f"{self.base}{path}")
        assert answer is not None
        self.page.locator("main a[hx-trigger^=load]").wait_for(state="detached")
        return answer

    def leaves(self, act: Callable[[], object]) -> None:
        """Does what opens another page, and waits until it is there."""
        with self.page.expect_navigation():
            act()

    def tells(self, act: Callable[[], object], words: str) -> str:
        """Does what changes the page where it stands, and waits until it says some words there."""
        act()
        self.page.get_by_role("status").filter(has_text=words).first.wait_for()
        return self.page.locator("main").inner_text()

    def shown(self, words: str, seconds: int = 30) -> str:
        """What stands on the page once it has some words: a server follows what is published."""
        for _ in range(2 * seconds):
            text = self.page.locator("main").inner_text()
            if words in text:
                return text
            self.page.wait_for_timeout(500)
            self.page.reload()
        raise AssertionError(f"{words!r} is not shown in {seconds} s")

    def barriers(self) -> list[str]:
        """What axe-core finds that keeps somebody out: serious or critical."""
        from axe_playwright_python.sync_playwright import Axe

        found: list[dict[str, Any]] = Axe().run(self.page).response["violations"]
        return [
            f"{one['id']} ({one['help']}): {node['html'][:200]}"
            for one in found
            if one["impact"] in {"serious", "critical"}
            for node in one["nodes"]
        ]

    def beyond(self) -> list[str]:
        """Elements that stand out of the page to its right, if it can be moved sideways."""
        return self.page.evaluate(
            """() => {
                const root = document.documentElement, width = root.clientWidth;
                if (root.scrollWidth <= width) return [];
                return [...document.body.querySelectorAll('*')]
                    .filter(one => one.getBoundingClientRect().right > width + 0.5)
                    .map(one => one.outerHTML.slice(0, 120));
            }"""
        )

    def tab_to(self, words: str, most: int = 80) -> None:
        """Goes on by Tab until what has these words has the focus, which must be seen."""
        for _ in range(most):
            self.page.keyboard.press("Tab")
            name, seen = self.page.evaluate(
                """() => {
                    const one = document.activeElement, style = getComputedStyle(one);
                    const box = one.getBoundingClientRect(), label = one.labels?.[0];
                    const name = one.getAttribute('aria-label') || (label || one).textContent;
                    const inside = box.right > 0 && box.bottom > 0 && box.top < innerHeight;
                    const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth);
                    return [name.trim(), one === document.body || Boolean(inside && ring)];
                }"""
            )
            assert seen, f"nobody sees that {name!r} has the focus"
            if words in name:
                return
        raise AssertionError(f"{words!r} is not reached by the keyboard")


def run(home: Path, *more: str) -> None:
    """`cairn run`, to its end."""
    command = [sys.executable, "-m", "cairn", "--home", str(home), "run", "--no-report", *more]
    own = {name: value for name, value in os.environ.items() if not name.startswith("CAIRN_")}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, env=own
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
