"""Ctrl-C, where Python raises it and where Python drops it."""

import signal
from threading import Thread

import pytest
from dagster._utils.interrupts import capture_interrupts

from cairn.pipelines.interrupts import again_if, counted


class Gone:
    """Interrupts where what is raised is dropped."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_was_dropped_is_raised_again() -> None:
    before = signal.set_wakeup_fd(-1)
    with counted() as came:
        again_if(came)
        for _ in range(3):
            Gone()
        with pytest.raises(KeyboardInterrupt):
            again_if(came)
        assert came()
        assert not came()
    assert signal.set_wakeup_fd(before) == -1


def test_what_a_script_started_in_the_background_can_still_be_ended() -> None:
    handlers = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with counted(), capture_interrupts():
            pass
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGINT, handlers[0])
        signal.signal(signal.SIGTERM, handlers[1])


def test_other_signals_and_other_threads_are_no_interrupts() -> None:
    told: list[bool] = []
    heard = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        with counted() as came:
            signal.raise_signal(signal.SIGUSR1)
            assert not came()
    finally:
        signal.signal(signal.SIGUSR1, heard)

    def elsewhere() -> None:
        with counted() as came:
            told.append(came())

    thread = Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert told == [False]
