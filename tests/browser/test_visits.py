"""What people do on pages, with a mouse, by keyboard alone, and with a key."""

import re
from pathlib import Path

from benchmarks.http import serving
from cairn.resources.home.api_keys import add_key
from cairn.resources.home.home import open_home
from tests.browser.conftest import Open
from tests.browser.visiting import MARKS, NAMESPACE, Visit, run

pytestmark = MARKS

WAITS = "Waits for the next run"


def test_why_a_fact_is_here_is_three_clicks_away(served: str, visit: Open) -> None:
    tab = visit(served)
    tab.open("/")
    tab.leaves(tab.page.get_by_role("link", name="Facts", exact=True).click)
    tab.leaves(tab.page.locator("main ul.things a").first.click)
    assert "Why it is here" in tab.page.locator("main").inner_text()
    assert tab.page.locator("main mark").first.is_visible()
    tab.leaves(tab.page.get_by_role("link", name="in its conversation").first.click)
    assert re.search(r"/records/r_\w+$", tab.page.url)


def test_by_keyboard_alone_a_fact_is_found_and_confirmed(own_home: Path, visit: Open) -> None:
    with serving(own_home) as address:
        tab = visit(f"http://{address}")
        tab.open("/")
        tab.tab_to("To the content")
        tab.tab_to("Search")
        tab.page.keyboard.type("backup NAS")
        opened(tab)
        assert "/search?query=backup+NAS" in tab.page.url
        fact = tab.page.locator("main a[href*='/facts/']").first.inner_text()
        tab.tab_to("To the content")
        tab.page.keyboard.press("Enter")
        tab.tab_to(fact)
        opened(tab)
        assert "/facts/f_" in tab.page.url
        here = tab.page.url
        tab.tab_to("in its conversation")
        opened(tab)
        assert "/records/r_" in tab.page.url
        tab.tab_to("the whole conversation")
        tab.page.go_back()
        assert tab.page.url == here
        tab.tab_to("It is true")
        tab.tells(lambda: tab.page.keyboard.press("Enter"), WAITS)
        assert tab.page.url == here
        run(own_home)
        text = tab.shown("What people decided")
        assert WAITS not in text
        assert "confirm" in text


def opened(tab: Visit) -> None:
    """Presses the key that opens what has the focus."""
    tab.leaves(lambda: tab.page.keyboard.press("Enter"))


def test_what_is_decided_on_a_page_waits_and_then_holds(own_home: Path, visit: Open) -> None:
    true = "The NAS of the harbour sleeps from eleven at night."
    with serving(own_home) as address:
        tab = visit(f"http://{address}")
        facts = f"/n/{NAMESPACE}/facts"
        tab.open(facts)
        links = tab.page.locator("main ul.things a")
        first, second = (str(links.nth(row).get_attribute("href")) for row in (0, 1))
        tab.open(first)
        tab.tells(tab.page.get_by_role("button", name="It is not true").click, WAITS)
        tab.open(second)
        tab.page.get_by_label("The true sentence").fill(true)
        tab.tells(tab.page.get_by_role("button", name="Put it right").click, true[:20])
        tab.open(f"/n/{NAMESPACE}/review")
        button = tab.page.get_by_role("button", name="They are two, both hold").first
        tab.tells(button.click, "keep apart")
        tab.open(f"/n/{NAMESPACE}")
        assert WAITS in tab.page.locator("main").inner_text()
        run(own_home)
        tab.open(f"/n/{NAMESPACE}/decisions")
        text = tab.shown("keep apart")
        assert WAITS not in text
        words = ("retract", "correct", true[:20])
        assert [word for word in words if word not in text] == []
        tab.open(first)
        assert "retracted" in tab.page.locator("main").inner_text()


def test_one_key_decides_and_what_waits_is_undone(own_home: Path, visit: Open) -> None:
    with serving(own_home) as address:
        tab = visit(f"http://{address}")
        tab.open(f"/n/{NAMESPACE}/review")
        tab.tells(lambda: tab.page.keyboard.press("t"), "keep apart")
        tab.tells(tab.page.get_by_role("button", name="Undo").click, "undo")
        search = tab.page.get_by_placeholder("Search")
        search.fill("")
        search.press("t")
        assert search.input_value() == "t", "what is typed decides nothing"
        tab.page.reload()
        assert tab.page.get_by_role("status").get_by_role("listitem").count() == 2


def test_what_is_refused_says_why(own_home: Path, visit: Open) -> None:
    with serving(own_home) as address:
        tab = visit(f"http://{address}")
        tab.open(f"/n/{NAMESPACE}/research")
        tab.page.get_by_label("Search for").fill("Rust releases")
        tab.page.get_by_label("every").fill("blurb")
        tab.page.keyboard.press("Enter")
        tab.page.get_by_role("alert").filter(has_text="every").wait_for(timeout=10_000)
        assert all("400" in one for one in tab.wrong)  # a browser notes each that is refused
        tab.wrong.clear()


def test_a_search_answers_as_one_types(served: str, visit: Open) -> None:
    tab = visit(served)
    tab.open(f"/n/{NAMESPACE}/search")
    tab.page.get_by_label("Search", exact=True).press_sequentially("NAS", delay=20)
    tab.page.locator("#found li").first.wait_for()
    assert "query=NAS" in tab.page.url
    tab.page.get_by_label("Kind").select_option("learnings")
    tab.page.wait_for_url("**type=learnings**")
    tab.page.locator("#found").filter(has_not_text="request ·").wait_for()
    slider = tab.page.get_by_label("As it was known")
    slider.focus()
    slider.press("End")
    tab.page.get_by_text("as it was known on").first.wait_for()


def test_without_scripts_people_read_and_decide(own_home: Path, visit: Open) -> None:
    with serving(own_home) as address:
        tab = visit(f"http://{address}", scripts=False)
        tab.open(f"/n/{NAMESPACE}/search?query=NAS")
        tab.leaves(tab.page.locator("#found a[href*='/facts/']").first.click)
        tab.leaves(tab.page.get_by_role("button", name="It is true").click)
        assert WAITS in tab.page.get_by_role("status").inner_text()


def test_what_goes_is_shown_before_it_goes(own_home: Path, visit: Open) -> None:
    with serving(own_home) as address:
        tab = visit(f"http://{address}")
        tab.open(f"/n/{NAMESPACE}/facts")
        tab.leaves(tab.page.locator("main ul.things a").first.click)
        fact = tab.page.url
        tab.leaves(tab.page.get_by_role("link", name="Forget …").click)
        button = tab.page.get_by_role("button", name="Forget it for good")
        button.wait_for(timeout=120_000)
        assert tab.barriers() == []
        assert tab.beyond() == []
        tab.wrong.clear()
        tab.leaves(button.click)
        assert "forget fact" in tab.page.get_by_role("status").inner_text()
        run(own_home)
        assert tab.page.goto(fact).status == 404
        tab.wrong.clear()


def test_what_was_missed_in_a_message_is_known_after_the_next_run(
    own_home: Path, visit: Open
) -> None:
    said = "The harbour has a second NAS in the attic."
    with serving(own_home) as address:
        tab = visit(f"http://{address}")
        tab.open(f"/n/{NAMESPACE}/conversations")
        tab.leaves(tab.page.locator("main ul.things a").first.click)
        tab.page.get_by_text("This was missed").first.click()
        tab.page.get_by_label("What should have been learnt").first.fill(said)
        tab.page.get_by_role("button", name="Note it").first.click()
        tab.page.wait_for_load_state("networkidle")
        tab.open(f"/n/{NAMESPACE}/missed")
        assert said in tab.page.get_by_role("status").inner_text()
        run(own_home)
        tab.open(f"/n/{NAMESPACE}/missed")
        tab.shown("in its conversation")
        tab.open(f"/n/{NAMESPACE}/search?query=second+NAS+attic")
        assert said in tab.page.locator("#found").inner_text()


def test_a_key_opens_pages_until_its_holder_leaves(own_home: Path, visit: Open) -> None:
    key, *_ = add_key(open_home(own_home), [NAMESPACE])
    reading, *_ = add_key(open_home(own_home), [NAMESPACE], read_only=True)
    with serving(own_home) as address:
        tab = visit(f"http://{address}")
        tab.open(f"/n/{NAMESPACE}/review")
        enter(tab, "nothing")
        assert "opens nothing" in tab.page.get_by_role("alert").inner_text()
        assert [line for line in tab.wrong if "401" not in line] == []
        tab.wrong.clear()
        enter(tab, key)
        assert tab.page.url.endswith(f"/n/{NAMESPACE}")
        (cookie,) = tab.page.context.cookies()
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
        tab.open(f"/n/{NAMESPACE}/facts")
        tab.leaves(tab.page.locator("main ul.things a").first.click)
        page = tab.page.url
        assert tab.page.get_by_role("button", name="It is true").is_visible()
        tab.leaves(tab.page.get_by_role("button", name="Log out").click)
        assert tab.page.url.endswith("/login")
        assert tab.page.context.cookies() == []
        tab.page.goto(page)
        assert tab.page.url.endswith("/login")
        enter(tab, reading)
        tab.page.goto(page)
        buttons = tab.page.locator("main button")
        assert (tab.page.locator("h1").count(), buttons.count()) == (1, 0)
        tab.open(f"/n/{NAMESPACE}/review")
        assert tab.page.locator("main button").count() == 0


def enter(tab: Visit, key: str) -> None:
    """Shows a key on the page that asks for it."""
    tab.page.get_by_label("A key of this server").fill(key)
    tab.leaves(tab.page.get_by_role("button", name="Enter").click)
