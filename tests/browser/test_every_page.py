"""Each page, as a browser shows it: nothing is loaded from elsewhere, and nobody is kept out.

`make test-pages` brings Playwright, which runs Debian's Chromium; `make test` passes over this.
"""

import pytest

from cairn.serving.http.pages import login, routes
from cairn.serving.http.pages.page import PAGES
from tests.browser.conftest import Open
from tests.browser.visiting import BESIDE, MARKS, NAMES, NAMESPACE, PHONE, Visit, addresses

pytestmark = MARKS


@pytest.fixture(scope="session")
def paths(served: str) -> dict[str, str]:
    """Name → path of each page."""
    return addresses(served)


def test_every_route_is_looked_at() -> None:
    """A new page is a row of PAGES, or of BESIDE."""
    there = {
        route.path
        for router in (routes.router, login.router)
        for route in router.routes
        if "GET" in getattr(route, "methods", ())
    }
    pages = {path.replace(":path", "") for path in there if not path.endswith(".json")}
    seen = {f"/n/{{namespace}}{page.path}" for page in PAGES}
    seen |= {
        path.partition("?")[0].replace(f"/n/{NAMESPACE}", "/n/{namespace}")
        for path in BESIDE.values()
    }
    assert pages - seen == set()


@pytest.mark.parametrize("name", NAMES)
def test_a_page_keeps_nobody_out(
    name: str, paths: dict[str, str], served: str, visit: Open
) -> None:
    assert name in paths, "no thing of that kind is in the samples, or LISTS does not tell its id"
    refused = name.startswith("refused")
    for size, scheme in (((1280, 800), "light"), ((1280, 800), "dark"), (PHONE, "light")):
        tab = visit(served, size=size, scheme=scheme)
        answer = tab.open(paths[name])
        assert answer.status == (404 if refused else 200)
        if refused:  # a browser notes each
            assert [line for line in tab.wrong if "404" not in line] == []
        else:
            assert tab.wrong == []
        tab.wrong.clear()
        told(tab)
        assert tab.barriers() == []
        assert tab.beyond() == []
        tab.wrong.clear()  # what axe-core does to find out


def told(tab: Visit) -> None:
    """A page says what it is: to who sees it, and to who hears it."""
    assert tab.page.title().endswith("Cairn")
    assert tab.page.locator("h1").count() == 1
    assert tab.page.locator("h1").inner_text().strip()
    assert tab.page.locator("html").get_attribute("lang") == "en"
    assert tab.page.locator("main").count() == 1
    assert tab.page.evaluate("[...document.scripts].every((one) => one.src && !one.text)")
