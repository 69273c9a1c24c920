"""Commands that run beside a server: who asks again gets the answer."""

from threading import Event

from cairn.serving.runtime.command import LastAnswer


def test_an_answer_lasts_from_when_it_is_there_however_long_it_took() -> None:
    asked: list[int] = []
    may_end = Event()

    def make() -> int:
        asked.append(len(asked))
        assert may_end.wait(60)
        return asked[-1]

    last = LastAnswer[int]()
    assert [last.of("runs", make, 0.01, lasts=0) for _ in range(3)] == [None] * 3
    may_end.set()
    assert last.of("runs", make, 60, lasts=60) == 0
    assert last.of("runs", make, 60, lasts=60) == 0
    assert asked == [0], "while it was made, it was not begun anew"
    assert last.of("runs", make, 60, lasts=-1) == 1, "what is too old is asked anew"
