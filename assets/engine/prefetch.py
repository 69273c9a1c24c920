"""Doing a piece of work in a thread while the next one is made ready, or the last one used."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

In = TypeVar("In")
Out = TypeVar("Out")


def ahead(work: Callable[[In], Out], items: Iterable[In], threads: int = 1) -> Iterator[Out]:
    """`map(work, items)`, in order, in threads that are at most `threads` results ahead.

    `items` are drawn in the caller's thread. An error comes up where its result would.
    """
    with ThreadPoolExecutor(threads) as pool:
        begun: deque[Future[Out]] = deque()
        try:
            for item in items:
                begun.append(pool.submit(work, item))
                if len(begun) > threads:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        finally:
            for future in begun:
                future.cancel()
