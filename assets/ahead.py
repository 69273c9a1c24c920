"""Doing the next piece of work in a thread while the one before is made use of."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

In = TypeVar("In")
Out = TypeVar("Out")


def ahead(work: Callable[[In], Out], items: Iterable[In], threads: int = 1) -> Iterator[Out]:
    """`map(work, items)`, in order, with as many results made ahead as there are threads.

    An error comes up where its result would; what was begun by then is finished, nothing more.
    """
    waiting = iter(items)
    with ThreadPoolExecutor(threads) as pool:
        begun = deque(pool.submit(work, item) for item in islice(waiting, threads))
        while begun:
            done = begun.popleft().result()
            begun.extend(pool.submit(work, item) for item in islice(waiting, 1))
            yield done
