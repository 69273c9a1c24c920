"""The pace of what is told unasked."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from cairn.knowledge.research.backoff import FIRST, pace

START = datetime(2026, 3, 1, 8, tzinfo=UTC)


def minutes(number: float) -> datetime:
    return START + timedelta(minutes=number)


def test_at_once_and_then_after_one_two_four_and_eight_minutes() -> None:
    told = [START]
    for _ in range(5):
        told.append(pace(told, None).next_at(START))
    assert told == [minutes(number) for number in (0, 1, 3, 7, 15, 31)]


def test_any_action_resets_it_and_counts_only_for_what_was_told_before() -> None:
    told = [minutes(number) for number in (0, 1, 3)]
    assert pace(told, minutes(3)).next_at(minutes(3)) == minutes(3)
    assert pace([*told, minutes(4)], minutes(3)).next_at(minutes(4)) == minutes(5)
    assert pace([], minutes(3)).next_at(minutes(9)) == minutes(9)


@given(st.permutations([0.0, 1.0, 3.0, 7.0, 9.5]), st.floats(0, 20) | st.none())
def test_order_changes_nothing_and_the_pause_doubles_with_each_unanswered_one(
    told: list[float], acted: float | None
) -> None:
    action = None if acted is None else minutes(acted)
    stands = pace([minutes(number) for number in told], action)
    unanswered = sum(action is None or minutes(number) > action for number in told)
    assert stands.unanswered == unanswered
    pause = stands.next_at(START) - minutes(9.5)
    assert pause == FIRST * 2 ** (unanswered - 1) if unanswered else pause < timedelta(0)


def test_a_person_who_was_away_for_years_is_no_error() -> None:
    told = [minutes(number) for number in range(200)]
    assert pace(told, None).next_at(START) > START + timedelta(days=365)
