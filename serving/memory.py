"""The memory of a home: what HTTP, MCP, the library and other long-lived programs answer from.

It gives readers, and what is asked is a function of one: `search_memory`, `known`, `next_context`,
`explain`. What people and agents tell goes through `serving.inbox.add_event`.
"""

from dataclasses import replace
from datetime import datetime
from threading import Lock

from resources.publication import Manifest
from resources.state import State
from serving.held import HeldTables
from serving.reader import Reader, open_reader


class Memory:
    """One home, for a process that answers many questions from several threads.

    Each answer is of one publication, the one in force when it was asked for: a new one needs no
    restart, and nobody waits for it. Tables that answers need stay in memory until the next one.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self._held: dict[str, tuple[Manifest, HeldTables]] = {}
        self._lock = Lock()

    def reader(
        self,
        namespace: str | None = None,
        as_of: datetime | None = None,
        true_at: datetime | None = None,
    ) -> Reader:
        """What is published of a namespace, at a moment; see `serving.reader.open_reader`.

        Raises:
            NothingPublished: there is nothing, or there are several namespaces to choose from.
        """
        found = open_reader(self.state, namespace, as_of, true_at)
        with self._lock:
            last = self._held.get(found.namespace)
            if last is None or not found.manifest.same_content(last[0]):
                last = found.manifest, HeldTables(self.state.warehouse, found.manifest)
                self._held[found.namespace] = last
        return replace(found, held=last[1])
