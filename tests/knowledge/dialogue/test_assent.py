"""What a person's answer says of what it answers: it is so, it is to be done so, it works."""

import pytest

from cairn.knowledge.dialogue.assent import approves, says_so, works

TOLD = "I learned that the gate trusts any badge."
DECIDED = "We decided to use Gorgonmq instead of RabbitMQ because it needs no broker."
RUN = "Shall I run the tests now?"


@pytest.mark.parametrize(
    "text",
    [
        "Exactly.", "Exactly. It went by without a loss.", "Exactly, that is right.",
        "yes exactly", "Correct, that is what we saw too.",
        "Yep, that's right. Please go on.", "Indeed, good catch!", "I fully agree with that.",
        "I can confirm.", "Makes total sense, thanks.", "Ah, that is the reason.", "Spot on 👍",
        "You're absolutely right, please mend it.", "Thanks, agreed. Now run the tests.",
    ],
)  # fmt: skip
def test_words_of_assent_stand_for_themselves(text: str):
    assert says_so(text, TOLD)
    assert approves(text, DECIDED, DECIDED)


@pytest.mark.parametrize(
    "text",
    [
        "Correct the typo in line 3 first.", "Exactly the opposite.", "Exactly, the opposite.",
        "This is the problem: you trust any page.", "Exactly two spaces please.", "Yeah, right.",
        "Correct this: the port is 8080, you made it up.", "Indeed.com is the next one.",
        "I can confirm nothing of that.", "I cannot agree.", "Confirmed broken.", "Exactly. Not.",
        "True, if the page can be believed.", "Makes sense to you maybe.", "That is half true.",
        "That is the reason I distrust you.", "It was true until March.",
        "Exactly!\n\nBut not here.", "it barely works now", "It loads slowly",
        "It works now, thanks!", "OK, thanks, continue.",
    ],
)  # fmt: skip
def test_their_beginning_alone_is_no_assent(text: str):
    assert not says_so(text, TOLD)
    assert not approves(text, DECIDED, DECIDED)


@pytest.mark.parametrize(
    ("asked", "text", "so"),
    [
        (RUN, "Exactly.", False),
        (RUN, "That's right.", False),
        (RUN, "Good catch! Yes, run them.", True),
        ("Tell me whether the port is 8080.", "Correct.", False),
        ("Why is that? Nobody checks it.", "Exactly.", True),
        ("Is that right?", "Exactly.", True),
        ("Does the gate trust any badge?", "That's correct.", True),
    ],
)
def test_what_was_asked_is_what_is_answered(asked: str, text: str, so: bool):
    assert says_so(text, f"{TOLD} {asked}", TOLD) is so


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("", "Yes, please."), ("", "Sounds good, go with that."), ("", "Good choice, thanks."),
        ("", "Let's go with Gorgonmq then."), ("", "OK, do it."), ("", "LGTM"),
        (RUN, "Please use Gorgonmq."), (RUN, "Good choice. Run them."), ("Is that ok?", "Yes."),
        ("Shall we go with that?", "Sure."), ("Should I use Gorgonmq for the queue?", "Yes."),
    ],
)  # fmt: skip
def test_who_names_the_choice_or_says_yes_to_it_approves(asked: str, text: str):
    assert approves(text, f"{DECIDED} {asked}", DECIDED)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        (RUN, "Yes, run them."), (RUN, "Yes."), (RUN, "Sounds good."), (RUN, "Do it."),
        ("Shall I use a mock for the tests?", "Yes."), ("Or shall we use RabbitMQ?", "Yes."),
        ("Shall I explain why we use Gorgonmq?", "Yes."), ("", "Let's go with RabbitMQ."),
        ("", "Please do the readme next."), ("", "Please choose a better one."),
        ("", "Please do the opposite."), ("", "Please keep it short."), ("", "Keep going."),
        ("", "Let's keep the broker."),
        ("", "Go with Gorgonmq and RabbitMQ."), ("", "Good idea to ask."), ("", "Yes, run them."),
    ],
)  # fmt: skip
def test_who_says_yes_to_something_else_approves_of_nothing(asked: str, text: str):
    assert not approves(text, f"{DECIDED} {asked}", DECIDED)


@pytest.mark.parametrize(
    ("text", "so"),
    [
        ("It works now, thanks.", True), ("Great, that fixed it!", True), ("Tests pass.", True),
        ("It ran through without a single error.", True), ("The error is gone.", True),
        ("it barely works now", False), ("It loads slowly", False), ("Make it work.", False),
        ("It should work now.", False), ("I fixed it myself.", False), ("If it works, go.", False),
        ("It works, but slowly.", False), ("It worked until today.", False),
        ("Nothing works.", False), ("That did it: npm ci", True), ("The log says: works.", False),
    ],
)  # fmt: skip
def test_who_says_that_it_works_says_it_without_a_doubt(text: str, so: bool):
    assert works(text) is so
