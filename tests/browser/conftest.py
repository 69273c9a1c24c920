"""A browser, and the samples in a home of their own, made and served as people do."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.http import serving
from tests.browser.visiting import CHROMIUM, DESKTOP, NAMESPACE, Visit, run
from tests.homes import copy_home

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MIRA = Path("/home/mira")
"""Where the logs of the samples would lie: pictures show no path of the machine that took them."""

Open = Callable[..., Visit]


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    from playwright.sync_api import sync_playwright

    # Its sandbox does not start for root, as in a container.
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield started
        started.close()


@pytest.fixture(scope="session")
def samples_home(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Iterator[Path]:
    """The samples by `cairn run`; no test may change it."""
    place = tmp_path_factory.mktemp("browser")
    mine = bool(os.environ.get("PICTURES")) and not MIRA.exists()
    logs = (MIRA if mine else place) / "logs"
    shutil.copytree(samples, logs)
    run(place / "home", "--source", str(logs), "--namespace", NAMESPACE)
    yield place / "home"
    if mine:
        shutil.rmtree(MIRA)


@pytest.fixture(scope="session")
def served(samples_home: Path) -> Iterator[str]:
    """Address of a server over the samples."""
    with serving(samples_home) as address:
        yield f"http://{address}"


@pytest.fixture
def own_home(samples_home: Path, tmp_path: Path) -> Path:
    """The samples, to be changed."""
    return copy_home(samples_home, tmp_path / "home")


@pytest.fixture
def visit(browser: "Browser") -> Iterator[Open]:
    """Opens a tab, with cookies of its own, at an address; nothing may have gone wrong in it."""
    with ExitStack() as ends:
        visits: list[Visit] = []

        def opened(
            base: str,
            *,
            size: tuple[int, int] = DESKTOP,
            scheme: str = "light",
            scripts: bool = True,
        ) -> Visit:
            context = browser.new_context(
                viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, locale="en",
                java_script_enabled=scripts,
            )  # fmt: skip
            context.set_default_timeout(30_000)
            ends.callback(context.close)
            visits.append(Visit(context.new_page(), base))
            return visits[-1]

        yield opened
        assert [one.wrong for one in visits if one.wrong] == []
