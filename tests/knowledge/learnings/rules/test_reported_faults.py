"""Faults that a person reports, and calls solved."""

import pytest

from cairn.knowledge.learnings.draft import Draft, decode
from cairn.knowledge.learnings.stages import learning_candidates
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.conftest import PADDING

BUTTON = ("human", "The add-to-cart button does nothing when I tap it on my phone.")
WHY = (
    "agent",
    "The handler is bound before the button exists, because the script runs in the head. "
    "I'll move the call into a `load` listener.",
)
EDIT = ("edit", "/home/ada/shop-api/web/cart.ts", "bind()", "addEventListener('load', bind)")
PASSED = ("run", "npm test", "Tests  41 passed (41)")
DONE = ("agent", "Done, please try it on the phone.")


def drafts(raw_logs) -> list[Draft]:
    return decode(learning_candidates(raw_logs, Policy()).row(0, named=True)["drafts"])


def test_a_reported_fault_that_the_person_confirms_as_solved_is_a_bug_fix(session):
    (draft,) = drafts(session(BUTTON, WHY, EDIT, DONE, ("human", "That works now."), *PADDING))
    assert draft.category == "bug_fix"
    assert draft.title.startswith("The handler is bound before the button exists")
    assert 'Symptom: A person reported: "The add-to-cart button does nothing' in draft.content
    assert "Root cause: The handler is bound" in draft.content
    assert "Solution: Move the call into a load listener. Changed cart.ts:" in draft.content
    assert [quote.role for quote in draft.quotes] == ["human", "agent", "human"]
    assert draft.refused is None


@pytest.mark.parametrize(
    "events",
    [
        (EDIT, DONE, ("human", "Now the footer, please.")),
        (EDIT, PASSED, ("human", "Now the footer, please.")),
        (("edit", "/home/ada/shop-api/README.md", "a", "b"), DONE, ("human", "That works now.")),
        (EDIT, PASSED, ("human", "It still does nothing.")),
        (EDIT, PASSED, ("human", "No, same problem on the tablet.")),
        (EDIT, ("run", "npm test", "Tests  2 failed | 39 passed (41)", "error")),
        (PASSED, DONE),
        (EDIT, ("run", "git commit -m 'Bind later'", "1 file changed")),
    ],
    ids=[
        "no sign",
        "a check alone",
        "another change",
        "still",
        "denied",
        "check fails",
        "no change",
        "no check",
    ],
)
def test_what_nobody_saw_solved_is_no_lesson(session, events):
    assert drafts(session(BUTTON, WHY, *events, *PADDING)) == []


def test_a_fault_that_stays_open_is_solved_by_what_comes_next(session):
    again = (
        "agent",
        "The profile is null while the phone is offline, so `profile.name` throws. I need to guard "
        "the access in `settings.ts`.",
    )
    edit = ("edit", "/home/ada/shop-api/web/settings.ts", "profile.name", "profile?.name ?? ''")
    (draft,) = drafts(
        session(
            ("human", "The settings page crashes when the phone has no network."),
            ("agent", "It crashes because the request has no timeout. I'll add one to `api.ts`."),
            EDIT, PASSED, ("human", "It still crashes."), again, edit, PASSED,
            ("human", "Yes, fixed."), *PADDING,
        )
    )  # fmt: skip
    assert draft.title == "The profile is null while the phone is offline, so profile.name throws"
    assert "The settings page crashes when the phone has no network" in draft.content
    assert "Changed settings.ts" in draft.content


def test_an_error_that_a_person_pastes_is_their_report(session):
    said = (
        'When I start the app I get\n```\nTraceback (most recent call last):\n  File "app.py"\n'
        'psycopg.OperationalError: connection to server at "localhost" failed\n```'
    )
    why = "Inside the container, localhost is the container itself, so the connection is refused."
    (draft,) = drafts(
        session(
            ("human", said),
            ("agent", f"{why} I'll use the service name `db`."),
            ("edit", "/home/ada/shop-api/compose.yaml", "@localhost", "@db"),
            ("human", "Yes, fixed, thanks."),
            *PADDING,
        )
    )
    assert draft.title == why.rstrip(".")
    assert draft.quotes[0].text.startswith("psycopg.OperationalError")


def test_a_correction_says_how_it_must_be(session):
    (draft,) = drafts(
        session(
            ("human", "Show the tax in the invoice."),
            ("agent", "I'll show it on each line."),
            EDIT,
            ("human", "No, that is wrong: the tax must be rounded once per order, not per line."),
            ("agent", "I'll round after the sum in `total.ts`."),
            ("edit", "/home/ada/shop-api/total.ts", "a", "return cents(sum * rate)"),
            PASSED,
            ("human", "Perfect, that is correct now."),
            *PADDING,
        )
    )
    assert draft.title == "The tax must be rounded once per order, not per line"
    assert "Changed total.ts: `return cents(sum * rate)`." in draft.content


@pytest.mark.parametrize(
    "said",
    [
        "Add error handling to the login form so that it tells when the password is wrong.",
        "Please implement the cart page of the new design.",
        "If the upload fails, show a message.",
        "Thanks, that works without errors now.",
    ],
)
def test_a_wish_reports_nothing(session, said):
    assert drafts(session(("human", said), WHY, EDIT, PASSED, *PADDING)) == []


@pytest.mark.parametrize("origin", ["system", "recalled"])
def test_only_a_person_reports_and_only_a_person_confirms(session, origin):
    told, thanks = BUTTON[1], ("human", "That works now.")
    assert drafts(session((origin, told), WHY, EDIT, thanks, *PADDING)) == []
    confirmed = (origin, "That works now.")
    assert drafts(session(BUTTON, WHY, EDIT, confirmed, *PADDING)) == []


def test_a_slip_of_the_pen_teaches_nothing(session):
    why = ("agent", "The form fails because of a missing comma in `cart.ts`. I'll add the comma.")
    assert drafts(session(BUTTON, why, EDIT, PASSED, *PADDING)) == []


def test_an_error_that_was_seen_and_explained_is_not_told_twice(session, solved):
    assert len(drafts(session(*solved))) == 1


WRONG = ("run", "python report.py", "2026-03-01  12 orders")
RIGHT = ("run", "python report.py", "2026-03-02  3 orders")
SEEN = ("agent", "The date is wrong: it shows 2026-03-01 instead of 2026-03-02.")
NOW = ("edit", "/home/ada/shop-api/report.py", "utcnow()", "datetime.now(BERLIN)")


def test_output_that_only_an_agent_calls_wrong_is_no_lesson(session):
    why = ("agent", "The report uses `utcnow()`, which leads to the date of yesterday at night.")
    assert drafts(session(WRONG, SEEN, why, NOW, RIGHT, *PADDING)) == []
