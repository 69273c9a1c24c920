"""What people say of themselves and their work in the usual words of a chat."""

import time

import pytest

from cairn.knowledge.extraction.rules.forms.everyday import EVERYDAY, PASSING
from tests.knowledge.extraction.rules.fixtures import found_in_each, human


def states(*texts: str, **more: object) -> list[list[str]]:
    found = found_in_each(*([human(text, **more)] for text in texts))
    return [rows.filter(predicate="states")["object"].to_list() for rows in found]


TOLD = [
    "I weigh 71 kg.",
    "We meet every Thursday at nine.",
    "I have no brothers.",
    "I'm vegetarian since 2015.",
    "My brother is called Ole.",
    "I go climbing twice a week.",
    "I can't eat shellfish.",
    "I've been learning Czech for three years.",
    "We're getting married in May.",
    "I was born in Tromsø.",
    "I'm left-handed.",
    "I wear glasses.",
    "We keep our recipes in a blue folder.",
    "I'm on call next week.",
    "We don't have a design team.",
    "All our contracts are in Dutch.",
    "We plan to open a second shop in spring.",
    "I quit my job at the harbour.",
    "I'm Ragnhild, by the way.",
    "People call me Bo.",
    "My pronouns are they/them.",
    "I'm a lighthouse keeper.",
    "My uncle Ole just bought a trawler.",
    "Our cat only drinks from the tap.",
    "I have mild asthma.",
    "I tore my left hamstring two years ago.",
    "I used to be a deckhand.",
    "On Mondays we have dinner at my aunt's.",
    "I write about ten letters a month.",
    "I row to the island unless it rains.",
    "We have goats on the hill.",
    "I can't stand the smell of diesel.",
    "I dislike crowds.",
    "I'm thinking about buying a van.",
    "I want to learn Faroese before we move.",
    "We will repaint the boat next summer.",
    "Recently, I have been learning to cook.",
    "Haha, lately I've been collecting stamps.",
    "In my free time, I restore old radios.",
    "Good morning, today I went to a maritime museum.",
    "Yesterday I got an interview at the shipyard.",
    "I finished reading a biography of a whaler.",
    "I've always been afraid of deep water.",
    "We went camping with the kids a few weeks ago.",
    "I joined a rowing club and it is great fun.",
    "Last winter, we travelled to Iceland.",
]


def test_what_people_are_have_do_and_plan() -> None:
    assert states(*TOLD) == [[sentence] for sentence in TOLD]


NOT_TOLD = [
    "We don't have to use every crane.",
    "I have a question about the parser. I have no idea why it fails.",
    "I need you to rename the module. I want to see the logs every day.",
    "I get an error when I run the tests. I see two failures in the log.",
    "If I had a dog I would walk every day. Imagine I live in a castle with ghosts.",
    "Do I have a meeting every Monday? Maybe I have two of those.",
    "My sister says I eat too much. I hope I sleep well at night.",
    "I'm stuck on the build. I'm getting a 404 every time. I'm happy with that.",
    "My uncle says he owns three boats. My dog ate the mooring plan, haha. I'm a bit lost.",
    "I'd like to see the logs. I'll start the server next. I used to think so. I'm OK.",
    "I have the results. I have some changes to commit. I have to go. We have tests for it.",
    "My point is that the file is missing. I like option C.",
    "Recently, I have been getting errors.",
    "Lately I've been testing all day. Today I have a question.",
    "I finished reading the docs.",
    "I went to the settings page yesterday. I started watching the logs.",
    "If I went to a museum, I would pay.",
    "I wish I had got an interview. Have I finished the book?",
    "I've updated the icons in the folders.",
    "I visited the page and it is blank. I made a mistake.",
    "I got an error in the interview page. I heard he got a job. He went to a concert.",
    "I have two issues with this change. We should meet every Monday.",
    "We are in a stabilization phase. But I'm on main here. And we have a crane in the yard.",
]


def test_what_passes_is_asked_or_supposed() -> None:
    assert states(*NOT_TOLD) == [[]] * len(NOT_TOLD)


DEEDS = [
    "Sold my boat last month to pay for the shed.",
    "I just launched a small ferry line.",
    "I just got accepted at the school of navigation!",
    "Last week, I built a new pier for the children.",
    "I had to close my shop at the harbour.",
    "Last weekend I built a small raft - it is hard to steer.",
    "I'm restoring an old lighthouse with friends.",
    "Can't stand coriander, it tastes like soap.",
    "My brother and I rent a boat in Gdynia.",
    "I cancelled the gym, they moved too far out.",
    "Spiders make me scream.",
    "Horror films are a hard pass for me.",
    "Choir is every Monday night.",
    "Mum has a new knee.",
    "The wife is a nurse at the harbour clinic.",
    "As a lefty I can't use scissors.",
    "My twins will be three on 9 October.",
    "Not religious myself, but my wife is.",
    "I usually get up at five, the house is quiet then.",
    "I'm scared of heights.",
]


def test_among_people_what_somebody_did_or_is_at_is_told() -> None:
    assert states(*DEEDS, project=None) == [[sentence] for sentence in DEEDS]


REFLECTIONS = [
    "We all trade one dream for another along the way.",
    "Love doesn't wait around for the paint to dry.",
    "From the window, what a view!",
    "From fish to lighthouses to motorbikes.",
]


def test_among_people_a_reflection_in_the_form_of_a_fact_is_none() -> None:
    assert states(*REFLECTIONS, project=None) == [[]] * len(REFLECTIONS)


def test_what_is_thought_said_or_shared_or_done_in_a_project_is_no_deed() -> None:
    assert states("I just renamed the ferry module yesterday.") == [[]]
    told = (
        "I thought of you last week.", "Talked to him yesterday.", "I just wanted to say hi.",
        "So tired today, I could sleep here.", "Love the anchor.", "My coffee is cold.",
        "Sailing looks like a great outlet.", "Taking a risk is scary.", "That makes me laugh.",
        "I'm sending you a picture.", "I'm having a great time.", "Loved your pics last week.",
        "Started when I was young.", "I had to say a few things.", "I just felt like a fool.",
    )  # fmt: skip
    assert states(*told, project=None) == [[]] * len(told)


def test_a_question_behind_is_no_part_of_it() -> None:
    assert states("I've been learning to row, do you have any tips?") == [
        ["I've been learning to row"]
    ]


@pytest.mark.parametrize("text", ["i have " + "a " * 9_000, "we " * 9_000, "my " + "b " * 9_000])
def test_hostile_text_takes_no_longer(text: str) -> None:
    begin = time.process_time()
    assert EVERYDAY.match(text) is None or not PASSING.search(text)
    states(text)
    assert time.process_time() - begin < 2
