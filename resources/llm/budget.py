"""What may be spent: dollars per run and per day, held before a call and settled after it."""

import threading
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

from cairn.resources.home.settings import Settings
from cairn.resources.home.usage import midnight
from cairn.resources.llm.answer_cache import Answers
from cairn.resources.llm.open_batches import OpenBatches


class Spent(NamedTuple):
    """What a run has paid."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    """Dollars of the calls with a known price."""
    unpriced: int = 0
    """Calls whose cost is not known, and not in `cost`."""


class OverBudget(Exception):  # noqa: N818  what is told
    """A call that may cost more than is left; the message names the setting that is reached."""


class Budget:
    """Limits in dollars, None for no limit: of a run, of a day, of a day of one namespace.

    Threads may share it. A call is let through only if the most that it can cost fits beside what
    is spent and held. A call of unknown price costs nothing here: a limit cannot hold it, only stop
    it once reached.
    """

    def __init__(
        self,
        answers: Answers,
        run: float | None = None,
        day: float | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        in_batches: Callable[[str | None], float] = lambda _: 0.0,
        of_namespace: Callable[[str], float | None] = lambda _: None,
    ) -> None:
        self._answers = answers
        self._in_batches = in_batches
        self._reserved = 0.0
        self._queued = defaultdict[str, float](float)
        self._run = run
        self._day = day
        self._of_namespace = of_namespace
        self._now = now
        self._held: list[tuple[str, float]] = []
        self._changed = threading.Condition()
        self.spent = Spent()

    def unlimited(self, namespace: str) -> bool:
        """Whether nothing limits what is asked for a namespace."""
        return (self._run, self._day, self._of_namespace(namespace)) == (None, None, None)

    def hold(self, namespace: str, most: float | None) -> None:
        """Sets aside what a call may cost.

        Waits while calls under way may yet cost less than they hold.

        Raises:
            OverBudget: it is too much.
        """
        amount = most or 0.0
        with self._changed:
            while spent := self._passed_by(namespace, amount):
                if not self._held:
                    raise OverBudget(spent)
                self._changed.wait()
            self._held.append((namespace, amount))

    def reserve(self, namespace: str, most: float | None) -> None:
        """Sets aside, for all of this run, what a question in a batch may cost.

        Beyond the run it is set aside by the batch, until that is answered and paid.

        Raises:
            OverBudget: it is too much.
        """
        amount = most or 0.0
        with self._changed:
            if spent := self._passed_by(namespace, amount):
                raise OverBudget(spent)
            self._reserved += amount
            self._queued[namespace] += amount

    def handed_over(self, namespace: str, amount: float) -> None:
        """Of what was reserved, a batch sets this aside from now on."""
        with self._changed:
            self._queued[namespace] -= amount

    def settle(self, namespace: str, most: float | None) -> None:
        """Gives back what was set aside, after the call was paid or came to nothing."""
        with self._changed:
            self._held.remove((namespace, most or 0.0))
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

    def _passed_by(self, namespace: str, amount: float) -> str | None:
        """The limit that so much more would pass, by its setting; None if there is none."""
        held = sum(each for _, each in self._held)
        if self._run is not None:
            left = self._run - self.spent.cost - self._reserved
            if not _fits(held + amount, left):
                return "budget_run"
        today = midnight(self._now())
        if self._day is not None:
            queued = sum(self._queued.values()) + self._in_batches(None)
            if not _fits(held + amount, self._day - self._answers.paid(today) - queued):
                return "budget_day"
        most = self._of_namespace(namespace)
        if most is not None:
            queued = self._queued[namespace] + self._in_batches(namespace)
            own = sum(each for name, each in self._held if name == namespace)
            if not _fits(own + amount, most - self._answers.paid(today, namespace) - queued):
                return f"limits.{namespace}.model_dollars"
        return None


def _fits(amount: float, left: float) -> bool:
    return left > 0 and amount <= left


def budget_of(
    settings: Settings,
    answers: Answers,
    batches: OpenBatches | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Budget:
    """The budget that settings allow, beside what open batches may cost."""
    return Budget(
        answers,
        settings.budget_run,
        settings.budget_day,
        now,
        batches.held if batches else lambda _: 0.0,
        lambda namespace: settings.limits_of(namespace).model_dollars,
    )
