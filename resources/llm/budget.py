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
        in_batches: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._answers = answers
        self._in_batches = in_batches
        self._reserved = self._queued = 0.0
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

    def reserve(self, most: float | None) -> bool:
        """Sets aside, for all of this run, what a question in a batch may cost; not if too much.

        Beyond the run it is set aside by the batch, until that is answered and paid.
        """
        amount = most or 0.0
        with self._changed:
            if not self._fits(amount):
                return False
            self._reserved += amount
            self._queued += amount
            return True

    def handed_over(self, amount: float) -> None:
        """Of what was reserved, a batch sets this aside from now on."""
        with self._changed:
            self._queued -= amount

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
            limits.append(self._run - self.spent.cost - self._reserved)
        if self._day is not None:
            paid = self._answers.paid(midnight(self._now()))
            limits.append(self._day - paid - self._queued - self._in_batches())
        left = min(limits, default=None)
        return left is None or (left > 0 and sum(self._held) + amount <= left)
