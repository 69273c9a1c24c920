"""What may be spent: dollars per run and per day, held before a call and settled after it."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

from cairn.resources.llm.answer_cache import Answers


class Spent(NamedTuple):
    """What a run has paid."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    """Dollars of the calls with a known price."""
    unpriced: int = 0
    """Calls whose cost is not known, and not in `cost`."""


def midnight(now: datetime) -> datetime:
    """When the UTC day of a time began."""
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


class Budget:
    """Limits in dollars, None for no limit. Threads may share it.

    A call is let through only if the most that it can cost fits beside what is spent and held. A
    call of unknown price costs nothing here: a limit cannot hold it, only stop it once reached.
    """

    def __init__(
        self,
        answers: Answers,
        run: float | None = None,
        day: float | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._answers = answers
        self._run = run
        self._day = day
        self._now = now
        self._held: list[float] = []
        self._changed = threading.Condition()
        self.spent = Spent()

    @property
    def unlimited(self) -> bool:
        """Whether there is no limit."""
        return self._run is None and self._day is None

    def hold(self, most: float | None) -> bool:
        """Sets aside what a call may cost, or says that it is too much.

        Waits while calls under way may yet cost less than they hold.
        """
        amount = most or 0.0
        with self._changed:
            while not self._fits(amount):
                if not self._held:
                    return False
                self._changed.wait()
            self._held.append(amount)
            return True

    def settle(self, most: float | None) -> None:
        """Gives back what was set aside, after the call was paid or came to nothing."""
        with self._changed:
            self._held.remove(most or 0.0)
            self._changed.notify_all()

    def count(self, cost: float | None, tokens_in: int | None, tokens_out: int | None) -> None:
        """Counts a call that was answered."""
        with self._changed:
            self.spent = Spent(
                self.spent.calls + 1,
                self.spent.tokens_in + (tokens_in or 0),
                self.spent.tokens_out + (tokens_out or 0),
                self.spent.cost + (cost or 0.0),
                self.spent.unpriced + (cost is None),
            )

    def _fits(self, amount: float) -> bool:
        limits: list[float] = []
        if self._run is not None:
            limits.append(self._run - self.spent.cost)
        if self._day is not None:
            limits.append(self._day - self._answers.paid(midnight(self._now())))
        left = min(limits, default=None)
        return left is None or (left > 0 and sum(self._held) + amount <= left)
