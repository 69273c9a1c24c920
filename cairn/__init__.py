"""Cairn as a library: what is known, for a program that asks.

    from cairn import Knowledge
    knowledge = Knowledge.open()
    print(knowledge("why does the backup fail?"))

Everything is imported at its first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cairn.serving.knowledge_layers.formatting import Formatter
    from cairn.serving.knowledge_layers.items import (
        Edge,
        KnowledgeType,
        Metadata,
        Node,
        Piece,
        Retrieved,
        Scored,
    )
    from cairn.serving.knowledge_layers.knowledge import Knowledge
    from cairn.serving.knowledge_layers.loading import load
    from cairn.serving.knowledge_layers.routing import route
    from cairn.serving.knowledge_layers.stores import GraphStore, MetadataStore, PieceStore, Stores
    from cairn.serving.knowledge_layers.streams import FeedStrategy, feed
    from cairn.serving.knowledge_layers.templates import (
        TemplateError,
        handlebars,
        jinja,
        str_format,
    )
    from cairn.serving.retrieval.token_budget import Context, build_context, count_tokens

_PLACES = {
    "retrieval.token_budget": ("Context", "build_context", "count_tokens"),
    "knowledge_layers.streams": ("FeedStrategy", "feed"),
    "knowledge_layers.formatting": ("Formatter",),
    "knowledge_layers.knowledge": ("Knowledge",),
    "knowledge_layers.loading": ("load",),
    "knowledge_layers.items": (
        "Edge", "KnowledgeType", "Metadata", "Node", "Piece", "Retrieved", "Scored",
    ),
    "knowledge_layers.routing": ("route",),
    "knowledge_layers.stores": ("GraphStore", "MetadataStore", "PieceStore", "Stores"),
    "knowledge_layers.templates": ("TemplateError", "handlebars", "jinja", "str_format"),
}  # fmt: skip
_MODULES = {name: f"cairn.serving.{place}" for place, names in _PLACES.items() for name in names}

__all__ = [
    "Context",
    "Edge",
    "FeedStrategy",
    "Formatter",
    "GraphStore",
    "Knowledge",
    "KnowledgeType",
    "Metadata",
    "MetadataStore",
    "Node",
    "Piece",
    "PieceStore",
    "Retrieved",
    "Scored",
    "Stores",
    "TemplateError",
    "build_context",
    "count_tokens",
    "feed",
    "handlebars",
    "jinja",
    "load",
    "route",
    "str_format",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'cairn' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
