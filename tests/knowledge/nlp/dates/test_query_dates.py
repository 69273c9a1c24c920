"""Days that a question asks of: strict, since a wrong filter hides the answer."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cairn.knowledge.nlp.dates.query_dates import asked_time

NOW = datetime(2026, 3, 18, 15, 30, tzinfo=UTC)
"""A Wednesday."""


def days(first, last):
    return first and date.fromisoformat(first), last and date.fromisoformat(last)


@pytest.mark.parametrize(
    ("query", "first", "last", "rest"),
    [
        ("What did we fix today?", "2026-03-18", "2026-03-18", "What did we fix?"),
        ("errors today", "2026-03-18", "2026-03-18", "errors"),
        ("What broke this morning?", "2026-03-18", "2026-03-18", "What broke?"),
        ("Yesterday, what broke?", "2026-03-17", "2026-03-17", "what broke?"),
        ("yesterday's deployment error", "2026-03-17", "2026-03-17", "deployment error"),
        ("Sum up the notes of last week's visit", "2026-03-09", "2026-03-15",
         "Sum up the notes of visit"),
        ("the error from yesterday evening", "2026-03-17", "2026-03-17", "the error"),
        ("Who called last night?", "2026-03-17", "2026-03-18", "Who called?"),
        ("what failed the day before yesterday", "2026-03-16", "2026-03-16", "what failed"),
        ("what did we ship this week", "2026-03-16", "2026-03-22", "what did we ship"),
        ("last week deployments", "2026-03-09", "2026-03-15", "deployments"),
        ("What did we decide last month, again?", "2026-02-01", "2026-02-28",
         "What did we decide, again?"),
        ("books I read last year", "2025-01-01", "2025-12-31", "books I read"),
        ("where did I go last weekend", "2026-03-14", "2026-03-15", "where did I go"),
        ("where was I the week before last", "2026-03-02", "2026-03-08", "where was I"),
        ("what broke earlier this month", "2026-03-01", "2026-03-31", "what broke"),
        ("Where did we hike last spring?", "2025-03-01", "2025-05-31", "Where did we hike?"),
        ("What did we plant this spring?", "2026-03-01", "2026-05-31", "What did we plant?"),
        ("what did we cook last winter", "2025-12-01", "2026-02-28", "what did we cook"),
        ("who visited this past autumn", "2025-09-01", "2025-11-30", "who visited"),
        ("who visited last fall", "2025-09-01", "2025-11-30", "who visited"),
        ("who visited in the summer of 2024", "2024-06-01", "2024-08-31", "who visited"),
        ("who visited in spring 2025?", "2025-03-01", "2025-05-31", "who visited?"),
        ("who visited in the summer last year", "2025-06-01", "2025-08-31", "who visited"),
        ("What did Ben say on Monday?", "2026-03-16", "2026-03-16", "What did Ben say?"),
        ("On Wednesday we met. Who came?", "2026-03-18", "2026-03-18", "we met. Who came?"),
        ("Who came last Wednesday?", "2026-03-11", "2026-03-11", "Who came?"),
        ("Who came on Thursday night?", "2026-03-12", "2026-03-13", "Who came?"),
        ("Who came on Friday last week?", "2026-03-13", "2026-03-13", "Who came?"),
        ("In May, what did I paint?", "2025-05-01", "2025-05-31", "what did I paint?"),
        ("what did I paint in march", "2026-03-01", "2026-03-31", "what did I paint"),
        ("What did I paint last March?", "2025-03-01", "2025-03-31", "What did I paint?"),
        ("What did I paint this January?", "2026-01-01", "2026-01-31", "What did I paint?"),
        ("what did I paint in May last year", "2025-05-01", "2025-05-31", "what did I paint"),
        ("what did I paint (in Feb 2025)?", "2025-02-01", "2025-02-28", "what did I paint?"),
        ("invoices May 2025", "2025-05-01", "2025-05-31", "invoices"),
        ("what did we decide in 2025", "2025-01-01", "2025-12-31", "what did we decide"),
        ("In 2025 we moved. Where to?", "2025-01-01", "2025-12-31", "we moved. Where to?"),
        ("what happened on 3 May", "2025-05-03", "2025-05-03", "what happened"),
        ("What happened on Saturday, May 3rd?", "2025-05-03", "2025-05-03", "What happened?"),
        ("the outage of March 3rd, 2024", "2024-03-03", "2024-03-03", "the outage"),
        ("what happened on the 29th of February", "2024-02-29", "2024-02-29", "what happened"),
        ("errors 2025-05-03", "2025-05-03", "2025-05-03", "errors"),
        ("errors on 2025-05", "2025-05-01", "2025-05-31", "errors"),
        ("errors since Monday", "2026-03-16", None, "errors"),
        ("What is new since May?", "2025-05-01", None, "What is new?"),
        ("what changed since 2 weeks ago", "2026-03-01", None, "what changed"),
        ("what did I write after May 2025", "2025-06-01", None, "what did I write"),
        ("what did I write before last week", None, "2026-03-08", "what did I write"),
        ("what did I write before 2025-05-03", None, "2025-05-02", "what did I write"),
        ("what did I write until 2025-05-03", None, "2025-05-03", "what did I write"),
        ("what did I write up to May 2025", None, "2025-05-31", "what did I write"),
        ("commits between May and July", "2025-05-01", "2025-07-31", "commits"),
        ("commits between May and July 2024", "2024-05-01", "2024-07-31", "commits"),
        ("what did I do from November to February", "2025-11-01", "2026-02-28", "what did I do"),
        ("what did I do between Monday and Friday?", "2026-03-09", "2026-03-13",
         "what did I do?"),
        ("errors from 2025-05-03 to 2025-05-05", "2025-05-03", "2025-05-05", "errors"),
        ("errors 2 days ago", "2026-03-16", "2026-03-16", "errors"),
        ("errors three days ago", "2026-03-14", "2026-03-16", "errors"),
        ("who wrote a week ago", "2026-03-08", "2026-03-15", "who wrote"),
        ("who wrote about 2 months ago", "2025-12-31", "2026-01-31", "who wrote"),
        ("who wrote a year ago", "2024-09-15", "2025-09-16", "who wrote"),
        ("A few days ago, who wrote?", "2026-03-11", "2026-03-16", "who wrote?"),
        ("who wrote a couple of weeks ago", "2026-02-18", "2026-03-11", "who wrote"),
        ("errors in the last week", "2026-03-11", "2026-03-18", "errors"),
        ("errors over the past 3 days", "2026-03-15", "2026-03-18", "errors"),
        ("errors last 24 hours", "2026-03-17", "2026-03-18", "errors"),
        ("what have I read in early 2025", "2025-01-01", "2025-07-02", "what have I read"),
        ("what have I read in late May 2025", "2025-05-16", "2025-05-31", "what have I read"),
        ("what did I read in mid-May?", "2025-05-08", "2025-05-24", "what did I read?"),
        ("what did I read at the end of last month", "2026-02-15", "2026-02-28",
         "what did I read"),
        ("revenue Q2 2025", "2025-04-01", "2025-06-30", "revenue"),
        ("What is the film that I watched on Monday?", "2026-03-16", "2026-03-16",
         "What is the film that I watched?"),
        ("Can you tell me who called on Monday?", "2026-03-16", "2026-03-16",
         "Can you tell me who called?"),
        ("What broke last\n week in `a.py`?", "2026-03-09", "2026-03-15",
         "What broke in `a.py`?"),
        ("last spring", "2025-03-01", "2025-05-31", "last spring"),
        ("In May?", "2025-05-01", "2025-05-31", "In May?"),
    ],
)  # fmt: skip
def test_words_that_say_when(query, first, last, rest):
    found = asked_time(query, NOW)
    assert (found.first, found.last) == days(first, last)
    assert found.rest == rest
    assert found.said
    assert found.said in query


@pytest.mark.parametrize(
    "query",
    [
        # No time at all.
        "", " ", "?", "May I ask something?", "May said so", "What does April prefer?",
        "emails from June", "This may be slow", "this may not be so", "the march of progress",
        "the last March for rights", "fall back to the cache", "spring boot", "autumn leaves",
        "the last spring release", "the winter theme", "What is there to do in the summer?",
        "the last commit", "last error", "last time", "week view", "the last week view",
        "the today tab", "in a month", "for 3 days", "the last day", "in the long run",
        "in 2024 lines", "error 2025", "port 2024", "after 2020 requests", "python 3.11",
        "ports between 2020 and 2025", "in Jan", "in dec", "the decade", "USA 2025",
        # Not the words of the one who asks.
        'What did "last week" mean?', "who wrote `in May`", "who said 'see you last Monday' to me",
        "git log --since yesterday", "logs/2025-05-03.txt", "day=yesterday", "https://a.b/2025-05",
        "2025-05-03T10:00:00Z", "gpt-4-2025-05-03", "API version 2025-05-03", "gpt-4o 2025-05-03",
        "the May 2025 release", "branch fix-may-2025", "```\nin May\n```",
        # What lies ahead, or holds.
        "next week", "tomorrow", "What is due on Monday?", "What is my plan for today?",
        "Should I go out this week?", "remind me on Monday", "meetings I have to attend today",
        "Is it still used today?", "Do I have appointments on 3 May?", "this May", "in 2027",
        "this weekend", "later this month", "I'd like to travel on May 26.", "on 2026-05-01",
        "Today they share the layout, the colours and the rest of the parts.",
        "How long until Monday?", "by last week",
        # More, less or other than the words say.
        "not last week", "everything except last week", "compare last week with this week",
        "was it in May or in June", "in May or June", "in May and June 2025", "from May 3 to 5",
        "between 3 and 5 May 2025", "2 or 3 weeks ago", "more than 3 weeks ago", "half a year ago",
        "over 3 weeks ago", "a year and a half ago", "1.5 years ago", "the day after 3 May 2025",
        "two weeks before last Monday", "the week of 3 May 2025", "what did I not use since May",
        "what have I not used in the last 3 months", "since yesterday was a holiday, who worked?",
        "moved from Monday to Wednesday", "the talk between April and June", "from May on",
        "errors on or after 2025-05-03", "set it to the last 3 months", "yesterday or today",
        "on Mondays", "every Monday", "on Monday and Tuesday",
        "Yesterday I told you about the trip in May 2024",
        # No day that can be meant.
        "recently", "the other day", "long ago", "days ago", "over Christmas", "winter 2025",
        "in winter 2025", "on 31 June", "on 2025-02-30", "in 2009", "on Monday, 3 May 2025",
        "99999 weeks ago", "9999 years ago", "in May of", "between July 2025 and May 2025",
        "on 3/5/2025",
    ],
)  # fmt: skip
def test_words_that_say_something_else(query):
    assert asked_time(query, NOW) == (None, None, query, None)


@pytest.mark.parametrize(
    ("query", "as_of", "first", "last"),
    [
        ("what did I do in May", "2026-05-01", "2026-05-01", "2026-05-31"),
        ("what did I do last May", "2026-05-31", "2025-05-01", "2025-05-31"),
        ("what did I do last May", "2026-06-01", "2026-05-01", "2026-05-31"),
        ("what did I do last spring", "2026-05-31", "2025-03-01", "2025-05-31"),
        ("what did I do last spring", "2026-06-01", "2026-03-01", "2026-05-31"),
        ("what did I do this winter", "2026-02-01", "2025-12-01", "2026-02-28"),
        ("what did I do this winter", "2025-10-01", None, None),
        ("what did I do this summer", "2026-11-01", "2026-06-01", "2026-08-31"),
        ("what did I do last month", "2026-01-31", "2025-12-01", "2025-12-31"),
        ("what did I do last Monday", "2026-03-16", "2026-03-09", "2026-03-09"),
        ("what did I do this weekend", "2026-03-15", "2026-03-14", "2026-03-15"),
        ("what did I do last weekend", "2026-03-15", "2026-03-07", "2026-03-08"),
        ("what did I do on May 3", "2026-05-03", "2026-05-03", "2026-05-03"),
    ],
)
def test_what_is_latest_has_begun_and_what_is_last_is_over(query, as_of, first, last):
    asked = asked_time(query, datetime.fromisoformat(as_of).replace(tzinfo=UTC))
    assert (asked.first, asked.last) == days(first, last)


def test_days_are_those_of_the_zone_of_as_of() -> None:
    late = datetime(2026, 3, 18, 23, tzinfo=UTC)
    assert asked_time("errors today", late).first == date(2026, 3, 18)
    assert asked_time("errors today", late.astimezone(ZoneInfo("Asia/Tokyo"))).first == date(
        2026, 3, 19
    )


_WORDS = """
in on at from since until before after between and or to of the a last this past next may May march
Monday friday spring fall winter week weeks month year day days weekend yesterday today ago early
mid late end 2 3 3rd 12 2024 2025 2025-05 2025-05-03 Q2 few couple two not did I we what is was
the errors report 's , . ? ( ) " ' ` -- / - – \n
"""


@given(
    st.one_of(st.text(), st.lists(st.sampled_from(_WORDS.split(" ")), max_size=14).map(" ".join)),
    st.one_of(st.just(NOW), st.datetimes(timezones=st.just(UTC))),
)
@example("last yesterday week", NOW)
@example("in ſeptember and MARK in Kılometreſ", NOW)
@example("yesterday", datetime.min.replace(tzinfo=UTC))
@example("this week", datetime.max.replace(tzinfo=UTC))
def test_whatever_is_asked(query: str, as_of: datetime) -> None:
    asked = asked_time(query, as_of)
    assert (asked.said is None) == (asked.first is None and asked.last is None)
    if asked.said is None:
        assert asked.rest == query
        return
    assert asked.said in query
    assert asked.rest.strip()
    assert asked.first is None or asked.first <= as_of.date()
    if asked.first and asked.last:
        assert asked.first <= asked.last
    if asked.rest != query:
        assert asked_time(asked.rest, as_of).said is None
    if query.isascii():
        for other in (query.upper(), query.lower()):
            again = asked_time(other, as_of)
            assert (again.first, again.last) == (asked.first, asked.last)
