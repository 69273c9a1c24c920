"""The memory of a home: what HTTP, MCP, the library and other long-lived programs answer from.

It gives readers, and what is asked is a function of one: `search_memory`, `known`, `next_context`,
`explain`. What people and agents tell goes through `cairn.serving.write.inbox.add_event`.
"""

import logging
from dataclasses import replace
from datetime import datetime
from threading import Lock

import polars as pl

from cairn.knowledge.schema.tables import TABLES
from cairn.resources.context import State
from cairn.resources.warehouse.publication import Manifest, manifests
from cairn.serving.read.cache import CACHED, CachedTables
from cairn.serving.read.reader import Reader, open_reader, reader_of
from cairn.serving.retrieval.search import search_memory
from cairn.serving.runtime.ahead import read_ahead

logger = logging.getLogger(__name__)

MOST_HELD = 512 * 1024 * 1024
"""Bytes of tables that are held for all namespaces together, about; the last asked for stays."""


class Memory:
    """One home, for a process that answers many questions from several threads.

    Each answer is of one publication: a new one needs no restart. Tables that answers need stay in
    memory until the next one; of many namespaces those that nobody asked for longest give way.

    Args:
        state: The home.
        ahead: Whether the tables of a new publication are read ahead, by a thread of its own, while
            answers are still of the one before: then nobody waits for it. Else the first to ask
            does, and an answer is of what was in force when it was asked for.
    """

    def __init__(self, state: State, *, ahead: bool = False) -> None:
        self.state = state
        self._ahead = ahead
        self._held: dict[str, tuple[Manifest, CachedTables]] = {}
        self._coming: set[str] = set()
        """Namespaces of which a publication is being read ahead."""
        self._lock = Lock()

    def reader(
        self,
        namespace: str | None = None,
        as_of: datetime | None = None,
        true_at: datetime | None = None,
    ) -> Reader:
        """What is published of a namespace, at a moment; see `serving.read.reader.open_reader`.

        Raises:
            NothingPublished: there is nothing, or there are several namespaces to choose from.
        """
        found = open_reader(self.state, namespace, as_of, true_at)
        with self._lock:
            last = self._held.pop(found.namespace, None)
            if last is not None:
                self._held[found.namespace] = last  # behind all others
            if last is None or not found.manifest.same_content(last[0]):
                if last is not None and self._ahead and self._kept(last[0]):
                    self._read_ahead(found.manifest, last[0])
                    return reader_of(self.state, last[0], as_of, true_at, last[1])
                last = found.manifest, CachedTables(self.state.warehouse, found.manifest)
                self._held[found.namespace] = last
                self._let_go()
        return replace(found, cached=last[1])

    def _let_go(self) -> None:
        """Lets go of those asked for longest ago, where all take more than they may."""
        held = sum(tables.bytes_held for _, tables in self._held.values())
        for namespace in list(self._held)[:-1]:
            if held <= MOST_HELD:
                return
            held -= self._held.pop(namespace)[1].bytes_held

    def _kept(self, manifest: Manifest) -> bool:
        """Whether a manifest may still be read: what was forgotten is in none that may."""
        kept = manifests(self.state.home, manifest.namespace)
        return any(manifest.same_content(each) for each in kept)

    def _read_ahead(self, manifest: Manifest, last: Manifest) -> None:
        """Has a publication made ready, unless one of its namespace is being made so."""
        if manifest.namespace not in self._coming:
            self._coming.add(manifest.namespace)
            read_ahead("publication", self._come, manifest, last)

    def _come(self, manifest: Manifest, last: Manifest) -> None:
        held = CachedTables(self.state.warehouse, manifest)
        try:
            make_ready(reader_of(self.state, manifest, cached=held))
        except Exception as error:
            # Whoever asks next reads it again, and is told.
            logger.warning("publication of %s: %s", manifest.namespace, type(error).__name__)
        with self._lock:
            self._coming.remove(manifest.namespace)
            if (now := self._held.get(manifest.namespace)) and now[0] is last:
                self._held[manifest.namespace] = manifest, held


def make_ready(reader: Reader) -> None:
    """Reads what answers need: the model, the index, the tables that are held."""
    search_memory(reader, "ready", "all", seconds=0)  # no provider is asked for that
    none = pl.Series([], dtype=pl.String)
    reader.memory(none).collect()
    reader.about([])
    reader.sources([])
    for name, columns in CACHED.items():
        reader.rows(TABLES[name], columns[0], none, columns)
