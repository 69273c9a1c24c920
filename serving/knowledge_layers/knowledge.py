"""Knowledge as a library: opened, asked, closed."""

import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from cairn.serving.knowledge_layers.formatting import Format, Formatter
from cairn.serving.knowledge_layers.items import USER_PROFILE, KnowledgeType, Retrieved
from cairn.serving.knowledge_layers.retrieving import DEPTH, TOP_K, retrieve
from cairn.serving.knowledge_layers.routing import route
from cairn.serving.knowledge_layers.stores import LayerSource, Stores

if TYPE_CHECKING:
    from cairn.serving.knowledge_layers.reader import Following


class Knowledge:
    """Three layers behind one face: what is known about a question, as text for a prompt.

    Whatever formats it, a text stands in the fence that says it is data (`knowledge.llm.fence`).

    `knowledge(query)` gives one text, `knowledge.by_info_type(query)` one for each section of a
    prompt, `knowledge.retrieve(query)` what stands behind both. It is a context manager.

    Args:
        stores: The three layers, or what gives them for each question.
        active_entity_id: For whom, or about what, it is asked: its profile and its place in the
            graph are part of every answer.
        formatter: Makes the text.
        formatters: Makes the text of a section, by its info type; others by `formatter`.
        metadata_info_type: Section that profiles go to.
        top_k: Pieces that a search gives, at most.
        graph_traversal_depth: Steps from the entity in the graph, at most.
    """

    def __init__(
        self,
        stores: Stores | LayerSource,
        *,
        active_entity_id: str | None = None,
        formatter: Format | None = None,
        formatters: Mapping[str, Format] | None = None,
        metadata_info_type: str = USER_PROFILE,
        top_k: int = TOP_K,
        graph_traversal_depth: int = DEPTH,
    ) -> None:
        self.active_entity_id = active_entity_id
        self._source = stores
        self._formatter: Format = formatter or Formatter()
        self._formatters = dict(formatters or {})
        self._metadata_info_type = metadata_info_type
        self._top_k = top_k
        self._depth = graph_traversal_depth
        self._closed = False

    @classmethod
    def open(
        cls,
        home: Path | str | None = None,
        namespace: str | None = None,
        *,
        as_of: datetime | None = None,
        **settings: Any,
    ) -> Self:
        """What a home has published; each question sees the latest publication, whole.

        Args:
            home: The state folder; the one that settings name if None.
            namespace: Whose knowledge; the only one that there is besides samples, if None.
            as_of: The moment to look from; the latest event if None.
            **settings: As of the class. `active_entity_id` may be a name, too.

        Raises:
            NothingPublished: there is nothing, or there are several namespaces to choose from.
            HomeError: the folder cannot be used.
            ConfigError: a setting is unknown or wrong.
        """
        from cairn.resources.context import open_state
        from cairn.serving.knowledge_layers.reader import Following
        from cairn.serving.retrieval.open_memory import Memory

        before = os.environ.get("CAIRN_HOME")
        try:
            state = open_state(Path(home) if home is not None else None)
        finally:  # it names the home for processes that a command starts; a library starts none
            if before is not None:
                os.environ["CAIRN_HOME"] = before
            else:
                os.environ.pop("CAIRN_HOME", None)
        return cls(Following(partial(Memory(state).reader, namespace, as_of)), **settings)

    @classmethod
    def load(cls, document: str | bytes | Mapping[str, Any], **settings: Any) -> Self:
        """What a JSON document holds (`cairn.serving.knowledge_layers.loading`), in memory.

        Raises:
            ValueError: it is no JSON object.
        """
        from cairn.serving.knowledge_layers.loading import load

        return cls(load(document).stores(), **settings)

    def retrieve(
        self,
        query: str,
        entity_id: str | None = None,
        top_k: int | None = None,
        *,
        knowledge_types: Iterable[KnowledgeType | str] | None = None,
        tags: Iterable[str] | None = None,
        graph_traversal_depth: int | None = None,
    ) -> Retrieved:
        """What is known: profiles, pieces near to the query, and what lies around the entity.

        Args:
            query: What is asked; an empty one searches no pieces.
            entity_id: About whom: its profile, pieces about it or about none, its place in the
                graph. If None, profile and place are those of the active entity, and pieces about
                all entities are searched.
            top_k: Pieces that the search gives, at most.
            knowledge_types: Only pieces of these types.
            tags: Only pieces that have all of these.
            graph_traversal_depth: Steps in the graph, at most.

        Raises:
            ValueError: a knowledge type that there is not, a bound below 0, or it is closed.
        """
        return retrieve(
            self._stores(),
            query,
            entity_id or self.active_entity_id,
            self._top_k if top_k is None else top_k,
            about_it=entity_id is not None,
            knowledge_types=knowledge_types,
            tags=tags or (),
            graph_traversal_depth=(
                self._depth if graph_traversal_depth is None else graph_traversal_depth
            ),
        )

    def _stores(self) -> Stores:
        if self._closed:
            raise ValueError("this knowledge is closed")
        return self._source if isinstance(self._source, Stores) else self._source()

    def _unasked(self, stores: Stores, query: str) -> Retrieved:
        """What goes into a prompt: all that `retrieve` gives of a question alone."""
        return retrieve(
            stores, query, self.active_entity_id, self._top_k, graph_traversal_depth=self._depth
        )

    def __call__(self, query: str) -> str:
        """What is known about a question, as one text in the fence; empty if nothing is."""
        stores = self._stores()
        text = self._formatter(self._unasked(stores, query))
        return stores.fenced(text)

    def brief(self, project: str | None = None, budget: int = 400) -> dict[str, Any]:
        """What to know of a project before work on it starts.

        Args:
            project: Its name, or a path in it; else the one that was worked on last.
            budget: Tokens of the text, at most: 100 to 4,000.

        Returns:
            namespace, as_of, project, tokens, text, and lines: id, kind, text, support,
            conversations, last_seen. `GET /v1/brief` and `cairn brief --json` tell the same.

        Raises:
            ValueError: it is closed, or was loaded from a document, which tells of no work; or the
                budget is out of bounds.
            UnknownId: no project is called that; the message names those that may be meant.
        """
        return self._home("a brief").brief(project, budget)

    def utility(self, limit: int = 20) -> dict[str, Any]:
        """Whether what agents were given helped: shown, against held out.

        Args:
            limit: Rows of single pieces, at most.

        Returns:
            namespace, as_of, pieces, kinds and top, as `GET /v1/utility` and `cairn utility --json`
            tell them.

        Raises:
            ValueError: it is closed, or was loaded from a document.
        """
        return self._home("utility").utility(limit)

    def _home(self, what: str) -> "Following":
        """The home that it was opened from.

        Raises:
            ValueError: it is closed, or was loaded from a document.
        """
        from cairn.serving.knowledge_layers.reader import Following

        if self._closed or not isinstance(self._source, Following):
            raise ValueError(f"{what} needs a home that is open")
        return self._source

    def by_info_type(self, query: str) -> dict[str, str]:
        """What is known about a question, as a text for each section of a prompt that gets any.

        Each is in a fence of its own.
        """
        stores = self._stores()
        found = self._unasked(stores, query)
        texts = {
            info_type: self._formatters.get(info_type, self._formatter)(part)
            for info_type, part in route(found, found.entity_id, self._metadata_info_type).items()
        }
        return {info_type: stores.fenced(text) for info_type, text in texts.items() if text.strip()}

    def close(self) -> None:
        """Closes all three stores, the others even if one of them fails; again does nothing."""
        if not self._closed:
            self._closed = True
            self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
