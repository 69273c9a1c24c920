"""Each thing that is done on a page is told there at once, and done by a run that begins there."""

import fcntl
import re
from contextlib import ExitStack
from pathlib import Path

from benchmarks.http import serving
from tests.browser.conftest import Open
from tests.browser.visiting import MARKS, NAMESPACE, Visit

pytestmark = MARKS

WAITS = "Waits for the next run"
EXPECTED = "The harbour has a second NAS in the attic."


def first_of(tab: Visit, listed: str, named: str = "") -> None:
    """Opens the first thing of a list, or the first with some words."""
    tab.open(f"/n/{NAMESPACE}/{listed}")
    tab.leaves(tab.page.locator("main ul.things a").filter(has_text=named).first.click)


def test_what_is_said_on_pages_is_told_there_and_done_by_one_button(
    own_home: Path, visit: Open
) -> None:
    with serving(own_home) as address:
        tab = visit(f"http://{address}")

        def press(button: str, told: str) -> None:
            tab.tells(tab.page.get_by_role("button", name=button, exact=True).first.click, told)

        first_of(tab, "entities", "harbor-backup")
        press("Like it", "like harbor-backup")
        press("Mute it", "mute harbor-backup")
        other = tab.page.url
        first_of(tab, "entities", "lantern-shop")
        tab.page.get_by_label("Id of the other").fill(other.rpartition("/")[2])
        press("They are two", "keep apart")
        first_of(tab, "learnings")
        press("It helped", "👍")
        press("Tell it no more", "mute l_")
        tab.open(f"/n/{NAMESPACE}/search?query=backup")
        press("It did not help", "👎")
        assert tab.page.locator("#found li").count() > 3, "what was found stands there still"
        tab.open(f"/n/{NAMESPACE}/research")
        tab.page.get_by_label("Look into").fill("worm compost")
        press("Learn", "learn worm compost")
        tab.page.get_by_label("Search for").fill("frost dates")
        press("Schedule", "frost dates")
        tab.open(f"/n/{NAMESPACE}/interests")
        press("Dislike", "dislike")
        first_of(tab, "conversations", "pruning")
        tab.page.get_by_text("This was missed").first.click()
        tab.page.get_by_label("What should have been learnt").first.fill(EXPECTED)
        tab.tells(tab.page.get_by_role("button", name="Note it").first.click, EXPECTED)
        tab.open(f"/n/{NAMESPACE}/dead-letters")
        press("Take it off the list", "dismiss")
        tab.open(f"/n/{NAMESPACE}/review?kind=operations")
        tab.tells(tab.page.get_by_role("button", name="Leave all").click, "operations v_")
        assert tab.page.locator(".decided").count() == 0
        tab.open(f"/n/{NAMESPACE}/review?kind=pairs")
        tab.page.get_by_text("Decide about many by one rule").click()
        tab.page.get_by_label("Those alike from").fill("0")
        tab.page.locator("select[name=decision]").select_option("keep_apart")
        tab.page.get_by_role("button", name="Count them").click()
        decide = tab.page.get_by_role("button", name=re.compile("Decide about"))
        tab.tells(decide.click, "keep apart")

        tab.open(f"/n/{NAMESPACE}")
        assert WAITS in tab.page.locator("main").inner_text()
        tab.tells(tab.page.get_by_role("button", name="Run it now").click, "being taken in")
        text = tab.shown("All that was logged is published", seconds=120)
        assert WAITS not in text
        tab.open(f"/n/{NAMESPACE}/search?query=second+NAS+attic")
        assert EXPECTED in tab.page.locator("#found").inner_text()
        tab.open(f"/n/{NAMESPACE}/interests")
        assert "muted" in tab.page.locator("main").inner_text()


def test_whoever_runs_the_server_watches_retries_and_backfills(
    own_home: Path, visit: Open, tmp_path: Path
) -> None:
    (tmp_path / "more").mkdir()
    with serving(own_home) as address:
        tab = visit(f"http://{address}")
        tab.open(f"/n/{NAMESPACE}/sources")
        tab.page.get_by_label("A file or folder with logs").fill(str(tmp_path / "more"))
        tab.page.get_by_role("button", name="Watch it", exact=True).click()
        listed = tab.page.locator("li").filter(has_text=str(tmp_path / "more"))
        listed.get_by_role("button", name="Watch it no more").click()
        listed.wait_for(state="detached")
        tab.open(f"/n/{NAMESPACE}/dead-letters")
        again = tab.page.get_by_role("button", name="Try all of them again")
        tab.tells(again.click, "being tried again")
        tab.page.get_by_text("That is done").wait_for(timeout=120_000)
        tab.open(f"/n/{NAMESPACE}/changes?stale=1")
        assert "Nothing is stale" in tab.page.locator("main").inner_text()
        first_of(tab, "projects")
        tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        tab.page.get_by_role("button", name="Copy it").click()
        tab.page.get_by_role("button", name="Copied").wait_for()
        copied = tab.page.evaluate("navigator.clipboard.readText()")
        assert copied.startswith("## How to work here")


def test_what_is_typed_stays_while_a_run_is_under_way(own_home: Path, visit: Open) -> None:
    true = "The NAS of the harbour sleeps from eleven at night."
    with serving(own_home) as address, ExitStack() as held:
        tab = visit(f"http://{address}")
        first_of(tab, "facts")
        tab.tells(tab.page.get_by_role("button", name="It is true").click, WAITS)
        lock = held.enter_context((own_home / "write.lock").open("a"))
        fcntl.flock(lock, fcntl.LOCK_EX)
        tab.tells(tab.page.get_by_role("button", name="Run it now").click, "being taken in")
        field = tab.page.get_by_label("The true sentence")
        field.press_sequentially(true, delay=60)
        assert field.input_value() == true
        held.close()
        tab.page.get_by_text("That is done").wait_for(timeout=120_000)
        assert field.input_value() == true
        tab.leaves(tab.page.get_by_role("link", name="Look again").click)
        assert "What people decided" in tab.page.locator("main").inner_text()


def test_a_key_decides_about_the_first_alone(own_home: Path, visit: Open) -> None:
    with serving(own_home) as address:
        tab = visit(f"http://{address}")
        tab.open(f"/n/{NAMESPACE}/review")
        tab.page.keyboard.press("d")
        tab.page.wait_for_timeout(500)
        tab.page.reload()
        assert WAITS not in tab.page.locator("main").inner_text()
        tab.tells(lambda: tab.page.keyboard.press("t"), "keep apart")
