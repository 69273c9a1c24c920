"""What is taken of a message that no form of a rule fits, and what is left."""

import pytest

from benchmarks.salience import measured, source
from cairn.knowledge.extraction.rules.salient import LEAST, RULES, salient
from cairn.knowledge.extraction.salience.model import CHATS, SESSIONS, kind_of, salience, weights
from cairn.knowledge.extraction.salience.ngrams import ngrams


def test_an_ngram_is_of_words_or_of_a_piece_of_one() -> None:
    words, pieces = ngrams("Don't moor at `pier_4` in 2026")
    assert {"^", "do not moor", "at xx in", "0 $"} <= {*words}
    assert {" mo", "oor ", " xx "} <= {*pieces}
    assert not any(" " in piece.strip() for piece in pieces)
    assert ngrams("") == ngrams("  ")


@pytest.mark.parametrize(
    ("text", "predicate"),
    [
        (
            "We talked to the harbour board, no night tours, the ferry stays a day service",
            "decides",
        ),
        ("The pilots have no phones on board, so the page has to work without a login.", "states"),
        ("App has no backend at all, everything local, tides in the documents dir", "states"),
        ("The tide page was slow because its table had no index, adding one fixed it", "states"),
    ],
)
def test_what_is_said_in_passing_is_taken_as_it_was_said(text: str, predicate: str) -> None:
    found = salient(text, SESSIONS)
    assert found
    assert (found.text, found.predicate) == (text, predicate)


def test_of_a_longer_message_the_sentence_that_says_it_is_taken() -> None:
    request = "Can you look at the berth list, the third column is cut off."
    told = "We talked to the harbour board, no night tours, the ferry stays a day service."
    found = salient(f"{request} {told} Then commit.", SESSIONS)
    assert found
    assert found.text == told
    assert f"{request} {told} Then commit."[found.start : found.end] == told


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ok go on",
        "can you check why the crane is slow, it was fine before the rebase",
        "If the board says no, does the ferry stay a day service?",
        "It stays a day service, they talked to the harbour board",
        "Maybe we talk to the harbour board and the ferry stays a day service",
        "Get the latest list of ferries from the harbour board and sort it.",
        "Audit all ferries and make sure that the harbour board has no night tours.",
        "Nah let's roll back, the ferry stays a day service",
        "Lets create a team of three for the crane, the berths and the tides.",
        "We talked to the harbour board. " * 40,
        "We talked to the harbour board, the ferry stays a day service, " + "x" * 2_000,
    ],
)
def test_what_asks_doubts_points_passes_or_is_long_is_left(text: str) -> None:
    assert salient(text, SESSIONS) is None


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "haha no way. I've been volunteering at the shelter on Saturdays since January",
            "I've been volunteering at the shelter on Saturdays since January",
        ),
        (
            "Oh that's lovely! My brother's wife is expecting in May. How are you?",
            "My brother's wife is expecting in May.",
        ),
        (
            "Haha! I signed him up for a choir in town that meets on Mondays since May",
            "I signed him up for a choir in town that meets on Mondays since May",
        ),
        ("Nature always calms the mind, we all need a break sometimes.", None),
        ("That sounds amazing, you must be so proud of the whole team!", None),
        ("I'm so tired today, I could sleep right here", None),
    ],
)
def test_in_a_chat_what_somebody_tells_of_themselves_is_taken(text: str, kept: str | None) -> None:
    found = salient(text, CHATS)
    assert (found and found.text) == kept


@pytest.mark.parametrize("of", [SESSIONS, CHATS])
def test_weights_are_those_of_the_messages_that_they_name(of: str) -> None:
    """Else: `python -m benchmarks salience`."""
    assert weights(of).read_text(encoding="utf-8").split("\n", 1)[0] == source(of)


def test_other_weights_are_another_version_of_the_rule() -> None:
    """Else what was taken by the old ones would stand: raise it, and `make rule-digests`."""
    (own,) = RULES
    fitted_to = [weights(of).read_text(encoding="utf-8")[:16] for of in (SESSIONS, CHATS)]
    assert (own.extractor.version, *fitted_to) == (12, "07153cf2d691aaf3", "f713664fba18664d")


def test_in_messages_that_it_was_not_fitted_to_it_is_seldom_wrong() -> None:
    """Those that retell what people typed in life hold less, in fewer words, than made-up ones."""
    found = {"chats": [0, 0, 0, 0], "sessions": [0, 0, 0, 0], "sessions_retold": [0, 0, 0, 0]}
    for name, own in measured().items():
        count = found[max((of for of in found if name.startswith(of)), key=len)]
        for kind, counted in own.items():
            if kind != "auc":
                at = 2 * (kind == "drop")
                count[at] += counted["taken"]
                count[at + 1] += counted["messages"]
    for of, least in (("chats", 3), ("sessions", 3), ("sessions_retold", 10)):
        taken, there, wrongly, nothing = found[of]
        assert taken > there / least
        assert wrongly < nothing / 40
    assert salience("ok go on", SESSIONS) < LEAST[SESSIONS]


def test_a_kind_is_told_among_what_holds_something() -> None:
    assert kind_of("never push to main, the release bot does that") == "directive"
    assert kind_of("the outage came from an expired key, rotating it ended it") == "lesson"
